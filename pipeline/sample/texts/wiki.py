"""Web pages and Markdown notes of the three sites."""

from datetime import date

from pipeline.sample.document import Document, Grid, Heading, Items, Para, ask

_ONBOARDING = "policies/wiki/onboarding.md"
_VPN = "policies/wiki/vpn-kurulumu.md"
_PRINTER = "policies/wiki/druckerstörung.md"
_EXPENSE = "policies/wiki/expense-tool.html"
_CANTEEN = "policies/wiki/yemekhane.html"
_FLEET = "policies/wiki/fuhrpark.html"

DOCUMENTS = (
    Document(
        _ONBOARDING,
        "en",
        "Your first week in Bristol",
        (
            Heading("Before you start"),
            Para("Your line manager orders a laptop ten days ahead. The badge is printed at reception; bring a passport or driving licence."),
            Heading("Day one"),
            Items(("Meet your buddy in the lobby at a quarter past nine.", "Sign the confidentiality form with Priya Nair in room 2.07.", "Collect safety shoes from the stores before entering the workshop.")),
            Heading("Training"),
            Para("Fire warden and manual handling courses are completed online before the end of the second week. The workshop induction lasts three hours and takes place every Tuesday."),
            Heading("Probation"),
            Para("The probation period is six months. A review meeting is held after the eighth week and in the fifth month."),
        ),
        {"doc_type": "page", "language": "en"},
    ),
    Document(
        _VPN,
        "tr",
        "VPN kurulumu",
        (
            Heading("Gerekenler"),
            Para("Şirket bilgisayarı, telefonda kurulu doğrulama uygulaması ve yöneticinizin onayladığı uzaktan erişim hakkı gerekir."),
            Heading("Adımlar"),
            Items(("Yazılım Merkezi'nden Kapı adlı istemciyi yükleyin.", "Sunucu adresi olarak kapi.poyraz.example yazın.", "Kullanıcı adınızı sicil numaranızla girin, ardından telefondaki altı haneli kodu yazın.")),
            Heading("Sık görülen hatalar"),
            Para("E-714 hatası saat farkından kaynaklanır: bilgisayarın saatini otomatik ayara alın. E-720 hatasında erişim hakkınız dolmuştur; hak doksan günde bir yenilenmelidir."),
        ),
        {"doc_type": "page"},
    ),
    Document(
        _PRINTER,
        "de",
        "Druckerstörung: was tun?",
        (
            Heading("Papierstau"),
            Para("Klappe B öffnen, den grünen Hebel nach links legen und das Papier in Laufrichtung herausziehen. Niemals gegen die Laufrichtung ziehen, sonst reißt die Fixierfolie."),
            Heading("Streifen im Ausdruck"),
            Para("Die Trommel wird mit dem beiliegenden Pinsel gereinigt. Bleiben die Streifen, bestellt das Sekretariat eine neue Trommel unter der Artikelnummer TR-5580."),
            Heading("Gerät nicht erreichbar"),
            Para("Nach einem Stromausfall braucht der Drucker etwa vier Minuten, bis er wieder im Netz ist. Erst danach ein Ticket eröffnen."),
        ),
        {},
        sidecar=False,
    ),
    Document(
        _EXPENSE,
        "en",
        "Using the expense tool",
        (
            Heading("Submitting a claim"),
            Para("Photograph every receipt and tag it with the project number. Claims entered by the twentieth are paid with the same month's salary."),
            Heading("Mileage"),
            Para("Enter the postcode of start and destination; the tool works out the distance. Private cars are reimbursed at forty-five pence a mile for the first ten thousand miles."),
            Heading("Codes"),
            Grid((("Code", "Use", "Approver"), ("T10", "Rail and air travel", "Line manager"), ("H20", "Hotels", "Line manager"), ("C30", "Customer entertainment", "Compliance officer"), ("E40", "Tools below £200", "Workshop lead"))),
        ),
        {"doc_type": "page"},
    ),
    Document(
        _CANTEEN,
        "tr",
        "Yemekhane ve servis saatleri",
        (
            Heading("Öğle yemeği"),
            Para("Yemekhane 11.45 ile 13.30 arasında açıktır. Vejetaryen menü isteyenler bir gün önce saat on beşe kadar portaldan işaretler."),
            Heading("Gece vardiyası"),
            Para("Gece vardiyasına sıcak yemek 01.15'te verilir; çorba ve çay bütün vardiya boyunca bulunur."),
            Heading("Servisler"),
            Grid((("Hat", "İlk durak", "Kalkış"), ("1", "Bornova Metro", "06.40"), ("2", "Karşıyaka İskele", "06.25"), ("3", "Buca Heykel", "06.35"), ("4", "Menemen Garajı", "06.10"))),
        ),
        {"doc_type": "page"},
    ),
    Document(
        _FLEET,
        "de",
        "Fuhrpark: Poolfahrzeuge buchen",
        (
            Heading("Buchung"),
            Para("Poolfahrzeuge werden im Kalender gebucht, frühestens sechs Wochen im Voraus. Wer ein Fahrzeug nicht abholt, verliert die Buchung nach dreißig Minuten."),
            Heading("Laden und Tanken"),
            Para("Elektrofahrzeuge werden mit mindestens siebzig Prozent Ladung zurückgegeben. Die Ladekarte liegt im Handschuhfach, die Geheimzahl nennt die Pforte."),
            Heading("Unfall"),
            Para("Bei jedem Unfall wird die Polizei gerufen, auch bei Bagatellschäden. Die Schadensnummer der Versicherung lautet 0341 555 0199."),
        ),
        {"doc_type": "page", "effective_date": date(2025, 10, 1)},
    ),
)  # fmt: skip

QUESTIONS = (
    ask("en", "fact", "When do new starters in Bristol have their first probation review?", _ONBOARDING, "A review meeting is held after the eighth week"),
    ask("en", "list", "Where do I sign the NDA on my first day?", _ONBOARDING, "Sign the confidentiality form with Priya Nair in room 2.07"),
    ask("de", "cross_lingual", "Wie lange dauert in Bristol die Einweisung in die Werkstatt?", _ONBOARDING, "The workshop induction lasts three hours"),
    ask("tr", "fact", "Uzaktan bağlanırken E-714 hatası alıyorum, ne yapmalıyım?", _VPN, "bilgisayarın saatini otomatik ayara alın", weight=2),
    ask("tr", "list", "VPN istemcisine hangi sunucu adresini yazacağım?", _VPN, "Sunucu adresi olarak kapi.poyraz.example yazın"),
    ask("en", "cross_lingual", "How often does remote access have to be renewed in Turkey?", _VPN, "hak doksan günde bir yenilenmelidir"),
    ask("de", "fact", "Der Ausdruck hat Streifen, welche Trommel muss nachbestellt werden?", _PRINTER, "eine neue Trommel unter der Artikelnummer TR-5580"),
    ask("de", "fact", "Wie hole ich verklemmtes Papier aus dem Drucker?", _PRINTER, "das Papier in Laufrichtung herausziehen"),
    ask("en", "fact", "By which day must I submit a claim to be paid this month?", _EXPENSE, "Claims entered by the twentieth are paid with the same month's salary"),
    ask("en", "table", "Who approves taking a client out for dinner in the expense tool?", _EXPENSE, "Customer entertainment"),
    ask("tr", "table", "Karşıyaka servisi sabah kaçta kalkıyor?", _CANTEEN, "06.25", weight=2),
    ask("tr", "fact", "Gece çalışanlara yemek saat kaçta çıkıyor?", _CANTEEN, "Gece vardiyasına sıcak yemek 01.15'te verilir"),
    ask("de", "fact", "Wie voll muss der Akku sein, wenn ich das Poolauto zurückbringe?", _FLEET, "mit mindestens siebzig Prozent Ladung zurückgegeben"),
    ask("tr", "cross_lingual", "Leipzig'de şirket aracıyla küçük bir kaza yapınca polisi çağırmak gerekiyor mu?", _FLEET, "wird die Polizei gerufen, auch bei Bagatellschäden"),
)  # fmt: skip
