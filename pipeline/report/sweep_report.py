"""What a sweep found, for a person: a table, the winners, and recall against the size of the index."""

from collections.abc import Iterable, Mapping
from typing import Any


def sweep_lines(found: Mapping[str, Any]) -> Iterable[str]:
    """A line for each configuration, best recall within the budget first, and one for each class.

    Args:
        found: as `Sweep.as_json` gives it.
    """
    yield f"{found['questions']} questions; changes against what is configured, with 95 % intervals"
    yield (
        f"{'configuration':26} {'chunks':>7} {'tokens':>9} {'CPU s':>6} {'found@k':>7} {'mrr':>5} {'recall':>6} {'precision':>9} {'iou':>5}"
        f" {'recall in budget':>18} {'change':>24} {'p':>6}"
    )
    for row in sorted(found["summary"], key=lambda row: (-row["recall_at_budget"], row["tokens"])):
        name = "recall_at_budget"
        interval = f"[{row[f'{name}_low']:.2f}, {row[f'{name}_high']:.2f}]"
        change = f"{row[f'{name}_change']:+.3f} [{row[f'{name}_change_low']:+.3f}, {row[f'{name}_change_high']:+.3f}]"
        yield (
            f"{row['chunker']:26} {row['chunks']:7} {row['tokens']:9} {row['seconds']:6.1f} {row['found']:7.3f} {row['mrr']:5.3f}"
            f" {row['recall']:6.3f} {row['precision']:9.3f} {row['iou']:5.3f} {row[name]:.3f}{interval:>13} {change:>24} {row[f'{name}_p']:6.3f}"
        )
    for row in found["winners"]:
        yield f"best for {row['document_class']} ({row['questions']} questions): {row['chunker']}, p = {row['p']:.3f}"
    if found["unplaced"]:
        yield f"not asked, as their words stand in no live document: {', '.join(found['unplaced'])}"


def sweep_png(found: Mapping[str, Any]) -> bytes:
    """Recall within the budget against the tokens of the index, a point for each configuration.

    Args:
        found: as `Sweep.as_json` gives it.
    """
    from pipeline.report.plots import scatter_png

    points = {row["chunker"]: (row["tokens"], row["recall_at_budget"]) for row in found["summary"]}
    return scatter_png(
        points,
        across="tokens embedded",
        up="recall within the budget",
        title="Chunking: recall against index size",
    )
