"""Which document a file is: renames, copies, ids that sidecars declare."""

from pipeline.estate.identity import UNREAD_VERSION, document_id
from pipeline.tables import columns as c


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
