"""Pairs of words for the analyser: forms of one word, which a search must bring together, and words that only look alike."""

Pairs = dict[str, str]

# "form/form": inflected, derived by rule, spelt otherwise, or a compound and its part.
RELATED: Pairs = {
    "tr": """
        fesih/feshi fesih/feshedilmesi fesih/feshedilen fesih/feshinde sözleşme/sözleşmesinin sözleşme/sözleşmelerden
        işçi/işçilerin işçi/işçiye işveren/işverenler işveren/işverence ücret/ücretinden ücret/ücretlerin tazminat/tazminatı
        tazminat/tazminatının izin/izni izin/iznini süre/süresi süre/sürelerde bildirim/bildirimi bildirim/bildirimlerin
        ihbar/ihbarın hak/hakkı hak/hakları hak/haklarından borç/borcu borç/borçlar borç/borcunu kira/kirası
        kiracı/kiracının kiralanan/kiralananın kanun/kanunun kanun/kanunda madde/maddesi madde/maddeleri mahkeme/mahkemesi
        mahkeme/mahkemece karar/kararı karar/kararların dava/davası dava/davalar ceza/cezası ceza/cezalar taraf/tarafların
        taraf/taraflarca ödeme/ödemesi ödeme/ödemelerin hüküm/hükmü hüküm/hükümler hüküm/hükmünde sebep/sebebi
        sebep/sebeplerle zarar/zararı zarar/zararların kitap/kitabı vakit/vaktinde İZMİR/izmir izmir/Izmir IĞDIR/ığdır
        sözleşme/sozlesmesi işçi/ISCI
        """,
    "de": """
        Kündigung/Kündigungen Kündigung/kuendigung Kündigung/Kündigungsfrist Frist/Kündigungsfrist Frist/Fristen
        Vertrag/Verträge Vertrag/Vertrages Vertrag/Arbeitsvertrag Arbeit/Arbeitsvertrag Arbeitgeber/Arbeitgebers
        Arbeitnehmer/Arbeitnehmerinnen Urlaub/Urlaubsanspruch Anspruch/Urlaubsanspruch Anspruch/Ansprüche Schaden/Schäden
        Schaden/Schadensersatz Ersatz/Schadensersatz Miete/Mieten Mieter/Mietern Miete/Mietvertrag Vermieter/Vermieters
        Gesetz/Gesetze Gesetz/Gesetzbuch Gericht/Gerichte Gericht/Arbeitsgericht Gesellschaft/Gesellschafter
        Gesellschaft/Gesellschaften Geschäftsführer/Geschäftsführern kündigen/kündigt kündigen/gekündigt zahlen/zahlte
        zahlen/gezahlt Zahlung/Zahlungen haften/haftet Haftung/Haftungsbeschränkung Beschränkung/Haftungsbeschränkung
        Straße/Strasse Straße/Straßen Maß/Maße groß/grosse Ware/Waren Kauf/Kaufvertrag Käufer/Käufers Pflicht/Pflichten
        Pflicht/Aufklärungspflicht Recht/Rechte Recht/Rechten Müller/Mueller Wohnung/Wohnungen Wohnung/Wohnungseigentum
        Eigentum/Wohnungseigentum Buch/Bücher Haus/Häuser Zinsen/Verzugszinsen Verzug/Verzugszinsen Betrieb/Betriebes
        Betrieb/Betriebsrat Rat/Betriebsrat Behörde/Behörden ÄRZTE/Arzt
        """,
    "en": """
        contract/contracts contract/contract's party/parties party/parties' agreement/agreements terminate/terminated
        terminate/terminates terminate/terminating notice/notices obligation/obligations pay/paid pay/pays payment/payments
        employee/employees employer/employers company/companies company/company's service/services liability/liabilities
        indemnify/indemnified indemnify/indemnifies breach/breaches breach/breached law/laws right/rights duty/duties
        lease/leases lease/leased tenant/tenants landlord/landlord's sell/sold sell/selling buy/bought write/written
        write/wrote give/given take/taken child/children person/persons man/men woman/women foot/feet analysis/analyses
        criterion/criteria index/indices go/went begin/began bring/brought choose/chosen hold/held keep/kept
        leave/left make/made send/sent tax/taxes box/boxes study/studies apply/applied apply/applies file/filed
        file/filing e-mail/email PUMPS/pump
        """,
}

# "word/word": alike in letters, not in meaning.
UNRELATED: Pairs = {
    "tr": """
        kira/kiraz işçi/işaret borç/boru ceza/cezve dava/davul hak/halk izin/izle karar/karanlık kanun/kan madde/maden
        süre/sürü taraf/tarif zarar/zarf ücret/üç mal/mali kat/katı ay/ayı yıl/yılan satış/satır devir/devlet sigorta/sigara
        konut/konuk vergi/verem bakım/bakır onay/onarım tapu/tapınak rehin/rehber pay/paydos yarar/yara gelir/gelin
        """,
    "de": """
        Vertrag/Verkehr Mieter/Meter Kündigung/Kunde Frist/Frisur Gericht/Gerücht Gesetz/Gesicht Recht/Rechnung Haft/Hafen
        Schaden/Schatten Urlaub/Urteil Anspruch/Einspruch Zahlung/Zahn Ware/Warnung Kauf/Kaution Pflicht/Pflege Betrag/Betrieb
        Erbe/Erde Steuer/Stern Gewinn/Gewicht Anlage/Anlass Bürge/Bürger Forderung/Förderung Leistung/Leitung
        Messe/Messung Verlust/Verlag Vollmacht/Vollmond Wechsel/Weiche Zins/Zinn Zeuge/Zeug Abfindung/Abfahrt
        """,
    "en": """
        contract/contrast party/part notice/note tenant/tent lease/least pay/pace law/lawn right/rigid duty/dust tax/taxi
        sell/cell term/terminal breach/bread claim/clam court/courtesy damage/dam debt/debut deed/deep estate/estimate
        fee/feed fine/final goods/goose grant/grand import/impact interest/interior judge/jug license/lice loan/loaf
        order/ordinary policy/police
        """,
}


def pairs(table: Pairs, language: str) -> list[tuple[str, str]]:
    """The pairs of a language."""
    return [(left, right) for left, _, right in (pair.partition("/") for pair in table[language].split())]
