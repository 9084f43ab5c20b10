"""Searchers that follow: in threads and in another process, every answer is of one build, and a new build is noticed."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.embedding.sources import UseMultilingual
from pipeline.index.errors import NoIndexYetError
from pipeline.index.pointer import read_pointer
from pipeline.line.searching import follow_live
from pipeline.line.workspace import Workspace
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import IndexMismatchError
from tests.line.projects import Project
from tests.line.test_stages import with_questions

if TYPE_CHECKING:
    from pipeline.retrieval.answer import Answer

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = 4

READER = """
import json, sys
from pathlib import Path
from typing import TYPE_CHECKING
from pipeline.config import load_config
from pipeline.line.searching import follow_live
from pipeline.line.workspace import Workspace
from pipeline.retrieval.query import Query
stop = Path(sys.argv[2])
searcher = follow_live(Workspace(load_config(sys.argv[1])), follow_seconds=0)
while True:
    last = stop.exists()
    answer = searcher.search(Query("Pumpe", k=20))
    print(json.dumps([answer.build, sorted(result.text for result in answer.results)]), flush=True)
    if last:
        break
"""


def write(project: Project, state: int) -> None:
    for n in range(DOCUMENTS):
        project.write(f"{n}.txt", f"Die Pumpe {n} läuft. Stand {state}.")


def texts_of(state: int) -> list[str]:
    return [f"Die Pumpe {n} läuft. Stand {state}." for n in range(DOCUMENTS)]


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "project")
    write(project, 0)
    project.run()
    return project


def test_before_the_first_build_there_is_nothing_to_follow(tmp_path):
    with pytest.raises(NoIndexYetError, match="no index yet"):
        follow_live(Project(tmp_path / "p").workspace())


def test_a_new_build_answers_when_the_pointer_is_looked_at_again(project):
    followed = follow_live(project.workspace(), follow_seconds=0)
    late = follow_live(project.workspace(), follow_seconds=3600)
    first = followed.build
    write(project, 1)
    project.run()
    assert sorted(result.text for result in followed.search(Query("Pumpe", k=20)).results) == texts_of(1)
    assert followed.build == read_pointer(project.workspace().index_root).current.name != first
    answer = late.search(Query("Pumpe", k=20))
    assert (answer.build, sorted(result.text for result in answer.results)) == (first, texts_of(0))


def test_a_pointer_that_cannot_be_read_is_said_and_the_build_before_answers_on(project):
    said: list[str] = []
    workspace = Workspace(project.config, say=said.append)
    workspace._encoders = project.workspace()._encoders
    followed = follow_live(workspace, follow_seconds=0)
    pointer = project.folder / "data" / "index" / "live.json"
    content = pointer.read_text(encoding="utf-8")
    pointer.write_text(content[:40], encoding="utf-8")
    assert len(followed.search(Query("Pumpe", k=20)).results) == DOCUMENTS
    assert len(said) == 1
    assert "damaged" in said[0]
    assert "answers on" in said[0]
    pointer.write_text(content, encoding="utf-8")
    assert len(followed.search(Query("Pumpe", k=20)).results) == DOCUMENTS
    assert len(said) == 1


def test_a_switch_that_failed_is_tried_again(project):
    said: list[str] = []
    workspace = Workspace(project.config, say=said.append)
    workspace._encoders = project.workspace()._encoders
    followed = follow_live(workspace, follow_seconds=0)
    write(project, 1)
    project.run()
    pointer = project.folder / "data" / "index" / "live.json"
    content = json.loads(pointer.read_text(encoding="utf-8"))
    gone = content | {"current": content["current"] | {"models": ["no-such-model"]}}
    pointer.write_text(json.dumps(gone), encoding="utf-8")
    for looks in (1, 2):
        assert sorted(each.text for each in followed.search(Query("Pumpe", k=20)).results) == texts_of(0)
        assert len(said) == looks
        assert "no-such-model" in said[-1]
    pointer.unlink()
    pointer.mkdir()
    assert sorted(each.text for each in followed.search(Query("Pumpe", k=20)).results) == texts_of(0)
    assert "cannot be read" in said[-1]
    pointer.rmdir()
    pointer.write_text(json.dumps(content), encoding="utf-8")
    assert sorted(each.text for each in followed.search(Query("Pumpe", k=20)).results) == texts_of(1)


def test_other_weights_under_the_old_name_answer_nothing(project, monkeypatch):
    """A package that was upgraded, say: the column has the name that it had."""
    running = follow_live(project.workspace(), follow_seconds=0)
    monkeypatch.setattr("tests.line.projects._ENCODERS", {})
    monkeypatch.setattr(UseMultilingual, "identity", "another version")
    live = read_pointer(project.workspace().index_root).current
    told = f"use-multilingual: not the weights that {live.name} was built with"
    with pytest.raises(IndexMismatchError, match=told):
        project.search("Pumpe")

    # Nor can it be asked in an evaluation, or be brought what is new.
    with_questions(project, ("0.txt", "steht nirgends"), floor=1.0)
    project.write("neu.txt", "Der Kompressor läuft.")
    report = project.run()
    assert "stays back: recall@5 0.000" in report.index["reason"]
    assert told in report.behind

    project.configure(evaluation={})
    assert project.run().index["promoted"]
    assert project.search("Kompressor")[0].uri == "neu.txt"
    assert running.search(Query("Pumpe")).build == live.name  # with the weights that it has in memory


@pytest.mark.slow
def test_threads_and_another_process_see_one_build_or_the_other(project, tmp_path):
    stop = tmp_path / "stop"
    with (tmp_path / "seen").open("w") as out:
        other = subprocess.Popen(
            [sys.executable, "-c", READER, str(project.config_file), str(stop)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=subprocess.PIPE,
        )
        followed = follow_live(project.workspace(), follow_seconds=0)
        seen: list[Answer] = []
        failures: list[BaseException] = []
        ended = threading.Event()

        def read() -> None:
            try:
                while not ended.is_set():
                    seen.append(followed.search(Query("Pumpe", k=20)))
            except BaseException as error:  # noqa: BLE001 - the main thread reports it
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        builds = {read_pointer(project.workspace().index_root).current.name: 0}
        while other.poll() is None and not (tmp_path / "seen").read_text():
            time.sleep(0.1)  # it takes a while to start
        for state in (1, 2, 3):
            write(project, state)
            if state == 2:  # a new table, too
                project.configure(chunking={"max_tokens": 200})
            project.run()
            builds[read_pointer(project.workspace().index_root).current.name] = state
        ended.set()
        for thread in threads:
            thread.join()
        stop.touch()
        assert other.wait(120) == 0, other.stderr.read().decode()
    assert failures == []
    for answer in seen:
        found = sorted(result.text for result in answer.results)
        assert found == texts_of(builds[answer.build])
    lines = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    assert all(found == texts_of(builds[build]) for build, found in lines)
    last = list(builds)[-1]
    assert lines[-1][0] == last
    assert followed.search(Query("Pumpe")).build == last
    assert len({answer.build for answer in seen}) > 1
