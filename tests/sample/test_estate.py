"""The estate as a whole: reproducible, of the size asked for, with metadata that holds together."""

import hashlib
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from pipeline.config import parse_config
from pipeline.sample.configuration import sample_config
from pipeline.sample.estate import write_estate


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_another_process_at_another_time_in_another_zone_writes_the_same_bytes(summary, tmp_path):
    code = "import sys, pathlib; from pipeline.sample.estate import write_estate; write_estate(pathlib.Path(sys.argv[1]))"
    environment = {"PYTHONHASHSEED": "99", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PATH": ""}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment, cwd=Path.cwd())
    assert digests(tmp_path) == digests(summary.estate.parent)


def test_the_seed_changes_what_is_drawn_and_nothing_else(tmp_path):
    first, second = (write_estate(tmp_path / str(seed), documents=20, seed=seed) for seed in (1, 2))
    one, two = digests(first.estate), digests(second.estate)
    assert one.keys() == two.keys()
    changed = {name.split("/")[0] for name in one if one[name] != two[name]}
    assert changed == {"contracts", "scans"}


@pytest.mark.parametrize("count", [1, 2, 20, 47])
def test_small_estates_have_exactly_the_number_asked_for(count, tmp_path):
    written = write_estate(tmp_path, documents=count)
    names = [name for name in digests(written.estate) if not name.endswith((".meta.toml", "_defaults.toml"))]
    assert len(names) == count == written.documents == sum(written.collections.values())


def test_twenty_documents_are_of_every_kind(tmp_path):
    written = write_estate(tmp_path, documents=20)
    assert set(written.collections) == {c.name for c in _config().collections}
    assert written.questions > 30


def test_no_document_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="documents = 0"):
        write_estate(tmp_path, documents=0)


@pytest.mark.slow
def test_a_larger_estate_is_written(tmp_path):
    written = write_estate(tmp_path, documents=100)
    assert written.documents == 100
    assert written.questions >= 100


def _config():
    return parse_config(tomllib.loads(sample_config()), base=Path.cwd())


def test_the_configuration_names_every_collection_and_few_partitions(summary):
    config = _config()
    assert {each.name for each in config.collections} == set(summary.collections)
    assert all(each.source == f"data/estate/{each.name}" for each in config.collections)
    assert 6 <= sum(each.buckets for each in config.collections) <= 8


def test_the_default_estate_has_every_format_and_language(summary, estate_files, estate_metadata):
    assert summary.documents == len(estate_files) == 80
    suffixes = Counter(path.suffix for path in estate_files)
    assert set(suffixes) == {
        ".pdf",
        ".docx",
        ".xlsx",
        ".pptx",
        ".html",
        ".md",
        ".txt",
        ".eml",
        ".png",
        ".tif",
    }
    languages = Counter(fields.get("language") for fields in estate_metadata.values())
    assert min(languages[lang] for lang in ("tr", "de", "en")) >= 18


def test_sidecars_use_only_the_fields_of_the_contract(estate_metadata):
    allowed = {
        "external_id", "title", "doc_type", "effective_date", "expiry_date", "version_label", "supersedes",
        "acl_groups", "authority", "language",
    }  # fmt: skip
    assert all(set(fields) <= allowed for fields in estate_metadata.values())


def test_editions_form_unbroken_chains(estate_metadata):
    by_id = {f["external_id"]: (path, f) for path, f in estate_metadata.items() if "external_id" in f}
    followers = Counter()
    for path, fields in estate_metadata.items():
        for older in fields.get("supersedes", []):
            older_path, older_fields = by_id[older]
            assert older_path.split("/")[0] == path.split("/")[0]
            assert older_fields["effective_date"] < fields["effective_date"]
            followers[older] += 1
    assert set(followers.values()) == {1}
    regulations = [f for path, f in estate_metadata.items() if path.startswith("regulations/")]
    assert len(regulations) == 18
    assert Counter(f["version_label"] for f in regulations) == {"2019": 6, "2023": 6, "2026": 6}


def test_all_four_groups_occur_through_sidecars_folders_and_collection(estate_metadata):
    groups = {path: set(fields["acl_groups"]) for path, fields in estate_metadata.items()}
    assert set().union(*groups.values()) == {"public", "hr", "legal", "board"}
    assert all(named == {"legal"} for path, named in groups.items() if path.startswith("contracts/"))
    assert all(named == {"board"} for path, named in groups.items() if path.startswith("memos/board/"))
    assert groups["finance/budget/budget-2026.xlsx"] == {"board"}  # by its sidecar
    assert groups["memos/hr/disiplin-süreci-notu.docx"] == {"hr", "legal"}  # the sidecar wins over the folder


def test_no_clock_stands_in_office_files(estate_files):
    from zipfile import ZipFile

    for path in estate_files:
        if path.suffix in {".docx", ".xlsx", ".pptx"}:
            with ZipFile(path) as archive:
                assert {member.date_time for member in archive.infolist()} == {(2026, 1, 1, 0, 0, 0)}
