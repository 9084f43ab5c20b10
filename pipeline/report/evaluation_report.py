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


def _row(name: str, metrics: Mapping[str, Any]) -> str:
    return f"{name[:24]:24}{metrics['questions']:>6.0f}" + "".join(
        f"{_cell(metrics.get(key)):>15}" for key in _COLUMNS
    )


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
