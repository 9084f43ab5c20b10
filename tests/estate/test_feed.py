"""A feed says where to look; what is found is what a full listing finds."""

import json
import os
import random
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.config import CollectionConfig
from pipeline.estate.feed import Cursor, Feed, FeedGapError, followed, rules_of
from pipeline.estate.folder import Folder
from pipeline.estate.scan import scan_collection
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS

NAMES = ("a.txt", "b.txt", "f/c.txt", "f/g/d.txt", "e.bak")


class Followed:
    """An estate with a feed. Each scan is made both ways and compared."""

    def __init__(self, folder):
        self.root = Path(folder) / "estate"
        self.root.mkdir()
        self.file = Path(folder) / "events.jsonl"
        self.file.touch()
        self.rules = CollectionConfig(
            name="c", source=str(self.root), feed="events.jsonl", exclude=("*.bak",)
        )
        self.source = Folder(str(self.root), self.rules)
        self.feed = Feed(str(self.file), {})
        self.documents = DOCUMENTS.empty()
        self.cursor = None
        self.now = datetime.now(UTC) + timedelta(hours=1)

    def tell(self, *events):
        with self.file.open("a") as file:
            file.writelines(json.dumps(event) + "\n" for event in events)

    def full(self):
        """A full listing, after which the feed is followed."""
        _, position, mark = self.feed.events(None)
        listing = self.source.listing(self.now)
        self.documents = scan_collection(listing, self.documents, self.rules, now=self.now).documents
        self.cursor = Cursor(position, mark, rules_of(self.rules), (), tuple(sorted(listing.sidecars)))

    def follow(self):
        touched, position, mark = self.feed.events(self.cursor)
        listing = followed(
            self.source,
            self.rules,
            self.cursor,
            touched=touched,
            known=self.documents.to_dicts(),
            now=self.now,
        )
        self.cursor = replace(
            self.cursor, position=position, mark=mark, sidecars=tuple(sorted(listing.sidecars))
        )
        return listing

    def scan(self):
        """By the feed and by a full listing: the same. Returns what was looked at."""
        by_list = scan_collection(self.source.listing(self.now), self.documents, self.rules, now=self.now)
        try:
            listing = self.follow()
        except FeedGapError:
            self.full()
            return None
        by_feed = scan_collection(listing, self.documents, self.rules, now=self.now)
        assert_frame_equal(by_feed.documents, by_list.documents, check_row_order=False)
        assert_frame_equal(by_feed.changes, by_list.changes, check_row_order=False)
        self.documents = by_feed.documents
        return {e.uri for e in listing.entries} - listing.untouched


@pytest.fixture
def estate(tmp_path):
    made = Followed(tmp_path)
    for name in ("a.txt", "f/b.txt", "f/c.txt"):
        (made.root / name).parent.mkdir(exist_ok=True)
        (made.root / name).write_text(name)
    made.full()
    return made


class TestFollowing:
    def test_only_what_it_names_is_looked_at(self, estate):
        assert estate.scan() == set()
        (estate.root / "a.txt").write_text("new")
        estate.tell({"id": "1", "time": "2026-01-01T00:00:00Z", "kind": "update", "uri": "a.txt"})
        assert estate.scan() == {"a.txt"}
        assert estate.scan() == set()

    def test_what_it_does_not_name_is_not_opened(self, estate, monkeypatch):
        monkeypatch.setattr(Folder, "listing", lambda *_: pytest.fail("a full listing"))
        looked = []
        real = Folder.look
        monkeypatch.setattr(
            Folder, "look", lambda self, uri, now: (looked.append(uri), real(self, uri, now))[1]
        )
        estate.tell({"kind": "update", "uri": "a.txt"})
        estate.follow()
        assert set(looked) == {"a.txt", "a.txt.meta.toml"}

    def test_events_may_be_wrong_doubled_and_out_of_order(self, estate):
        (estate.root / "a.txt").rename(estate.root / "z.txt")
        rename = {"kind": "rename", "from": "a.txt", "uri": "z.txt"}
        estate.tell({"kind": "delete", "uri": "z.txt"}, rename, {"kind": "update", "uri": "a.txt"}, rename)
        estate.tell(
            {"kind": "create", "uri": "nowhere.txt"}, {"kind": "shout", "uri": "f/b.txt", "volume": 11}
        )
        assert estate.scan() == {"z.txt", "f/b.txt"}

    def test_a_folder_that_went_takes_its_files_along(self, estate):
        for name in ("b.txt", "c.txt"):
            (estate.root / "f" / name).unlink()
        (estate.root / "f").rmdir()
        estate.tell({"kind": "delete", "uri": "f"})
        assert estate.scan() == set()
        assert estate.documents[c.URI].to_list() == ["a.txt"]

    def test_metadata_is_looked_at_with_its_document(self, estate):
        (estate.root / "a.txt.meta.toml").write_text('title = "A"')
        estate.tell({"kind": "metadata", "uri": "a.txt"})
        estate.scan()
        (estate.root / "f/_defaults.toml").write_text('acl_groups = ["board"]')
        estate.tell({"kind": "create", "uri": "f/_defaults.toml"})
        estate.scan()
        rows = {row[c.URI]: row for row in estate.documents.to_dicts()}
        assert rows["a.txt"][c.TITLE] == "A"
        assert rows["f/b.txt"][c.ACL_GROUPS] == ["board"]

    def test_a_last_line_without_end_waits(self, estate):
        (estate.root / "a.txt").write_text("new")
        with estate.file.open("a") as file:
            file.write('{"kind": "update", "ur')
        assert estate.follow().untouched == {"a.txt", "f/b.txt", "f/c.txt"}
        with estate.file.open("a") as file:
            file.write('i": "a.txt"}\n')
        assert estate.scan() == {"a.txt"}


class TestGaps:
    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("no json", "no JSON"),
            ("[]", "names no uri"),
            ('{"kind": "overflow"}', "names no uri"),
            ('{"kind": "rename", "uri": "a.txt"}', 'names no "from"'),
            ('{"kind": "create", "uri": "../x.txt"}', "no path below"),
            ('{"kind": "create", "uri": "/etc/passwd"}', "no path below"),
            ('{"kind": "create", "uri": "f"}', "cannot be looked at"),  # a folder: who knows what is in it
        ],
    )
    def test_what_names_no_file_wants_a_listing(self, estate, line, why):
        with estate.file.open("a") as file:
            file.write(line + "\n")
        with pytest.raises(FeedGapError, match=why):
            estate.follow()

    @pytest.mark.parametrize("content", ["", '{"kind": "update", "uri": "f/b.txt"}\n' * 3])
    def test_a_feed_that_was_cut_or_written_anew(self, estate, content):
        estate.tell({"kind": "update", "uri": "a.txt"}, {"kind": "update", "uri": "a.txt"})
        estate.scan()
        estate.file.write_text(content)
        with pytest.raises(FeedGapError, match="cut or written anew"):
            estate.follow()

    def test_a_feed_that_is_gone(self, estate):
        estate.file.unlink()
        with pytest.raises(FileNotFoundError):
            estate.follow()

    def test_what_could_not_be_read_is_listed_again(self, estate):
        (estate.root / "l.txt").symlink_to("nowhere")
        estate.full()
        with pytest.raises(FeedGapError, match="could not be read before"):
            estate.follow()

    def test_a_link_is_for_a_listing(self, estate):
        (estate.root / "l.txt").symlink_to("/etc/passwd")
        estate.tell({"kind": "create", "uri": "l.txt"})
        with pytest.raises(FeedGapError, match="cannot be looked at"):
            estate.follow()


steps = st.tuples(
    st.sampled_from(
        ("write", "touch", "rename", "delete", "sidecar", "no sidecar", "defaults", "no defaults")
    ),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.integers(0, 2),
)


@given(
    rounds=st.lists(st.lists(steps, min_size=1, max_size=6), min_size=2, max_size=4), seed=st.integers(0, 99)
)
@settings(max_examples=80, deadline=None)
def test_a_feed_gives_what_a_listing_gives(rounds, seed):
    """Whatever happens, in whatever order it is told, once or twice."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        estate = Followed(folder)
        for name in NAMES[:-2]:
            happen(estate.root, "write", name, name, 0)
        estate.full()
        for round_ in rounds:
            events = []
            for step in round_:
                events += happen(estate.root, *step)
            events += chance.sample(events, len(events) // 2)
            chance.shuffle(events)
            estate.tell(*events)
            estate.scan()


def happen(root, what, name, other, n):  # noqa: PLR0911 - one for each step
    """Do something to the estate, and the events that tell of it."""
    path, target = root / name, root / other
    sidecar, defaults = Path(f"{path}.meta.toml"), path.parent / "_defaults.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    if what == "write":
        kind = "update" if path.exists() else "create"
        path.write_text(f"content {n}")
        return [{"kind": kind, "uri": name}]
    if what == "touch" and path.exists():
        os.utime(path, (1_700_000_000 + n, 1_700_000_000))
        return [{"kind": "update", "uri": name}]
    if what == "rename" and path.exists():
        path.rename(target)
        return [{"kind": "rename", "from": name, "uri": other}]
    if what == "delete" and path.exists():
        path.unlink()
        return [{"kind": "delete", "uri": name}]
    if what == "sidecar":
        sidecar.write_text(f'title = "{n}"' if n else "title = wrong")
        return [{"kind": "metadata", "uri": name}]
    if what == "no sidecar" and sidecar.exists():
        sidecar.unlink()
        return [{"kind": "delete", "uri": f"{name}.meta.toml"}]
    if what in ("defaults", "no defaults"):
        if what == "defaults":
            defaults.write_text(f"authority = {n}")
        else:
            defaults.unlink(missing_ok=True)
        return [{"kind": "metadata", "uri": defaults.relative_to(root).as_posix()}]
    return []
