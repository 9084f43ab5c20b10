"""Chunks placed in their documents by a language model on loopback, through the whole line."""

import polars as pl
import pytest

from pipeline.chunking.context import embedded_text
from pipeline.config import ConfigError
from pipeline.line.contexts import CONTEXTS
from pipeline.line.estimating import estimate
from pipeline.line.stage import inputs_of, update
from pipeline.line.stages import CHUNKS, PARTITIONED
from pipeline.line.workspace import RunOptions, forget
from pipeline.report.asked import context_counts
from pipeline.report.scan_report import scan_report
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint
from tests.endpoint.service import completion, service
from tests.line.projects import DOCS, Project, assert_same, content

PUMPS = "# Pumpe P-7 im Kesselhaus\n\nDiese Anleitung gilt allein für die Pumpe P-7, die seit März im Kesselhaus steht.\n\n# Wartung\n\n{}\n\n# Störung\n\n{}\n"
CARE = "Sie wird jedes Jahr geprüft, und der Befund wird in das Buch der Schicht eingetragen."
FAULT = "Sie läuft nach einem Ausfall erst wieder an, wenn der Druck am Einlass über zwei bar liegt."
LEAVE = "# İzin Yönergesi\n\nYıllık izin en az on dört gündür ve bir sonraki yıla devredilebilir.\n"
TEMPLATE = "{path}[ – {context}]"


def _says(_image, prompt):
    language = {"Ordne": "de", "Parçanın": "tr"}.get(
        next((w for w in prompt.split() if w in ("Ordne", "Parçanın")), ""), "en"
    )
    about = "die Pumpe P-7" if "P-7" in prompt else "başka"
    return f"Es geht um {about}\n({language}, {fingerprint(prompt)[:6]})."


@pytest.fixture
def served():
    with service() as state:
        state.says = _says
        yield state


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path / "p", chunking={"min_tokens": 10})
    project.write("pumpe.md", PUMPS.format(CARE, FAULT))
    project.write("izin.md", LEAVE)
    return project


def _switch_on(project, served, **more):
    settings = {
        "endpoint": served.url,
        "model": "words",
        "collections": ["docs"],
        "shown_characters": 200,
    } | more
    project.configure(chunking={"min_tokens": 10, "prefix_template": TEMPLATE}, context=settings)


def _chunks(project):
    return project.workspace().lake.read(s.CHUNKS).sort("doc_id", "ordinal")


def _advance(project):
    """The stages up to the chunks, and what a run would report of the sentences."""
    workspace = project.workspace()
    for partition in workspace.partitions:
        for stage in PARTITIONED[: PARTITIONED.index(CHUNKS) + 1]:
            update(workspace, stage, partition)
    return context_counts(workspace.lake, workspace.partitions, workspace.config.context)


@pytest.mark.slow
def test_chunks_are_placed_once_and_nothing_moves_while_it_is_off(project, served, tmp_path):
    _advance(project)
    off = _chunks(project)
    before = inputs_of(project.workspace(), CHUNKS, "docs.0")
    project.configure(context={"endpoint": "", "model": "words", "collections": ["docs"]})
    assert inputs_of(project.workspace(), CHUNKS, "docs.0") == before
    _switch_on(project, served)
    report = project.run()
    chunks = _chunks(project)
    assert len(served.requests) == chunks.height == 4
    assert (report.contexts.written, report.contexts.waiting, report.contexts.failed) == (4, 0, 0)
    assert "contexts    4 written, 0 waiting, 0 failed" in report.lines()
    # What the model says is embedded, and is part of no text and of no identity.
    assert chunks["chunk_id"].to_list() == off["chunk_id"].to_list()
    care = chunks.filter(pl.col("text").str.contains("jedes Jahr")).row(0, named=True)
    assert care["context"].startswith("Wartung – Es geht um die Pumpe P-7 (de, ")
    assert care["embed_hash"] == fingerprint(embedded_text(care["context"], care["text"]))
    assert "(tr, " in chunks.filter(pl.col("text").str.contains("izin"))["context"][0]
    # A copy asks nothing; an edit asks about the chunks that it touches.
    project.write("kopie.md", LEAVE)
    project.write("pumpe.md", PUMPS.format(CARE, FAULT.replace("zwei", "drei")))
    project.run()
    assert len(served.requests) == 5
    assert "drei bar" in str(served.requests[-1])
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))


def test_the_cost_is_known_first_the_limit_holds_and_the_next_run_goes_on(project, served):
    _switch_on(project, served)
    project.configure(
        context={"collections": ["docs"], "price_sent": 2.0, "price_answered": 8.0, "answer_tokens": 50}
    )
    counts = _advance(project)
    assert served.requests == []  # first what it would cost
    assert (counts.waiting, counts.why) == (
        4,
        ("context.endpoint is not set: nothing is sent",),
    )
    assert counts.cost == pytest.approx((counts.tokens * 2 + 4 * 50 * 8) / 1e6, abs=1e-4)
    sizes = project.workspace().lake.read(s.CONTEXTS)["token_count"]
    _switch_on(project, served, answer_tokens=50, max_tokens=int(sizes.max()) * 2 + 100)
    workspace = project.workspace()
    scans = [workspace.scan("docs")]
    lines = list(scan_report(scans, estimate(workspace, scans)).lines())
    assert (
        f"and ask the language model about at most 4 chunks ({sizes.sum()} tokens) at no stated cost" in lines
    )
    counts = _advance(project)
    asked = len(served.requests)
    assert 2 <= asked < 4
    assert served.requests[0]["max_tokens"] == 50
    assert (counts.written, counts.waiting) == (asked, 4 - asked)
    assert counts.why == ("the limit of tokens for one run is reached",)
    served.answers = [(400, {}, b"I do not speak of this")]
    counts = _advance(project)
    assert len(served.requests) == 4
    assert (counts.written, counts.failed) == (3, 1)
    assert counts.why == ("400: I do not speak of this",)
    assert _chunks(project).height == 4


def test_who_runs_twice_in_one_process_may_spend_the_limit_twice(project, served):
    _switch_on(project, served)
    workspace = project.workspace()
    for _ in range(2):
        with workspace.running(forget, RunOptions()):
            for budget in (workspace.context_budget, workspace.figure_budget):
                most = budget.left
                budget.take(most)
                budget.close("the service asked for more patience than there is")
            assert (workspace.context_budget.left, workspace.figure_budget.left) == (0, 0)
            assert most == workspace.config.figures.max_images


def test_the_sources_are_looked_at_while_a_model_is_asked(project, served):
    _advance(project)
    _switch_on(project, served)
    workspace = project.workspace()
    for partition in workspace.partitions:
        for stage in PARTITIONED[: PARTITIONED.index(CONTEXTS)]:
            update(workspace, stage, partition)
        begun = workspace.looked_at
        workspace.looked_at = None  # so much time went by
        update(workspace, CONTEXTS, partition)
    assert workspace.looked_at is not None
    assert workspace.looked_at > begun


def test_sentences_that_were_cut_off_are_asked_for_again_when_they_have_more_room(project, served):
    _switch_on(project, served)
    served.answers = [(200, {}, completion("Es geht um die", "length"))]
    counts = _advance(project)
    assert (counts.written, counts.failed) == (3, 1)
    assert "raise answer_tokens" in counts.why[0]
    _advance(project)
    assert len(served.requests) == 4
    _switch_on(project, served, answer_tokens=500)
    counts = _advance(project)
    assert len(served.requests) == 5
    assert (counts.written, counts.failed) == (4, 0)


def test_other_collections_and_classes_are_not_sent(tmp_path, served):
    other = DOCS | {"name": "other", "source": "other"}
    project = Project(tmp_path / "p", DOCS, other)
    (tmp_path / "p" / "other" / "geheim.md").write_text(
        "# Geheim\n\nDas Gehalt steht in der Akte des Personals."
    )
    project.write("a.md", PUMPS.format(CARE, FAULT), doc_type="manual")
    project.write("b.md", LEAVE, doc_type="policy")
    project.configure(
        **{"chunking.classes.manual": {"prefix_template": TEMPLATE}},
        context={"endpoint": served.url, "model": "words", "collections": ["docs"]},
    )
    _advance(project)
    assert len(served.requests) > 0
    assert all("P-7" in str(request) for request in served.requests)


def test_what_is_configured_must_fit_together(project):
    asking = {"prefix_template": TEMPLATE}
    for chunking, context, message in (
        (asking, {}, "context.collections must name"),
        (asking, {"collections": ["nowhere"]}, "'nowhere' is no collection; there are: docs"),
        ({}, {"endpoint": "http://x/v1", "model": "m", "collections": ["docs"]}, "must name {context}"),
        (asking, {"endpoint": "http://x/v1", "collections": ["docs"]}, "model must be"),
        (asking, {"endpoint": "http://x/v1", "model": "m"}, "collections must name"),
        (asking, {"endpoint": "ftp://x/v1", "model": "m", "collections": ["docs"]}, "http"),
    ):
        project.configure(chunking=chunking, context=context)
        with pytest.raises(ConfigError, match=message):
            _ = project.config
