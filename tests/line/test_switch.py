"""From one encoder to another while searches run, then back after a deletion; and the reported faults of such switches."""

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from pipeline.index.pointer import read_candidate, read_pointer
from pipeline.line.builds import roll_back
from pipeline.line.searching import follow_live, searcher_for
from pipeline.line.whole_estate import GLOBAL
from pipeline.report.exceptions import read_register
from pipeline.retrieval.answer import Answer
from pipeline.retrieval.query import Query
from tests.line.projects import Project, texts
from tests.line.test_stages import with_questions

SENTENCES = {
    "kantine.md": "Die Kantine öffnet werktags um elf Uhr dreißig.",
    "izin.md": "Çalışan yılda yirmi gün ücretli izin kullanır.",
    "gate.md": "Visitors show their badge at the northern gate.",
    "geheim.md": "Das Rezept der Legierung Zebra enthält neun Teile Nickel.",
}
ASKED = ("Wann kann man mittags essen?", "Kaç gün izin hakkım var?", "Where do guests enter?", "Zebra Nickel")


def wrote(project: Project) -> Project:
    for uri, sentence in SENTENCES.items():
        project.write(uri, f"# {uri.removesuffix('.md').title()}\n\n{sentence}")
    with_questions(project, *SENTENCES.items(), floor=0.5)
    return project


def told(answer: Answer) -> list[tuple[str, float, str]]:
    return [(result.chunk_id, result.score, result.text) for result in answer.results]


@pytest.mark.slow
def test_a_better_encoder_goes_live_under_running_searches_and_back_without_what_was_deleted(tmp_path):
    project = wrote(Project(tmp_path / "project", embedding={"models": ["use-multilingual"]}))
    project.run()
    root = project.workspace().index_root
    blue = read_pointer(root).current
    followed = follow_live(project.workspace(), follow_seconds=0)
    seen: list[tuple[str, Answer]] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def ask() -> None:
        try:
            while not ended.is_set():
                seen.extend((query, followed.search(Query(query, k=4))) for query in ASKED)
        except BaseException as error:  # noqa: BLE001 - the main thread reports it
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    project.configure(embedding={"models": ["e5-small-int8"]})
    report = project.run()
    builds = {build.name: build for build in read_pointer(root).builds}
    references = {
        (name, query): told(searcher_for(project.workspace(), build).search(Query(query, k=4)))
        for name, build in builds.items()
        for query in ASKED
    }
    ended.set()
    for thread in threads:
        thread.join()
    green = read_pointer(root).current
    assert report.index["promoted"]
    assert (green.models, green.table == blue.table) == (("e5-small-int8",), False)
    assert (green.evaluation or {})["against"] == blue.name  # it was compared, and that decided
    assert failures == []
    assert {answer.build for _, answer in seen} == {blue.name, green.name}
    for query, answer in seen:
        assert told(answer) == references[answer.build, query]

    (project.docs / "geheim.md").unlink()
    project.run()
    roll_back(project.workspace(), blue.name)
    live = read_pointer(root).current
    assert (live.models, live.table) == (("use-multilingual",), blue.table)
    assert "Zebra" not in texts(project)
    for text in ("Zebra Nickel", "Legierung", "Rezept der Legierung Zebra"):
        answer = followed.search(Query(text, k=20))
        assert answer.build == live.name
        assert {result.uri for result in answer.results} == SENTENCES.keys() - {"geheim.md"}


@pytest.mark.slow
def test_a_worse_encoder_stays_back_and_the_better_one_answers_on(tmp_path):
    """A model that knows a single word: everything is alike to it. A second one is nothing to it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    only_vectors = {"text_weight": 0, "cross_lingual_text_weight": 0, "recency_boost": 0}
    project = wrote(Project(tmp_path / "project", retrieval=only_vectors))
    for n in range(18):
        project.write(f"mehr/{n}.md", f"# Mehr {n}\n\nNotiz {n} über Ventile und ihre Dichtungen.")
    project.write("loch.txt", "Loch Loch Loch")
    assert project.run().refused == ()
    blue = read_pointer(project.workspace().index_root).current
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "Word": 1, "Loch": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    weights = np.eye(3, 2, dtype=np.float32)
    static = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[static], device="cpu").save(str(project.folder / "poor"))
    project.configure(embedding={"models": ["poor"]})
    report = project.run()
    assert not report.index["promoted"]
    assert read_pointer(project.workspace().index_root).current.name == blue.name
    assert project.search(SENTENCES["gate.md"])[0].uri == "gate.md"

    # A chunk without a vector stops nothing; it stands in the report and in the register, by name.
    chunk = project.workspace().read(_chunks()).filter(text="Loch Loch Loch")["chunk_id"].item()
    detail = f"Chunk {chunk} is not in the index: poor: the vector is zero or not finite"
    assert [(each.document, each.reason, each.detail) for each in report.refused] == [
        ("docs/loch.txt", "no_vector", detail)
    ]
    assert f"refused     docs/loch.txt: no_vector – {detail}" in report.lines()
    entry = read_register(project.workspace().lake, reason="no_vector").row(0, named=True)
    assert (entry["uri"], entry["page_no"], entry["detail"]) == ("loch.txt", 1, detail)

    # And it freezes no answer: what comes, changes and goes meanwhile reaches both.
    project.write("neu.md", "# Neu\n\nDer Kompressor steht seit heute in Halle neun.")
    project.write("gate.md", f"# Gate\n\n{SENTENCES['gate.md']} It closes at noon.")
    (project.docs / "geheim.md").unlink()
    report = project.run()
    root = project.workspace().index_root
    live, candidate = read_pointer(root).current, read_candidate(root)
    assert (report.index["promoted"], report.behind) == (False, "")
    assert (live.table, live.models, candidate.models) == (blue.table, blue.models, ("poor",))
    assert live.evaluation["against"].startswith(blue.table)  # what goes live was judged
    assert project.search("Wo steht der Kompressor?")[0].uri == "neu.md"
    for build in (live, candidate):
        answer = searcher_for(project.workspace(), build).search(Query("Halle", k=40))
        shown = " ".join(result.text for result in answer.results)
        assert "Kompressor" in shown
        assert "noon" in shown
        assert "Zebra" not in shown
        assert ("Loch" in shown) == (build is live)
    assert all(stage.is_fresh(project.workspace()) for stage in GLOBAL)


def laid(cases: Path, project: Project, version: str) -> None:
    shutil.rmtree(project.docs)
    shutil.copytree(cases / version, project.docs)
    for path in [project.docs, *project.docs.rglob("*")]:
        path.chmod(0o755)


def holds(project: Project, word: str) -> bool:
    return any(word in result.text for result in project.search(word, k=20))


def test_b52_the_last_sentence_counts_and_nothing_is_cut_off(cases, tmp_path):
    project = Project(tmp_path / "project")
    text = (cases / "B52" / "schwanz.md").read_text(encoding="utf-8")
    vectors = []
    for version in (text, text.replace("ZEBRA-4417", "LUCHS-9920")):
        project.write("schwanz.md", version)
        project.run()
        workspace = project.workspace()
        chunks = workspace.read(_chunks())
        (encoder,) = workspace.encoders
        from pipeline.chunking.context import embedded_text_expr

        counts = encoder.count(chunks.select(embedded_text_expr()).to_series().to_list())
        assert sum(count > encoder.max_tokens for count in counts) == 0
        assert counts == chunks["token_count"].to_list()
        (table,) = _embeddings(workspace)
        vectors.append({tuple(vector) for vector in workspace.read(table)["vector"].to_list()})
    assert text.count("ZEBRA-4417")
    assert vectors[0] != vectors[1]


def test_b62_what_a_document_lost_is_found_no_more(cases, tmp_path):
    project = Project(tmp_path / "project", chunking={"max_tokens": 64, "min_tokens": 0})
    check = json.loads((cases / "B62" / "expect.json").read_text())["check"]
    laid(cases / "B62", project, "v1")
    project.run()
    laid(cases / "B62", project, "v2")
    report = project.run()
    assert report.embeddings["computed"] == 0
    assert all(holds(project, mark) for mark in check["found"])
    assert not any(holds(project, mark) for mark in check["not_found"])


def test_b86_what_arrived_meanwhile_is_in_the_build_that_goes_live(cases, tmp_path):
    """The source moves on between the first stage of the new build and its going live."""
    project = Project(tmp_path / "project")
    check = json.loads((cases / "B86" / "expect.json").read_text())["check"]
    laid(cases / "B86", project, "v1")
    project.run()
    blue = read_pointer(project.workspace().index_root).current
    project.configure(chunking={"max_tokens": 64, "min_tokens": 0}, evaluation={"min_recall_at_5": 1.0})
    with_questions(project, ("a.md", "das steht nirgends"), floor=1.0)
    assert not project.run().index["promoted"]  # green waits
    laid(cases / "B86", project, "v2")
    project.configure(evaluation={"min_recall_at_5": 0.0})
    report = project.run()
    assert report.index["promoted"]
    assert report.index["table"] != blue.table
    assert all(holds(project, word) for word in check["found"])
    assert not any(holds(project, word) for word in check["not_found"])


def _chunks():
    from pipeline.tables.schemas import CHUNKS

    return CHUNKS


def _embeddings(workspace):
    from pipeline.line.stages import embedding_tables

    return embedding_tables(workspace)
