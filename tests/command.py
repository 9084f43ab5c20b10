"""The command `kesit` in this process, and a small estate that it ran."""

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from pipeline.cli import main
from tests.line.projects import Project


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        """What was printed: one JSON value and nothing else."""
        return json.loads(self.out)


def kesit(project: Path | Project, *arguments: str) -> Done:
    """Run a command in the folder of a project, in this process."""
    folder = project.folder if isinstance(project, Project) else project
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.chdir(folder)
        patch.delenv("KESIT_CONFIG", raising=False)
        patch.setattr(sys, "argv", ["kesit", *arguments])
        try:
            main()
        except SystemExit as ended:
            return Done(int(ended.code or 0), out.getvalue(), err.getvalue())
        finally:
            os.environ.pop("KESIT_CONFIG", None)
    return Done(0, out.getvalue(), err.getvalue())


def one_line(done: Done) -> str:
    """The message of an error: one line on stderr, no trace, nothing on stdout."""
    assert done.out == ""
    (line,) = done.err.splitlines()
    return line


class Estate(NamedTuple):
    project: Project
    first: Done


def told_estate(folder: Path) -> Estate:
    """A small estate with gold questions, that was run by the command line."""
    project = Project(
        folder,
        {"name": "docs", "source": "docs", "buckets": 1},
        evaluation={"questions": "questions.jsonl"},
    )
    project.write("a.txt", "The night shift records the pump pressure every two hours.")
    project.write("b.txt", "Der Öldruck muss vor dem Anfahren geprüft und eingetragen werden.")
    project.write("pay.txt", "Das Gehalt des Werkleiters beträgt 9.000 Euro.", acl_groups=["hr"])
    project.write("leer.txt", "")
    lines = (
        {"id": "1", "query": "pump pressure", "lang": "en", "gold": [{"document": "docs/a.txt", "quote": "pump pressure"}]},
        {"id": "2", "query": "Öldruck", "lang": "de", "gold": [{"document": "docs/b.txt", "quote": "Öldruck"}]},
        {"id": "3", "query": "Gehalt", "lang": "de", "gold": [{"document": "docs/nowhere.txt", "quote": "niemals"}]},
    )  # fmt: skip
    (project.folder / "questions.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    return Estate(project, kesit(project, "run", "--json"))
