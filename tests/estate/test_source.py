import hashlib
import os
import tempfile
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipeline.config import CollectionConfig
from pipeline.estate import folder as folder_module
from pipeline.estate.folder import OUTSIDE
from pipeline.estate.source import SourceError, content_hashes, spelled
from tests.estate.listings import list_folder


def uris(root):
    return [entry.uri for entry in list_folder(str(root)).entries]


def touch(root, *names, content="x"):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def test_everything_below_is_listed_sorted(tmp_path):
    touch(tmp_path, "b.txt", "a/z/y.txt", "a.txt", "a/b.txt", "Ö/ü.txt")
    listing = list_folder(str(tmp_path))
    assert [e.uri for e in listing.entries] == ["a.txt", "a/b.txt", "a/z/y.txt", "b.txt", "Ö/ü.txt"]
    assert [Path(e.location).read_text() for e in listing.entries] == ["x"] * 5
    assert (listing.sidecars, listing.unreadable) == ({}, {})


def test_metadata_files_are_apart_and_litter_is_nowhere(tmp_path):
    touch(
        tmp_path,
        "a.pdf",
        "a.pdf.meta.toml",
        "f/_defaults.toml",
        "settings.toml",
        ".git/x.txt",
        "~$a.docx",
        "$RECYCLE.BIN/b.pdf",
    )
    listing = list_folder(str(tmp_path))
    assert [e.uri for e in listing.entries] == ["a.pdf", "settings.toml"]
    assert set(listing.sidecars) == {"a.pdf.meta.toml", "f/_defaults.toml"}
    assert listing.unreadable == {}


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.write_text("x"), lambda p: p.symlink_to(p)])
def test_a_source_that_is_no_folder_is_named(tmp_path, make):
    place = tmp_path / "estate"
    make(place)
    with pytest.raises(
        SourceError, match=f"^source = '{place}': (No such file|Not a directory|Too many levels)[^\n]*$"
    ):
        list_folder(str(place))


def test_a_relative_source_is_listed(tmp_path, monkeypatch):
    touch(tmp_path, "estate/a.txt")
    monkeypatch.chdir(tmp_path)
    assert uris("estate") == ["a.txt"]


class TestLinks:
    def test_loops_end(self, tmp_path):
        touch(tmp_path, "a/b/c.txt")
        (tmp_path / "a/b/up").symlink_to(tmp_path)
        (tmp_path / "self").symlink_to("self")
        listing = list_folder(str(tmp_path))
        assert [e.uri for e in listing.entries] == ["a/b/c.txt"]
        assert listing.unreadable == {"self": "Too many levels of symbolic links"}

    @pytest.mark.parametrize("link", ["a_link", "z_link", "real/a_link"])
    def test_a_folder_is_listed_under_its_own_path(self, tmp_path, link):
        touch(tmp_path, "real/deep/x.txt")
        (tmp_path / link).symlink_to(tmp_path / "real/deep")
        assert uris(tmp_path) == ["real/deep/x.txt"]

    def test_a_place_elsewhere_is_followed_only_if_that_is_wished(self, tmp_path):
        """Whoever may write into a shared folder could show what only this process may read."""
        touch(tmp_path, "elsewhere/x.txt", "secret.txt", "estate/a.txt", "estate (2)/b.txt")
        root = tmp_path / "estate"
        (root / "link").symlink_to(tmp_path / "elsewhere")
        (root / "up.txt").symlink_to("../secret.txt")
        (root / "hop.txt").symlink_to("up.txt")  # a link to a link that leads out
        (root / "sibling").symlink_to(tmp_path / "estate (2)")
        listing = list_folder(str(root))
        assert [e.uri for e in listing.entries] == ["a.txt"]
        assert listing.unreadable == dict.fromkeys(("link", "up.txt", "hop.txt", "sibling"), OUTSIDE)
        rules = CollectionConfig(name="c", source=str(root), follow_links=True)
        followed = list_folder(str(root), rules=rules)
        assert [e.uri for e in followed.entries] == [
            "a.txt",
            "hop.txt",
            "link/x.txt",
            "sibling/b.txt",
            "up.txt",
        ]
        assert followed.unreadable == {}

    def test_a_source_that_is_a_link_itself_is_inside(self, tmp_path):
        touch(tmp_path, "real/a.txt")
        (tmp_path / "real/b.txt").symlink_to("a.txt")
        (tmp_path / "estate").symlink_to("real")
        assert uris(tmp_path / "estate") == ["a.txt", "b.txt"]

    def test_metadata_may_lie_elsewhere(self, tmp_path):
        """Its reader may write what it says into a file, too."""
        touch(tmp_path, "shared.toml", "estate/a.txt", content="")
        (tmp_path / "estate/_defaults.toml").symlink_to(tmp_path / "shared.toml")
        listing = list_folder(str(tmp_path / "estate"))
        assert (list(listing.sidecars), listing.unreadable) == (["_defaults.toml"], {})

    def test_a_link_to_a_file_is_a_document(self, tmp_path):
        touch(tmp_path, "a.txt", content="12345")
        (tmp_path / "b.txt").symlink_to("a.txt")
        assert [(e.uri, e.size) for e in list_folder(str(tmp_path)).entries] == [("a.txt", 5), ("b.txt", 5)]


class TestNames:
    def test_uris_are_nfc_and_locations_as_spelled(self, tmp_path):
        name = unicodedata.normalize("NFD", "İŞ/Ölçüm.txt")
        touch(tmp_path, name, name + ".meta.toml")
        listing = list_folder(str(tmp_path))
        assert [e.uri for e in listing.entries] == [unicodedata.normalize("NFC", name)]
        assert listing.entries[0].location == str(tmp_path / name)
        assert list(listing.sidecars) == [unicodedata.normalize("NFC", name) + ".meta.toml"]

    def test_two_spellings_are_one_document_and_a_report(self, tmp_path):
        nfc = "Ölçüm.txt"
        nfd = unicodedata.normalize("NFD", nfc)
        touch(tmp_path, nfc, content="nfc")
        touch(tmp_path, nfd, content="nfd")
        listing = list_folder(str(tmp_path))
        assert [Path(e.location).name for e in listing.entries] == [nfd]
        assert list(listing.unreadable) == [f"{nfc} (second spelling)"]

    def test_a_name_that_is_no_text_is_reported(self, tmp_path):
        (tmp_path / os.fsdecode(b"K\xfcndigung.txt")).write_text("x")
        (tmp_path / os.fsdecode(b"\xff.txt.meta.toml")).write_text("x")
        touch(tmp_path, "a.txt")
        listing = list_folder(str(tmp_path))
        assert [e.uri for e in listing.entries] == ["a.txt"]
        assert listing.unreadable["K\\udcfcndigung.txt"] == "its name is not UTF-8"

    def test_strange_names_are_names(self, tmp_path):
        names = [
            "a b.txt",
            "a'b.txt",
            "a\\b.txt",
            "a%20b.txt",
            "100% #1?.txt",
            "no ending",
            "x" * 251 + ".txt",
        ]
        touch(tmp_path, *names)
        assert uris(tmp_path) == sorted(names)


class TestUnreadable:
    def test_a_pipe_is_reported_and_not_opened(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.txt")
        touch(tmp_path, "a.txt")
        listing = list_folder(str(tmp_path))
        assert [e.uri for e in listing.entries] == ["a.txt"]
        assert listing.unreadable == {"pipe.txt": "is neither a file nor a folder"}

    def test_a_folder_that_cannot_be_opened_is_reported(self, tmp_path, monkeypatch):
        touch(tmp_path, "closed/a.txt", "open/b.txt")
        scandir = os.scandir

        def refuse(path):
            if Path(path).name == "closed":
                raise PermissionError(13, "Permission denied")
            return scandir(path)

        monkeypatch.setattr(folder_module.os, "scandir", refuse)
        listing = list_folder(str(tmp_path))
        assert [e.uri for e in listing.entries] == ["open/b.txt"]
        assert listing.unreadable == {"closed": "Permission denied"}

    def test_permissions_are_respected_file_by_file(self):
        """A folder that may be listed and not entered; root becomes nobody for it."""
        root_user = os.geteuid() == 0
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            root.chmod(0o755)
            touch(root, "listed/a.txt", "shut/b.txt", "c.txt")
            (root / "listed").chmod(0o444)
            (root / "shut").chmod(0o000)
            if root_user:
                os.seteuid(65534)
            try:
                listing = list_folder(folder)
            finally:
                if root_user:
                    os.seteuid(0)
                for child in ("listed", "shut"):
                    (root / child).chmod(0o755)
        assert [e.uri for e in listing.entries] == ["c.txt"]
        assert listing.unreadable == {"listed/a.txt": "Permission denied", "shut": "Permission denied"}

    def test_litter_that_dangles_is_litter(self, tmp_path):
        (tmp_path / ".#draft.txt").symlink_to("user@host.1234")
        listing = list_folder(str(tmp_path))
        assert (listing.entries, listing.unreadable) == ((), {})

    def test_a_file_that_vanished_after_the_listing(self, tmp_path):
        touch(tmp_path, "a.txt", "b.txt", content="abc")
        entries = list_folder(str(tmp_path)).entries
        (tmp_path / "a.txt").unlink()
        hashes = content_hashes(entries)
        assert isinstance(hashes["a.txt"], FileNotFoundError)
        assert hashes["b.txt"] == hashlib.sha256(b"abc").hexdigest()


class TestTimes:
    NOW = datetime.now(UTC)

    def entry(self, root, now):
        (entry,) = list_folder(str(root), now=now).entries
        return entry

    def test_an_etag_is_given_once_the_file_is_at_rest(self, tmp_path):
        touch(tmp_path, "a.txt")
        now = datetime.now(UTC)
        assert self.entry(tmp_path, now).etag == ""
        etag = self.entry(tmp_path, now + timedelta(seconds=10)).etag
        assert etag
        assert self.entry(tmp_path, now + timedelta(days=1)).etag == etag

    def test_a_write_that_keeps_size_and_time_moves_the_etag(self, tmp_path):
        touch(tmp_path, "a.txt", content="one")
        os.utime(tmp_path / "a.txt", (1, 1))
        later = datetime.now(UTC) + timedelta(hours=1)
        before = self.entry(tmp_path, later)
        touch(tmp_path, "a.txt", content="two")
        os.utime(tmp_path / "a.txt", (1, 1))
        after = self.entry(tmp_path, later)
        assert (after.size, after.modified_at) == (before.size, before.modified_at)
        assert after.etag != before.etag

    def test_a_time_in_the_future_promises_nothing(self, tmp_path):
        touch(tmp_path, "a.txt")
        os.utime(tmp_path / "a.txt", (4_000_000_000, 4_000_000_000))
        assert self.entry(tmp_path, datetime.now(UTC) + timedelta(days=1)).etag == ""

    @pytest.mark.parametrize("seconds", [-1, 0, 1_700_000_000.123456])
    def test_the_time_of_the_last_write_is_exact_to_the_microsecond(self, tmp_path, seconds):
        touch(tmp_path, "a.txt")
        nanoseconds = round(seconds * 1_000_000) * 1000
        os.utime(tmp_path / "a.txt", ns=(nanoseconds, nanoseconds))
        modified = self.entry(tmp_path, datetime.now(UTC)).modified_at
        assert modified == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=nanoseconds // 1000)

    @pytest.mark.parametrize(("nanoseconds", "year"), [(2**63 - 1, 2262), (10**21, 9999), (-(10**21), 1)])
    def test_no_time_is_too_far_away(self, nanoseconds, year):
        assert folder_module._instant(nanoseconds).year == year


def test_a_file_is_found_by_the_normal_form_of_its_name(tmp_path):
    folder = unicodedata.normalize("NFD", "Prüfung")
    (tmp_path / folder).mkdir()
    there = tmp_path / folder / unicodedata.normalize("NFD", "Öl ğ.txt")
    there.write_text("x")
    [entry] = list_folder(str(tmp_path)).entries
    assert entry.uri == "Prüfung/Öl ğ.txt"
    assert spelled(str(tmp_path / entry.uri)) == str(there) == entry.location
    assert spelled(str(tmp_path / "Prüfung/fehlt.txt")) == str(tmp_path / folder / "fehlt.txt")
    assert spelled("nirgends/fehlt.txt") == "nirgends/fehlt.txt"


class TestLeftOut:
    FILES = (
        "a.pdf",
        "a.bak",
        "drafts/b.pdf",
        "x/drafts/c.pdf",
        "archive/2020/d.pdf",
        "archive/keep.pdf",
        "İŞ.pdf",
    )

    @pytest.mark.parametrize(
        ("patterns", "left"),
        [
            ((), {"a.pdf", "a.bak", "drafts/b.pdf", "x/drafts/c.pdf", "archive/2020/d.pdf", "archive/keep.pdf", "İŞ.pdf"}),
            (("*.bak",), {"a.pdf", "drafts/b.pdf", "x/drafts/c.pdf", "archive/2020/d.pdf", "archive/keep.pdf", "İŞ.pdf"}),
            (("drafts/", "*.bak"), {"a.pdf", "archive/2020/d.pdf", "archive/keep.pdf", "İŞ.pdf"}),
            (("/drafts", "archive/**", "*.bak"), {"a.pdf", "x/drafts/c.pdf", "İŞ.pdf"}),
            (("archive/*", "!archive/keep.pdf", "drafts", "?.bak"), {"a.pdf", "archive/keep.pdf", "İŞ.pdf"}),
            (("*", ), set()),
            (("İŞ.*", "drafts", "archive", "# a comment", "*.bak"), {"a.pdf"}),
        ],
    )  # fmt: skip
    def test_patterns_are_those_of_gitignore(self, tmp_path, patterns, left):
        touch(tmp_path, *self.FILES)
        rules = CollectionConfig(name="c", source=str(tmp_path), exclude=patterns)
        listing = list_folder(str(tmp_path), rules=rules)
        assert {e.uri for e in listing.entries} == left
        assert listing.unreadable == {}

    def test_what_cannot_be_looked_at_can_be_left_out(self, tmp_path):
        touch(tmp_path, "a.txt")
        (tmp_path / "old").symlink_to("nowhere")
        rules = CollectionConfig(name="c", source=str(tmp_path), exclude=("old",))
        assert list_folder(str(tmp_path), rules=rules).unreadable == {}

    def test_metadata_is_never_left_out(self, tmp_path):
        """It says who may read."""
        touch(tmp_path, "a.txt", "a.txt.meta.toml", "_defaults.toml")
        rules = CollectionConfig(name="c", source=str(tmp_path), exclude=("*.toml",))
        assert set(list_folder(str(tmp_path), rules=rules).sidecars) == {"a.txt.meta.toml", "_defaults.toml"}


def test_a_file_that_may_still_be_written_waits(tmp_path):
    touch(tmp_path, "new.txt", "old.txt", "ahead.txt")
    now = datetime.now(UTC)
    for name, seconds in (("new.txt", -5), ("old.txt", -70), ("ahead.txt", 3600)):
        moment = now.timestamp() + seconds
        os.utime(tmp_path / name, (moment, moment))
    rules = CollectionConfig(name="c", source=str(tmp_path), settle_seconds=60)
    listing = list_folder(str(tmp_path), rules=rules, now=now)
    assert [e.uri for e in listing.waiting] == ["new.txt"]
    assert [e.uri for e in listing.entries] == ["ahead.txt", "old.txt"], "a wrong clock is not waited for"
