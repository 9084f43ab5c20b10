"""Laws that hold for any document."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

WORDS = [
    "Der",
    "Mieter",
    "kündigt",
    "z. B.",
    "am 3. Juni",
    "§ 5",
    "Abs. 2",
    "İZMİR",
    "ılık",
    "the",
    "notice.",
    "ends.",
    "wenn:",
]
MARKS = ["👩‍👩‍👧‍👦", "é", "ह्रीं", "日本語", "🏳️‍🌈", "a" * 90, "\u200b", "\u00ad", "  ", "\n", "\t", "¶"]
sentence = st.lists(st.sampled_from(WORDS) | st.sampled_from(MARKS), min_size=1, max_size=30).map(" ".join)
any_text = st.one_of(sentence, st.text(max_size=80))
cell = st.one_of(st.sampled_from(["", "1,5 bar", "MS-01", "a | b"]), sentence)


@st.composite
def documents(draw):
    from_kinds = [
        "heading",
        "paragraph",
        "paragraph",
        "list_item",
        "turn",
        "table",
        "figure",
        "footnote",
        "code",
        "caption",
        "title",
    ]
    pages, path = [], []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        blocks = []
        for _ in range(draw(st.integers(0, 7))):
            kind = draw(st.sampled_from(from_kinds))
            text = draw(any_text)
            if kind in ("heading", "title"):
                if not text.strip():
                    continue
                path = path[: draw(st.integers(0, len(path)))]
                blocks.append(("heading", text.strip(), list(path), {}))
                path = [*path, text.strip()]
            elif kind == "table":
                width = draw(st.integers(1, 4))
                rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=5))
                more = {
                    "rows": rows,
                    "header_rows": draw(st.integers(0, 2)),
                    "caption": draw(st.sampled_from(["", "Table 1"])),
                }
                blocks.append((kind, "", list(path), more))
            else:
                blocks.append((kind, text, list(path), {"caption": text if kind == "figure" else ""}))
        pages.append((number, draw(st.sampled_from(["pass", "pass", "flag"])), blocks))
    return pages


def made(build, document, counter, **config):
    pages = [
        build.page(
            [build.block(kind, text, path, **more) for kind, text, path, more in blocks], number, route
        )
        for number, route, blocks in document
    ]
    return build.cut(pages, counter, **config)


def squeeze(text):
    """Without white space, cell borders, and the hyphens that go when a page border cut a word."""
    return re.sub(r"[\s|\-\u00ad\ufffe]", "", text)


def check(sections, chunks, ceiling, overlap=0, counter=None):
    assert [chunk["ordinal"] for chunk in chunks] == list(range(len(chunks)))
    assert [section["ordinal"] for section in sections] == list(range(len(sections)))
    by_section = {section["section_id"]: [] for section in sections}
    for chunk in chunks:
        assert chunk["token_count"] <= ceiling
        by_section[chunk["section_id"]].append(chunk)
    assert [chunk["chunk_id"] for group in by_section.values() for chunk in group] == [
        c["chunk_id"] for c in chunks
    ]
    for section in sections:
        text, position, begun = section["text"], 0, -1
        for chunk in by_section[section["section_id"]]:
            start, end = chunk["span_start"], chunk["span_end"]
            if overlap and chunk["kind"] in ("prose", "figure"):
                assert start > begun
                assert end > position
                assert (
                    start >= position
                    or counter.count([text[start:position]])[0] - counter.count([""])[0] <= overlap
                )
            else:
                assert position <= start < end <= len(text)
            assert not re.sub(r"[\s|]", "", text[position:start]), "lost between two chunks"
            span = text[start:end]
            assert span.strip()
            assert chunk["text"].endswith(span)
            assert chunk["text"] == span or chunk["kind"] in ("table", "transcript"), (
                "only headers and speakers repeat"
            )
            assert chunk["pages"]
            assert set(chunk["pages"]) <= set(section["pages"])
            position, begun = end, start
        assert not re.sub(r"[\s|]", "", text[position:]), "lost at the end"


@settings(
    deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    document=documents(),
    ceiling=st.sampled_from([32, 48, 120]),
    characters=st.booleans(),
    prefix=st.booleans(),
)
@example(
    document=[
        (1, "pass", [("heading", "Der", [], {})]),
        (2, "pass", [("heading", "Mieter", ["Der"], {})]),
        (3, "pass", [("heading", "Der", [], {}), ("paragraph", "§ 5", ["Der"], {})]),
    ],
    ceiling=32,
    characters=False,
    prefix=True,
)
def test_nothing_is_lost_or_doubled_and_the_budget_holds(build, document, ceiling, characters, prefix):
    counter = build.characters() if characters else build.words()
    config = {"max_tokens": ceiling, "min_tokens": 10, "prefix": prefix}
    sections, chunks = made(build, document, counter, **config)
    check(sections, chunks, ceiling)
    # Every heading is in a path or a text, every other text in a section (whose text the chunks cover, see `check`).
    texts = squeeze("".join(section["text"] for section in sections))
    paths = [squeeze(name) for section in sections for name in section["path"]]
    for _, _, blocks in document:
        for kind, text, _, more in blocks:
            if kind == "heading":
                assert squeeze(text) in texts or squeeze(text) in paths
            else:
                assert squeeze(text) in texts
            for row in more.get("rows", []):
                assert all(squeeze(value) in texts for value in row)
    assert made(build, document, counter, **config) == (sections, chunks)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(alphabet=st.sampled_from("a éé👨‍👩‍👧🇹🇷\u0301\u200dn̈"), min_size=1, max_size=400))
@example(text="🇹🇷" * 100)
@example(text="e\u0301" * 200)
def test_no_grapheme_is_cut(build, text):
    import regex

    sections, chunks = build.cut(
        [build.page([build.block("paragraph", text)])], build.characters(), max_tokens=40, min_tokens=5
    )
    for section in sections:
        borders, position = set(), 0
        for grapheme in regex.findall(r"\X", section["text"]):
            position += len(grapheme)
            # A grapheme over the ceiling is the one thing that may be cut.
            borders |= {position} if len(grapheme) < 4 else set(range(position - len(grapheme), position + 1))
        for chunk in chunks:
            assert chunk["span_end"] in borders


def test_any_input_ends(build):
    hostile = [
        "",
        " \n\t ",
        "x" * 100_000,
        "a" + " " * 5000 + "b",
        "👩‍👩‍👧‍👦" * 3000,
        "e" + "\u0301" * 5000,
        "a b " * 20_000,
        "1. " * 1000,
        "." * 20_000,
        "\x00\ufffe\u00ad",
    ]
    for text in hostile:
        for counter in (build.words(), build.characters()):
            sections, chunks = build.cut(
                [build.page([build.block("paragraph", text)])], counter, max_tokens=64, min_tokens=10
            )
            check(sections, chunks, 64)
            assert bool(chunks) == bool(text.strip())


def test_the_encoders_own_limit_counts_too(build):
    page = build.page([build.block("paragraph", "word " * 300)])
    _, chunks = build.cut([page], build.words(limit=40), max_tokens=320)
    assert max(chunk["token_count"] for chunk in chunks) <= 40
    assert len(chunks) > 5


def test_an_edit_changes_only_its_section(build):
    def pages(edited):
        blocks = []
        for number in range(5):
            path = [f"{number + 1}. Kapitel"]
            blocks.append(build.block("heading", path[0]))
            blocks += [
                build.block(
                    "paragraph",
                    f"Absatz {paragraph} von {number}. "
                    + "Die Frist läuft. " * 12
                    + (edited if (number, paragraph) == (2, 1) else ""),
                    path,
                )
                for paragraph in range(4)
            ]
        return [build.page(blocks)]

    before = build.cut(pages(""), max_tokens=120, min_tokens=20)
    after = build.cut(pages("Neuer Satz."), max_tokens=120, min_tokens=20)
    for number in range(5):
        ids = [
            [c["chunk_id"] for c in chunks if c["section_path"] == [f"{number + 1}. Kapitel"]]
            for _, chunks in (before, after)
        ]
        assert len(ids[0]) > 1
        assert (ids[0] == ids[1]) == (number != 2)


def test_a_document_does_not_depend_on_the_others(build):
    one = build.page([build.block("paragraph", "Der Mieter kündigt. " * 40)], doc="a")
    two = build.page([build.block("paragraph", "The tenant leaves. " * 40)], doc="b")
    together = build.cut([one, two], docs=("a", "b"), max_tokens=64, min_tokens=10)
    apart = [build.cut([page], docs=(page["doc_id"],), max_tokens=64, min_tokens=10) for page in (two, one)]
    assert together[1] == apart[1][1] + apart[0][1]
    assert build.cut([two, one], docs=("b", "a"), max_tokens=64, min_tokens=10) == together


def hashed_vectors(texts):
    """Vectors that depend on the text alone: any border may look like a change of subject."""
    import hashlib

    import numpy as np

    made = np.asarray([list(hashlib.sha256(text.encode()).digest()[:8]) for text in texts], np.float32) - 128
    return made / np.linalg.norm(made, axis=1, keepdims=True)


PROSE = ["fixed", "recursive", "sentence", "structure", "hybrid", "semantic"]
OVERLAPPING = ["fixed", "recursive", "sentence"]


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    document=documents(),
    strategy=st.sampled_from(PROSE),
    ceiling=st.sampled_from([32, 48, 120]),
    overlap=st.sampled_from([0, 7, 31]),
    characters=st.booleans(),
)
def test_every_strategy_keeps_the_laws(build, document, *, strategy, ceiling, overlap, characters):
    counter = build.characters() if characters else build.words()
    overlap = overlap if strategy in OVERLAPPING else 0
    config = {
        "strategy": strategy,
        "max_tokens": ceiling,
        "min_tokens": 10,
        "overlap": overlap,
        "embed": hashed_vectors,
    }
    sections, chunks = made(build, document, counter, **config)
    check(sections, chunks, ceiling, overlap=overlap, counter=counter)
    assert made(build, document, counter, **config) == (sections, chunks)
    used = {chunk["strategy"] for chunk in chunks if chunk["kind"] in ("prose", "figure")}
    assert used <= {strategy}


@pytest.mark.parametrize("strategy", PROSE)
def test_no_strategy_loops_or_cuts_a_grapheme(build, strategy):
    import regex

    for text in (
        "👩‍👩‍👧‍👦" * 300,
        "e\u0301" * 500,
        "🇹🇷" * 300,
        "a b " * 2000,
        "." * 3000,
        "1. " * 300,
        "日本語。" * 200,
    ):
        sections, chunks = build.cut(
            [build.page([build.block("paragraph", text)])],
            build.characters(),
            strategy=strategy,
            max_tokens=40,
            min_tokens=5,
            overlap=20 if strategy in OVERLAPPING else 0,
            embed=hashed_vectors,
        )
        assert len(chunks) <= len(text)
        borders, position = {0}, 0
        for grapheme in regex.findall(r"\X", sections[0]["text"]):
            position += len(grapheme)
            borders.add(position)
        assert all(chunk["span_start"] in borders and chunk["span_end"] in borders for chunk in chunks)
        assert chunks[-1]["span_end"] == len(sections[0]["text"])


@pytest.mark.parametrize("strategy", PROSE)
def test_an_edit_leaves_the_chunks_of_other_sections(build, strategy):
    def pages(edited):
        blocks = []
        for number in range(3):
            path = [f"{number + 1}. Kapitel"]
            blocks.append(build.block("heading", path[0]))
            text = (
                f"Absatz von {number}. " + "Die Frist läuft ab heute. " * 30 + (edited if number == 1 else "")
            )
            blocks.append(build.block("paragraph", text, path))
        return [build.page(blocks)]

    config = {"strategy": strategy, "max_tokens": 64, "min_tokens": 10, "embed": hashed_vectors}
    before, after = build.cut(pages(""), **config)[1], build.cut(pages("Neu ist das."), **config)[1]
    for number in range(3):
        ids = [
            [c["chunk_id"] for c in chunks if c["section_path"] == [f"{number + 1}. Kapitel"]]
            for chunks in (before, after)
        ]
        assert ids[0]
        assert (ids[0] == ids[1]) == (number != 1)


@pytest.mark.parametrize("strategy", OVERLAPPING)
def test_cutting_from_the_front_an_edit_changes_nothing_before_it(build, strategy):
    def cut(last):
        text = "Die Frist läuft ab heute. " * 40 + last
        return build.cut(
            [build.page([build.block("paragraph", text)])], strategy=strategy, max_tokens=64, min_tokens=1
        )[1]

    before, after = cut("Das ist alt."), cut("Das ist neu und länger.")
    assert len(before) > 3
    assert [c["chunk_id"] for c in before[:-2]] == [c["chunk_id"] for c in after[: len(before) - 2]]


def test_an_encoder_without_room_is_refused(build):
    with pytest.raises(ValueError, match="left for the text"):
        build.cut([build.page([build.block("paragraph", "Text.")])], build.words(limit=12))
