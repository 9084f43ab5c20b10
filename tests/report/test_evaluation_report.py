import io

from PIL import Image

from pipeline.report.evaluation_report import comparison_lines, comparison_png, evaluation_lines

METRICS = {"recall@1": 0.5, "recall@5": 1.0, "mrr": None, "leaks": 0}


def failure(number: int) -> dict:
    return {"id": f"q{number}", "query": "Wo?", "expected": [{"document": "a.md", "quote": "x"}], "got": []}


def test_measures_stand_in_columns_under_their_names():
    lines = list(
        evaluation_lines(
            {
                "build": "b@1", "questions": 2, "overall": METRICS, "failures": [],
                "slices": {"lang": {"de": METRICS | {"questions": 1.0}}},
            }
        )
    )  # fmt: skip
    assert lines[0] == "build b@1, 2 questions"
    header, overall, german = lines[1:]
    assert overall.split() == ["overall", "2", "0.500", "1.000", "-", "-", "-", "-", "-", "0"]
    assert german.split()[:3] == ["lang", "de", "1"]
    for name, value in (("recall@1", "0.500"), ("recall@5", "1.000"), ("leaks", "0")):
        end = header.index(name) + len(name)
        assert overall[:end].endswith(value)


def test_failures_are_named_and_many_are_counted():
    report = {"build": "b@1", "questions": 30, "overall": METRICS, "slices": {}}
    lines = list(evaluation_lines(report | {"failures": [failure(n) for n in range(25)]}))
    assert "25 questions failed:" in lines
    assert "  q0 'Wo?': wanted a.md, first was nothing" in lines
    assert lines[-1] == "  … and 5 more (--json lists all)"


def test_questions_that_nothing_can_answer_are_told_apart():
    report = {"build": "b@1", "questions": 1, "overall": METRICS, "slices": {}}
    missed = failure(0) | {"absent": "no document is called a.md"}
    lines = list(evaluation_lines(report | {"failures": [missed]}))
    assert lines[-2:] == [
        "1 of them cannot be answered from this estate:",
        "  q0: no document is called a.md",
    ]


def _change(**values):
    return {
        "questions": 4,
        "before": 0.5,
        "after": 0.75,
        "change": 0.25,
        "low": -0.1,
        "high": 0.6,
        "won": 2,
        "lost": 1,
    } | values


def test_a_comparison_is_a_table_of_slices_and_lists_of_questions(tmp_path):
    metrics = {"recall@5": _change(), "mrr": _change(before=0.2, after=0.3)}
    comparison = {
        "before": "t@1",
        "after": "t@2",
        "slices": {"overall": {"overall": metrics}, "lang": {"tr": metrics}},
        "won": [{"id": "q1", "query": "Wo?", "before": None, "after": 3}],
        "lost": [],
    }
    lines = list(comparison_lines(comparison))
    assert lines[0] == "t@1 → t@2"
    assert lines[2].split() == [
        "overall",
        "4",
        "0.500",
        "→",
        "0.750",
        "+0.250",
        "[-0.100,",
        "+0.600]",
        "2",
        "1",
        "0.200",
        "→",
        "0.300",
    ]
    assert lines[3].startswith("lang tr ")
    assert lines[4:] == ["1 questions won, by the rank of their answer:", "  q1 - → 3  'Wo?'"]
    picture = Image.open(io.BytesIO(comparison_png(comparison)))
    assert picture.format == "PNG"
