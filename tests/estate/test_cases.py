"""Faults of scans that users reported, on their files."""

import json
import os
import shutil

from pipeline.tables import columns as c


def expected(cases, case):
    return json.loads((cases / case / "expect.json").read_text(encoding="utf-8"))["check"]


def test_an_edit_that_leaves_size_and_time_alone(estate, cases):
    mtime = expected(cases, "B02")["mtime"]
    for version, kind in (("v1", "created"), ("v2", "updated")):
        file = shutil.copy(cases / "B02" / version / "limit.txt", estate.root / "limit.txt")
        os.utime(file, (mtime, mtime))
        assert estate.scan(settled=True) == {kind: ["limit.txt"]}


def test_litter_is_neither_a_document_nor_a_failure(estate, cases):
    for file in (cases / "B04").iterdir():
        if file.name != "expect.json":
            shutil.copy(file, estate.root / file.name)
    assert estate.scan() == {"created": expected(cases, "B04")["discovered"]}


def test_a_file_that_moved_keeps_its_document(estate, cases):
    check = expected(cases, "B06")
    shutil.copytree(cases / "B06/before", estate.root, dirs_exist_ok=True)
    estate.scan()
    before = estate.row(check["must_not_cite"])
    shutil.rmtree(estate.root)
    shutil.copytree(cases / "B06/after", estate.root)
    assert estate.scan() == {"renamed": [check["cites"]]}
    after = estate.row(check["cites"])
    assert (after[c.DOC_ID], after[c.VERSION_ID]) == (before[c.DOC_ID], before[c.VERSION_ID])
