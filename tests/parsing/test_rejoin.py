"""Pages put back into their document: furniture gone, headings of the whole document above every block."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.rejoin import rejoined
from pipeline.parsing.tree import Block, Page, finish


def pages(*contents):
    rows = finish([Page(number, tuple(blocks)) for number, blocks in enumerate(contents, start=1)])
    return [row["blocks"] for row in rows]


def test_headings_run_on_across_a_page_that_was_read_alone():
    first = [Block("title", "Handbuch"), Block("heading", "Wartung", 1), Block("paragraph", "Text.")]
    middle = [
        Block("paragraph", "Handbuch der Pumpe, Seite 2"),
        Block("heading", "Prüfung", 2),
        Block("paragraph", "Mehr."),
    ]
    last = [Block("paragraph", "Ende.")]
    parts = [blocks for page in (first, middle, last) for blocks in pages(page)]
    joined = rejoined(parts, [False, True, False], ["Handbuch der Pumpe, Seite 1"])
    assert [[block["text"] for block in page] for page in joined] == [
        ["Handbuch", "Wartung", "Text."],
        ["Prüfung", "Mehr."],
        ["Ende."],
    ]
    assert joined[1][1]["section_path"] == joined[2][0]["section_path"] == ["Handbuch", "Wartung", "Prüfung"]


KINDS = st.sampled_from([("title", 0), ("heading", 1), ("heading", 2), ("heading", 3), ("paragraph", 0)])


@given(st.lists(st.lists(KINDS, max_size=5), min_size=1, max_size=4))
def test_a_document_that_was_read_in_one_go_stays_as_it_is(kinds):
    contents = [
        [Block(kind, f"Wort {a} {b}", level) for b, (kind, level) in enumerate(page)]
        for a, page in enumerate(kinds)
    ]
    found = pages(*contents)
    assert rejoined(found, [False] * len(found), []) == found
