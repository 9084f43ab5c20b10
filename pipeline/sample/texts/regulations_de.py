"""German regulations: teleworking, procurement."""

from datetime import date

from pipeline.sample.regulations import Regulation, ask_regulation

TELEWORK_MEMO = "memos/rundschreiben-telearbeit.pdf"

TELEWORK = Regulation(
    code="REG-DE-01",
    slug="telearbeitsordnung",
    lang="de",
    title="Ordnung über die Telearbeit",
    suffix=".pdf",
    values={
        "days": ("einem Tag", "zwei Tagen", "drei Tagen"),
        "notice": ("vier", "drei", "zwei"),
        "grant": ("300", "450", "600"),
        "core": ("9 und 15 Uhr", "9.30 und 15 Uhr", "10 und 14 Uhr"),
        "abroad": ("10", "20", "30"),
        "monthly": ("15", "20", "25"),
        "trial": ("zwölf", "neun", "sechs"),
        "hotline": ("vier Stunden", "zwei Stunden", "einer Stunde"),
    },
    articles=(
        (
            "Geltungsbereich",
            "(1) Diese Ordnung gilt für alle Beschäftigten am Standort Leipzig, deren Aufgaben sich ganz oder teilweise außerhalb des Werks erledigen lassen.",
            "(2) Für Auszubildende gilt sie nur, wenn die Ausbildungsleitung im Einzelfall zustimmt.",
        ),
        (
            "Begriffe",
            "(1) Telearbeit ist die regelmäßige Arbeit in der eigenen Wohnung an einem fest eingerichteten Platz.",
            "(2) Mobile Arbeit ist die gelegentliche Arbeit an wechselnden Orten; sie begründet keinen Anspruch auf Ausstattung.",
        ),
        (
            "Umfang",
            "(1) Telearbeit ist an bis zu {days} in der Woche möglich.",
            "(2) Die übrige Arbeitszeit wird im Betrieb geleistet; ein Anspruch auf bestimmte Wochentage besteht nicht.",
        ),
        (
            "Antrag",
            "(1) Der Antrag wird schriftlich bei der Führungskraft gestellt, die binnen {notice} Wochen entscheidet.",
            "(2) Eine Ablehnung ist zu begründen. Gegen sie kann die Schlichtungsstelle aus Betriebsrat und Personalabteilung angerufen werden.",
            "(3) Voraussetzung ist eine Betriebszugehörigkeit von mindestens {trial} Monaten.",
        ),
        (
            "Arbeitszeit und Erreichbarkeit",
            "(1) Wer zu Hause arbeitet, ist zwischen {core} telefonisch erreichbar.",
            "(2) Die Ruhezeit von elf Stunden ist einzuhalten; Nachrichten außerhalb der Arbeitszeit müssen nicht beantwortet werden.",
        ),
        (
            "Ausstattung",
            "(1) Das Unternehmen stellt Rechner, Bildschirm und Kopfhörer und zahlt für Möbel einmalig einen Zuschuss von {grant} Euro.",
            "(2) Für Strom und Internet wird eine Pauschale von {monthly} Euro im Monat gewährt.",
            "(3) Bei einem Ausfall der Technik hilft der Benutzerservice innerhalb von {hotline}; gelingt das nicht, wird im Betrieb weitergearbeitet.",
        ),
        (
            "Datenschutz",
            "(1) Unterlagen mit personenbezogenen Daten werden in einem verschlossenen Behältnis befördert und zu Hause nicht entsorgt.",
            "(2) Der Bildschirm ist so aufzustellen, dass Mitbewohner und Besucher ihn nicht einsehen können.",
        ),
        (
            "Arbeit im Ausland",
            "(1) In Ländern der Europäischen Union darf an höchstens {abroad} Arbeitstagen im Jahr gearbeitet werden.",
            "(2) Vor der Abreise ist die Bescheinigung A1 zu beantragen; ohne sie ist die Arbeit im Ausland untersagt.",
        ),
        (
            "Unfallschutz",
            "(1) Wege zur Küche oder zur Toilette während der Telearbeit sind versichert, soweit sie mit der Arbeit zusammenhängen.",
        ),
        (
            "Widerruf",
            "(1) Beide Seiten können die Vereinbarung mit einer Frist von einem Monat zum Monatsende beenden.",
            "(2) Bei grober Verletzung des Datenschutzes endet sie sofort.",
        ),
    ),
    added=(
        (
            "Gemeinsame Präsenztage",
            "(1) Jede Abteilung legt einen Präsenztag im Monat fest, an dem alle Beschäftigten im Werk sind; Fahrkosten werden dafür nicht erstattet.",
        ),
    ),
)

PROCUREMENT = Regulation(
    code="REG-DE-02",
    slug="beschaffungsordnung",
    lang="de",
    title="Beschaffungsordnung",
    suffix=".html",
    values={
        "direct": ("500", "1.000", "1.500"),
        "offers": ("5.000", "7.500", "10.000"),
        "tender": ("50.000", "75.000", "100.000"),
        "pay": ("14", "21", "30"),
        "prepay": ("30", "25", "20"),
        "keep": ("sechs", "acht", "zehn"),
        "rate": ("60", "65", "70"),
    },
    articles=(
        (
            "Zweck",
            "(1) Diese Ordnung regelt, wie Waren und Leistungen wirtschaftlich, nachvollziehbar und ohne Interessenkonflikt eingekauft werden.",
        ),
        (
            "Zuständigkeit",
            "(1) Bestellungen löst allein der Einkauf aus. Bestellungen der Fachabteilungen binden das Unternehmen nicht.",
            "(2) Bedarf wird mit Kostenstelle, Termin und technischer Beschreibung im Bestellsystem angemeldet.",
        ),
        (
            "Direktkauf",
            "(1) Bis zu einem Nettowert von {direct} Euro darf ohne Vergleichsangebot gekauft werden.",
            "(2) Ein Auftrag darf nicht geteilt werden, um unter dieser Grenze zu bleiben.",
        ),
        (
            "Vergleichsangebote",
            "(1) Ab {offers} Euro sind mindestens drei schriftliche Angebote einzuholen.",
            "(2) Wird nicht das günstigste gewählt, hält der Einkauf die Gründe in der Akte fest.",
        ),
        (
            "Ausschreibung",
            "(1) Aufträge über {tender} Euro werden ausgeschrieben; die Frist für Angebote beträgt wenigstens drei Wochen.",
            "(2) Die Öffnung der Angebote erfolgt durch zwei Personen aus verschiedenen Abteilungen.",
        ),
        (
            "Vier-Augen-Prinzip",
            "(1) Jede Bestellung trägt zwei Unterschriften; wer den Bedarf gemeldet hat, unterschreibt nicht.",
        ),
        (
            "Zahlung",
            "(1) Rechnungen werden {pay} Tage nach Eingang beglichen, bei Skonto früher.",
            "(2) Anzahlungen sind auf {prepay} Prozent des Auftragswerts beschränkt und durch eine Bankbürgschaft zu sichern.",
        ),
        (
            "Lieferantenbewertung",
            "(1) Lieferanten werden jährlich nach Qualität, Termintreue und Umweltleistung bewertet; wer weniger als {rate} von 100 Punkten erreicht, wird für neue Aufträge gesperrt.",
        ),
        (
            "Nachhaltigkeit",
            "(1) Bei gleichwertigen Angeboten erhält der Bieter mit der geringeren Entfernung zum Werk den Zuschlag.",
        ),
        (
            "Aufbewahrung",
            "(1) Beschaffungsakten werden {keep} Jahre lang aufbewahrt.",
        ),
    ),
    added=(
        (
            "Lieferkette",
            "(1) Vor dem ersten Auftrag bestätigt der Lieferant in einer Selbstauskunft, dass in seiner Lieferkette keine Kinderarbeit vorkommt.",
        ),
    ),
)

REGULATIONS = (TELEWORK, PROCUREMENT)

_2020 = date(2020, 6, 15)
_2024 = date(2024, 9, 1)

QUESTIONS = (
    ask_regulation(TELEWORK, "de", "current", "Wie oft pro Woche darf ich von daheim arbeiten?", "Telearbeit ist an bis zu {days} in der Woche möglich", weight=3, also=(TELEWORK_MEMO,)),
    ask_regulation(TELEWORK, "de", "as_of", "Wie viel Homeoffice war im Juni 2020 erlaubt?", "Telearbeit ist an bis zu {days} in der Woche möglich", as_of=_2020, weight=2),
    ask_regulation(TELEWORK, "de", "as_of", "An wie vielen Wochentagen durfte man 2024 zu Hause arbeiten?", "Telearbeit ist an bis zu {days} in der Woche möglich", as_of=_2024, weight=2),
    ask_regulation(TELEWORK, "en", "cross_lingual", "How much does the Leipzig office pay towards furniture for a home office?", "zahlt für Möbel einmalig einen Zuschuss von {grant} Euro", weight=2),
    ask_regulation(TELEWORK, "tr", "cross_lingual", "Leipzig'de evden çalışanlar hangi saatler arasında telefonla ulaşılabilir olmak zorunda?", "zwischen {core} telefonisch erreichbar", weight=2),
    ask_regulation(TELEWORK, "de", "current", "Darf ich den Laptop mit nach Spanien nehmen und von dort arbeiten? Wie lange?", "an höchstens {abroad} Arbeitstagen im Jahr gearbeitet werden", weight=2),
    ask_regulation(TELEWORK, "en", "as_of", "In June 2020, how many days a year could German staff work from another EU country?", "an höchstens {abroad} Arbeitstagen im Jahr gearbeitet werden", as_of=_2020),
    ask_regulation(TELEWORK, "de", "definition", "Was ist der Unterschied zwischen Homeoffice und mobilem Arbeiten bei uns?", "Mobile Arbeit ist die gelegentliche Arbeit an wechselnden Orten"),
    ask_regulation(TELEWORK, "de", "fact", "Mein Chef lehnt Homeoffice ab. An wen kann ich mich wenden?", "kann die Schlichtungsstelle aus Betriebsrat und Personalabteilung angerufen werden"),
    ask_regulation(TELEWORK, "tr", "cross_lingual", "Almanya'da evde çalışırken mutfağa giderken düşersem sigorta karşılar mı?", "Wege zur Küche oder zur Toilette während der Telearbeit sind versichert"),
    ask_regulation(TELEWORK, "de", "current", "Gibt es Geld für Strom und WLAN zu Hause?", "wird eine Pauschale von {monthly} Euro im Monat gewährt"),
    ask_regulation(PROCUREMENT, "de", "current", "Bis zu welchem Betrag kann ich etwas ohne Angebotsvergleich kaufen?", "Bis zu einem Nettowert von {direct} Euro darf ohne Vergleichsangebot gekauft werden", weight=3),
    ask_regulation(PROCUREMENT, "de", "as_of", "Wo lag 2020 die Grenze für Einkäufe ohne Vergleich?", "Bis zu einem Nettowert von {direct} Euro darf ohne Vergleichsangebot gekauft werden", as_of=_2020, weight=2),
    ask_regulation(PROCUREMENT, "en", "cross_lingual", "From what order value must the German purchasing team run a formal tender?", "Aufträge über {tender} Euro werden ausgeschrieben", weight=2),
    ask_regulation(PROCUREMENT, "tr", "as_of", "2024'te Alman satın alma kurallarına göre kaç avrodan sonra üç teklif isteniyordu?", "Ab {offers} Euro sind mindestens drei schriftliche Angebote einzuholen", as_of=_2024),
    ask_regulation(PROCUREMENT, "de", "current", "Wann werden Lieferantenrechnungen bezahlt?", "Rechnungen werden {pay} Tage nach Eingang beglichen"),
    ask_regulation(PROCUREMENT, "de", "fact", "Kann meine Abteilung selbst verbindlich bestellen?", "Bestellungen der Fachabteilungen binden das Unternehmen nicht"),
    ask_regulation(PROCUREMENT, "tr", "cross_lingual", "Leipzig'de bir tedarikçi değerlendirmede kaç puanın altında kalırsa yeni sipariş alamaz?", "wer weniger als {rate} von 100 Punkten erreicht, wird für neue Aufträge gesperrt"),
    ask_regulation(PROCUREMENT, "de", "fact", "Zwei Angebote sind gleich gut, wer bekommt den Auftrag?", "erhält der Bieter mit der geringeren Entfernung zum Werk den Zuschlag"),
)  # fmt: skip
