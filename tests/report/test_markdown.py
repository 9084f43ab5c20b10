import polars as pl

from pipeline.report.markdown import markdown_table


def test_a_frame_as_markdown():
    frame = pl.DataFrame({"name": ["a", None], "share": [0.126, 1.0]})
    assert markdown_table(frame) == "| name | share |\n| --- | --- |\n| a | 0.13 |\n|  | 1.0 |"


def test_a_frame_without_rows_has_its_heading():
    assert markdown_table(pl.DataFrame(schema={"n": pl.Int64})) == "| n |\n| --- |"
