"""Sidecars and defaults of folders as a scan finds them, and what supersedes what."""

import os
from datetime import date

import pytest

from pipeline.estate.identity import UNREAD_VERSION
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS


class TestMetadata:
    def test_a_change_of_metadata_is_no_new_version(self, estate):
        estate.write("a.txt")
        estate.scan()
        before = estate.row("a.txt")
        estate.sidecar("a.txt", 'title = "Ölçüm"\neffective_date = 2026-01-01\nauthority = 90')
        scan = estate.look()
        assert scan.changes.select("kind", c.DETAIL).rows() == [
            ("metadata", "title, authority, effective_date")
        ]
        assert estate.scan() == {"metadata": ["a.txt"]}
        after = estate.row("a.txt")
        assert (after[c.TITLE], after[c.AUTHORITY], after[c.EFFECTIVE_DATE]) == (
            "Ölçüm",
            90,
            date(2026, 1, 1),
        )
        assert (after[c.DOC_ID], after[c.VERSION_ID]) == (before[c.DOC_ID], before[c.VERSION_ID])
        assert after[c.METADATA_HASH] != before[c.METADATA_HASH]

    def test_a_change_of_groups_alone(self, estate):
        estate.write("a.txt", sidecar='acl_groups = ["hr"]')
        estate.scan()
        estate.sidecar("a.txt", 'acl_groups = ["board", "hr"]')
        assert estate.look().changes["detail"].to_list() == ["acl_groups"]
        assert estate.scan() == {"metadata": ["a.txt"]}
        assert estate.row("a.txt")[c.ACL_GROUPS] == ["board", "hr"]
        estate.sidecar("a.txt", 'acl_groups = ["hr", "board", "hr"]')
        assert estate.scan() == {"unchanged": ["a.txt"]}

    def test_defaults_of_folders_are_inherited_downward(self, estate):
        estate.write("_defaults.toml", 'acl_groups = ["all"]\nlanguage = "tr"\nauthority = 10')
        estate.write("hr/_defaults.toml", 'acl_groups = ["hr"]')
        estate.write("top.txt")
        estate.write("hr/pay/a.txt", sidecar="authority = 99")
        assert estate.scan() == {"created": ["hr/pay/a.txt", "top.txt"]}
        columns = (c.ACL_GROUPS, c.LANGUAGE_HINT, c.AUTHORITY)
        assert [estate.row("top.txt")[n] for n in columns] == [["all"], "tr", 10]
        assert [estate.row("hr/pay/a.txt")[n] for n in columns] == [["hr"], "tr", 99]
        estate.write("hr/_defaults.toml", 'acl_groups = ["board"]')
        assert estate.scan() == {"metadata": ["hr/pay/a.txt"], "unchanged": ["top.txt"]}

    def test_a_wrong_sidecar_keeps_the_last_good_state(self, estate):
        estate.write("a.txt", "one", sidecar='acl_groups = ["board"]\ntitle = "Good"')
        estate.scan(settled=True)
        good = estate.row("a.txt")
        estate.sidecar("a.txt", 'acl_groups = "everybody"')
        estate.write("a.txt", "two")
        for _ in range(2):
            assert estate.scan(settled=True) == {"failed": ["a.txt"]}
            bad = estate.row("a.txt")
            assert bad[c.ERROR] == (
                "sidecar a.txt.meta.toml: line 1, acl_groups: must be an array (is 'everybody')"
            )
            for name in set(DOCUMENTS.schema) - {c.ERROR, c.LAST_SEEN}:
                assert bad[name] == good[name], name
        estate.sidecar("a.txt", 'acl_groups = ["board", "legal"]')
        assert estate.scan(settled=True) == {"updated": ["a.txt"], "metadata": ["a.txt"]}
        mended = estate.row("a.txt")
        assert (mended[c.ERROR], mended[c.ACL_GROUPS]) == (None, ["board", "legal"])
        assert mended[c.VERSION_ID] != good[c.VERSION_ID]
        assert mended[c.FIRST_SEEN] == good[c.FIRST_SEEN]

    def test_a_new_document_with_a_wrong_sidecar_is_readable_by_nobody(self, estate):
        estate.write("a.txt", sidecar="acl_groups = []")
        estate.write("b.txt", sidecar="not TOML")
        estate.write("c.txt")
        assert estate.scan() == {"failed": ["a.txt", "b.txt"], "created": ["c.txt"]}
        assert [estate.row(f"{n}.txt")[c.VERSION_ID] == UNREAD_VERSION for n in "abc"] == [True, True, False]
        estate.sidecar("a.txt", 'acl_groups = ["hr"]')
        assert estate.scan() == {"created": ["a.txt"], "failed": ["b.txt"], "unchanged": ["c.txt"]}
        assert estate.row("a.txt")[c.ACL_GROUPS] == ["hr"]

    @pytest.mark.parametrize("place", ["a.txt.meta.toml", "_defaults.toml"])
    def test_a_sidecar_that_cannot_be_read_is_a_wrong_one(self, estate, place):
        """A document must not lose its restrictions because they could not be read."""
        estate.write("a.txt", sidecar='acl_groups = ["board"]')
        estate.scan()
        (estate.root / place).unlink(missing_ok=True)
        (estate.root / place).symlink_to("nowhere")
        assert estate.scan() == {"failed": ["a.txt"]}
        assert estate.row("a.txt")[c.ACL_GROUPS] == ["board"]
        assert estate.row("a.txt")[c.ERROR] == f"sidecar {place}: No such file or directory"
        (estate.root / place).unlink()
        os.mkfifo(estate.root / place)
        assert estate.scan() == {"failed": ["a.txt"]}
        assert estate.row("a.txt")[c.ACL_GROUPS] == ["board"]

    def test_a_sidecar_with_another_case_counts(self, estate):
        estate.write("a.pdf")
        estate.write("a.pdf.META.TOML", 'acl_groups = ["board"]')
        estate.scan()
        assert estate.row("a.pdf")[c.ACL_GROUPS] == ["board"]

    def test_renamed_with_a_wrong_sidecar_it_is_followed(self, estate):
        estate.write("a.txt", sidecar='acl_groups = ["board"]')
        estate.scan()
        doc_id = estate.ids()["a.txt"]
        estate.rename("a.txt", "b.txt")
        estate.sidecar("b.txt", "wrong")
        assert estate.scan() == {"failed": ["b.txt"]}
        assert (estate.ids(), estate.row("b.txt")[c.ACL_GROUPS]) == ({"b.txt": doc_id}, ["board"])
        estate.write("a.txt", "new at the old path")
        estate.scan()
        assert estate.ids()["b.txt"] == doc_id != estate.ids()["a.txt"]

    def test_restrictions_of_a_file_that_cannot_be_read_hold_at_once(self, estate, unreadable):
        estate.write("a.txt", "one")
        estate.scan()
        version = estate.row("a.txt")[c.VERSION_ID]
        estate.sidecar("a.txt", 'acl_groups = ["board"]')
        unreadable("a.txt")
        assert estate.scan() == {"failed": ["a.txt"]}
        row = estate.row("a.txt")
        assert (row[c.VERSION_ID], row[c.ACL_GROUPS], row[c.ERROR]) == (
            version,
            ["board"],
            "unreadable: Input/output error",
        )


class TestEditions:
    def test_a_successor_moves_the_validity_of_its_predecessor(self, estate):
        estate.write("v1.txt", "one", sidecar='external_id = "v1"\neffective_date = 2025-01-01')
        estate.scan()
        estate.write("v2.txt", "two", sidecar='supersedes = "v1"\neffective_date = 2026-01-01')
        assert estate.scan() == {"created": ["v2.txt"], "metadata": ["v1.txt"]}
        old = estate.row("v1.txt")
        assert (old[c.STATUS], old[c.SUPERSEDED_BY]) == ("superseded", estate.ids()["v2.txt"])
        assert (old[c.VALID_FROM], old[c.VALID_TO]) == (date(2025, 1, 1), date(2026, 1, 1))
        estate.delete("v2.txt")
        estate.delete("v2.txt.meta.toml")
        assert estate.scan() == {"deleted": ["v2.txt"], "metadata": ["v1.txt"]}
        assert (estate.row("v1.txt")[c.STATUS], estate.row("v1.txt")[c.VALID_TO]) == ("live", None)

    def test_a_successor_that_cannot_be_read_supersedes_nothing(self, estate, unreadable):
        estate.write("v1.txt", "one")
        estate.write("v2.txt", "two", sidecar='supersedes = "v1.txt"')
        unreadable("v2.txt")
        estate.scan()
        assert estate.row("v1.txt")[c.STATUS] == "live"
