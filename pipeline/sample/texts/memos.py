"""Memos that quote regulations in full, minutes of the board, opinions of the legal and personnel departments."""

from datetime import date

from pipeline.sample.document import Block, Document, Heading, Items, Lang, Look, Para, ask, sections
from pipeline.sample.regulations import Regulation
from pipeline.sample.texts.regulations_de import TELEWORK, TELEWORK_MEMO
from pipeline.sample.texts.regulations_en import SECURITY, SECURITY_MEMO
from pipeline.sample.texts.regulations_tr import LEAVE, LEAVE_MEMO, OLD_LEAVE_MEMO

_HEAT = "memos/aushang-hitzeregelung.txt"
_PARKING = "memos/parking-changes-bristol.html"
_SHIFT = "memos/vardiya-değişikliği.docx"
_MINUTES_EN = "memos/board/minutes-2026-02-board.docx"
_MINUTES_TR = "memos/board/yönetim-kurulu-2026-06.pdf"
_OPINION_DE = "memos/legal/gutachten-elster-mangel.docx"
_OPINION_EN = "memos/legal/opinion-distributor-termination.md"
_DISCIPLINE = "memos/hr/disiplin-süreci-notu.docx"
_ROUND = "memos/hr/gehaltsrunde-2026.md"


def _quoting(
    path: str,
    regulation: Regulation,
    number: int,
    edition: int,
    title: str,
    *,
    before: str,
    after: str,
    issued: date,
) -> Document:
    """A memo around an article quoted in full."""
    heading, *paragraphs = regulation.article(number, edition)
    blocks: tuple[Block, ...] = (
        Para(before),
        Heading(heading),
        *(Para(text) for text in paragraphs),
        Heading({"tr": "Not", "de": "Hinweis", "en": "Please note"}[regulation.lang]),
        Para(after),
    )
    return Document(
        path,
        regulation.lang,
        title,
        blocks,
        {"doc_type": "memo", "effective_date": issued},
        look=Look(logo=True),
    )


def _minutes(path: str, lang: Lang, title: str, issued: date, blocks: tuple[Block, ...]) -> Document:
    return Document(
        path, lang, title, blocks, {"doc_type": "minutes", "effective_date": issued}, look=Look(footer=title)
    )


DOCUMENTS = (
    _quoting(
        LEAVE_MEMO, LEAVE, 4, 2, "Genelge: 2026 izin planı",
        before="Sayın çalışanlarımız, yaz dönemi izin planını hazırlarken yönetmeliğin ilgili maddesini hatırlatmak isteriz.",
        after="Bayram haftalarında her bölümde en az iki kişi nöbetçi kalır. İzin çizelgeleri 15 Nisan'da panolara asılacaktır.",
        issued=date(2026, 3, 20),
    ),
    _quoting(
        OLD_LEAVE_MEMO, LEAVE, 4, 1, "2023 izin duyurusu",
        before="Yeni yönetmelik ocak ayında yürürlüğe girdi. İzin süreleriyle ilgili madde aşağıdadır.",
        after="Eski yıllardan kalan izinlerin dökümünü insan kaynaklarından Nuray Ekşi gönderecektir.",
        issued=date(2023, 2, 6),
    ),
    _quoting(
        TELEWORK_MEMO, TELEWORK, 3, 2, "Rundschreiben: Mehr Telearbeit ab Januar",
        before="Liebe Kolleginnen und Kollegen, der Betriebsrat hat der neuen Fassung der Ordnung zugestimmt. Der entscheidende Paragraf lautet:",
        after="Wer seinen Arbeitsplatz zu Hause erstmals einrichtet, meldet sich für eine Prüfung durch die Fachkraft für Arbeitssicherheit an. Termine vergibt Frau Fröhlich.",
        issued=date(2025, 12, 10),
    ),
    _quoting(
        SECURITY_MEMO, SECURITY, 5, 2, "Reminder: reporting security incidents",
        before="Dear all, after the phishing wave in January we would like to repeat what the regulation says.",
        after="The duty officer can be reached around the clock on extension 999. During the wave, nine people reported within an hour, which kept the damage small.",
        issued=date(2026, 2, 9),
    ),
    Document(
        _HEAT, "de", "Aushang: Hitzeregelung in den Werkhallen",
        (
            Para("Steigt die Lufttemperatur in einer Halle über 30 Grad, stellt die Schichtleitung kostenlos Wasser bereit und gewährt jede Stunde zehn Minuten Pause im Schatten."),
            Para("Ab 35 Grad wird die Frühschicht auf fünf Uhr vorverlegt. Schwangere und Beschäftigte mit Herzleiden werden auf Wunsch in klimatisierten Räumen eingesetzt."),
        ),
        sidecar=False,
    ),
    Document(
        _PARKING, "en", "Changes to the car park",
        sections(
            ("What changes", "From 1 September the lower deck is reserved for car sharers and visitors. Stickers for car sharers are issued at reception and are valid for six months."),
            ("Charging", "Eight charging points are being installed on the upper deck. Electricity costs twenty-nine pence per unit and is deducted from the salary. Cars must be moved within an hour of being full."),
        ),
        {"doc_type": "memo", "effective_date": date(2026, 8, 14)},
    ),
    Document(
        _SHIFT, "tr", "Vardiya düzeninde değişiklik",
        (
            Para("Döküm hattında 1 Eylül'den itibaren dörtlü vardiya düzenine geçilecektir. Yeni düzende her ekip dört gün çalışıp iki gün dinlenir."),
            Heading("Geçiş takvimi"),
            Items(("A ekibi 1 Eylül'de sabah vardiyasıyla başlar.", "B ekibi 3 Eylül'e kadar ücretli dinlenir.", "Vardiya değiş tokuşu en geç iki gün önceden ekip liderine yazılır.")),
            Para("Servis saatleri değişmez. Çocuğunu kreşe bırakan çalışanlar sabah vardiyasından muafiyet isteyebilir."),
        ),
        {"doc_type": "memo", "effective_date": date(2026, 8, 3)},
    ),
    _minutes(
        _MINUTES_EN, "en", "Minutes of the board meeting, February 2026", date(2026, 2, 24),
        sections(
            ("1. Acquisition", "The board discussed project Heron, the purchase of Larkfield Valves. It authorised an offer of up to 6.8 million pounds, of which a quarter is paid in shares. Ms Marsh abstained."),
            ("2. Foundry", "Closing the small foundry in Swindon was postponed until the union has been heard. Sixteen jobs are affected."),
            ("3. Dividend", "A dividend of forty-two cents a share will be proposed to the shareholders' meeting."),
        ),
    ),
    _minutes(
        _MINUTES_TR, "tr", "Yönetim kurulu toplantı tutanağı, Haziran 2026", date(2026, 6, 17),
        sections(
            ("1. Yeni tesis", "Kurul, Manisa'da 14.000 metrekarelik arsanın 212 milyon TL bedelle satın alınmasına oy birliğiyle karar verdi."),
            ("2. Kredi", "Kalkınma bankasından alınacak kredinin vadesi yedi yıl, geri ödemesiz dönemi on sekiz aydır. Faiz görüşmelerini mali işler direktörü yürütür."),
            ("3. Atama", "Genel müdür yardımcılığına Figen Şahin'in getirilmesi kararlaştırıldı; atama eylül ayına kadar duyurulmayacaktır."),
        ),
    ),
    Document(
        _OPINION_DE, "de", "Gutachten: Mängelrüge der Elster Chemie AG",
        sections(
            ("Sachverhalt", "Die Auftraggeberin rügte im April undichte Rückschlagklappen. Die Anzeige ging erst fünf Wochen nach der Abnahme ein."),
            ("Bewertung", "Der Mangel war bei der Abnahme erkennbar. Die Rüge ist daher verspätet, und Ansprüche bestehen aus unserer Sicht nicht. Das Prozessrisiko schätzen wir auf 35 Prozent."),
            ("Empfehlung", "Aus Kulanz sollte ein Austausch der Dichtungen zum halben Preis angeboten werden, ohne eine Rechtspflicht anzuerkennen."),
        ),
        {"doc_type": "opinion", "effective_date": date(2026, 5, 28)},
    ),
    Document(
        _OPINION_EN, "en", "Opinion: ending the agreement with a distributor",
        sections(
            ("Question", "Can the distribution agreement with Halden Supplies be ended before 2028 without compensation?"),
            ("Answer", "Yes, if the sales target is missed in two consecutive years. Halden reached 71 per cent in 2024 and 66 per cent in 2025, so notice may be served until the end of June."),
            ("Risks", "Halden may claim the goodwill it has built up with forty regional customers. We would set aside ninety thousand pounds."),
        ),
        {"doc_type": "opinion", "effective_date": date(2026, 4, 2)},
    ),
    Document(
        _DISCIPLINE, "tr", "Disiplin süreci için iç not",
        sections(
            ("Savunma", "Çalışandan yazılı savunma istenmeden ceza verilmez; savunma için en az üç iş günü tanınır."),
            ("Kurul", "Disiplin kurulu üç kişiden oluşur ve kararını on gün içinde açıklar. Ücret kesintisi cezası iki günlük yevmiyeyi aşamaz."),
            ("Kayıt", "Uyarı cezaları iki yıl sonra özlük dosyasından çıkarılır."),
        ),
        {"doc_type": "memo", "effective_date": date(2025, 9, 9), "acl_groups": ["hr", "legal"]},
    ),
    Document(
        _ROUND, "de", "Gehaltsrunde 2026: vertrauliche Vorgaben",
        sections(
            ("Rahmen", "Für die Gehaltsrunde stehen 3,4 Prozent der Lohnsumme zur Verfügung. Davon sind 0,6 Prozentpunkte für den Abbau von Unterschieden zwischen Frauen und Männern vorgesehen."),
            ("Ablauf", "Die Bereichsleitungen reichen ihre Vorschläge bis zum 28. Februar ein. Erhöhungen über acht Prozent begründen sie einzeln."),
        ),
        {"doc_type": "memo", "effective_date": date(2026, 1, 19)},
    ),
)  # fmt: skip

FORBIDDEN = (
    (_MINUTES_EN, "It authorised an offer of up to 6.8 million pounds"),
    (_MINUTES_TR, "14.000 metrekarelik arsanın 212 milyon TL bedelle satın alınmasına"),
    (_OPINION_DE, "Das Prozessrisiko schätzen wir auf 35 Prozent"),
    (_ROUND, "stehen 3,4 Prozent der Lohnsumme zur Verfügung"),
    (_DISCIPLINE, "Uyarı cezaları iki yıl sonra özlük dosyasından çıkarılır"),
    (_OPINION_EN, "We would set aside ninety thousand pounds"),
)

QUESTIONS = (
    ask("de", "fact", "Ab welcher Temperatur beginnt die Frühschicht früher?", _HEAT, "Ab 35 Grad wird die Frühschicht auf fünf Uhr vorverlegt"),
    ask("en", "fact", "What does electricity cost at the new charging points?", _PARKING, "Electricity costs twenty-nine pence per unit"),
    ask("tr", "cross_lingual", "Bristol otoparkında alt kat kimlere ayrıldı?", _PARKING, "the lower deck is reserved for car sharers and visitors"),
    ask("tr", "fact", "Yeni vardiyada kaç gün çalışıp kaç gün dinleneceğiz?", _SHIFT, "her ekip dört gün çalışıp iki gün dinlenir", weight=2),
    ask("tr", "list", "Arkadaşımla vardiya değiştirmek için ne kadar önceden haber vermeliyim?", _SHIFT, "Vardiya değiş tokuşu en geç iki gün önceden ekip liderine yazılır"),
    ask("tr", "fact", "Bayramda bölümlerde kaç kişi nöbet tutacak?", LEAVE_MEMO, "Bayram haftalarında her bölümde en az iki kişi nöbetçi kalır"),
    ask("de", "fact", "Bei wem bekomme ich einen Termin, damit mein Heimarbeitsplatz geprüft wird?", TELEWORK_MEMO, "Termine vergibt Frau Fröhlich"),
    ask("en", "fact", "What is the phone extension of the security duty officer?", SECURITY_MEMO, "The duty officer can be reached around the clock on extension 999"),
    ask("en", "access", "What was the maximum bid for Larkfield Valves?", _MINUTES_EN, FORBIDDEN[0][1], groups=("board",), weight=2),
    ask("de", "access", "Welche Dividende schlägt der Vorstand vor?", _MINUTES_EN, "A dividend of forty-two cents a share will be proposed", groups=("board",)),
    ask("tr", "access", "Manisa'daki arsa kaça alındı?", _MINUTES_TR, FORBIDDEN[1][1], groups=("board",), weight=2),
    ask("en", "access", "Who will be the new deputy general manager in Turkey?", _MINUTES_TR, "Genel müdür yardımcılığına Figen Şahin'in getirilmesi kararlaştırıldı", groups=("board",)),
    ask("de", "access", "Wie stehen unsere Chancen im Streit mit Elster über die undichten Klappen?", _OPINION_DE, FORBIDDEN[2][1], groups=("legal",), weight=2),
    ask("en", "access", "How much should we put aside for a claim by Halden Supplies?", _OPINION_EN, FORBIDDEN[5][1], groups=("legal",)),
    ask("tr", "access", "Uyarı cezası alan birinin dosyasından bu ceza ne zaman siliniyor?", _DISCIPLINE, FORBIDDEN[4][1], groups=("hr",)),
    ask("de", "access", "Wie viel Geld ist für Gehaltserhöhungen eingeplant?", _ROUND, FORBIDDEN[3][1], groups=("hr",), weight=2),
)  # fmt: skip
