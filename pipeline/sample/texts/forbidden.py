"""Questions of people who may not read the document that answers them: whatever comes back, it must not be that."""

from pipeline.sample.document import forbid
from pipeline.sample.texts.finance import FORBIDDEN as FINANCE
from pipeline.sample.texts.memos import FORBIDDEN as MEMOS
from pipeline.sample.texts.messages import FORBIDDEN as MESSAGES

QUESTIONS = (
    forbid("en", "How much are we offering for Larkfield Valves?", *MEMOS[0]),
    forbid("en", "project Heron purchase price", *MEMOS[0], groups=("hr", "legal")),
    forbid("tr", "Manisa'daki yeni arsaya kaç lira ödenecek?", *MEMOS[1]),
    forbid(
        "de", "Wie hoch ist das Risiko, den Prozess gegen Elster zu verlieren?", *MEMOS[2], groups=("hr",)
    ),
    forbid("de", "Um wie viel Prozent steigt die Lohnsumme in der Gehaltsrunde?", *MEMOS[3]),
    forbid("tr", "Uyarı cezası özlük dosyasında kaç yıl duruyor?", *MEMOS[4]),
    forbid("en", "What reserve does the lawyer suggest for Halden Supplies?", *MEMOS[5]),
    forbid("de", "Was kostet die Photovoltaikanlage auf Halle 3?", *FINANCE[0], groups=("legal",)),
    forbid("tr", "Kıdemli mühendisler ne kadar maaş alıyor?", *FINANCE[1]),
    forbid("en", "What salary did Baran Tekin ask for?", *MESSAGES[0]),
)
