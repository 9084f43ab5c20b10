from datetime import date

import pytest

from pipeline.config import CollectionConfig
from pipeline.estate.sidecar import Metadata, Sidecars, read_metadata

COLLECTION = CollectionConfig(name="c", source="s", acl_groups=("staff",), authority=40)


@pytest.fixture
def read(tmp_path):
    def read_text(text, name="a.pdf.meta.toml"):
        file = tmp_path / "file.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_metadata(file, name)

    return read_text


@pytest.fixture
def resolve(tmp_path):
    def resolve_files(uri, files):
        for n, text in enumerate(files.values()):
            (tmp_path / str(n)).write_text(text)
        locations = {name: str(tmp_path / str(n)) for n, name in enumerate(files)}
        return Sidecars(locations).resolve(uri, COLLECTION)

    return resolve_files


def test_every_field_is_read(read):
    assert read(
        'external_id = "V-1"\ntitle = "Kira sözleşmesi"\ndoc_type = "contract"\neffective_date = 2026-01-31\n'
        'expiry_date = "2027-01-31"\nversion_label = "2.1"\nsupersedes = ["V-0", "V-00"]\nacl_groups = ["hr"]\n'
        'authority = 0\nlanguage = "tr"\n'
    ) == Metadata(
        external_id="V-1",
        title="Kira sözleşmesi",
        doc_type="contract",
        effective_date=date(2026, 1, 31),
        expiry_date=date(2027, 1, 31),
        version_label="2.1",
        supersedes=("V-0", "V-00"),
        acl_groups=("hr",),
        authority=0,
        language="tr",
    )


def test_an_empty_file_says_nothing(read):
    assert read("") == read("# nothing\n") == Metadata()


def test_one_predecessor_needs_no_brackets(read):
    assert read('supersedes = "V-0"').supersedes == ("V-0",)


def test_a_byte_order_mark_is_no_fault(read):
    assert read(b'\xef\xbb\xbftitle = "T"').title == "T"


@pytest.mark.parametrize(
    "written", ["2026-01-31", '"2026-01-31"', "2026-01-31T23:30:00", "2026-01-31T23:30:00-05:00"]
)
def test_a_day_is_the_day_that_was_written(read, written):
    assert read(f"effective_date = {written}").effective_date == date(2026, 1, 31)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("titel = 1", "line 1, titel: unknown field; allowed: external_id, title, doc_type, effective_date"),
        ("\n[extra]\nx = 1", "line 2, extra: unknown field; allowed: "),
        ('"titel" = 1', "line 1, titel: unknown field"),
        ('title = "T"\nauthority = 101', "line 2, authority: must be less than or equal to 100 (is 101)"),
        ('# authority = 1\nauthority = "high"', "line 2, authority: must be a valid integer"),
        ('acl_groups = "hr"', "line 1, acl_groups: must be an array (is 'hr')"),
        ("acl_groups = []", "line 1, acl_groups: must not be empty (is [])"),
        ('acl_groups = ["hr", ""]', "line 1, acl_groups: must not be empty (is '')"),
        ("acl_groups = [1]", "line 1, acl_groups: must be a valid string (is 1)"),
        ('language = "fr"', "line 1, language: must be 'tr', 'de' or 'en' (is 'fr')"),
        ('title = ""', "line 1, title: must not be empty"),
        ("title = " + "[" * 5000 + "]" * 5000, "is nested too deeply"),
        (
            'effective_date = "31.01.2026"',
            "line 1, effective_date: must be a day such as 2026-01-31 (is '31.01.2026')",
        ),
        ("effective_date = 86400", "line 1, effective_date: must be a day such as 2026-01-31 (is 86400)"),
        ('effective_date = "86400"', "line 1, effective_date: must be a day such as 2026-01-31"),
        ("effective_date = 10:00:00", "line 1, effective_date: must be a day such as 2026-01-31"),
        (
            "effective_date = 2026-01-02\nexpiry_date = 2026-01-01",
            "expiry_date 2026-01-01 lies before effective_date 2026-01-02",
        ),
        ("title = T", "line 1: title = T: Invalid value"),
        (
            'title = "T"\neffective_date = 2023-13-01\nlanguage = "de"',
            "line 2: effective_date = 2023-13-01: no such day",
        ),
        ("effective_date = 2023-02-30 # leap", "line 1: effective_date = 2023-02-30 # leap: no such day"),
        ("title = T" + "x" * 200, f"line 1: title = T{'x' * 71}…: Invalid value"),
        ('title = "a"\ntitle = "b"', "Cannot overwrite a value (at end of document)"),
        ('title = "a"\ntitle = "b"\n', 'line 2: title = "b": Cannot overwrite a value'),
        (b'title = "\xfc"', "'utf-8' codec can't decode byte 0xfc"),
    ],
)
def test_what_is_wrong_is_one_line_with_file_line_and_field(read, text, message):
    said = read(text)
    assert isinstance(said, str)
    assert said.startswith(f"sidecar a.pdf.meta.toml: {message}")
    assert "\n" not in said


def test_a_file_that_is_none(tmp_path):
    assert read_metadata(tmp_path / "none", "x.meta.toml") == "sidecar x.meta.toml: No such file or directory"
    assert read_metadata(tmp_path, "x.meta.toml") == "sidecar x.meta.toml: is no file"


def test_only_a_file_has_an_external_id(read):
    assert read('external_id = "V"', "f/_defaults.toml") == (
        "sidecar f/_defaults.toml: line 1, external_id: belongs to one file, not to a folder"
    )


class TestInheritance:
    def test_the_nearest_wins_field_by_field(self, resolve):
        found = resolve(
            "a/b/x.pdf",
            {
                "_defaults.toml": 'title = "root"\nlanguage = "tr"\nauthority = 1',
                "a/_defaults.toml": 'title = "a"\nauthority = 2',
                "a/b/_defaults.toml": 'title = "b"',
                "a/b/x.pdf.meta.toml": 'acl_groups = ["own"]',
                "a/c/_defaults.toml": 'title = "of another folder"',
                "a/b/y.pdf.meta.toml": 'title = "of another file"',
            },
        )
        assert found == Metadata(title="b", language="tr", authority=2, acl_groups=("own",))

    def test_without_files_the_collection_decides(self, resolve):
        assert resolve("x.pdf", {}) == Metadata(acl_groups=("staff",), authority=40)

    def test_an_error_anywhere_is_the_answer(self, resolve):
        said = resolve("a/x.pdf", {"_defaults.toml": "wrong = 1", "a/x.pdf.meta.toml": "authority = -1"})
        assert said.startswith("sidecar _defaults.toml: line 1, wrong: unknown field")
        assert "; sidecar a/x.pdf.meta.toml: line 1, authority: must be greater" in said

    def test_files_that_are_right_alone_and_wrong_together(self, resolve):
        said = resolve(
            "a/x.pdf",
            {
                "a/_defaults.toml": "expiry_date = 2025-01-01",
                "a/x.pdf.meta.toml": "effective_date = 2026-01-01",
            },
        )
        assert (
            said == "sidecar a/x.pdf.meta.toml: expiry_date 2025-01-01 lies before effective_date 2026-01-01"
        )
