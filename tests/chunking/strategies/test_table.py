"""Tables are cut between rows, each group under the table's head."""

import re

HEADER = ["Messstelle", "Grenzwert", "Zuständig"]
ROWS = [[f"MS-{n:02}", f"{n},5 bar", f"Schicht {n % 3}"] for n in range(1, 60)]


def long_path():
    return [
        "Betriebsanweisung für die Druckluftversorgung der Halle " * 4,
        "Grenzwerte und Zuständigkeiten " * 6,
    ]


def test_a_table_that_fits_is_whole(build):
    blocks = [build.block("table", rows=[HEADER, *ROWS[:3]], header_rows=1, caption="Tabelle 1")]
    _, chunks = build.cut([build.page(blocks)])
    assert [chunk["text"] for chunk in chunks] == [
        "Tabelle 1\nMessstelle | Grenzwert | Zuständig\nMS-01 | 1,5 bar | Schicht 1\nMS-02 | 2,5 bar | Schicht 2\nMS-03 | 3,5 bar | Schicht 0"
    ]
    assert (chunks[0]["kind"], chunks[0]["strategy"]) == ("table", "table")


def test_empty_cells_at_the_end_are_left_out(build):
    blocks = [
        build.block("table", rows=[["A", "B", ""], ["", "2", ""], ["", "", ""], ["3", "", ""]], header_rows=1)
    ]
    _, chunks = build.cut([build.page(blocks)])
    assert [chunk["text"] for chunk in chunks] == ["A | B\n | 2\n3"]


def test_every_group_of_rows_has_the_head(build):
    blocks = [
        build.block("paragraph", "Die Grenzwerte je Messstelle:"),
        build.block("table", rows=[HEADER, *ROWS], header_rows=1, caption="Tabelle 1"),
    ]
    sections, chunks = build.cut([build.page(blocks)], max_tokens=120, min_tokens=20)
    head = "Die Grenzwerte je Messstelle:\n\nTabelle 1\nMessstelle | Grenzwert | Zuständig\n"
    assert len(chunks) > 3
    assert all(chunk["text"].startswith(head) for chunk in chunks)
    rows = [line for chunk in chunks for line in chunk["text"].removeprefix(head).split("\n")]
    assert rows == [" | ".join(row) for row in ROWS]
    assert sections[0]["text"][chunks[1]["span_start"] :].startswith("MS-")
    assert chunks[0]["span_start"] == 0


def test_a_heading_path_that_eats_the_budget_shreds_no_row(build):
    path = long_path()
    blocks = [
        build.block("heading", path[0]),
        build.block("heading", path[1], path[:1]),
        build.block("table", rows=[HEADER, *ROWS], header_rows=1, path=path),
    ]
    counter = build.real()
    _, chunks = build.cut([build.page(blocks)], counter, max_tokens=128)
    assert max(counter.count([f"{c['context']}\n{c['text']}" for c in chunks])) <= 128
    lines = [line for chunk in chunks for line in chunk["text"].split("\n")]
    assert [line for line in lines if line.startswith("MS-")] == [" | ".join(row) for row in ROWS]
    assert len(chunks) < 30
    assert all(chunk["section_path"] == [name.strip() for name in path] for chunk in chunks)


def test_a_wide_row_is_cut_between_columns_under_their_headers(build):
    header = ["Ürün"] + [f"Özellik {n}" for n in range(1, 20)]
    row = ["Pompa-7"] + [f"değer {n} birim" for n in range(1, 20)]
    _, chunks = build.cut(
        [build.page([build.block("table", rows=[header, row], header_rows=1)])], max_tokens=50, min_tokens=5
    )
    body = [chunk["text"].split("\n") for chunk in chunks if "Pompa-7" in chunk["text"]]
    assert len(body) > 2
    found = {}
    for names, values in body:
        cells = dict(zip(names.split(" | "), values.split(" | "), strict=True))
        assert cells["Ürün"] == "Pompa-7"
        found |= cells
    assert found == dict(zip(header, row, strict=True))


def test_a_cell_over_the_budget_is_cut_at_sentences(build):
    cell = " ".join(f"Satz {n} steht in einer langen Zelle." for n in range(40))
    _, chunks = build.cut(
        [build.page([build.block("table", rows=[["Nr.", "Text"], ["1", cell]], header_rows=1)])],
        max_tokens=60,
        min_tokens=10,
    )
    assert [int(n) for chunk in chunks for n in re.findall(r"Satz (\d+) ", chunk["text"])] == list(range(40))
    assert all(chunk["text"].endswith("Zelle.") for chunk in chunks if "Satz" in chunk["text"])


def _long(build, rows, pages, routes=("pass", "pass")):
    table = build.block(
        "table", rows=[HEADER, *rows], header_rows=1, row_pages=[1, *pages], caption="Tabelle 1"
    )
    other = build.block("paragraph", "Die Werte gelten für das laufende Jahr.")
    return [build.page([table], 1, routes[0]), build.page([other], 2, routes[1])]


def test_chunks_of_a_long_table_name_the_pages_of_their_rows(build):
    pages = _long(build, ROWS[:40], [1] * 20 + [2] * 20)
    _, chunks = build.cut(pages, max_tokens=90, min_tokens=10)
    tables = [chunk for chunk in chunks if chunk["kind"] == "table"]
    assert len(tables) > 3
    for chunk in tables:
        numbers = [int(n) for n in re.findall(r"MS-(\d+)", chunk["text"])]
        assert chunk["pages"] == sorted({1 if n <= 20 else 2 for n in numbers})


def test_rows_on_a_rejected_page_do_not_enter_by_the_table_of_another(build):
    rows, pages = ROWS[:4], [1, 1, 2, 2]
    _, chunks = build.cut(_long(build, rows, pages, ("pass", "reject")))
    assert [chunk["text"] for chunk in chunks] == [
        "Tabelle 1\n" + "\n".join(" | ".join(row) for row in [HEADER, *rows[:2]])
    ]
    assert chunks[0]["pages"] == [1]
    _, chunks = build.cut(_long(build, rows, pages, ("reject", "pass")))
    assert chunks[0]["text"] == "\n".join(" | ".join(row) for row in rows[2:])
    assert chunks[0]["pages"] == [2]


def test_a_doubtful_page_makes_only_its_own_rows_doubtful(build):
    _, chunks = build.cut(
        _long(build, ROWS[:40], [1] * 20 + [2] * 20, ("pass", "flag")), max_tokens=90, min_tokens=10
    )
    assert all(chunk["low_confidence"] == (2 in chunk["pages"]) for chunk in chunks)


def test_columns_under_a_group_are_named_after_both(build):
    rows = [
        ["Umsatz in Mio. EUR"] * 4,
        ["Region", "2023", "2023", "Plan"],
        ["Region", "Inland", "Ausland", "2024"],
        ["Nord", "12.500", "1,20", "007"],
    ]
    _, chunks = build.cut([build.page([build.block("table", rows=rows, header_rows=3)])])
    assert chunks[0]["text"] == (
        "Umsatz in Mio. EUR\nRegion | 2023 / Inland | 2023 / Ausland | Plan / 2024\nNord | 12.500 | 1,20 | 007"
    )
