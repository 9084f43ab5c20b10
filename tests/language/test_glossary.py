import random
import unicodedata
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config import LANGUAGES
from pipeline.language.analysis import analyse
from pipeline.language.function_words import FUNCTION_WORDS
from pipeline.language.glossary import COLUMNS, Concept, Glossary, GlossaryError, all_terms, read_glossary

SMALL = Glossary(
    [
        {"de": ("Kaution", "Mietsicherheit"), "en": ("deposit",), "tr": ("depozito", "güvence bedeli")},
        {"de": ("Kündigung", "kündigen"), "en": ("termination", "notice of termination"), "tr": ("fesih", "feshetmek")},
        {"de": ("Kündigungsfrist",), "en": ("notice period",), "tr": ("ihbar süresi",)},
        {"de": ("Zeitraum",), "en": ("period",), "tr": ("dönem",)},
    ]
)  # fmt: skip
LINES = files("pipeline.language").joinpath("glossary.psv").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def whole() -> Glossary:
    return read_glossary()


def others(concepts: tuple[Concept, ...], language: str) -> set[str]:
    return {token for concept in concepts for tokens in concept.others.get(language, ()) for token in tokens}


@pytest.mark.parametrize(
    ("question", "asked", "language", "found"),
    [
        ("Is the deposit paid back?", "en", "de", {"kaution", "mietsicherheit"}),
        ("Depozitonun iadesi", "tr", "de", {"kaution", "mietsicherheit"}),  # with an ending
        ("Güvence bedelini kim öder?", "tr", "en", {"deposit"}),
        ("guvence bedeli", "tr", "en", {"deposit"}),  # typed without Turkish letters
        ("Muss ich die Mietsicherheit zahlen?", "de", "de", {"kaution"}),  # other words of the same language
        ("Sözleşme nasıl feshedilir?", "tr", "en", {"termination", "terminate", "notice"}),
        ("Wir haben gekündigt", "de", "tr", {"fesih", "feshetmek"}),
    ],
)
def test_a_word_in_any_form_brings_the_other_words_for_it(
    question: str, asked: str, language: str, found: set[str]
) -> None:
    assert found & others(SMALL.concepts(question, [asked]), language)


def test_of_the_phrases_in_a_question_the_longest_counts() -> None:
    concepts = SMALL.concepts("the notice period of a tenant", ["en"])
    assert [concept.tokens for concept in concepts] == [("notice", "period"), ("tenant",)]
    assert "kundigungsfrist" in others(concepts, "de")
    assert "zeitraum" not in others(concepts, "de")
    assert "zeitraum" in others(SMALL.concepts("that period", ["en"]), "de")


def test_function_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert [concept.tokens for concept in SMALL.concepts("How long is the deposit kept?", ["en"])] == [
        ("long",), ("deposit",), ("kept", "keep"),
    ]  # fmt: skip
    assert [concept.tokens for concept in SMALL.concepts("to be or not to be", ["en"])] == [
        ("to",), ("be",), ("or",), ("not",),
    ]  # fmt: skip


def test_what_is_named_again_counts_once() -> None:
    assert SMALL.concepts("deposit " * 100, ["en"]) == SMALL.concepts("Deposit", ["en"])


def test_a_question_looks_for_some_thousand_other_words_at_most(tmp_path: Path) -> None:
    own = tmp_path / "own.psv"
    own.write_text(
        "".join(f"Kaution; K{at}; L{at} | a{at}x | b{at}x\n" for at in range(2000)), encoding="utf-8"
    )
    glossary = read_glossary(own)
    for text in ("Kaution", "Kaution " * 100, " ".join(f"K{at}" for at in range(200))):
        concepts = glossary.concepts(text, LANGUAGES)
        assert 100 < sum(len(phrases) for each in concepts for phrases in each.others.values()) <= 3000
    concepts = glossary.concepts(" ".join(f"K{at}" for at in range(200)), ["de"])
    assert "a199x" in others(concepts[-1:], "en"), "the last word has its share too"


@pytest.mark.parametrize(
    "text", ["\uff9e" * 60, "\uff9e", "\u037a deposit", "\ufdfa", "- !? \U0001f600", "\x00 a\u0301"]
)
def test_letters_that_leave_nothing_to_search_for_leave_no_empty_words(text: str) -> None:
    for concept in SMALL.concepts(text, ["en"]):
        assert concept.tokens
        assert all(token and token.split() == [token] for token in concept.tokens)


def test_a_question_whose_language_is_not_known_is_looked_up_in_each() -> None:
    concepts = SMALL.concepts("Kündigung die", LANGUAGES)
    assert "termination" in others(concepts, "en")
    assert "die" in all_terms(concepts), "die is a verb in English"


@given(text=st.text(max_size=60), languages=st.sampled_from([("de",), ("tr",), LANGUAGES]))
def test_whatever_is_asked_no_word_is_lost_or_doubled(text: str, languages: tuple[str, ...]) -> None:
    concepts = SMALL.concepts(text, languages)
    analysed = {token for language in languages for token in " ".join(analyse(text, language)).split()}
    own = [concept.tokens for concept in Glossary(()).concepts(text, languages)]
    assert {token for concept in concepts for token in concept.tokens} == {
        t for tokens in own for t in tokens
    }
    assert {token for tokens in own for token in tokens} <= analysed
    assert bool(own) == bool(analysed)


def test_every_row_of_the_glossary_has_words_in_three_languages_and_is_there_once() -> None:
    assert len(set(LINES)) == len(LINES) > 3000
    assert all(unicodedata.is_normalized("NFC", line) for line in LINES)
    for line in LINES:
        cells = [[word.strip() for word in cell.split(";")] for cell in line.split("|")]
        assert len(cells) == len(COLUMNS), line
        assert all(word and len(word.split()) <= 6 for cell in cells for word in cell), line
        assert all(len({*cell}) == len(cell) for cell in cells), line
        assert all(analyse(word, name) for name, cell in zip(COLUMNS, cells, strict=True) for word in cell), (
            line
        )


def test_every_word_of_the_glossary_finds_its_row(whole: Glossary) -> None:
    dice = random.Random(3)
    for line in dice.sample(LINES, 150):
        cells = [[word.strip() for word in cell.split(";")] for cell in line.split("|")]
        at, asked = dice.randrange(3), dice.randrange(3)
        word = dice.choice(cells[at])
        if FUNCTION_WORDS[COLUMNS[at]].isdisjoint(word.split()):
            found = all_terms(whole.concepts(word, [COLUMNS[at]]))
            wanted = {token for other in cells[asked] for token in analyse(other, COLUMNS[asked])}
            assert found & wanted, (word, cells[asked])


def test_a_phrase_that_is_told_by_small_words_is_found_with_them_and_not_searched_for() -> None:
    row = {"de": ("Testament",), "en": ("make a will", "will"), "tr": ("vasiyetname",)}
    glossary = Glossary([row, {"de": ("Auszug",), "en": ("move out",), "tr": ("taşınma",)}])
    assert "testament" in others(glossary.concepts("How do I make a will by hand?", ["en"]), "de")
    assert not others(glossary.concepts("Who may make decisions?", ["en"]), "de")
    assert others(glossary.concepts("If I move out in May", ["en"]), "de") == {"auszug"}
    assert not others(glossary.concepts("Move the table", ["en"]), "de")
    assert not others(glossary.concepts("Wo ist mein Testament?", ["de"]), "en")


def test_a_file_of_ones_own_adds_rows(tmp_path: Path, whole: Glossary) -> None:
    own = tmp_path / "words.psv"
    own.write_text("# our products\n\nKesit | cross section; kesitor | kesit\n", encoding="utf-8")
    glossary = read_glossary(own)
    assert "kesitor" in others(glossary.concepts("Kesit", ["de"]), "en")
    assert others(glossary.concepts("Kaution", ["de"]), "en") == others(
        whole.concepts("Kaution", ["de"]), "en"
    )
    assert glossary.fingerprint != whole.fingerprint == read_glossary().fingerprint


@pytest.mark.parametrize("line", ["Kaution | deposit", "Kaution | | depozito", "a | b | c | d", "; | b | c"])
def test_a_line_without_three_cells_is_named(tmp_path: Path, line: str) -> None:
    own = tmp_path / "words.psv"
    own.write_text(f"Miete | rent | kira\n{line}\n", encoding="utf-8")
    with pytest.raises(GlossaryError, match=r"words\.psv, line 2: not three cells"):
        read_glossary(own)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(GlossaryError, match="nowhere: no such file"):
        read_glossary(tmp_path / "nowhere")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(GlossaryError, match="bytes"):
        read_glossary(tmp_path / "bytes")
