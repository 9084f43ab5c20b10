"""Searchers over a build: with the encoders that it was built with, whatever is configured today."""

from typing import TYPE_CHECKING

from pipeline.config import ConfigError
from pipeline.line.workspace import Workspace

if TYPE_CHECKING:
    from pipeline.index.pointer import Build
    from pipeline.retrieval.reranking import Reranker
    from pipeline.retrieval.search import Searcher


def live_searcher(workspace: Workspace) -> "Searcher":
    """A searcher over what is live.

    Raises:
        NoIndexYetError: nothing has gone live.
        IndexMissingError: what the pointer names is not there.
    """
    from pipeline.index.reader import open_live
    from pipeline.retrieval.search import Searcher

    opened = open_live(workspace.index_root).opened
    encoders = {encoder.slug: encoder for encoder in workspace.encoders_for(opened.build.models)}
    return Searcher(
        opened.table,
        encoders,
        workspace.config.retrieval,
        build=opened.build.name,
        reranker=_reranker(workspace),
    )


def searcher_for(workspace: Workspace, build: "Build") -> "Searcher":
    """A searcher over any build.

    Raises:
        IndexMissingError: its table or version is not there.
    """
    from pipeline.index.reader import open_build
    from pipeline.retrieval.search import Searcher

    encoders = {encoder.slug: encoder for encoder in workspace.encoders_for(build.models)}
    return Searcher(
        open_build(workspace.index_root, build).table,
        encoders,
        workspace.config.retrieval,
        build=build.name,
        reranker=_reranker(workspace),
    )


def _reranker(workspace: Workspace) -> "Reranker | None":
    from pipeline.retrieval.reranking import CrossEncoderReranker

    folder = workspace.config.retrieval.reranker
    return CrossEncoderReranker(workspace.config.base / folder) if folder else None


def find_build(workspace: Workspace, name: str) -> "Build":
    """The build of a name.

    Args:
        workspace: whose index.
        name: `table@version`, or `live` or `candidate`.

    Raises:
        ConfigError: there is none; the message names those that are there.
    """
    from pipeline.index.pointer import find_pointer, read_candidate

    pointer, candidate = find_pointer(workspace.index_root), read_candidate(workspace.index_root)
    builds = {build.name: build for build in pointer.builds} if pointer else {}
    builds |= {"live": pointer.current} if pointer else {}
    builds |= {candidate.name: candidate, "candidate": candidate} if candidate else {}
    if name not in builds:
        raise ConfigError(
            f"build {name!r}: there is none of that name; there are: {', '.join(builds) or 'none yet'}"
        )
    return builds[name]
