"""One German policy, published as Word, PDF and web page: near-duplicates of one another."""

from datetime import date

from pipeline.sample.document import Document, Look, ask, sections

_STEM = "policies/hinweisgeber/hinweisgeberrichtlinie"
_PATHS = (f"{_STEM}.docx", f"{_STEM}.pdf", f"{_STEM}.html")

_BLOCKS = sections(
    (
        "1. Wozu diese Richtlinie dient",
        "Wer im Unternehmen auf einen Missstand stößt, soll ihn melden können, ohne Nachteile befürchten zu müssen. Diese Richtlinie beschreibt, welche Wege dafür offenstehen, wie Meldungen bearbeitet werden und wie Meldende geschützt sind.",
    ),
    (
        "2. Was gemeldet werden kann",
        "Gemeldet werden können Verstöße gegen Strafgesetze, gegen Vorschriften zum Schutz von Leben und Gesundheit, gegen das Wettbewerbsrecht und gegen den Datenschutz. Reine Meinungsverschiedenheiten über Führungsfragen gehören nicht in das Verfahren.",
        "Als Missstand gilt auch der Versuch, einen Verstoß zu verdecken oder Unterlagen zu vernichten.",
    ),
    (
        "3. Meldewege",
        "Meldungen nimmt die Ombudsfrau Dr. Katrin Böhme entgegen, telefonisch montags bis donnerstags von 8 bis 18 Uhr oder jederzeit über das Meldeportal. Auf Wunsch findet binnen vierzehn Tagen ein persönliches Gespräch statt.",
        "Meldungen ohne Angabe des Namens werden ebenso bearbeitet. Das Portal vergibt dafür ein Kennwort, mit dem Rückfragen beantwortet werden können.",
    ),
    (
        "4. Ablauf",
        "Der Eingang wird spätestens nach sieben Tagen bestätigt. Innerhalb von drei Monaten erfährt die meldende Person, welche Folgemaßnahmen ergriffen wurden.",
        "Die Untersuchung führt ein Ausschuss aus Revision, Recht und Betriebsrat. Wer selbst Gegenstand der Meldung ist, wirkt nicht mit.",
    ),
    (
        "5. Schutz der Meldenden",
        "Kündigung, Versetzung oder Ausgrenzung wegen einer Meldung sind verboten. Kommt es innerhalb eines Jahres nach der Meldung zu einer Benachteiligung, muss das Unternehmen beweisen, dass sie andere Gründe hatte.",
        "Wer wissentlich Unwahres meldet, verliert diesen Schutz.",
    ),
    (
        "6. Aufbewahrung",
        "Die Dokumentation wird drei Jahre nach Abschluss des Verfahrens gelöscht, sofern kein Gerichtsverfahren anhängig ist.",
    ),
)

DOCUMENTS = tuple(
    Document(
        path=path,
        lang="de",
        title="Richtlinie zum Hinweisgebersystem",
        blocks=_BLOCKS,
        meta={"doc_type": "policy", "effective_date": date(2025, 7, 1), "authority": authority},
        look=Look(
            header="Richtlinie zum Hinweisgebersystem", footer="Compliance · Stand Juli 2025", logo=True
        ),
    )
    for path, authority in zip(_PATHS, (70, 80, 60), strict=True)
)

QUESTIONS = (
    ask("de", "duplicate", "Wie lange dauert es, bis ich nach einer Meldung eine Eingangsbestätigung bekomme?", _PATHS, "Der Eingang wird spätestens nach sieben Tagen bestätigt", weight=2),
    ask("de", "duplicate", "Kann ich einen Verdacht auch anonym melden?", _PATHS, "Meldungen ohne Angabe des Namens werden ebenso bearbeitet", weight=2),
    ask("de", "duplicate", "An wen wende ich mich, wenn ich Korruption beobachtet habe?", _PATHS, "Meldungen nimmt die Ombudsfrau Dr. Katrin Böhme entgegen", weight=2),
    ask("en", "duplicate", "When are whistleblowing files deleted in Germany?", _PATHS, "Die Dokumentation wird drei Jahre nach Abschluss des Verfahrens gelöscht"),
    ask("tr", "duplicate", "Almanya'da ihbarda bulunan biri işten çıkarılırsa ispat yükü kimde?", _PATHS, "muss das Unternehmen beweisen, dass sie andere Gründe hatte"),
    ask("en", "duplicate", "Who investigates a report made to the German ombudswoman?", _PATHS, "Die Untersuchung führt ein Ausschuss aus Revision, Recht und Betriebsrat"),
)  # fmt: skip
