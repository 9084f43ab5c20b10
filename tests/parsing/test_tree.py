from pipeline.parsing.tree import Block, Page, finish, table

PARSED = ("heading", "title")


def _finish(*blocks):
    return finish([Page(1, blocks)])[0]["blocks"]


def test_paths_levels_and_ids():
    found = _finish(
        Block("title", "Handbuch"), Block("heading", "A", level=1), Block("heading", "A.1", level=2), Block("paragraph", "x"),
        Block("heading", "B", level=1), Block("paragraph", "y"),
    )  # fmt: skip
    assert [block["block_id"] for block in found] == [f"1.{n}" for n in range(1, 7)]
    assert found[3]["section_path"] == ["Handbuch", "A", "A.1"]
    assert found[5]["section_path"] == ["Handbuch", "B"]
    assert found[4]["section_path"] == ["Handbuch"]


def test_articles_set_as_plain_text_become_headings_below_the_marked_ones():
    found = _finish(
        Block("heading", "Genel", level=1), Block("paragraph", "Madde 1 – (1) Amaç budur."), Block("paragraph", "§ 5 Kündigung"),
        Block("paragraph", "Die Frist beträgt einen Monat."),
    )  # fmt: skip
    assert [(b["kind"], b["text"], b["level"]) for b in found if b["kind"] == "heading"] == [
        ("heading", "Genel", 1), ("heading", "Madde 1", 2), ("heading", "§ 5 Kündigung", 2)
    ]  # fmt: skip
    assert found[-1]["section_path"] == ["Genel", "§ 5 Kündigung"]


def test_a_table_of_contents_is_not_a_row_of_headings():
    found = _finish(*(Block("paragraph", f"§ {n} Titel") for n in range(1, 5)))
    assert {block["kind"] for block in found} == {"paragraph"}


def test_captions_are_bound_and_written_once():
    grid = table([["a", "b"], ["1", "2"]], 1)
    found = _finish(
        Block("paragraph", "Tabelle 1: Preise"), grid, Block("figure"), Block("paragraph", "Şekil 2. Pompa")
    )
    assert [(b["kind"], b["caption"]) for b in found] == [
        ("table", "Tabelle 1: Preise"),
        ("figure", "Şekil 2. Pompa"),
    ]
    assert found[1]["text"] == "Şekil 2. Pompa"


def test_a_figure_without_caption_is_left_out():
    assert _finish(Block("figure"), Block("paragraph", "x"))[0]["text"] == "x"


def test_tables_drop_empty_rows_and_columns_and_pad_the_rest():
    block = table([["", "a", ""], ["", "", ""], ["", "1"]], 1)
    assert block.rows == (("a",), ("1",))
    assert table([["", ""]], 0) is None
