from pipeline.report.evaluation_report import evaluation_lines

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
