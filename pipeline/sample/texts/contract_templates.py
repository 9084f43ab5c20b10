"""Maintenance contract templates; `{name}` marks what differs from client to client."""

from pipeline.sample.document import Lang

TITLES: dict[Lang, str] = {
    "tr": "Bakım ve Servis Sözleşmesi",
    "de": "Wartungsvertrag",
    "en": "Maintenance Agreement",
}

# Sentences that carry the values; questions quote them.
FEE: dict[Lang, str] = {
    "tr": "Aylık hizmet bedeli katma değer vergisi hariç {fee} TL'dir",
    "de": "Die monatliche Vergütung beträgt {fee} Euro zuzüglich Umsatzsteuer",
    "en": "The monthly fee is £{fee} plus value added tax",
}
START: dict[Lang, str] = {
    "tr": "Sözleşme {start} tarihinde yürürlüğe girer ve {months} ay sürer",
    "de": "Der Vertrag beginnt am {start} und läuft {months} Monate",
    "en": "This agreement starts on {start} and runs for {months} months",
}
COURT: dict[Lang, str] = {
    "tr": "Uyuşmazlıklarda İzmir mahkemeleri ve icra daireleri yetkilidir",
    "de": "Ausschließlicher Gerichtsstand ist Leipzig",
    "en": "The courts of England and Wales have exclusive jurisdiction",
}

SECTIONS: dict[Lang, tuple[tuple[str, ...], ...]] = {
    "tr": (
        ("1. Taraflar", "Bu sözleşme, Poyraz Makine A.Ş. (hizmet veren) ile {client} (müşteri, {town}) arasında {number} sayıyla düzenlenmiştir. Müşteriyi {contact} temsil eder."),
        ("2. Konu", "Hizmet veren, müşterinin tesisindeki {units} adet pompa ve vananın yıllık bakımını, arıza onarımını ve yedek parça sağlanmasını üstlenir."),
        ("3. Süre", START["tr"] + ". Taraflardan biri bitiminden üç ay önce yazılı olarak feshetmedikçe bir yıl uzar."),
        ("4. Bedel ve ödeme", FEE["tr"] + ". Fatura ay sonunda kesilir, otuz gün içinde ödenir; gecikmede aylık yüzde iki faiz uygulanır."),
        ("5. Müdahale süresi", "Üretimi durduran arızada servis ekibi bildirimden sonra en geç {response} saat içinde tesiste olur. Diğer arızalarda iki iş günü geçerlidir."),
        ("6. Gizlilik", "Taraflar birbirlerinin teknik ve ticari bilgilerini sözleşme bittikten sonra da beş yıl gizli tutar."),
        ("7. Sorumluluk", "Hizmet verenin sorumluluğu, kasıt ve ağır kusur dışında, yıllık bedelin iki katı olan {cap} TL ile sınırlıdır."),
        ("8. Yetkili mahkeme", COURT["tr"] + "."),
    ),
    "de": (
        ("1. Vertragsparteien", "Dieser Vertrag Nr. {number} wird zwischen der Poyraz Maschinenbau GmbH (Auftragnehmer) und der {client} in {town} (Auftraggeber) geschlossen. Ansprechpartner des Auftraggebers ist {contact}."),
        ("2. Gegenstand", "Der Auftragnehmer wartet jährlich {units} Pumpen und Armaturen des Auftraggebers, behebt Störungen und liefert Ersatzteile."),
        ("3. Laufzeit", START["de"] + ". Er verlängert sich um ein Jahr, wenn er nicht drei Monate vor Ablauf schriftlich gekündigt wird."),
        ("4. Vergütung", FEE["de"] + ". Rechnungen sind binnen dreißig Tagen zu zahlen; bei Verzug fallen Zinsen in gesetzlicher Höhe an."),
        ("5. Reaktionszeit", "Steht die Produktion still, ist der Kundendienst spätestens {response} Stunden nach der Meldung vor Ort. In allen anderen Fällen gelten zwei Werktage."),
        ("6. Vertraulichkeit", "Beide Seiten behandeln technische und kaufmännische Angaben der anderen auch fünf Jahre nach Vertragsende vertraulich."),
        ("7. Haftung", "Außer bei Vorsatz und grober Fahrlässigkeit ist die Haftung auf das Doppelte der Jahresvergütung, das sind {cap} Euro, begrenzt."),
        ("8. Gerichtsstand", COURT["de"] + "."),
    ),
    "en": (
        ("1. Parties", "This agreement no. {number} is made between Poyraz Controls Ltd (the contractor) and {client} of {town} (the client). The client is represented by {contact}."),
        ("2. Services", "The contractor services {units} pumps and valves at the client's works once a year, repairs faults and supplies spare parts."),
        ("3. Term", START["en"] + ". It is extended by a year unless one party gives three months' written notice before it ends."),
        ("4. Fees", FEE["en"] + ". Invoices are payable within thirty days; interest of four per cent above base rate is due on late payment."),
        ("5. Response times", "If production has stopped, an engineer attends within {response} hours of the call. In all other cases the limit is two working days."),
        ("6. Confidentiality", "Each party keeps the technical and commercial information of the other secret for five years after the end of this agreement."),
        ("7. Liability", "Except for intent and gross negligence, liability is limited to twice the annual fee, that is £{cap}."),
        ("8. Jurisdiction", COURT["en"] + "."),
    ),
}  # fmt: skip
