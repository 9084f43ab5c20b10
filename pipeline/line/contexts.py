"""The stage `contexts`: the sentence by which a language model places a chunk in its document, where a prefix template asks for it."""

from typing import Final

import polars as pl

from pipeline.line.asking import keep_answers, known_answers, service_of, unfinished
from pipeline.line.cutting import (
    Material,
    chunk_fingerprint,
    cut,
    cutting_fingerprint,
    cutting_observes,
    read_material,
)
from pipeline.line.policy import tell_progress
from pipeline.line.stage import Made, Stage, input_hashes, previous_frames
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.incremental import advance


def sentences_of(workspace: Workspace, partition: str) -> pl.DataFrame:
    """What was written of the chunks of a partition: doc_id, version_id, chunk_id, sentence; sorted."""
    asked = workspace.config.chunking.asks_context_of_some
    rows = workspace.lake.read(s.CONTEXTS, partition) if asked else s.CONTEXTS.empty()
    return (
        rows.filter(pl.col(c.SENTENCE) != "").select(*c.VERSION_KEY, c.CHUNK_ID, c.SENTENCE).sort(c.CHUNK_ID)
    )


def _make(workspace: Workspace, partition: str) -> Made:
    from pipeline.contexts.stage import ASKED, question_fingerprint
    from pipeline.endpoint.asking import cut_elsewhere

    config = workspace.config
    named = workspace.collection_of(partition).name in config.context.collections
    if not (named and config.chunking.asks_context_of_some):
        return Made({s.CONTEXTS.name: s.CONTEXTS.empty()}, {})
    material = read_material(workspace, partition)
    stage = fingerprint(cutting_fingerprint(workspace, partition), question_fingerprint(config.context))
    inputs = material.documents.filter("asks_context").with_columns(
        input_hashes(stage, "read", "seen", "way")
    )
    previous = previous_frames(workspace, (s.CONTEXTS,), partition)

    def compute(stale: pl.DataFrame) -> dict[str, pl.DataFrame]:
        kept = previous[s.CONTEXTS.name].join(stale, on=c.VERSION_KEY, how="anti")
        return {s.CONTEXTS.name: _contexts(workspace, partition, material, stale, kept)}

    again = (pl.col(c.STATUS) == "waiting") | cut_elsewhere(config.context)
    made = advance((s.CONTEXTS,), previous, inputs, compute, retry=again)
    return Made(made.frames, ASKED.counts(made.frames[s.CONTEXTS.name]))


def _contexts(
    workspace: Workspace, partition: str, material: Material, stale: pl.DataFrame, kept: pl.DataFrame
) -> pl.DataFrame:
    """The rows of the documents that are new or have chunks that wait; `kept`: those of the others."""
    from pipeline.contexts.stage import ASKED, context_rows

    config, budget = workspace.config.context, workspace.context_budget
    sections, chunks = cut(
        workspace,
        stale,
        material.gated,
        told=material.told,
        config=workspace.config.chunking,
        encoders=workspace.encoders,
    )
    rows, asked = context_rows(
        sections, chunks, known_answers(workspace, s.CONTEXTS, partition), config, workspace.counter.count
    )
    if not asked or not config.endpoint:
        return rows
    endpoint = service_of(config, "context", budget)
    workspace.say(f"{partition}: {_estimate(workspace, rows)}")
    return ASKED.ask(
        rows,
        asked,
        endpoint,
        budget,
        keep=lambda made: keep_answers(
            workspace, s.CONTEXTS, partition, pl.concat([kept, made]).sort(s.CONTEXTS.key)
        ),
        progress=lambda done, total: tell_progress(
            workspace, partition, f"asked about {done}/{total} chunks"
        ),
    )


def _estimate(workspace: Workspace, rows: pl.DataFrame) -> str:
    config, left = workspace.config.context, workspace.context_budget.left
    waiting = rows.filter(status="waiting").unique(c.QUESTION_HASH)
    tokens = int(waiting[c.TOKEN_COUNT].sum())
    cost = config.cost(waiting.height, tokens)
    price = f", {cost:.2f} in all" if cost else ""
    return f"asking the language model about {waiting.height} chunks: {tokens} tokens{price}; at most {left} tokens in this run"


def _observes(workspace: Workspace, partition: str) -> str:
    if not workspace.config.chunking.asks_context_of_some:
        return ""
    cutting = f"{cutting_observes(workspace, partition)} {chunk_fingerprint(workspace)}"
    left = unfinished(workspace, s.CONTEXTS, partition, workspace.config.context)
    return f"{cutting} {left}" if left else cutting


def _fingerprint(workspace: Workspace) -> str:
    from pipeline.contexts.stage import contexts_fingerprint

    return contexts_fingerprint(workspace.config)


CONTEXTS: Final = Stage(
    name="contexts",
    description=f"{s.CONTEXTS.grain} Empty unless a prefix template names {{context}}; nothing is sent unless the configuration names a service.",
    reads=lambda _: (s.DOCUMENTS, s.GATED_PAGES, s.FIGURE_DESCRIPTIONS),
    writes=lambda _: (s.CONTEXTS,),
    fingerprint=_fingerprint,
    make=_make,
    needs=("documents", "gated_pages", "figure_descriptions"),
    observed=_observes,
    pool="contexts",
)
