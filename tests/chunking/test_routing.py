"""Strategies by name, and settings by class."""

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from pipeline.chunking.classifier import SURE, classify
from pipeline.chunking.plain import plain_sections
from pipeline.chunking.routing import STRATEGIES, StrategyError, strategy, strategy_for, strategy_version
from pipeline.config import PROSE_STRATEGIES, ChunkingConfig, ConfigError, parse_config


def parse(**chunking):
    return parse_config(
        {"collections": [{"name": "a", "source": "a"}], "chunking": chunking}, base=Path()
    ).chunking


def test_an_unknown_strategy_is_refused_with_what_is_allowed():
    for chunking in ({"strategy": "magic"}, {"classes": {"contract": {"strategy": "magic"}}}):
        with pytest.raises(ConfigError) as error:
            parse(**chunking)
        assert "magic" in str(error.value) or "classes.contract.strategy" in str(error.value)
        assert all(name in str(error.value) for name in PROSE_STRATEGIES)
    with pytest.raises(ConfigError, match="contracts"):
        parse(classes={"contracts": {}})


def test_a_class_has_its_own_settings_and_the_others_those_of_all():
    config = parse(
        max_tokens=200, classes={"contract": {"strategy": "hybrid", "min_tokens": 20, "prefix": False}}
    )
    own = config.of("contract")
    assert (own.strategy, own.max_tokens, own.min_tokens, own.prefix) == ("hybrid", 200, 20, False)
    assert config.of("memo") == config.of("other")
    assert config.of("memo").strategy == "structure"
    with pytest.raises(ConfigError, match=r"classes.memo.*min_tokens \(300\).*max_tokens \(200\)"):
        parse(max_tokens=200, classes={"memo": {"min_tokens": 300}})


def test_overlap_belongs_to_strategies_that_have_it():
    assert parse(strategy="sentence", overlap=30).overlap == 30
    with pytest.raises(ConfigError, match=r"overlap .30. is of the strategies"):
        parse(strategy="structure", overlap=30)


def test_kinds_with_a_strategy_of_their_own():
    config = ChunkingConfig(strategy="sentence")
    kinds = ("prose", "figure", "table", "transcript")
    assert [strategy_for(kind, config) for kind in kinds] == ["sentence", "sentence", "table", "transcript"]
    assert set(PROSE_STRATEGIES) | {"table", "transcript"} == set(STRATEGIES)


def test_a_package_brings_a_strategy(build, monkeypatch, tmp_path):
    (tmp_path / "lines_of_theirs.py").write_text(
        "from pipeline.chunking.pieces import Piece\n"
        "def cut(text, part, sizes):\n"
        "    assert sizes.options == {'every': 1}\n"
        "    return [Piece(item.start, item.end) for item in part.items]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registered = EntryPoints([EntryPoint("items", "lines_of_theirs:cut", "kesit.chunking")])

    def points(group):  # other libraries ask for theirs
        return registered if group == "kesit.chunking" else EntryPoints([])

    monkeypatch.setattr("importlib.metadata.entry_points", points)
    monkeypatch.setattr("pipeline.chunking.routing.entry_points", points)
    strategy.cache_clear()
    page = build.page([build.block("paragraph", "Erster Absatz."), build.block("paragraph", "Zweiter " * 60)])
    _, chunks = build.cut([page], strategy="items", options={"every": 1}, max_tokens=40, min_tokens=2)
    assert chunks[0]["text"] == "Erster Absatz."
    assert {chunk["strategy"] for chunk in chunks} == {"items"}
    assert (
        max(chunk["token_count"] for chunk in chunks) <= 40
    )  # whatever the strategy says, the ceiling holds
    strategy.cache_clear()
    sys.modules.pop("lines_of_theirs")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise IndexError('out of range')", "IndexError: out of range"),
        ("return ['text']", "returned 'text'; it must return a list of Piece"),
        ("return None", "TypeError"),
        ("return [Piece(0, 9999)]", "a Piece from 0 to 9999; it must lie within its part, from 0 to 5"),
    ],
)
def test_a_fault_of_their_strategy_names_it_and_the_document(build, monkeypatch, tmp_path, body, message):
    (tmp_path / "faulty_of_theirs.py").write_text(
        f"from pipeline.chunking.pieces import Piece\ndef cut(text, part, sizes):\n    {body}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registered = EntryPoints([EntryPoint("faulty", "faulty_of_theirs:cut", "kesit.chunking")])

    def points(group):
        return registered if group == "kesit.chunking" else EntryPoints([])

    monkeypatch.setattr("importlib.metadata.entry_points", points)
    monkeypatch.setattr("pipeline.chunking.routing.entry_points", points)
    strategy.cache_clear()
    with pytest.raises(StrategyError) as error:
        build.cut([build.page([build.block("paragraph", "Satz.")])], strategy="faulty")
    assert str(error.value).startswith("chunking.strategy 'faulty': d: ")
    assert message in str(error.value)
    strategy.cache_clear()
    sys.modules.pop("faulty_of_theirs")


def test_a_package_that_cannot_be_loaded_is_named(monkeypatch):
    registered = EntryPoints([EntryPoint("broken", "no_such_module:cut", "kesit.chunking")])
    monkeypatch.setattr("pipeline.chunking.routing.entry_points", lambda group: registered)
    with pytest.raises(ConfigError, match=r"broken.*no_such_module"):
        strategy("broken")
    with pytest.raises(ConfigError, match=r"allowed: .*structure.*broken"):
        strategy("unheard")


PAGES = {
    "regulation": (["Reisekostenordnung"], "§ 1 Geltungsbereich\nDieses Gesetz gilt für ... tritt am 1. Juni in Kraft."),
    "contract": (["Kira Sözleşmesi"], "Ahmet Yılmaz ile Ayşe Kaya arasında aşağıdaki sözleşme yapılmıştır. Kiracı, fesih hâlinde"),
    "policy": (["Travel Policy"], "This policy applies to all employees. Managers are responsible for"),
    "financial_report": (["Jahresabschluss 2025"], "Im Geschäftsjahr stieg der Umsatz auf 5,2 Mio. Euro (Vorjahr 4,8)."),
    "manual": (["Kullanım Kılavuzu"], "UYARI: Bakım yapmadan önce vanayı kapatın. Adım 1: pompayı durdurun."),
    "memo": (["Memorandum"], "From: A. Smith\nTo: B. Jones\nSubject: Pumps\nDate: 3 June"),
    "letter": ([], "Sehr geehrte Frau Kaya,\nwir danken für Ihr Schreiben vom 3. Juni.\nMit freundlichen Grüßen"),
    "form": (["Antrag"], "Name ________________\nGeburtsdatum ____________\n☐ ja ☐ nein. Bitte ankreuzen"),
}  # fmt: skip


@pytest.mark.parametrize("expected", PAGES)
def test_the_first_page_tells_the_class(expected):
    guess = classify(*PAGES[expected])
    assert guess.document_class == expected, guess
    assert guess.confidence >= SURE
    assert "the first page says" in guess.reason


@pytest.mark.parametrize(
    ("headings", "text"),
    [
        (["Termination"], "This clause is provided for demonstration."),
        (["Öğretmen"], "Sözleşmeli öğretmenler ile kadrolu öğretmenler arasında fark vardır."),
        ([], "The agreement between the teams was reported on Monday."),
        (["Wartung"], "Die Firma übernimmt die Wartung."),
    ],
)
def test_a_word_or_two_are_no_class(headings, text):
    assert classify(headings, text).confidence < SURE


def test_classes_of_real_documents(samples):
    folders = {"german_law/current/*.md": "regulation", "german_law/versions/**/*.md": "regulation", "contracts_en/*.txt": "contract", "chunk_eval/corpora/*.md": "other"}  # fmt: skip
    said: list[tuple[str, str]] = []
    for pattern, truth in folders.items():
        for file in sorted(samples.glob(pattern)):
            first = plain_sections(file.read_text(encoding="utf-8", errors="replace")[:20_000])[:8]
            guess = classify(
                [name for _, each in first for name in each.path], "\n".join(each.text for _, each in first)
            )
            said.append((truth, guess.document_class if guess.confidence >= SURE else "other"))
    for truth in ("regulation", "contract"):
        right = said.count((truth, truth))
        assert right >= 0.6 * sum(each == truth for each, _ in said)
        assert right >= 0.95 * sum(guess == truth for _, guess in said)


def test_the_version_of_a_package_counts_and_ours_have_none(monkeypatch):
    class Dist:
        name, version = "their-chunker", "1.2"

    point = EntryPoint("items", "lines_of_theirs:cut", "kesit.chunking")
    vars(point).update(dist=Dist())
    monkeypatch.setattr("pipeline.chunking.routing.entry_points", lambda group: EntryPoints([point]))
    assert strategy_version("items") == "their-chunker 1.2"
    assert strategy_version("structure") == ""


def test_nothing_is_known_of_a_page_that_says_nothing():
    assert classify([], "Blau ist der Himmel über der Stadt.").document_class == "other"
    assert classify([], "").confidence == 0.0


def test_what_nobody_declared_is_cut_as_its_first_page_wants(build):
    words = "Zwischen Auftraggeber und Auftragnehmer gilt dieser Kaufvertrag. Die Kündigung regelt § 9. Gerichtsstand ist Leipzig. "
    page = build.page(
        [build.block("title", "Kaufvertrag"), build.block("paragraph", words * 4, ["Kaufvertrag"])]
    )
    classes = {"contract": {"strategy": "sentence"}}
    assert {c["strategy"] for c in build.cut([page], classes=classes)[1]} == {"sentence"}
    assert {c["strategy"] for c in build.cut([page], classes=classes, document_class="memo")[1]} == {
        "structure"
    }
