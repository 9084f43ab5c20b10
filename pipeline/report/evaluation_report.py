"""An evaluation for a person: the measures overall and by slice, and the questions that failed."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

_COLUMNS: Final = (
    "recall@1",
    "recall@5",
    "recall@10",
    "mrr",
    "precision@1",
    "ndcg@10",
    "recall@1000tok",
    "leaks",
)
_FAILURES: Final = 20


def evaluation_lines(evaluation: Mapping[str, Any]) -> Iterable[str]:
    """Lines of a table; `evaluation` is what `kesit eval --json` prints."""
    yield f"build {evaluation['build']}, {evaluation['questions']} questions"
    yield f"{'':24}{'n':>6}" + "".join(f"{name:>15}" for name in _COLUMNS)
    yield _row("overall", evaluation["overall"] | {"questions": evaluation["questions"]})
    for slice_name, values in evaluation["slices"].items():
        for value, metrics in values.items():
            yield _row(f"{slice_name} {value}", metrics)
    failures = evaluation["failures"]
    if failures:
        yield f"{len(failures)} questions failed:"
    for failure in failures[:_FAILURES]:
        got = failure["got"][0]["uri"] if failure["got"] else "nothing"
        wanted = " or ".join(sorted({gold["document"] for gold in failure["expected"]})) or "nothing"
        yield f"  {failure['id']} {failure['query']!r}: wanted {wanted}, first was {got}"
    if len(failures) > _FAILURES:
        yield f"  … and {len(failures) - _FAILURES} more (--json lists all)"
    absent = [failure for failure in failures if "absent" in failure]
    if absent:
        yield f"{len(absent)} of them cannot be answered from this estate:"
    yield from (f"  {failure['id']}: {failure['absent']}" for failure in absent)


def comparison_lines(comparison: Mapping[str, Any]) -> Iterable[str]:
    """Lines of a table; `comparison` is what `kesit eval --compare --json` prints."""
    yield f"{comparison['before']} → {comparison['after']}"
    yield f"{'':24}{'n':>6}{'recall@5':>20}{'change':>9}{'95 % interval':>18}{'won':>5}{'lost':>5}{'mrr':>18}"
    for name, values in comparison["slices"].items():
        for value, metrics in values.items():
            yield _change(value if name == value else f"{name} {value}", metrics["recall@5"], metrics["mrr"])
    for verb, moved in (("won", comparison["won"]), ("lost", comparison["lost"])):
        if moved:
            yield f"{len(moved)} questions {verb}, by the rank of their answer:"
        for each in moved[:_FAILURES]:
            yield f"  {each['id']} {each['before'] or '-'} → {each['after'] or '-'}  {each['query']!r}"
        if len(moved) > _FAILURES:
            yield f"  … and {len(moved) - _FAILURES} more (--json lists all)"
    if not comparison["slices"]["overall"]:
        yield "no question with gold was asked of both"


def comparison_png(comparison: Mapping[str, Any]) -> bytes:
    """The changes of recall@5 by slice with their intervals, as a plot."""
    from pipeline.report.plots import intervals_png

    rows = {
        (value if name == value else f"{name} {value} ({metrics['recall@5']['questions']})"): (
            metrics["recall@5"]["low"],
            metrics["recall@5"]["change"],
            metrics["recall@5"]["high"],
        )
        for name, values in comparison["slices"].items()
        for value, metrics in values.items()
    }
    return intervals_png(rows, title=f"recall@5, {comparison['before']} → {comparison['after']}")


def _change(name: str, recall: Mapping[str, Any], mrr: Mapping[str, Any]) -> str:
    return (
        f"{name[:24]:24}{recall['questions']:>6}{recall['before']:>11.3f} → {recall['after']:.3f}"
        f"{recall['change']:>+10.3f}  [{recall['low']:+.3f}, {recall['high']:+.3f}]"
        f"{recall['won']:>5}{recall['lost']:>5}{mrr['before']:>10.3f} → {mrr['after']:.3f}"
    )


def _row(name: str, metrics: Mapping[str, Any]) -> str:
    return f"{name[:24]:24}{metrics['questions']:>6.0f}" + "".join(
        f"{_cell(metrics.get(key)):>15}" for key in _COLUMNS
    )


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
