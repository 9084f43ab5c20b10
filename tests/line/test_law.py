"""The law over the whole line: after any sequence of changes and crashes the state equals that of a rebuild from nothing."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pipeline.estate.identity import UNREAD_VERSION
from pipeline.index import build
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from tests.line.projects import Project, assert_same, content

pytestmark = pytest.mark.slow

# More of them for a search by hand: KESIT_LAW_EXAMPLES=200 pytest tests/line/test_law.py
EXAMPLES = int(os.environ.get("KESIT_LAW_EXAMPLES", "3"))
BUCKETS = (1, 2, 3)
HISTORY = ("replace", "keep")

URIS = ("a.txt", "b.txt", "c.md", "alt/d.txt", "alt/e.md")
PUMP = (
    "Die Pumpe im dritten Werk läuft seit sieben Tagen ohne Störung, und der Druck am Auslass liegt wie im Handbuch"
    " beschrieben bei sechs bar; wer ihn verstellt, trägt den neuen Wert in das Buch der Schicht ein."
)
TEXTS = (
    PUMP,
    PUMP.replace("sieben", "acht"),  # a near copy
    PUMP.replace("sechs", "neun"),
    "Kazan basıncı her vardiyada ölçülür ve sonuç vardiya defterine yazılır.",
    f"# Wartung\n\n{PUMP}\n\n# Ventile\n\nDas Ventil schließt nach vier Sekunden.\n",
    f"# Druck\n\nStand: 01.02.2021\n\n{PUMP.replace('Werk', 'Bau')}\n",
    f"# Druck\n\nGültig ab 3. März 2022\n\n{PUMP.replace('Werk', 'Bau')}\n",
    "# Overtime\n\n§ 1 Overtime is paid with the salary of the next month.\n\n§ 2 It is agreed on beforehand.\n",
    "",
)
TITLES = ("Handbuch", "Ölçüm", "Notes")
DAYS = (date(2020, 1, 1), date(2024, 6, 30), date(2030, 12, 31))

uris = st.sampled_from(URIS)
texts = st.sampled_from(TEXTS)
metadata = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(TITLES),
        "acl_groups": st.sampled_from((["hr"], ["hr", "legal"], ["public"])),
        "authority": st.sampled_from((10, 90)),
        "effective_date": st.sampled_from(DAYS[:2]),
        "expiry_date": st.sampled_from(DAYS[1:]),
        "supersedes": st.lists(st.sampled_from((*URIS, "E-1", "E-2", "nobody")), min_size=1, max_size=2),
        "external_id": st.sampled_from(("E-1", "E-2")),
        "language": st.sampled_from(("tr", "de")),
    },
)
configurations = st.sampled_from(
    (
        {"dedup": {"threshold": 0.6}},
        {"dedup": {"threshold": 0.9}},
        {"dedup": {"min_cosine": 0.9}},
        {"dedup": {"election": ["modified", "authority"]}},
        {"chunking": {"prefix": False}},
        {"chunking": {"max_tokens": 60, "min_tokens": 10}},
        {"chunking": {"prefix_template": "{path}[ – {context}]"}, "context": {"collections": ["docs"]}},
        {"retrieval": {"parent_tokens": 60}},
        {"gate": {"flag_below": 0.95}},
    )
)


class Crash(BaseException):
    """The process ends here. No stage may catch it."""


class Nights(RuleBasedStateMachine):
    """An estate that people and accidents change, and the nights in which it is brought up to date."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.project = Project(self.folder / "p", {"name": "docs", "source": "docs", "buckets": 2})
        self.broken: set[str] = set()

    # what people do -----------------------------------------------------------------------------------------------------

    @initialize(first=texts, second=texts, history=st.sampled_from(HISTORY))
    def begin(self, first: str, second: str, history: str) -> None:
        self.project.collections = (self.project.collections[0] | {"history": history},)
        self.project.configure()
        self.project.write("a.txt", first)
        self.project.write("alt/d.txt", second, supersedes="a.txt")
        self.project.run()

    @rule(uri=uris, text=texts)
    def write(self, uri: str, text: str) -> None:
        self.project.write(uri, text)

    @rule(uri=uris)
    def edit_with_its_old_time(self, uri: str) -> None:
        path = self.project.docs / uri
        if path.exists() and path.stat().st_size:
            times = path.stat().st_atime_ns, path.stat().st_mtime_ns
            path.write_bytes(path.read_bytes().swapcase())
            os.utime(path, ns=times)

    @rule(uri=uris, other=uris)
    def rename(self, uri: str, other: str) -> None:
        old, new = self.project.docs / uri, self.project.docs / other
        if old.exists() and not new.exists():
            new.parent.mkdir(exist_ok=True)
            for suffix in ("", ".meta.toml"):
                if Path(f"{old}{suffix}").exists():
                    Path(f"{old}{suffix}").rename(f"{new}{suffix}")

    @rule(uri=uris, other=uris)
    def swap(self, uri: str, other: str) -> None:
        old, new = self.project.docs / uri, self.project.docs / other
        if old.exists() and new.exists() and old != new:
            aside = old.with_suffix(".aside")
            old.rename(aside)
            new.rename(old)
            aside.rename(new)

    @rule(uri=uris)
    def delete(self, uri: str) -> None:
        for suffix in ("", ".meta.toml"):
            (self.project.docs / f"{uri}{suffix}").unlink(missing_ok=True)
        self.broken.discard(uri)

    @rule(uri=uris, values=metadata)
    def describe(self, uri: str, values: dict[str, Any]) -> None:
        path = self.project.docs / uri
        if path.exists():
            self.broken.discard(uri)
            self.project.write(uri, path.read_text(encoding="utf-8"), **values)

    @rule(groups=st.sampled_from((["hr"], ["public"], ["it", "legal"])))
    def describe_the_folder(self, groups: list[str]) -> None:
        self.project.write("alt/_defaults.toml", f"acl_groups = {groups}\n")

    @rule(uri=uris)
    def spoil_the_metadata(self, uri: str) -> None:
        if (self.project.docs / uri).exists():
            self.project.write(f"{uri}.meta.toml", "authority = 'high'\n")
            self.broken.add(uri)

    @rule(sections=configurations)
    def configure(self, sections: dict[str, Any]) -> None:
        self.project.configure(**sections)

    @rule(history=st.sampled_from(HISTORY))
    def keep_otherwise(self, history: str) -> None:
        self.project.collections = (self.project.collections[0] | {"history": history},)
        self.project.configure()

    @rule(buckets=st.sampled_from(BUCKETS))
    def divide_otherwise(self, buckets: int) -> None:
        self.project.collections = (self.project.collections[0] | {"buckets": buckets},)
        self.project.configure()

    # what happens at night ----------------------------------------------------------------------------------------------

    @rule(at=st.integers(1, 24), before=st.booleans())
    def crash(self, at: int, before: bool) -> None:
        try:
            with crashing(at, before):
                self.project.run()
        except Crash:
            content(self.project)  # what was published can be read

    @precondition(lambda self: not self.broken)
    @rule()
    def night(self) -> None:
        self.project.run()
        self.law()

    def law(self) -> None:
        again = self.folder / "again"
        assert_same(content(self.project), content(rebuilt(self.project, again)))
        shutil.rmtree(again)

    def teardown(self) -> None:
        for uri in sorted(self.broken):
            (self.project.docs / f"{uri}.meta.toml").unlink(missing_ok=True)
        self.project.run()
        self.law()
        shutil.rmtree(self.folder)


@contextmanager
def crashing(at: int, before: bool):
    """End the run before or after its `at`-th act that others can see: a publication, or a step of writing the index."""
    acts = 0

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*args: Any, **more: Any) -> Any:
            nonlocal acts
            acts += 1
            if acts == at and before:
                raise Crash
            result = act(*args, **more)
            if acts == at:
                raise Crash
            return result

        return acting

    with (
        patch.object(os, "replace", counted(os.replace)),
        patch.object(build, "_delete", counted(build._delete)),
        patch.object(build, "_complete_plain_indices", counted(build._complete_plain_indices)),
    ):
        yield


def rebuilt(project: Project, folder: Path) -> Project:
    """A run from nothing but what only the past can say: which document a renamed file is, and what was edited away."""
    sources = [each | {"source": str(project.folder / each["source"])} for each in project.collections]
    other = Project(folder, *sources, **project.sections)
    workspace, lake = other.workspace(), project.workspace().lake
    for partition in lake.partitions(s.DOCUMENTS):
        known = lake.read(s.DOCUMENTS, partition)
        unread = known.with_columns(pl.lit(UNREAD_VERSION).alias(c.VERSION_ID), pl.lit("").alias(c.ETAG))
        workspace.lake.publish(s.DOCUMENTS, partition, unread, "")
    for name in lake.partitions(s.KEPT_VERSIONS):
        workspace.lake.publish(s.KEPT_VERSIONS, name, lake.read(s.KEPT_VERSIONS, name), "")
    if (kept := Path(lake.root, "versions")).exists():
        shutil.copytree(kept, Path(workspace.lake.root, "versions"))
    other.run()
    return other


TestNights = Nights.TestCase
TestNights.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
