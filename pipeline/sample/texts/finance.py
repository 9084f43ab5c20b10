"""Price lists, workbooks, slides and a report with figures."""

from datetime import date

from pipeline.sample.document import Document, Figure, Grid, Heading, Items, Look, PageBreak, Para, ask

_PRICES = "finance/preise/preisliste-2026.pdf"
_OLD_PRICES = "finance/preise/preisliste-2024.pdf"
_BUDGET = "finance/budget/budget-2026.xlsx"
_MAINTENANCE = "finance/bakım-planı-2026.xlsx"
_SLIDES = "finance/sales-review-q3.pptx"
_REPORT = "finance/reports/annual-report-2025.pdf"
_BANDS = "finance/hr/ücret-bantları-2026.xlsx"

_KINDS = (
    ("KP", "Kreiselpumpe", "Grauguss", 684),
    ("KPX", "Kreiselpumpe", "Edelstahl", 1127),
    ("ZP", "Zahnradpumpe", "Stahl", 931),
    ("MV", "Membranventil", "PVC", 118),
    ("KH", "Kugelhahn", "Messing", 57),
    ("RK", "Rückschlagklappe", "Bronze", 143),
    ("DS", "Dichtsatz", "Viton", 36),
)


def _price_rows(factor: float) -> tuple[tuple[str, ...], ...]:
    """Rows of the price list: every kind in eight sizes, prices in German notation."""
    rows = [("Artikel", "Bezeichnung", "Werkstoff", "DN", "Preis in Euro", "Lieferzeit")]
    for kind_no, (code, name, material, base) in enumerate(_KINDS):
        for step, size in enumerate((15, 25, 32, 40, 50, 65, 80, 100)):
            cents = round((base * 100 + (step * base * 17) + kind_no * 13 + step * 7) * factor)
            euros, rest = divmod(cents, 100)
            price = f"{euros:,}".replace(",", ".") + f",{rest:02d}"
            weeks = 1 + (kind_no * 3 + step) % 7
            rows.append(
                (f"{code}-{size:03d}", f"{name} DN {size}", material, str(size), price, f"{weeks} Wo.")
            )
    return tuple(rows)


def _price(code: str, factor: float) -> str:
    return next(row[4] for row in _price_rows(factor) if row[0] == code)


_LOOK_PRICES = Look(header="Poyraz Maschinenbau GmbH", footer="Preise netto ab Werk Leipzig", logo=True)

DOCUMENTS = (
    Document(
        _PRICES,
        "de",
        "Preisliste 2026",
        (Para("Gültig ab 1. Januar 2026. Alle Preise in Euro, netto, ab Werk."), Grid(_price_rows(1.0)), Para("Ab 50 Stück einer Artikelnummer gewähren wir acht Prozent Mengenrabatt.")),
        {"external_id": "PL-2026", "doc_type": "price_list", "effective_date": date(2026, 1, 1), "supersedes": ["PL-2024"], "version_label": "2026"},
        look=_LOOK_PRICES,
    ),
    Document(
        _OLD_PRICES,
        "de",
        "Preisliste 2024",
        (Para("Gültig vom 1. Januar 2024 bis 31. Dezember 2025. Alle Preise in Euro, netto, ab Werk."), Grid(_price_rows(0.91)), Para("Ab 100 Stück einer Artikelnummer gewähren wir fünf Prozent Mengenrabatt.")),
        {"external_id": "PL-2024", "doc_type": "price_list", "effective_date": date(2024, 1, 1), "expiry_date": date(2025, 12, 31), "version_label": "2024"},
        look=_LOOK_PRICES,
    ),
    Document(
        _BUDGET,
        "de",
        "Budget 2026",
        (
            Grid((("Kostenstelle", "Bereich", "Budget 2025", "Budget 2026"), ("4100", "Gießerei", "1.240.000", "1.315.000"), ("4200", "Mechanische Fertigung", "2.085.000", "2.164.000"), ("4300", "Montage", "968.000", "1.012.000"), ("4400", "Versand", "412.000", "397.500"), ("4500", "Qualitätssicherung", "355.000", "378.200")), sheet="Kostenstellen"),
            Grid((("Vorhaben", "Betrag", "Quartal", "Verantwortlich"), ("Fünfachs-Fräszentrum", "680.000", "Q2", "Lars Böttcher"), ("Photovoltaik Halle 3", "245.000", "Q3", "Anke Müller"), ("Prüfstand Großpumpen", "318.000", "Q4", "Dirk Strauß"), ("Neue Lackieranlage", "152.700", "Q1", "Ute Schröder")), sheet="Investitionen"),
            Grid((("Währung", "Plankurs", "Quelle"), ("Türkische Lira", "48,20", "Treasury"), ("Britisches Pfund", "0,857", "Treasury"), ("US-Dollar", "1,094", "Treasury")), sheet="Kurse"),
        ),
        {"doc_type": "budget", "effective_date": date(2025, 11, 15), "acl_groups": ["board"]},
    ),
    Document(
        _MAINTENANCE,
        "tr",
        "Bakım planı 2026",
        (
            Grid((("Makine", "Seri no", "Bakım ayı", "Sorumlu", "Duruş (saat)"), ("CNC torna 1", "TL-5521", "Mart", "Hakan Yıldız", "16"), ("CNC torna 2", "TL-5522", "Nisan", "Hakan Yıldız", "16"), ("Döküm fırını", "DF-0310", "Ağustos", "Şükran Öz", "72"), ("Kompresör", "KM-7745", "Haziran", "Onur Çelik", "9"), ("Köprülü vinç", "KV-1180", "Mayıs", "İsmail Çınar", "11")), sheet="Makineler"),
            Grid((("Parça", "Kod", "Stok", "En az"), ("Hava filtresi", "HF-330", "14", "6"), ("Hidrolik yağ (litre)", "HY-046", "380", "200"), ("V kayışı", "VK-118", "23", "10"), ("Isıtıcı rezistans", "IR-902", "4", "2")), sheet="Yedek parçalar"),
        ),
        {"doc_type": "plan", "effective_date": date(2026, 1, 5)},
    ),
    Document(
        _SLIDES,
        "en",
        "Sales review, third quarter",
        (
            Heading("Headlines"),
            Items(("Orders rose by 11 per cent against last year.", "The service business now makes up 38 per cent of revenue.", "Two large tenders in Wales were lost on delivery time.")),
            PageBreak(),
            Heading("Orders by region"),
            Grid((("Region", "Orders in £k", "Change"), ("South West", "1,482", "+14 %"), ("Wales", "617", "-9 %"), ("Midlands", "1,095", "+12 %"), ("Ireland", "438", "+31 %"))),
            PageBreak(),
            Heading("Next steps"),
            Items(("Open a small stock of pumps in Cardiff by November.", "Hire a second estimator for tenders above £250,000.", "Trial weekend call-outs with three brewery customers.")),
        ),
        {"doc_type": "presentation", "effective_date": date(2026, 10, 6)},
    ),
    Document(
        _REPORT,
        "en",
        "Annual report 2025",
        (
            Heading("Letter to the shareholders"),
            Para("The group closed the year with revenue of 84.3 million euros, seven per cent more than the year before. The operating margin improved from 8.1 to 9.4 per cent, mainly because the foundry in Izmir ran without the stoppages of the previous year."),
            Para("The order book at year end reached 31.6 million euros and covers the first five months of 2026."),
            Figure("revenue", "Figure 1: Revenue by year in millions of euros"),
            PageBreak(),
            Heading("Sites"),
            Grid((("Site", "Employees", "Revenue (EUR m)", "Apprentices"), ("Izmir", "412", "39.8", "37"), ("Leipzig", "286", "30.1", "22"), ("Bristol", "131", "14.4", "9")), caption="Table 1: The three sites in figures"),
            Heading("Research"),
            Para("Spending on research and development amounted to 3.7 million euros. The largest project was a sealless pump with magnetic coupling, of which the first ten units are on trial at a sugar factory."),
            Heading("Outlook"),
            Para("For 2026 we expect growth between four and six per cent. The main risks are the price of bronze and the lira exchange rate."),
        ),
        {"doc_type": "report", "effective_date": date(2026, 3, 31)},
        look=Look(header="Poyraz Group", footer="Annual report 2025", logo=True, serif=True),
    ),
    Document(
        _BANDS,
        "tr",
        "Ücret bantları 2026",
        (
            Grid((("Kademe", "Unvan", "Alt sınır (TL)", "Üst sınır (TL)"), ("B1", "Operatör", "38.400", "51.900"), ("B2", "Usta", "47.250", "66.800"), ("C1", "Mühendis", "68.700", "94.300"), ("C2", "Kıdemli mühendis", "88.150", "121.600"), ("D1", "Müdür", "117.900", "164.500")), sheet="Aylık brüt"),
            Grid((("Ek ödeme", "Tutar (TL)", "Koşul"), ("Gece vardiyası", "4.350", "aylık en az on gece"), ("Yabancı dil", "2.775", "B2 belgesi"), ("İlk yardımcı", "1.120", "geçerli sertifika")), sheet="Ek ödemeler"),
        ),
        {"doc_type": "salary_bands", "effective_date": date(2026, 1, 1)},
    ),
)  # fmt: skip

FORBIDDEN = (
    (_BUDGET, "Photovoltaik Halle 3"),
    (_BANDS, "Kıdemli mühendis"),
)

QUESTIONS = (
    ask("de", "table", "Was kostet die Edelstahl-Kreiselpumpe in DN 50?", _PRICES, _price("KPX-050", 1.0), weight=3),
    ask("de", "table", "Preis des Membranventils MV-080?", _PRICES, _price("MV-080", 1.0), weight=2),
    ask("en", "table", "How much is the DN 100 ball valve KH-100 in the current price list?", _PRICES, _price("KH-100", 1.0), weight=2),
    ask("tr", "table", "ZP-065 dişli pompanın güncel fiyatı kaç avro?", _PRICES, _price("ZP-065", 1.0), weight=2),
    ask("de", "as_of", "Wie teuer war die KP-050 Mitte 2024?", _OLD_PRICES, _price("KP-050", 0.91), as_of=date(2024, 6, 1), weight=2),
    ask("de", "current", "Wie viel Rabatt gibt es, wenn ein Kunde eine große Stückzahl bestellt?", _PRICES, "Ab 50 Stück einer Artikelnummer gewähren wir acht Prozent Mengenrabatt"),
    ask("de", "access", "Wie hoch ist das Budget der Gießerei für 2026?", _BUDGET, "Gießerei", groups=("board",), weight=2),
    ask("de", "access", "Was darf das neue Fräszentrum kosten?", _BUDGET, "Fünfachs-Fräszentrum", groups=("board",)),
    ask("en", "access", "What exchange rate for the Turkish lira did we plan with?", _BUDGET, "Türkische Lira", groups=("board",)),
    ask("tr", "table", "Döküm fırınının bakımı hangi ayda yapılacak?", _MAINTENANCE, "DF-0310", weight=2),
    ask("de", "table", "Welche Seriennummer hat der Kompressor im Werk Izmir?", _MAINTENANCE, "KM-7745"),
    ask("tr", "table", "V kayışının stok kodu ne?", _MAINTENANCE, "VK-118"),
    ask("en", "table", "What were third-quarter orders from Ireland?", _SLIDES, "438"),
    ask("en", "fact", "Why did we lose the Welsh tenders?", _SLIDES, "Two large tenders in Wales were lost on delivery time"),
    ask("tr", "cross_lingual", "İngiltere'de kasıma kadar hangi şehirde küçük bir pompa stoku açılacak?", _SLIDES, "Open a small stock of pumps in Cardiff by November"),
    ask("en", "fact", "How did group revenue develop in 2025?", _REPORT, "The group closed the year with revenue of 84.3 million euros", weight=2),
    ask("de", "cross_lingual", "Wie viel hat die Gruppe 2025 für Forschung ausgegeben?", _REPORT, "Spending on research and development amounted to 3.7 million euros"),
    ask("tr", "cross_lingual", "Grup 2026 için yüzde kaç büyüme bekliyor?", _REPORT, "we expect growth between four and six per cent"),
    ask("en", "table", "How many people work at the Leipzig site?", _REPORT, "286"),
    ask("tr", "access", "Mühendis kademesinde ücretin üst sınırı nedir?", _BANDS, "Mühendis", groups=("hr",), weight=2),
    ask("en", "access", "What monthly bonus do night-shift workers in Izmir get?", _BANDS, "Gece vardiyası", groups=("hr",)),
)  # fmt: skip
