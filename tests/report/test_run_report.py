import json

from pipeline.report.run_report import Problem, RunReport

REPORT = RunReport(
    documents={"created": 2, "failed": 1},
    pages={"parsed": 3},
    chunks={"added": 4},
    embeddings={"computed": 4},
    clusters={"clusters": 1},
    index={
        "table": "build_1", "version": 7, "inserted": 4, "updated": 0, "deleted": 1, "promoted": True, "reason": "goes live",
    },
    seconds={"documents": 0.26, "parsed_pages": 1.0},
    peak_rss_mb=512.4,
    failed=(Problem("docs/a.pdf", "encrypted", "It needs a password."),),
)  # fmt: skip


def test_lines_for_a_person():
    assert list(REPORT.lines()) == [
        "documents   2 created, 1 failed",
        "pages       3 parsed",
        "chunks      4 added",
        "embeddings  4 computed",
        "clusters    1 clusters",
        "index       build_1 version 7: 4 inserted, 0 updated, 1 deleted",
        "            goes live",
        "seconds     documents 0.3, parsed_pages 1.0",
        "memory      512 MiB at most",
        "failed      docs/a.pdf: encrypted – It needs a password.",
    ]


def test_what_stays_back_and_what_stopped_is_said():
    stopped = RunReport(
        **{
            name: getattr(REPORT, name) for name in ("documents", "pages", "chunks", "embeddings", "clusters")
        },
        index=dict(REPORT.index)
        | {"table": None, "version": None, "promoted": False, "reason": "a stage stopped"},
        seconds={},
        peak_rss_mb=1.0,
        errors=("docs.0: chunks: cannot be written",),
    )
    lines = list(stopped.lines())
    assert "index       none yet: 4 inserted, 0 updated, 1 deleted" in lines
    assert "            not promoted: a stage stopped" in lines
    assert "seconds     nothing to do" in lines
    assert lines[-1] == "stopped     docs.0: chunks: cannot be written"


def test_it_is_json():
    assert json.loads(json.dumps(REPORT.as_json()))["failed"] == [
        {"document": "docs/a.pdf", "reason": "encrypted", "detail": "It needs a password."}
    ]
