"""Plain text and Markdown as sections whose offsets are exact."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.chunking.plain import plain_sections

LINES = [
    "# Eins",
    "## Zwei ##",
    "Ein Satz.",
    "",
    "  ",
    "- Punkt",
    "(1) Absatz",
    " = Wiki = ",
    " = = Unter = = ",
    "x" * 250,
]


@given(text=st.one_of(st.text(max_size=200), st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)))
def test_offsets_are_exact_and_only_headings_are_left_out(text):
    covered = set()
    for offset, section in plain_sections(text):
        assert text[offset : offset + len(section.text)] == section.text
        items = section.parts[0].items
        assert (items[0].start, items[-1].next) == (0, len(section.text))
        for item, following in zip(items, [*items[1:], None], strict=True):
            assert item.start < item.end <= item.next
            assert not section.text[item.end : item.next].strip()
            assert following is None or following.start == item.next
        covered |= set(range(offset, offset + len(section.text)))
    missing = "".join(c for n, c in enumerate(text) if n not in covered)
    for line in missing.splitlines():
        assert not line.strip() or line.lstrip().startswith(("#", "="))


def test_headings_make_the_path():
    text = "Vorab.\n# A\neins\n## B\nzwei\n- drei\n# C\n\nvier\n"
    found = [
        (section.path, [section.text[i.start : i.end] for i in section.parts[0].items])
        for _, section in plain_sections(text)
    ]
    assert found == [
        ((), ["Vorab."]),
        (("A",), ["eins"]),
        (("A", "B"), ["zwei", "- drei"]),
        (("C",), ["vier"]),
    ]
    assert plain_sections(" = Titel = \n Ein Satz . \n = = Teil = = \n Zwei . \n")[1][1].path == (
        "Titel",
        "Teil",
    )
    assert plain_sections("") == []
