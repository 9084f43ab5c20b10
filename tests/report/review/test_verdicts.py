"""From a file of verdicts to an error table; files that are not ours, and pages that have moved on."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.review.rows import PAGE, READING
from pipeline.report.review.verdicts import VERDICTS, ReviewError, read_verdicts, summarise, wilson


def page(number: int, *verdicts: str, **values) -> dict:
    return {
        "doc_id": f"d{number}", "version_id": "v", "page_no": 1, "reading": "r", "collection": "docs",
        "uri": f"{number}.pdf", "document_class": "policy", "engine": "geometry", "language": "de", "band": "0.95–1.00",
        "route": "pass", "quality": 0.99, "verdicts": list(verdicts), "note": "", "judged_at": "2026-11-30T10:00:00.000Z",
    } | values  # fmt: skip


def saved(tmp_path, *pages, **values):
    path = tmp_path / "verdicts.json"
    content = {
        "format": "kesit verdicts", "version": 1, "report": "x", "made_at": "now", "saved_at": "now", "sampled": 80,
        "estate": {"0.95–1.00": 90, "under 0.50": 10}, "pages": pages,
    }  # fmt: skip
    path.write_text(json.dumps(content | values), encoding="utf-8")
    return path


def estate(*pages, **values) -> pl.DataFrame:
    rows = [[(each | values)[name] for name in (*PAGE, READING)] for each in pages]
    schema = {"doc_id": pl.String, "version_id": pl.String, "page_no": pl.Int32, "reading": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def summary(tmp_path, *pages, now=None, **values):
    path = saved(tmp_path, *pages, **values)
    return summarise(path, read_verdicts(path), estate(*pages) if now is None else now)


def test_error_table(tmp_path):
    bad = {"band": "under 0.50", "quality": 0.3, "route": "reject", "document_class": "letter"}
    made = summary(
        tmp_path, page(1, "good"), page(2, "wrong_order"), page(3, "good"), page(4, "good"),
        page(5, "wrong_text", "missing_text", **bad), page(6, "should_pass", **bad), page(7, note="look again"),
    )  # fmt: skip
    (overall,) = made.tables["overall"]
    assert (made.judged, made.sampled, overall["judged"], overall["faulty"], overall["share"]) == (6, 80, 6, 3, 0.5)  # fmt: skip
    assert [(row["value"], row["judged"], row["faulty"]) for row in made.tables["band"]] == [
        ("under 0.50", 2, 2), ("0.95–1.00", 4, 1),
    ]  # fmt: skip
    assert {row["value"]: row["wrong_order"] for row in made.tables["document_class"]} == {"letter": 0, "policy": 1}  # fmt: skip
    assert [row["value"] for row in made.tables["route"]] == ["pass", "reject"]
    # 1 of 4 of the 90 good pages, all of the 10 bad ones
    assert made.estimate == pytest.approx((0.25 * 90 + 1.0 * 10) / 100)
    assert [each["doc_id"] for each in made.worst] == ["d5", "d6", "d2"], "most faults, then lowest quality"
    assert [each["doc_id"] for each in made.notes] == ["d7"]
    json.dumps(made.as_json())
    lines = list(made.lines())
    assert lines[0].startswith("6 of 80 pages judged")
    assert "  docs/5.pdf page 1 (reject 0.30): wrong text, missing text" in lines
    assert "noted without a verdict" in lines
    assert any(line.startswith("about 32% of the estate") for line in lines)


def test_columns_stand_under_their_names(tmp_path):
    lines = list(summary(tmp_path, page(1, "wrong_table"), page(2, "good")).lines())
    head = next(n for n, line in enumerate(lines) if line.startswith("overall"))
    assert lines[head].split("  ")[-1] == "wrong table"
    assert len(lines[head + 1]) == len(lines[head])
    assert lines[head + 1].split() == ["all", "2", "1", "50%", "9%–91%", "1"]


def test_a_band_that_nobody_judged_gives_no_estimate(tmp_path):
    assert summary(tmp_path, page(1, "good")).estimate is None


def test_pages_of_another_version_are_stale_and_count_nowhere(tmp_path):
    old, same = page(1, "wrong_text"), page(2, "good")
    made = summary(tmp_path, old, same, now=estate(old | {"version_id": "w"}, same))
    assert (made.judged, [each["doc_id"] for each in made.stale]) == (1, ["d1"])
    assert any("stale" in line for line in made.lines())


def test_pages_that_were_read_anew_count_and_are_said(tmp_path):
    made = summary(tmp_path, page(1, "good"), now=estate(page(1), reading="newer"))
    assert (made.judged, made.reread) == (1, 1)
    assert "1 of the pages that count were read or scored anew" in list(made.lines())[-1]


def test_verdicts_of_another_estate_are_refused(tmp_path):
    with pytest.raises(ReviewError, match="none of its documents is in this estate"):
        summary(tmp_path, page(1, "good"), now=estate(page(2)))


def test_nothing_judged_is_no_error(tmp_path):
    made = summary(tmp_path)
    assert (made.judged, made.tables["overall"], made.estimate) == (0, [], None)
    assert list(made.lines())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read as JSON"),
        ("[]", "no file of verdicts"),
        ('{"format": "something"}', "no file of verdicts"),
        ('{"format": "kesit verdicts", "version": 0}', "format 0, this version reads 1"),
        ('{"format": "kesit verdicts", "version": 1}', "was changed after it was saved"),
        ("[" * 100_000, "cannot be read as JSON"),
    ],
)  # fmt: skip
def test_other_files_are_refused_in_a_line(tmp_path, text, says):
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReviewError, match=says) as caught:
        read_verdicts(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_edited_files_are_refused(tmp_path):
    for pages in ([page(1, "splendid")], [page(1) | {"more": 1}], [page(1, page_no=-1)], [page(1), page(1)]):
        with pytest.raises(ReviewError, match="changed after it was saved"):
            read_verdicts(saved(tmp_path, *pages))
    with pytest.raises(ReviewError, match="no such file"):
        read_verdicts(tmp_path / "none.json")


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    made = summary(tmp_path, page(1, "wrong_text", note="a\x1b[2Jb\nc"))
    assert not any("\x1b" in line or "\n" in line for line in made.lines())


def test_eight_verdicts_for_eight_keys():
    assert len(VERDICTS) == 8


# Newcombe 1998, Statistics in Medicine 17, table I: the score method without continuity correction.
@pytest.mark.parametrize(
    ("faulty", "judged", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_against_published_intervals(faulty, judged, low, high):
    assert wilson(faulty, judged) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_law(counts):
    faulty, judged = counts
    low, high = wilson(faulty, judged)
    assert 0.0 <= low <= high <= 1.0
    if judged:
        assert low <= faulty / judged <= high
        mirrored = wilson(judged - faulty, judged)
        assert mirrored == (pytest.approx(1 - high), pytest.approx(1 - low))
