"""The benchmark of chunkers: from texts and questions to a summary with intervals."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from pipeline.config import ChunkingConfig
from pipeline.embedding.encoders import token_counter
from pipeline.evaluation.chunk_benchmark import Asked, ChunkingBenchmark, permutation_test
from pipeline.evaluation.chunkers import kesit_chunker, plain_text, split_chunker
from pipeline.evaluation.quotes import Places
from pipeline.evaluation.sweep import CURRENT, grid, winners, winners_toml

FACTS = {
    "pumps": "The pump is checked every two hours. The night shift writes the pressure into the log book.",
    "travel": "Journeys are booked by the travel office. Train tickets of the second class are paid.",
    "holiday": "Each employee has thirty days of leave. Leave that is not taken lapses in March.",
}
TEXT = "# Handbook\n\n" + "\n\n".join(f"## {name}\n\n{text}" for name, text in FACTS.items())
QUESTIONS = {"pumps": "Who writes down the pump pressure?", "travel": "Which train tickets are paid?", "holiday": "When does leave lapse?"}  # fmt: skip


def asked():
    return [
        Asked(name, question, (("handbook", TEXT.index(FACTS[name]), TEXT.index(FACTS[name]) + len(FACTS[name])),), "policy")
        for name, question in QUESTIONS.items()
    ]  # fmt: skip


@pytest.fixture(scope="module")
def results():
    counter = token_counter(["use-multilingual"])
    config = ChunkingConfig(max_tokens=64, min_tokens=10)
    chunkers = {
        "whole": split_chunker(lambda text: [text], counter),
        "sections": kesit_chunker(config, counter),
    }
    heard: list[tuple[str, int, int]] = []
    benchmark = ChunkingBenchmark([plain_text("handbook", TEXT, "policy")], asked(), chunkers, k=1, budget=40)
    found = benchmark.run(lambda *step: heard.append(step))
    assert heard == [("whole", 1, 2), ("sections", 2, 2)]
    return found


def test_smaller_chunks_show_less_that_was_not_asked(results):
    summary = results.summary()
    whole, sections = summary.to_dicts()
    assert (whole["chunks"], sections["chunks"]) == (1, 3)
    assert whole["recall"] == sections["recall"] == 1.0
    assert sections["precision"] == sections["iou"] == sections["omega"] == 1.0
    assert whole["precision"] < 0.5
    assert sections["recall_at_budget"] > whole["recall_at_budget"]
    assert sections["iou_change_low"] > 0.5
    assert (whole["recall_change"], whole["recall_p"]) == (0.0, 1.0)
    assert summary.equals(results.summary("whole")), "the first is the baseline"
    assert results.summary("sections").filter(chunker="whole")["iou_change"][0] < -0.5


def test_the_winner_is_written_as_configuration(results):
    best = winners(results)
    assert best.select("document_class", "questions", "chunker").rows() == [("policy", 3, "sections")]
    configs = {"sections": ChunkingConfig(strategy="hybrid", max_tokens=64, min_tokens=10)}
    import tomllib

    written = tomllib.loads(winners_toml(best.iter_rows(named=True), configs))
    assert ChunkingConfig.model_validate(written["chunking"]).of("policy").strategy == "hybrid"
    kept = pl.DataFrame({"document_class": ["policy"], "chunker": [CURRENT]})
    assert winners_toml(kept.iter_rows(named=True), {}) == ""


def test_of_equals_what_is_configured_stays(results):
    [_, sections] = results.runs
    named = (
        replace(sections, chunker=CURRENT),
        replace(sections, chunker="other", tokens=sections.tokens - 1),
    )
    best = winners(replace(results, runs=named))
    assert best["chunker"].to_list() == [CURRENT]
    assert winners_toml(best.iter_rows(named=True), {}) == ""


def test_a_grid_tries_what_can_be_tried():
    names = list(grid(ChunkingConfig(), ["sentence", "structure"], [100, 200], [0, 0.5], [True, False]))
    assert names == [
        CURRENT,
        "sentence 100", "sentence 100 bare", "sentence 100/50", "sentence 100/50 bare",
        "sentence 200", "sentence 200 bare", "sentence 200/100", "sentence 200/100 bare",
        "structure 100", "structure 100 bare", "structure 200", "structure 200 bare",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="allowed: fixed"):
        grid(ChunkingConfig(), ["magic"], [100], [0], [True])


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="at least one question"):
        ChunkingBenchmark([], [], {})
    with pytest.raises(ValueError, match="question x"):
        ChunkingBenchmark([], [Asked("x", "?", (("a", 3, 3),))], {"a": lambda _: []})


def test_a_splitter_gives_places_in_the_text():
    counter = token_counter(["use-multilingual"])
    texts = [plain_text("a", "one two one")]
    assert [(p.start, p.end) for p in split_chunker(str.split, counter)(texts)] == [(0, 3), (4, 7), (8, 11)]
    with pytest.raises(ValueError, match="does not stand in the text"):
        split_chunker(lambda text: [text.upper()], counter)(texts)


def test_chance_is_no_difference():
    rng = np.random.default_rng(1)
    noise, ones = rng.normal(0, 1, 200), np.ones(200)
    assert permutation_test(noise - noise.mean() * 0.9, ones) > 0.2
    assert permutation_test(noise + 1, ones) < 0.001
    assert permutation_test(np.zeros(5), np.ones(5)) == 1.0


def test_quotes_are_found_whatever_stands_between_their_letters():
    text = "Vor­wort.\n\nDer  Mieter | zahlt\nam 3. Juni die MIETE; İzmir'de."
    start, end = Places(text).span("der Mieter zahlt am 3. Juni")
    assert text[start:end] == "Der  Mieter | zahlt\nam 3. Juni"
    assert Places(text).span("der Vermieter") is None
    assert Places(text).span("…") is None
    start, end = Places(text).span("İZMİR")
    assert text[start:end] == "İzmir"
