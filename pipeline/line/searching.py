"""Searchers over a build: with the encoders that it was built with, whatever is configured today."""

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pipeline.config import ConfigError, UserError
from pipeline.line.workspace import Workspace

if TYPE_CHECKING:
    from pipeline.embedding.encoders import Encoder
    from pipeline.index.pointer import Build
    from pipeline.index.reader import LiveIndex, OpenBuild
    from pipeline.retrieval.answer import Answer
    from pipeline.retrieval.query import Query
    from pipeline.retrieval.search import Searcher


# A reader that follows looks at the pointer, a small file, so often.
FOLLOW_SECONDS: Final = 5.0


class FollowingSearcher:
    """Answers from what is live, also after another build has gone live. For applications that run for days.

    Each call answers from one build, which the answer names; calls of several threads may overlap. When the pointer, the
    build that it names or one of its encoders cannot be read, the build before answers on, the workspace's `say` is told,
    and the next look tries again.

    Args:
        workspace: whose index.
        live: the live build, open.
        searcher: over that build.
        follow_seconds: the pointer is looked at when its last look is so old; 0: in every call.
    """

    def __init__(
        self, workspace: Workspace, live: "LiveIndex", searcher: "Searcher", follow_seconds: float
    ) -> None:
        self._workspace = workspace
        self._live = live
        self._follow_seconds = follow_seconds
        self._looked_at = time.monotonic()
        self._looking = threading.Lock()
        self._searcher = searcher

    @property
    def build(self) -> str:
        """Name of the build that answers."""
        return self._searcher.build

    def search(self, query: "Query") -> "Answer":
        """The answer to one question, as `Searcher.search` gives it."""
        return self.search_many([query])[0]

    def search_many(self, queries: Sequence["Query"]) -> list["Answer"]:
        """The answers, all from one build, as `Searcher.search_many` gives them."""
        return self._current().search_many(queries)

    def _current(self) -> "Searcher":
        due = time.monotonic() - self._looked_at >= self._follow_seconds
        # One thread looks and opens; the others go on with what they have.
        if due and self._looking.acquire(blocking=False):
            try:
                self._live.refresh()
                # Not what `refresh` says: a switch that failed half way is tried again at the next look.
                if self._live.opened.build.name != self._searcher.build:
                    self._searcher = _searcher(self._workspace, self._live.opened)
            except (UserError, OSError) as error:
                self._workspace.say(f"warning: {error}; {self._searcher.build} answers on")
            finally:
                self._looked_at = time.monotonic()
                self._looking.release()
        return self._searcher


def follow_live(workspace: Workspace, *, follow_seconds: float = FOLLOW_SECONDS) -> FollowingSearcher:
    """A searcher over what is live, now and later: another build answers within `follow_seconds` of going live.

    Raises:
        NoIndexYetError: nothing has gone live.
        IndexMissingError: what the pointer names is not there.
        IndexMismatchError: an encoder has other weights than the build was made with.
    """
    from pipeline.index.reader import open_live

    live = open_live(workspace.index_root)
    return FollowingSearcher(workspace, live, _searcher(workspace, live.opened), follow_seconds)


def live_searcher(workspace: Workspace) -> "Searcher":
    """A searcher over what is live now. It stays with that build; `follow_live` follows.

    Raises:
        NoIndexYetError: nothing has gone live.
        IndexMissingError: what the pointer names is not there.
        IndexMismatchError: an encoder has other weights than the build was made with.
    """
    from pipeline.index.reader import open_live

    return _searcher(workspace, open_live(workspace.index_root).opened)


def searcher_for(workspace: Workspace, build: "Build") -> "Searcher":
    """A searcher over any build.

    Raises:
        IndexMissingError: its table or version is not there.
        IndexMismatchError: an encoder has other weights than it was made with.
    """
    from pipeline.index.reader import open_build

    return _searcher(workspace, open_build(workspace.index_root, build))


def _searcher(workspace: Workspace, opened: "OpenBuild") -> "Searcher":
    from pipeline.retrieval.search import Searcher

    return Searcher(
        opened.table,
        {encoder.slug: encoder for encoder in encoders_of(workspace, opened.build)},
        workspace.config.retrieval,
        build=opened.build.name,
        glossary=workspace.glossary,
        reranker=workspace.reranker,
    )


def encoders_of(workspace: Workspace, build: "Build") -> tuple["Encoder", ...]:
    """The encoders of a build, if they still are what they were. Builds of early versions of Kesit do not say what that was.

    Raises:
        EncoderError: one is not on this machine.
        IndexMismatchError: one has other weights now.
    """
    from pipeline.retrieval.search import IndexMismatchError

    encoders = workspace.encoders_for(build.models)
    others = [each.name for each in encoders if build.encoders.get(each.slug) != each.fingerprint]
    if build.encoders and others:
        raise IndexMismatchError(
            f"{', '.join(others)}: not the weights that {build.name} was built with, so its vectors cannot be compared"
            " with new ones; put the old weights back, or run `kesit run` to build with these"
        )
    return encoders


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
