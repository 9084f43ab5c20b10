"""Small projects for tests of the whole line: real documents, real stages, in this process."""

import json
import shutil
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.config import Config, load_config
from pipeline.index.reader import open_live
from pipeline.line.run import OpenDriver, run
from pipeline.line.searching import live_searcher
from pipeline.line.stage import update
from pipeline.line.stages import PARTITIONED, embedding_tables
from pipeline.line.whole_estate import GLOBAL
from pipeline.line.workspace import Workspace
from pipeline.report.run_report import RunReport
from pipeline.retrieval.answer import Answer, Result
from pipeline.retrieval.query import Query
from pipeline.tables import schemas as s

DOCS: Mapping[str, Any] = {"name": "docs", "source": "docs", "buckets": 1}

# Loading the encoder takes a second: all projects of a test process share it.
_ENCODERS: dict[str, Any] = {}


class PlainDriver:
    """Runs the stages one after the other and records nothing. Dagster's driver, which does, is tested with the assets."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def run_partition(self, partition: str) -> list[str]:
        for stage in PARTITIONED:
            update(self.workspace, stage, partition)
        return []

    def run_whole_estate(self) -> list[str]:
        for stage in GLOBAL:
            stage.run(self.workspace)
        return []


@contextmanager
def plain_driver(workspace: Workspace) -> Generator[PlainDriver]:
    yield PlainDriver(workspace)


class Project:
    """A folder with a `kesit.toml` and documents. Text files are read quickest; use them where the format is no matter.

    Args:
        folder: is made if missing.
        collections: tables of the configuration; sources may be absolute.
        sections: further tables, by name.
    """

    def __init__(self, folder: Path, *collections: Mapping[str, Any], **sections: Mapping[str, Any]) -> None:
        self.folder = folder
        self.collections = collections or (DOCS,)
        self.sections: dict[str, Mapping[str, Any]] = {"parsing": {"workers": 1}} | sections
        folder.mkdir(parents=True, exist_ok=True)
        for collection in self.collections:
            (folder / collection["source"]).mkdir(parents=True, exist_ok=True)
        self.configure()

    def configure(self, **sections: Mapping[str, Any]) -> None:
        """Replace tables of the configuration, and write it."""
        self.sections |= sections
        tables = [("[[collections]]", each) for each in self.collections]
        tables += [(f"[{name}]", values) for name, values in self.sections.items()]
        self.config_file.write_text(
            "".join(
                f"{head}\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
                for head, values in tables
            ),
            encoding="utf-8",
        )

    @property
    def config_file(self) -> Path:
        return self.folder / "kesit.toml"

    @property
    def config(self) -> Config:
        return load_config(self.config_file)

    def grow_old(self) -> None:
        """Wait until the times of all files can be trusted: a partition with younger ones is looked at once more."""
        while any(
            self.workspace().scan(each["name"]).documents["etag"].eq("").any() for each in self.collections
        ):
            time.sleep(0.5)

    @property
    def docs(self) -> Path:
        """The source of the first collection."""
        return self.folder / self.collections[0]["source"]

    def write(self, uri: str, text: str, **metadata: Any) -> Path:
        """Write a document of the first collection, and its metadata beside it if there is any."""
        path = self.docs / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if metadata:
            lines = (
                f"{key} = {value.isoformat() if isinstance(value, date) else json.dumps(value)}\n"
                for key, value in metadata.items()
            )
            path.with_name(f"{path.name}.meta.toml").write_text("".join(lines), encoding="utf-8")
        return path

    def workspace(self) -> Workspace:
        workspace = Workspace(self.config)
        workspace._encoders = _ENCODERS
        return workspace

    def run(self, driver: OpenDriver = plain_driver, **options: Any) -> RunReport:
        return run(self.workspace(), driver, **options)

    def answer(self, query: str, **options: Any) -> Answer:
        return live_searcher(self.workspace()).search(Query(query, **options))

    def search(self, query: str, **options: Any) -> tuple[Result, ...]:
        return self.answer(query, **options).results

    def rebuilt(self, folder: Path) -> "Project":
        """The same documents and settings, run from nothing in another folder."""
        sources = [each | {"source": str(self.folder / each["source"])} for each in self.collections]
        other = Project(folder, *sources, **self.sections)
        other.run()
        return other


def content(project: Project) -> dict[str, pl.DataFrame]:
    """All that a run leaves: every table of the lake and the rows of the live index, stamps and resolved entries left out."""
    workspace = project.workspace()
    lake = workspace.lake
    frames = {}
    for table in (*s.REBUILT, *embedding_tables(workspace)):
        frame = lake.read(table).sort(table.key).drop(table.stamps)
        frames[table.name] = frame.filter(status="open") if table is s.PAGE_EXCEPTIONS else frame
    frames["index"] = index_rows(workspace)
    return frames


def index_rows(workspace: Workspace) -> pl.DataFrame:
    """The rows of the live index, sorted."""
    table = open_live(workspace.index_root).opened.table
    return pl.DataFrame(pl.from_arrow(table.to_arrow())).sort("chunk_id")


def texts(project: Project) -> str:
    """All text that the live index holds."""
    return "\n".join(index_rows(project.workspace())["text"])


def assert_same(left: Mapping[str, pl.DataFrame], right: Mapping[str, pl.DataFrame]) -> None:
    from polars.testing import assert_frame_equal

    assert left.keys() == right.keys()
    for name, frame in left.items():
        # Vectors may differ in the last bits: a batch of other strings is summed in another order.
        assert_frame_equal(frame, right[name], check_exact=False, rel_tol=0, abs_tol=1e-5)


def copy_of(project: Project, folder: Path) -> Project:
    """A copy of a project as it stands, tables and index included."""
    shutil.copytree(project.folder, folder)
    return Project(folder, *project.collections, **project.sections)
