"""The live pointer: one small file that says which build answers, replaced in a single step.

`live.json` at the index root names the current build and those that were live before it, latest first; `candidate.json`
names a build that waits for, or failed, its evaluation. Readers resolve the pointer and pin the version that it names.
"""

import contextlib
import os
import posixpath
import uuid
from datetime import datetime
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.index.approximate import VectorIndex
from pipeline.index.errors import NoIndexYetError, SearchIndexError
from pipeline.tables.stores import open_store

LIVE: Final = "live.json"
CANDIDATE: Final = "candidate.json"

Content = TypeVar("Content", bound=BaseModel)


class Build(BaseModel):
    """One build: a table at a version.

    Attributes:
        table: name of the LanceDB table.
        version: its version.
        fingerprint: what forces a new table when it changes (`rows.index_fingerprint`).
        rows: number of rows.
        promoted_at: when it went live; of a candidate: when it was built.
        models: the encoders of its vector columns, as the configuration called them.
        encoders: their fingerprints, by slug.
        chunking: the settings that its documents were cut by; None: an earlier version of Kesit made it, and kept none.
        inputs: hash of the tables and settings that its rows were made from.
        vector_indices: what is known of its approximate vector indices, by column.
        evaluation: what the evaluation said, JSON; null: not judged.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    version: int
    fingerprint: str
    rows: int
    promoted_at: datetime
    models: tuple[str, ...] = ()
    encoders: dict[str, str] = {}
    chunking: dict[str, Any] | None = None
    inputs: str = ""
    vector_indices: dict[str, VectorIndex] = {}
    evaluation: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """Short name of the build: table and version."""
        return f"{self.table}@{self.version}"


class Behind(BaseModel):
    """How far the live build is behind the estate, because a candidate with newer text was kept back.

    Attributes:
        documents: how many are new, edited or otherwise described than the live build knows.
        since: when the first of them came.
        reason: why the live build did not get them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    documents: int
    since: datetime
    reason: str

    def __str__(self) -> str:
        """In words, for a person."""
        number = "1 document is" if self.documents == 1 else f"{self.documents} documents are"
        return f"{number} newer than what is live, since {self.since:%Y-%m-%d %H:%M} UTC: {self.reason}"


class Pointer(BaseModel):
    """The content of `live.json`.

    Attributes:
        current: the build that answers.
        previous: the builds that were live before it, latest first.
        held: what a person went back from: the inputs of that build, or its fingerprint where it was of another kind
            than `current`. Such a build does not go live by itself again. "" for nothing.
        behind: how far `current` is behind the estate; None: it has all that a candidate has.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    current: Build
    previous: tuple[Build, ...] = ()
    held: str = ""
    behind: Behind | None = None

    def holds(self, build: Build) -> bool:
        """Whether a person went back from such a build."""
        return bool(self.held) and self.held in (build.inputs, build.fingerprint)

    @property
    def builds(self) -> tuple[Build, ...]:
        """All builds that it names, the current one first."""
        return (self.current, *self.previous)


def read_pointer(root: str) -> Pointer:
    """The live pointer.

    Raises:
        NoIndexYetError: nothing has gone live below this root.
        SearchIndexError: the file is damaged, or cannot be read.
    """
    pointer = _read(root, LIVE, Pointer)
    if pointer is None:
        raise NoIndexYetError(f"no index yet at {root}: run `kesit run` first")
    return pointer


def find_pointer(root: str) -> Pointer | None:
    """The live pointer, or None before the first build went live."""
    return _read(root, LIVE, Pointer)


def write_pointer(root: str, pointer: Pointer) -> None:
    """Replace the live pointer in a single step."""
    _write(root, LIVE, pointer)


def promote(root: str, build: Build, *, held: str = "") -> Pointer:
    """Make a build live. What was live becomes the latest of the previous ones; the candidate is no longer one.

    A build that is live already, because its rows are the same, keeps its place and the time since when it is live.

    Args:
        root: folder or URL of the index.
        build: it holds all that the estate has.
        held: what a person went back from, where that is held on (`Pointer.held`).
    """
    pointer = find_pointer(root)
    if pointer is None:
        moved = Pointer(current=build)
    elif pointer.current.name == build.name:
        kept = build.model_copy(update={"promoted_at": pointer.current.promoted_at})
        moved = pointer.model_copy(update={"current": kept, "behind": None})
    else:
        moved = Pointer(current=build, previous=(pointer.current, *pointer.previous), held=held)
    write_pointer(root, moved)
    candidate = read_candidate(root)
    if candidate is not None and candidate.name == build.name:
        discard_candidate(root)
    return moved


def keep_evaluation(root: str, build: Build) -> None:
    """Keep what an evaluation said of the live build; nothing moves. A build that is live no longer is left alone."""
    pointer = read_pointer(root)
    if pointer.current.name == build.name:
        kept = pointer.current.model_copy(update={"evaluation": build.evaluation})
        write_pointer(root, pointer.model_copy(update={"current": kept}))


def read_candidate(root: str) -> Build | None:
    """The build that was made but did not go live, if there is one."""
    return _read(root, CANDIDATE, Build)


def named_builds(root: str) -> tuple[Build, ...]:
    """Every build that is named somewhere: the candidate, if there is one, then those of the pointer."""
    pointer, candidate = find_pointer(root), read_candidate(root)
    return (*([candidate] if candidate else []), *(pointer.builds if pointer else ()))


def newest_build(root: str) -> Build | None:
    """The candidate, else what is live; None before the first build."""
    return next(iter(named_builds(root)), None)


def write_candidate(root: str, build: Build) -> None:
    """Name a build that waits for its evaluation, or failed it; replaces the one before."""
    _write(root, CANDIDATE, build)


def discard_candidate(root: str) -> None:
    """Name no candidate."""
    fs, path = _locate(root, CANDIDATE)
    with contextlib.suppress(FileNotFoundError):
        fs.rm_file(path)


def _read(root: str, name: str, model: type[Content]) -> Content | None:
    fs, path = _locate(root, name)
    try:
        content = fs.cat_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SearchIndexError(f"{path} cannot be read: {error}") from error
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the file"
        raise SearchIndexError(
            f"{path} is damaged: {key}: {first['msg']}; restore it, or delete it and build anew"
        ) from None


def _write(root: str, name: str, content: BaseModel) -> None:
    fs, path = _locate(root, name)
    encoded = content.model_dump_json(indent=1).encode()
    fs.makedirs(posixpath.dirname(path), exist_ok=True)
    if "file" not in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol):
        fs.pipe_file(path, encoded)  # object stores put an object whole
        return
    staged = f"{path}.{uuid.uuid4().hex}"
    try:
        with open(staged, "wb") as file:  # noqa: PTH123 - fsspec paths are strings
            file.write(encoded)
            file.flush()
            os.fsync(file.fileno())
        os.replace(staged, path)  # noqa: PTH105
    except OSError as error:
        if os.path.exists(staged):  # noqa: PTH110
            os.remove(staged)  # noqa: PTH107
        raise SearchIndexError(f"{path} cannot be written: {error}; the pointer stays as it was") from error


def _locate(root: str, name: str) -> tuple[Any, str]:
    fs, base = open_store(root)
    return fs, posixpath.join(base, name)
