"""Questions about chunks, and what is kept of the answers; the service is on loopback."""

import polars as pl
import pytest

from pipeline.config import ContextConfig
from pipeline.contexts.questions import PROMPT, questions
from pipeline.contexts.stage import ASKED, context_rows
from pipeline.endpoint.chat import Budget, Endpoint
from pipeline.tables.schemas import CHUNKS, CONTEXTS, SECTIONS
from tests.endpoint.service import completion, service

PARTS = (
    "Die Pumpe P-7 steht im Kesselhaus. ",
    "Sie wird jedes Jahr geprüft. ",
    "Der Befund wird notiert. ",
    "Danach läuft sie an.",
)


def document(*texts, doc="d", language="de"):
    """Sections and chunks of a document of one section, each text a chunk."""
    section = {
        "section_id": f"s-{doc}",
        "doc_id": doc,
        "version_id": "v",
        "ordinal": 0,
        "path": ["Wartung"],
        "level": 1,
    }
    section |= {"text": "".join(texts), "token_count": 9, "pages": [1], "input_hash": "h"}
    chunks, start = [], 0
    for number, text in enumerate(texts):
        chunks.append(
            dict.fromkeys(CHUNKS.schema.names())
            | {
                "chunk_id": f"{doc}{number}",
                "doc_id": doc,
                "version_id": "v",
                "section_id": f"s-{doc}",
                "ordinal": number,
            }
            | {"text": text, "section_path": ["Wartung"], "span_start": start, "span_end": start + len(text)}
            | {"language": language, "input_hash": "h"}
        )
        start += len(text)
    return pl.DataFrame([section], schema=SECTIONS.schema), pl.DataFrame(chunks, schema=CHUNKS.schema)


def lengths(texts):
    return [len(text) for text in texts]


CONFIG = ContextConfig(endpoint="http://x/v1", model="words", collections=("docs",))


def rows_of(*texts, known=None, config=CONFIG):
    return context_rows(*document(*texts), CONTEXTS.empty() if known is None else known, config, lengths)


@pytest.fixture
def served():
    with service() as state:
        state.says = lambda _image, prompt: f"Satz {len(prompt)}."
        yield state


def asked(served, rows, prompts, tokens=1_000_000, kept=None):
    endpoint = Endpoint(served.url, "words", 150, 5, wait=lambda _seconds: None)
    keep = [] if kept is None else kept
    made = ASKED.ask(
        rows, prompts, endpoint, Budget(tokens), keep=keep.append, progress=lambda _done, _all: None
    )
    CONTEXTS.pandera.validate(made)
    return made


def test_a_question_shows_the_chunk_its_surroundings_and_the_beginning_in_its_language():
    config = CONFIG.model_copy(update={"shown_characters": 80})
    prompt = questions(*document(*PARTS), config).filter(chunk_id="d2")[PROMPT][0]
    assert "<anfang>\nWartung\nDie Pumpe P-7 steht im Kesselhau\n</anfang>" in prompt
    assert (
        "Wartung\njedes Jahr geprüft. <abschnitt>\nDer Befund wird notiert. \n</abschnitt>Danach läuft sie an."
        in prompt
    )
    assert "auf Deutsch" in prompt
    for language, words in (
        ("tr", "Türkçe"),
        ("en", "the language of the passage"),
        ("und", "the language of the passage"),
    ):
        assert words in questions(*document(*PARTS, language=language), config)[PROMPT][0]
    braces = "Der Schlüssel {text} steht in {beginning}."
    assert braces in questions(*document(braces), config)[PROMPT][0]


def test_what_was_asked_is_not_asked_again_wherever_it_stands(served):
    known = asked(served, *rows_of(*PARTS))
    assert (known["status"] == "written").all()
    sections, chunks = document(*PARTS, doc="copy")
    rows, prompts = context_rows(sections, chunks, known, CONFIG, lengths)
    assert prompts == []
    assert rows["sentence"].to_list() == known["sentence"].to_list()
    _, prompts = rows_of(*PARTS, known=known, config=CONFIG.model_copy(update={"model": "other"}))
    assert len(prompts) == 4
    # Two chunks that are asked about alike are asked about once.
    sections, chunks = (
        pl.concat(frames) for frames in zip(document(*PARTS), document(*PARTS, doc="e"), strict=True)
    )
    rows, prompts = context_rows(sections, chunks, CONTEXTS.empty(), CONFIG, lengths)
    assert (rows.height, len(prompts)) == (8, 4)


def test_answers_are_made_one_line_and_a_dash_says_nothing(served):
    served.answers = [(200, {}, completion("Es geht\num  P-7.")), (200, {}, completion("–"))]
    made = asked(served, *rows_of(*PARTS[:2])).sort("chunk_id")
    assert made["sentence"].to_list() == ["Es geht um P-7.", ""]
    assert made["status"].to_list() == ["written", "written"]


def test_an_answer_that_is_cut_off_is_asked_for_again_only_with_other_room(served):
    served.answers = [(200, {}, completion("Es geht um", "length"))]
    made = asked(served, *rows_of(PARTS[0]))
    assert made["status"].to_list() == ["failed"]
    assert made["detail"].to_list() == ["the answer was cut off after 150 tokens: raise answer_tokens"]
    assert rows_of(PARTS[0], known=made)[1] == []
    roomy = CONFIG.model_copy(update={"answer_tokens": 300})
    rows, prompts = rows_of(PARTS[0], known=made, config=roomy)
    assert (rows["detail"].to_list(), len(prompts)) == ([""], 1)


def test_the_budget_is_never_passed(served):
    rows, prompts = rows_of(*PARTS)
    costs = [question.cost for question in prompts]
    assert costs == [len(question.prompt) + 150 for question in prompts]
    made = asked(served, rows, prompts, tokens=sum(costs[:3]) - 1)
    assert len(served.requests) == 2
    assert made.filter(status="waiting")["detail"].to_list() == [ASKED.limit] * 2
    asked(served, *rows_of(*PARTS, known=made))
    assert len(served.requests) == 4


def test_a_service_that_refuses_twice_is_left_alone_and_what_it_choked_on_comes_last(served):
    served.answers = [(401, {}, b"no"), (401, {}, b"no")]
    made = asked(served, *rows_of(*PARTS))
    assert len(served.requests) == 2
    assert (made["status"] == "waiting").all()
    assert all("401: no" in detail for detail in made["detail"])
    served.answers = [(500, {}, b"")] * 4
    made = asked(served, *rows_of(*PARTS))
    assert made["status"].to_list().count("written") == 3
    first, *_ = rows_of(*PARTS)[1]
    *_, last = rows_of(*PARTS, known=made)[1]
    assert first == last


def test_without_a_service_questions_are_counted_and_wait():
    rows, prompts = rows_of(*PARTS, config=CONFIG.model_copy(update={"endpoint": ""}))
    assert rows["detail"].to_list() == [ASKED.unset] * 4
    assert rows["token_count"].to_list() == lengths(question.prompt for question in prompts)


def test_answers_are_kept_on_the_way(served):
    kept = []
    asked(served, *rows_of(*(f"Satz {number}. " for number in range(25))), kept=kept)
    assert [(frame["status"] == "written").sum() for frame in kept] == [20]
    assert kept[0].height == 25
