import hashlib
import os
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.estate.identity import UNREAD_VERSION, document_id, partition_of, partitions_of
from pipeline.estate.scan import scan_collection
from pipeline.estate.source import Listing
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS

STAMPS = (c.FIRST_SEEN, c.LAST_SEEN, c.ETAG)


class TestChanges:
    def test_create_edit_delete(self, estate):
        estate.write("a.txt")
        estate.write("b.txt", "other")
        assert estate.scan() == {"created": ["a.txt", "b.txt"]}
        ids = estate.ids()
        first = estate.row("a.txt")[c.FIRST_SEEN]
        estate.write("a.txt", "longer text")
        estate.delete("b.txt")
        assert estate.scan() == {"updated": ["a.txt"], "deleted": ["b.txt"]}
        assert estate.ids() == {"a.txt": ids["a.txt"]}
        assert estate.row("a.txt")[c.FIRST_SEEN] == first < estate.row("a.txt")[c.LAST_SEEN]
        assert estate.scan() == {"unchanged": ["a.txt"]}

    def test_a_row_says_what_the_file_is(self, new_estate):
        estate = new_estate(acl_groups=("legal", "board"), authority=70)
        estate.write("Verträge/Mietvertrag.PDF", b"%PDF")
        os.utime(estate.root / "Verträge/Mietvertrag.PDF", (1_700_000_000, 1_700_000_000))
        estate.scan()
        row = estate.row("Verträge/Mietvertrag.PDF")
        wanted = {
            c.COLLECTION: "contracts", c.EXTERNAL_ID: "Verträge/Mietvertrag.PDF", c.TITLE: "Mietvertrag", c.BYTES: 4,
            c.VERSION_ID: hashlib.sha256(b"%PDF").hexdigest(), c.AUTHORITY: 70,
            c.ACL_GROUPS: ["board", "legal"], c.MEDIA_TYPE: "application/pdf", c.STATUS: "live", c.ERROR: None,
            c.MODIFIED_AT: datetime.fromtimestamp(1_700_000_000, UTC), c.SUPERSEDES: [], c.LANGUAGE_HINT: None,
            c.DOC_ID: document_id("contracts", "Verträge/Mietvertrag.PDF"), c.DOCUMENT_CLASS: "other",
        }  # fmt: skip
        assert {name: row[name] for name in wanted} == wanted

    def test_same_size_and_same_time_is_still_an_edit(self, estate):
        """A copy that brings its old time along."""
        estate.write("limit.txt", "Grenzwert: 6,0 bar")
        os.utime(estate.root / "limit.txt", (1_700_000_000, 1_700_000_000))
        estate.scan(settled=True)
        before = estate.row("limit.txt")
        assert before[c.ETAG]
        estate.write("limit.txt", "Grenzwert: 8,5 bar")
        os.utime(estate.root / "limit.txt", (1_700_000_000, 1_700_000_000))
        assert estate.scan(settled=True) == {"updated": ["limit.txt"]}
        assert estate.row("limit.txt")[c.BYTES] == before[c.BYTES]
        assert estate.row("limit.txt")[c.MODIFIED_AT] == before[c.MODIFIED_AT]

    def test_an_edit_in_the_moment_of_the_scan_is_seen_by_the_next(self, estate):
        """Times that lie as close as this promise nothing: no etag is kept, and the bytes are read again."""
        estate.write("a.txt", "one")
        estate.scan()
        assert estate.row("a.txt")[c.ETAG] == ""
        estate.write("a.txt", "two")
        assert estate.scan() == {"updated": ["a.txt"]}

    def test_an_unchanged_file_is_not_read(self, estate, monkeypatch):
        estate.write("a.txt")
        estate.scan(settled=True)
        monkeypatch.setattr(
            "pipeline.estate.source._sha256", lambda entry, read: pytest.fail(f"{entry.uri} was read")
        )
        assert estate.scan(settled=True) == {"unchanged": ["a.txt"]}

    def test_a_touched_file_is_read_and_unchanged(self, estate):
        estate.write("a.txt")
        estate.scan(settled=True)
        os.utime(estate.root / "a.txt", (1_800_000_000, 1_800_000_000))
        assert estate.scan(settled=True) == {"unchanged": ["a.txt"]}
        assert estate.row("a.txt")[c.MODIFIED_AT].year == 2027

    def test_equal_bytes_are_two_documents(self, estate):
        for name in "abc":
            estate.write(f"{name}.md", "same" if name != "c" else "other")
        estate.scan()
        ids = estate.ids()
        assert len(set(ids.values())) == 3
        estate.delete("a.md")
        assert estate.scan() == {"deleted": ["a.md"], "unchanged": ["b.md", "c.md"]}
        assert estate.ids() == {name: ids[name] for name in ("b.md", "c.md")}

    def test_litter_is_no_document(self, estate):
        for name in ("~$rapor.docx", ".~lock.rapor.docx#", "Thumbs.db", ".DS_Store", "rapor2.docx.part",
                     "indirme.crdownload", "yukleme.tmp", "rapor.docx~", ".git/config", "__MACOSX/rapor.docx"):  # fmt: skip
            estate.write(name)
        estate.write("rapor.docx")
        assert estate.scan() == {"created": ["rapor.docx"]}

    def test_an_empty_folder_has_no_documents(self, estate):
        assert estate.scan() == {}
        estate.write("a.txt")
        estate.scan()
        estate.delete("a.txt")
        assert estate.scan() == {"deleted": ["a.txt"]}
        assert estate.documents.equals(DOCUMENTS.empty())

    def test_a_name_with_another_unicode_form_is_the_same_document(self, estate):
        estate.write("Ölçüm.txt")
        estate.scan()
        ids = estate.ids()
        estate.rename("Ölçüm.txt", "Ölçüm.txt")
        assert estate.scan() == {"unchanged": ["Ölçüm.txt"]}
        assert estate.ids() == ids


class TestRenames:
    def test_a_renamed_document_keeps_its_id(self, estate):
        estate.write("alt/handbuch.md", "Öldruck 8,5 bar")
        estate.write("other.md", "Öldruck 9,5 bar")
        estate.scan()
        before = estate.row("alt/handbuch.md")
        estate.rename("alt/handbuch.md", "neu/handbuch_2026.md")
        assert estate.scan() == {"renamed": ["neu/handbuch_2026.md"], "unchanged": ["other.md"]}
        after = estate.row("neu/handbuch_2026.md")
        kept = (c.DOC_ID, c.VERSION_ID, c.EXTERNAL_ID, c.FIRST_SEEN)
        assert [after[n] for n in kept] == [before[n] for n in kept]
        assert after[c.TITLE] == "handbuch_2026"
        assert estate.scan() == {"unchanged": ["neu/handbuch_2026.md", "other.md"]}

    def test_the_change_says_what_it_was_called(self, estate):
        estate.write("a.txt")
        estate.scan()
        estate.rename("a.txt", "b.txt")
        assert estate.look().changes["detail"].to_list() == ["was a.txt"]

    def test_a_folder_is_renamed(self, estate):
        for n in range(5):
            estate.write(f"old/deep/{n}.txt", str(n))
        estate.scan()
        ids = estate.ids()
        estate.rename("old", "new")
        assert estate.scan() == {"renamed": [f"new/deep/{n}.txt" for n in range(5)]}
        assert estate.ids() == {uri.replace("old", "new"): doc_id for uri, doc_id in ids.items()}

    def test_a_new_file_at_the_old_path_gets_its_own_id(self, estate):
        estate.write("a.txt", "first")
        estate.scan()
        moved = estate.ids()["a.txt"]
        estate.rename("a.txt", "b.txt")
        estate.scan()
        estate.write("a.txt", "second")
        assert estate.scan() == {"created": ["a.txt"], "unchanged": ["b.txt"]}
        assert estate.ids()["b.txt"] == moved != estate.ids()["a.txt"]
        ids = estate.ids()
        estate.rename("a.txt", "c.txt")
        estate.scan()
        estate.write("a.txt", "third")
        estate.scan()
        assert len(set(estate.ids().values())) == 3
        assert estate.ids()["c.txt"] == ids["a.txt"]

    def test_an_id_is_not_given_away_while_its_document_is_being_deleted(self, estate):
        estate.write("a.txt", "first")
        estate.scan()
        estate.rename("a.txt", "b.txt")
        estate.scan()
        first = estate.ids()["b.txt"]
        estate.delete("b.txt")
        estate.write("a.txt", "quite another")
        assert estate.scan() == {"created": ["a.txt"], "deleted": ["b.txt"]}
        assert estate.ids()["a.txt"] != first

    def test_renamed_and_edited_is_deleted_and_created(self, estate):
        estate.write("a.txt", "first")
        estate.scan()
        estate.rename("a.txt", "b.txt")
        estate.write("b.txt", "first, and more")
        assert estate.scan() == {"deleted": ["a.txt"], "created": ["b.txt"]}

    def test_two_names_swapped_are_two_edits(self, estate):
        """A path that is still there keeps its document."""
        estate.write("a.txt", "first")
        estate.write("b.txt", "second")
        estate.scan()
        ids = estate.ids()
        estate.rename("a.txt", "c.txt")
        estate.rename("b.txt", "a.txt")
        estate.rename("c.txt", "b.txt")
        assert estate.scan() == {"updated": ["a.txt", "b.txt"]}
        assert estate.ids() == ids

    def test_a_copy_that_stays_while_the_original_is_edited_is_new(self, estate):
        estate.write("current.txt", "2025")
        estate.scan()
        ids = estate.ids()
        estate.write("archive/2025.txt", "2025")
        estate.write("current.txt", "2026")
        assert estate.scan() == {"created": ["archive/2025.txt"], "updated": ["current.txt"]}
        assert estate.ids()["current.txt"] == ids["current.txt"]

    def test_of_two_new_copies_one_is_the_document(self, estate):
        estate.write("a.txt")
        estate.scan()
        doc_id = estate.ids()["a.txt"]
        estate.rename("a.txt", "x.txt")
        estate.write("y.txt")
        assert estate.scan() == {"renamed": ["x.txt"], "created": ["y.txt"]}
        assert estate.ids()["x.txt"] == doc_id

    def test_two_documents_with_equal_bytes_are_renamed_in_order(self, estate):
        estate.write("a/1.txt")
        estate.write("a/2.txt")
        estate.scan()
        ids = estate.ids()
        estate.rename("a", "b")
        assert estate.scan() == {"renamed": ["b/1.txt", "b/2.txt"]}
        assert estate.ids() == {"b/1.txt": ids["a/1.txt"], "b/2.txt": ids["a/2.txt"]}

    def test_a_rename_that_changes_the_class_changes_metadata_too(self, estate):
        estate.write("a.txt")
        estate.scan()
        estate.rename("a.txt", "a.html")
        assert estate.scan() == {"renamed": ["a.html"], "metadata": ["a.html"]}
        assert estate.row("a.html")[c.MEDIA_TYPE] == "text/html"

    def test_a_file_in_a_folder_that_cannot_be_read_has_not_vanished(self, estate):
        """A copy elsewhere must not take its identity."""
        estate.write("closed/a.txt", "same")
        estate.scan()
        ids = estate.ids()
        estate.rename("closed", "elsewhere")
        (estate.root / "closed").symlink_to("closed")  # as unreadable as a folder can be made for root
        assert estate.scan() == {"failed": ["closed/a.txt"], "created": ["elsewhere/a.txt"]}
        assert estate.ids()["closed/a.txt"] == ids["closed/a.txt"]


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


class TestExternalIds:
    def test_a_declared_document_may_move_and_change_at_once(self, estate):
        estate.write("a.txt", "one", sidecar='external_id = "V-17"')
        estate.scan()
        doc_id = estate.ids()["a.txt"]
        assert doc_id == document_id("contracts", "V-17")
        estate.rename("a.txt", "b.txt")
        estate.rename("a.txt.meta.toml", "b.txt.meta.toml")
        estate.write("b.txt", "two")
        assert estate.scan() == {"updated": ["b.txt"], "renamed": ["b.txt"]}
        assert estate.ids() == {"b.txt": doc_id}

    def test_it_goes_to_the_file_whose_sidecar_names_it(self, estate):
        estate.write("a.txt", "one", sidecar='external_id = "V-17"')
        estate.write("b.txt", "two")
        estate.scan()
        estate.rename("a.txt.meta.toml", "b.txt.meta.toml")
        estate.scan()
        assert estate.ids() == {
            "a.txt": document_id("contracts", "a.txt"),
            "b.txt": document_id("contracts", "V-17"),
        }

    def test_two_sidecars_are_swapped(self, estate):
        estate.write("a.txt", "one", sidecar='external_id = "A"')
        estate.write("b.txt", "two", sidecar='external_id = "B"')
        estate.scan(settled=True)
        estate.sidecar("a.txt", 'external_id = "B"')
        estate.sidecar("b.txt", 'external_id = "A"')
        estate.scan(settled=True)
        assert estate.ids() == {
            "a.txt": document_id("contracts", "B"),
            "b.txt": document_id("contracts", "A"),
        }
        assert estate.row("a.txt")[c.VERSION_ID] != estate.row("b.txt")[c.VERSION_ID]

    def test_a_document_that_declares_an_id_later_is_another_one(self, estate):
        estate.write("a.txt")
        estate.scan()
        estate.sidecar("a.txt", 'external_id = "V-1"')
        estate.write("copy.txt")
        assert estate.scan() == {"created": ["a.txt", "copy.txt"], "deleted": ["a.txt"]}
        assert estate.ids()["copy.txt"] == document_id("contracts", "copy.txt")

    def test_an_id_claimed_twice_stays_with_the_document_that_had_it(self, estate):
        estate.write("m.txt", "one", sidecar='external_id = "V-17"')
        estate.scan()
        ids = estate.ids()
        for name in ("a.txt", "z.txt"):
            estate.write(name, f"of {name}", sidecar='external_id = "V-17"')
        assert estate.scan() == {"failed": ["a.txt", "z.txt"], "unchanged": ["m.txt"]}
        assert estate.ids()["m.txt"] == ids["m.txt"]
        assert len(set(estate.ids().values())) == 3
        assert estate.row("a.txt")[c.VERSION_ID] == UNREAD_VERSION
        assert (
            estate.row("a.txt")[c.ERROR]
            == "sidecar a.txt.meta.toml: external_id 'V-17' is that of m.txt, too"
        )

    def test_a_folder_cannot_have_one(self, estate):
        estate.write("_defaults.toml", 'external_id = "V-17"')
        estate.write("a.txt")
        assert estate.scan() == {"failed": ["a.txt"]}
        assert "line 1, external_id" in estate.row("a.txt")[c.ERROR]

    def test_a_declared_id_that_is_another_file_s_path(self, estate):
        estate.write("a.txt", "one")
        estate.write("z.txt", "two", sidecar='external_id = "a.txt"')
        estate.scan()
        assert estate.ids() == {
            "a.txt": document_id("contracts", "a.txt#2"),
            "z.txt": document_id("contracts", "a.txt"),
        }


class TestUnreadable:
    def test_a_known_file_keeps_its_state_and_says_why(self, estate, unreadable):
        estate.write("a.txt", "one")
        estate.scan()
        good = estate.row("a.txt")
        estate.write("a.txt", "two")
        unreadable("a.txt")
        assert estate.scan() == {"failed": ["a.txt"]}
        assert estate.row("a.txt")[c.ERROR] == "unreadable: Input/output error"
        assert estate.row("a.txt")[c.VERSION_ID] == good[c.VERSION_ID]
        unreadable()
        assert estate.scan() == {"updated": ["a.txt"]}
        assert estate.row("a.txt")[c.ERROR] is None

    def test_a_new_file_waits(self, estate, unreadable):
        estate.write("a.txt", "one")
        estate.write("b.txt", "two")
        unreadable("a.txt")
        assert estate.scan() == {"created": ["b.txt"], "failed": ["a.txt"]}
        assert estate.row("a.txt")[c.VERSION_ID] == UNREAD_VERSION
        unreadable()
        assert estate.scan() == {"created": ["a.txt"], "unchanged": ["b.txt"]}
        assert estate.ids()["a.txt"] == document_id("contracts", "a.txt")

    def test_a_dangling_link_is_named_and_stops_nothing(self, estate):
        (estate.root / "link.pdf").symlink_to("nowhere.pdf")
        estate.write("a.txt")
        assert estate.scan() == {"created": ["a.txt"], "failed": ["link.pdf"]}
        assert estate.row("link.pdf")[c.ERROR] == "unreadable: No such file or directory"
        assert estate.scan() == {"unchanged": ["a.txt"], "failed": ["link.pdf"]}
        estate.delete("link.pdf")
        assert estate.scan() == {"unchanged": ["a.txt"]}, "what was never read cannot be deleted"
        assert estate.ids().keys() == {"a.txt"}

    def test_a_folder_that_cannot_be_read_deletes_nothing(self, estate):
        estate.write("closed/a.txt", "one", sidecar='acl_groups = ["board"]')
        estate.write("open.txt")
        estate.scan()
        good = estate.row("closed/a.txt")
        estate.rename("closed", "../closed")
        (estate.root / "closed").symlink_to("closed")
        assert estate.scan() == {"failed": ["closed/a.txt"], "unchanged": ["open.txt"]}
        kept = estate.row("closed/a.txt")
        assert kept[c.ERROR] == "unreadable: Too many levels of symbolic links"
        for name in set(DOCUMENTS.schema) - {c.ERROR}:
            assert kept[name] == good[name], name
        estate.delete("closed")
        estate.rename("../closed", "closed")
        assert estate.scan() == {"unchanged": ["closed/a.txt", "open.txt"]}

    def test_a_folder_that_never_could_be_read_is_named(self, estate):
        listing = Listing((), {}, {"closed": "Permission denied"})
        scan = scan_collection(listing, estate.documents, estate.collection)
        assert scan.changes.select("kind", c.URI).rows() == [("failed", "closed")]
        again = scan_collection(listing, scan.documents, estate.collection)
        assert again.documents.height == 1
        gone = scan_collection(Listing((), {}, {}), scan.documents, estate.collection)
        assert (gone.documents.height, gone.changes.height) == (0, 0)

    def test_a_place_whose_document_moved_away_is_another_document(self, estate):
        estate.write("a.txt", "one")
        estate.scan()
        estate.rename("a.txt", "b.txt")
        estate.scan()
        doc_id = estate.ids()["b.txt"]
        (estate.root / "a.txt").symlink_to("nowhere")
        for _ in range(2):
            assert estate.scan() == {"unchanged": ["b.txt"], "failed": ["a.txt"]}
            assert estate.ids()["b.txt"] == doc_id != estate.ids()["a.txt"]

    def test_a_folder_replaced_by_a_file(self, estate):
        estate.write("a/b.txt", "one")
        estate.scan()
        estate.delete("a/b.txt")
        (estate.root / "a").rmdir()
        estate.write("a", "two")
        assert estate.scan() == {"created": ["a"], "deleted": ["a/b.txt"]}


@pytest.fixture
def unreadable(monkeypatch):
    """Make reading these files fail, as a broken disk does; root may read everything else."""
    from pipeline.estate import source

    real = source._sha256

    def make(*uris):
        error = OSError(5, os.strerror(5))
        monkeypatch.setattr(
            source, "_sha256", lambda entry, read: error if entry.uri in uris else real(entry, read)
        )

    return make


class TestSettling:
    """`settle_seconds`: what may still be written is left for the next scan."""

    def test_a_new_file_waits(self, new_estate):
        estate = new_estate(settle_seconds=60)
        estate.write("a.txt", "half")
        assert estate.scan() == {}
        estate.write("a.txt", "half and the rest")
        assert estate.scan(settled=True) == {"created": ["a.txt"]}

    def test_a_document_that_is_written_anew_stays_as_it_was(self, new_estate):
        estate = new_estate(settle_seconds=60)
        estate.write("a.txt", "one")
        estate.write("b.txt", "other")
        estate.scan(settled=True)
        before = estate.row("a.txt")
        estate.write("a.txt", "tw")
        scan = estate.look()
        assert scan.changes.filter(pl.col(c.DETAIL) == "still being written")[c.URI].to_list() == [
            "a.txt",
            "b.txt",
        ]
        assert estate.scan() == {"unchanged": ["a.txt", "b.txt"]}
        assert estate.row("a.txt") == before
        estate.write("a.txt", "two")
        assert estate.scan(settled=True) == {"unchanged": ["b.txt"], "updated": ["a.txt"]}

    def test_a_waiting_file_is_not_taken_for_gone(self, new_estate):
        """A file with the bytes of one that is written anew is a copy of it, not its new place."""
        estate = new_estate(settle_seconds=60)
        estate.write("a.txt", "one")
        estate.scan(settled=True)
        doc_id = estate.ids()["a.txt"]
        estate.write("b.txt", "one")
        os.utime(estate.root / "b.txt", (1_700_000_000, 1_700_000_000))
        assert estate.scan() == {"created": ["b.txt"], "unchanged": ["a.txt"]}
        assert estate.ids()["a.txt"] == doc_id != estate.ids()["b.txt"]


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


class TestPartitions:
    def test_every_document_lies_in_one(self, new_estate):
        estate = new_estate(buckets=4)
        for n in range(40):
            estate.write(f"{n}.txt", str(n))
        scan = estate.look()
        parts = [scan.partition(name) for name in partitions_of(estate.collection)]
        assert all(part.height for part in parts)
        assert pl.concat(parts).sort(DOCUMENTS.key).equals(scan.documents)
        for name, part in zip(partitions_of(estate.collection), parts, strict=True):
            assert {partition_of(doc_id, estate.collection) for doc_id in part[c.DOC_ID]} == {name}
        assert set(scan.changes["partition"]) == set(partitions_of(estate.collection))
        assert (scan.count("created"), scan.count("deleted"), scan.previous) == (40, 0, 0)

    def test_ids_differ_between_collections(self):
        assert document_id("a", "x") != document_id("b", "x")


NAMES = ("a.txt", "b.html", "d/c.txt", "d/ö.txt")
ACTION = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(["same", "one", "other"])),
    st.tuples(st.just("delete"), st.sampled_from(NAMES)),
    st.tuples(
        st.just("sidecar"),
        st.sampled_from(NAMES),
        st.sampled_from([
            "authority = 9", 'acl_groups = ["hr"]', 'title = "T"\nlanguage = "de"', 'supersedes = "a.txt"',
            'supersedes = ["d/c.txt", "b.html"]\neffective_date = 2026-02-01', "wrong = 1", "", None,
        ]),
    ),
    st.tuples(st.just("defaults"), st.sampled_from(["", "d/"]), st.sampled_from(['acl_groups = ["x"]', "no TOML", None])),
    st.tuples(st.just("break"), st.sampled_from(NAMES)),
    st.tuples(st.just("scan"), st.booleans()),
)  # fmt: skip


def act(estate, action, count):
    match action:
        case ("write", name, content):
            if (estate.root / name).is_symlink():
                estate.delete(name)
            estate.write(name, f"{content} of {name}, {count}" if content != "same" else f"always in {name}")
        case ("delete", name):
            (estate.root / name).unlink(missing_ok=True)
        case ("break", name):
            (estate.root / name).parent.mkdir(exist_ok=True)
            (estate.root / name).unlink(missing_ok=True)
            (estate.root / name).symlink_to("nowhere")
        case ("sidecar", name, text):
            (estate.root / name).parent.mkdir(exist_ok=True)
            (estate.root / f"{name}.meta.toml").unlink(missing_ok=True)
            if text is not None:
                estate.sidecar(name, text)
        case ("defaults", folder, text):
            (estate.root / folder).mkdir(exist_ok=True)
            (estate.root / folder / "_defaults.toml").unlink(missing_ok=True)
            if text is not None:
                estate.write(f"{folder}_defaults.toml", text)
        case ("scan", settled):
            estate.scan(settled=settled)


@settings(max_examples=30, deadline=None)
@given(st.lists(ACTION, max_size=14))
def test_after_any_changes_the_table_is_that_of_a_first_scan(actions):
    """Without renames, and with everything mended in the end: what is broken keeps a state that nobody else knows."""
    from tests.estate.conftest import Estate

    with tempfile.TemporaryDirectory() as folder:
        estate = Estate(Path(folder, "estate"))
        for count, action in enumerate(actions):
            act(estate, action, count)
        for name in NAMES:
            if (estate.root / name).is_symlink():
                estate.delete(name)
            sidecar = estate.root / f"{name}.meta.toml"
            if sidecar.exists() and "wrong" in sidecar.read_text():
                sidecar.unlink()
        for defaults in estate.root.rglob("_defaults.toml"):
            if "TOML" in defaults.read_text():
                defaults.unlink()
        estate.scan()
        first = Estate(estate.root)
        first.scan()
        assert estate.documents.drop(STAMPS).equals(first.documents.drop(STAMPS))
        assert estate.scan().keys() <= {"unchanged"}
