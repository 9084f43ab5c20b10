"""A sweep: every combination of strategy, size, overlap and prefix over the same questions, and the best per class."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

import polars as pl

from pipeline.config import OVERLAPPING, ChunkingConfig
from pipeline.evaluation.chunk_benchmark import Results

CURRENT: Final = "as configured"
_FLOOR_SHARE: Final = 3  # the floor is the configured one, or this part of a smaller ceiling


def grid(
    base: ChunkingConfig,
    strategies: Sequence[str],
    sizes: Sequence[int],
    overlaps: Sequence[float],
    prefixes: Sequence[bool],
) -> dict[str, ChunkingConfig]:
    """Configurations by name, the one that is in use first.

    Args:
        base: what is configured.
        strategies: names.
        sizes: ceilings in tokens.
        overlaps: as shares of the size, 0 to below 1; strategies that cut without overlap are tried once.
        prefixes: with the section path in front, without, or both.

    Raises:
        ValueError: a strategy is unknown or a size is not allowed.
    """
    found = {CURRENT: base}
    for strategy, size, overlap, prefix in product(strategies, sizes, overlaps, prefixes):
        if overlap and strategy not in OVERLAPPING:
            continue
        name = (
            f"{strategy} {size}"
            + (f"/{int(size * overlap)}" if overlap else "")
            + ("" if prefix else " bare")
        )
        found[name] = ChunkingConfig.model_validate(
            base.model_dump(exclude={"classes"})
            | {
                "strategy": strategy,
                "max_tokens": size,
                "min_tokens": min(base.min_tokens, size // _FLOOR_SHARE),
                "overlap": int(size * overlap),
                "prefix": prefix,
            }
        )
    return found


def winners(results: Results) -> pl.DataFrame:
    """The best chunker for each class of documents that questions ask for.

    Best is the highest recall within the budget of tokens; of equals what is configured, else the one that embeds fewest tokens.

    Returns:
        document_class, questions, chunker, recall_at_budget, before (of what is configured), p (of the change).
    """
    rows: list[dict[str, object]] = []
    for document_class in sorted({query.document_class for query in results.queries}):
        summary = results.summary(document_class=document_class)
        order = summary.sort(
            "recall_at_budget", pl.col("chunker") == CURRENT, "tokens", descending=[True, True, False]
        )
        best = order.row(0, named=True)
        rows.append(
            {
                "document_class": document_class,
                "questions": sum(query.document_class == document_class for query in results.queries),
                "chunker": best["chunker"],
                "recall_at_budget": best["recall_at_budget"],
                "before": summary["recall_at_budget"][0],
                "p": best["recall_at_budget_p"],
            }
        )
    return pl.DataFrame(rows)


def winners_toml(best: Iterable[Mapping[str, object]], configs: Mapping[str, ChunkingConfig]) -> str:
    """The winners as tables for `kesit.toml`; above each what speaks for it. Where what is configured wins, nothing."""
    lines: list[str] = []
    for row in best:
        if row["chunker"] == CURRENT:
            continue
        config = configs[str(row["chunker"])]
        lines += [
            f"# {row['questions']} questions: recall within the budget {row['before']:.3f} -> {row['recall_at_budget']:.3f}, p = {row['p']:.3f}",
            f"[chunking.classes.{row['document_class']}]",
            *(
                f"{key} = {json.dumps(getattr(config, key))}"
                for key in ("strategy", "max_tokens", "min_tokens", "overlap", "prefix")
            ),
            "",
        ]
    return "\n".join(lines)
