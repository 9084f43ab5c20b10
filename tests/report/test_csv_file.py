"""What a spreadsheet opens, and does not run."""

import csv
import io

import polars as pl
import pytest

from pipeline.report.csv_file import harmless, write_csv


def test_a_spreadsheet_can_open_the_file_and_runs_nothing(tmp_path):
    rows = pl.DataFrame({"detail": ["ist beschädigt", '=HYPERLINK("x")']})
    write_csv(rows, tmp_path / "register.csv")
    data = (tmp_path / "register.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert [row["detail"] for row in rows] == ["ist beschädigt", '\'=HYPERLINK("x")']


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-x", "@SUM(A1)", "\tx", "\rx"])
def test_text_that_starts_a_formula_is_quoted(text):
    assert harmless(text) == f"'{text}"


def test_other_cells_stay_as_they_are():
    assert [harmless(value) for value in ("a=b", -3, None)] == ["a=b", -3, None]
