"""Faults that users of such systems reported, each with the whole kind of fault behind it."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.chunking.packing import fill
from pipeline.config import ConfigError, parse_config


def blocks_of(build, markdown):
    """Headings, tables and paragraphs of a Markdown file as simple as those of the cases."""
    blocks, path, rows = [], [], []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not set(line) <= set("|-: "):
                rows.append(cells)
            continue
        if rows:
            blocks.append(build.block("table", path=path, rows=rows, header_rows=1))
            rows = []
        if line.startswith("#"):
            level, name = line.split(" ", 1)
            path = path[: len(level) - 1]
            blocks.append(build.block("heading", name, path))
            path = [*path, name]
        elif line.strip():
            blocks.append(build.block("paragraph", line, path))
    return blocks


def case(cases, name):
    return next(cases.glob(f"{name}*"))


def test_a_long_heading_does_not_shred_a_table(build, cases):
    folder = case(cases, "B26")
    counter = build.real()
    text = next(folder.glob("*.md")).read_text(encoding="utf-8")
    _, chunks = build.cut([build.page(blocks_of(build, text))], counter, max_tokens=128)
    assert max(counter.count([f"{c['context']}\n{c['text']}" for c in chunks])) <= 128
    assert len(chunks) < 100
    for number in range(1, 60):
        assert any(f"MS-{number:02}" in chunk["text"] for chunk in chunks)


def test_a_heading_over_the_budget_is_shortened_and_no_text_is_lost(build, cases):
    text = next(case(cases, "B38").glob("*.md")).read_text(encoding="utf-8")
    counter = build.real()
    for strategy in ("structure", "hybrid", "sentence", "recursive", "fixed"):
        _, chunks = build.cut(
            [build.page(blocks_of(build, text))], counter, max_tokens=128, strategy=strategy
        )
        (found,) = [chunk for chunk in chunks if "Q-9" in chunk["text"]]
        assert "wird nie geöffnet." in found["text"]
        assert max(counter.count([f"{c['context']}\n{c['text']}" for c in chunks])) <= 128
        assert "Unterabschnitt119" in found["section_path"][-1]


def test_one_sentence_a_chunk(build, cases):
    folder = case(cases, "B40")
    wanted = json.loads((folder / "expected_sentences.json").read_text(encoding="utf-8"))
    text = (folder / "saetze_de.txt").read_text(encoding="utf-8")
    for strategy in ("sentence", "structure", "hybrid"):
        _, chunks = build.cut(
            [build.page([build.block("paragraph", text)])],
            build.characters(),
            strategy=strategy,
            max_tokens=70,
            min_tokens=1,
        )
        assert [
            s for chunk in chunks for s in wanted if s in chunk["text"]
        ] == wanted  # each whole, in one chunk
        assert not [
            c
            for c in chunks
            if c["text"].endswith(("am 3.", "z.", "Abs.", "Nr.", "Mio.", "III.", "1.", "23."))
        ]


def settings_of(size, overlap):
    chunking = {"strategy": "fixed", "max_tokens": size, "min_tokens": 0, "overlap": overlap}
    return parse_config({"collections": [{"name": "a", "source": "a"}], "chunking": chunking}, base=Path())


def test_sizes_and_overlaps_that_cannot_be_are_refused_by_name(build, cases):
    folder = case(cases, "B36")
    for each in json.loads((folder / "cases.json").read_text(encoding="utf-8")):
        text = (folder / each["file"]).read_text(encoding="utf-8")
        size, overlap = each["size"], each["overlap"]
        if each["want"] == "config error":
            with pytest.raises(ConfigError) as error:
                settings_of(size, overlap)
            assert str(size) in str(error.value)
            assert size < 32 or str(overlap) in str(error.value)
            continue
        spans = fill([1] * len(text), size, overlap)
        assert spans[-1][1] == len(text)
        assert all(left[0] < right[0] and left[1] < right[1] for left, right in pairwise(spans))
        assert len(spans) <= (4 if each["file"] == "tail.txt" else len(text))


@given(
    costs=st.lists(st.integers(0, 12), max_size=60),
    room=st.integers(1, 20),
    overlap=st.integers(0, 40),
)
def test_filling_always_moves_on(costs, room, overlap):
    groups = fill(costs, room, overlap)
    assert sorted({unit for group in groups for unit in range(*group)}) == list(range(len(costs)))
    for start, end in groups:
        assert end - start == 1 or sum(costs[start:end]) <= room
    for (left, until), (right, end) in pairwise(groups):
        assert left < right <= until < end
        assert sum(costs[right:until]) <= overlap
