"""What changed between two scans, and what cannot be read."""

import hashlib
import os
from datetime import UTC, datetime

import polars as pl
import pytest

from pipeline.estate.identity import UNREAD_VERSION, document_id, partition_of, partitions_of
from pipeline.estate.scan import scan_collection
from pipeline.estate.source import Listing
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS


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
