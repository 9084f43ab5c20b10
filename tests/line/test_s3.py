"""The whole line against a server that speaks S3: source, lake and index on buckets."""

import logging
from datetime import UTC, datetime

import pytest

from pipeline.config import parse_config
from pipeline.estate.guard import MassDeleteError
from pipeline.estate.source import SourceError
from pipeline.line.lock import RUN, LockedError, holding
from pipeline.line.run import run
from pipeline.line.searching import live_searcher
from pipeline.line.stage import update
from pipeline.line.stages import DOCUMENTS, PARTITIONED
from pipeline.line.workspace import Workspace
from pipeline.retrieval.query import Query
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from tests.line.projects import _ENCODERS, index_rows, plain_driver

pytestmark = pytest.mark.slow
PUMP = "# Pumpe\n\nDie Pumpe P-101 fördert Kühlwasser; der Grenzwert des Drucks beträgt {} bar, gemessen am Stutzen."
SEAL = (
    "# Seal\n\nThe seal of the compressor is replaced every twelve months by the workshop, against a receipt."
)


@pytest.fixture(scope="module")
def store():
    """A file system on buckets of this module alone; lake and index find them through the environment."""
    server = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true",
            "AWS_ENDPOINT_URL": "http://{}:{}".format(*running.get_host_and_port()),
        }.items():  # fmt: skip
            environment.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        store = s3fs.S3FileSystem(use_listings_cache=False)
        for bucket in ("estate", "lake", "index"):
            store.mkdir(bucket)
        yield store
        s3fs.S3FileSystem.clear_instance_cache()
    running.stop()


def workspace(folder, name, lake=None, index=None):
    raw = {
        "collections": [{"name": "docs", "source": f"s3://estate/{name}", "buckets": 1}],
        "parsing": {"workers": 1},
        "lake": {"root": lake or f"s3://lake/{name}"},
        "index": {"root": index or f"s3://index/{name}"},
    }
    opened = Workspace(parse_config(raw, base=folder))
    opened._encoders = _ENCODERS
    return opened


def found(opened, query):
    return [(each.uri, each.text) for each in live_searcher(opened).search(Query(query)).results]


def test_the_line_on_buckets(store, tmp_path):
    def put(name, text):
        store.pipe_file(f"estate/line/{name}", text.encode())

    put("handbuch/pumpe 1.md", PUMP.format("6,0"))
    put("seal.md", SEAL)
    put("_defaults.toml", 'doc_type = "manual"')
    first = run(workspace(tmp_path, "line"), plain_driver)
    assert (first.documents["created"], first.failed, first.errors) == (2, (), ())
    assert store.ls("lake/line/documents", detail=False) == ["lake/line/documents/docs.0.parquet"]
    assert store.exists("index/line/live.json")
    assert not store.ls("lake/line/.staging") if store.exists("lake/line/.staging") else True
    opened = workspace(tmp_path, "line")
    assert found(opened, "Grenzwert des Drucks")[0][0] == "handbuch/pumpe 1.md"
    assert set(opened.lake.read(s.DOCUMENTS)[c.DOCUMENT_CLASS]) == {"manual"}

    unchanged = run(workspace(tmp_path, "line"), plain_driver)
    assert (unchanged.documents["unchanged"], unchanged.pages["parsed"]) == (2, 0)

    put("handbuch/pumpe 1.md", PUMP.format("8,5"))  # the same size
    store.mv("estate/line/seal.md", "estate/line/archive/seal.md")
    changed = run(workspace(tmp_path, "line"), plain_driver)
    assert (changed.documents["updated"], changed.documents["renamed"]) == (1, 1)
    assert (changed.pages["parsed"], changed.embeddings["computed"]) == (1, 1)
    opened = workspace(tmp_path, "line")
    assert "8,5 bar" in found(opened, "Grenzwert des Drucks")[0][1]
    assert found(opened, "seal of the compressor")[0][0] == "archive/seal.md"

    store.rm("estate/line/handbuch/pumpe 1.md")
    deleted = run(workspace(tmp_path, "line"), plain_driver)
    assert deleted.documents["deleted"] == 1
    assert "bar" not in " ".join(index_rows(workspace(tmp_path, "line"))["text"])

    rebuilt = workspace(tmp_path / "again", "line", str(tmp_path / "again/lake"))
    for stage in PARTITIONED:
        update(rebuilt, stage, "docs.0")
    moved = {
        c.DOC_ID,
        c.CHUNK_ID,
        c.SECTION_ID,
        c.INPUT_HASH,
    }  # the renamed document's id was made from its first name
    for table in (s.PARSED_PAGES, s.GATED_PAGES, s.CHUNKS):
        left, right = (
            each.lake.read(table).drop(*table.stamps, *moved, strict=False) for each in (opened, rebuilt)
        )
        assert left.height > 0
        assert left.equals(right)

    store.rm("estate/line", recursive=True)
    with pytest.raises(
        SourceError, match="collection 'docs': source = 's3://estate/line': nothing lies there"
    ):
        run(workspace(tmp_path, "line"), plain_driver)


def test_a_scan_reads_only_what_moved(store, monkeypatch):
    from pipeline.config import CollectionConfig
    from pipeline.estate.remote import RemoteFolder
    from pipeline.estate.scan import scan_collection

    for n in range(30):
        store.pipe_file(f"estate/many/{n:02}.txt", b"same bytes")
    store.pipe_file("estate/many (2)/other.txt", b"not below")
    store.pipe_file("estate/many/folder/", b"")  # how consoles make folders
    rules = CollectionConfig(name="docs", source="s3://estate/many")
    source = RemoteFolder(rules.source, rules, {})
    before = scan_collection(source.listing(), s.DOCUMENTS.empty(), rules)
    assert before.count("created") == 30
    store.pipe_file("estate/many/07.txt", b"SAME BYTES")
    for n in range(11, 30):
        store.rm_file(f"estate/many/{n:02}.txt")
    read = []
    real = RemoteFolder.read
    monkeypatch.setattr(RemoteFolder, "read", lambda self, place: (read.append(place), real(self, place))[1])
    after = scan_collection(source.listing(), before.documents, rules)
    assert read == ["estate/many/07.txt"]
    assert {kind: after.count(kind) for kind in ("updated", "deleted", "unchanged")} == {
        "updated": 1, "deleted": 19, "unchanged": 10,
    }  # fmt: skip
    with pytest.raises(SourceError, match="bucket does not exist"):
        RemoteFolder("s3://nowhere/x", rules, {}).listing()


def test_a_feed_on_a_bucket_spares_the_listing(store, tmp_path, monkeypatch):
    from pipeline.config import CollectionConfig
    from pipeline.estate.feed import Cursor, Feed, followed, rules_of
    from pipeline.estate.remote import RemoteFolder
    from pipeline.estate.scan import scan_collection

    for name in ("a.txt", "b c.txt", "f/d.txt"):
        store.pipe_file(f"estate/fed/{name}", name.encode())
    store.pipe_file("estate/fed/a.txt.meta.toml", b'title = "A"')
    store.pipe_file("estate/events.jsonl", b'{"kind": "create", "uri": "a.txt"}\n')
    rules = CollectionConfig(name="docs", source="s3://estate/fed", feed="s3://estate/events.jsonl")
    source, feed = RemoteFolder(rules.source, rules, {}), Feed(rules.feed, {})
    _, position, mark = feed.events(None)
    listing = source.listing()
    before = scan_collection(listing, s.DOCUMENTS.empty(), rules).documents
    assert {e.uri: e.location for e in listing.entries} == {
        e.uri: source.location_of(e.uri) for e in listing.entries
    }

    store.pipe_file("estate/fed/b c.txt", b"B C.TXT")
    store.mv("estate/fed/f/d.txt", "estate/fed/g/e.txt")
    events = (
        b'{"kind": "create", "uri": "a.txt"}\n{"kind": "update", "uri": "b c.txt"}\n'
        b'{"kind": "rename", "from": "f/d.txt", "uri": "g/e.txt"}\n'
    )
    store.pipe_file("estate/events.jsonl", events)
    by_list = scan_collection(source.listing(), before, rules)
    monkeypatch.setattr(RemoteFolder, "_found", lambda *_: pytest.fail("a full listing"))
    cursor = Cursor(position, mark, rules_of(rules), sidecars=tuple(listing.sidecars))
    touched, _, _ = feed.events(cursor)
    assert touched == {"b c.txt", "f/d.txt", "g/e.txt"}
    now = datetime.now(UTC)
    by_feed = scan_collection(
        followed(source, rules, cursor, touched=touched, known=before.to_dicts(), now=now), before, rules
    )
    assert {kind: by_feed.count(kind) for kind in ("updated", "renamed", "unchanged")} == {
        "updated": 1, "renamed": 1, "unchanged": 1,
    }  # fmt: skip
    stamps = s.DOCUMENTS.stamps
    assert by_feed.documents.sort(c.DOC_ID).drop(stamps).equals(by_list.documents.sort(c.DOC_ID).drop(stamps))


def test_a_listing_that_lost_most_is_refused(store, tmp_path):
    for n in range(12):
        store.pipe_file(f"estate/loss/{n}.md", SEAL.encode())
    update(workspace(tmp_path, "loss"), DOCUMENTS, "docs.0")
    for n in range(11):
        store.rm_file(f"estate/loss/{n}.md")
    with pytest.raises(MassDeleteError, match="11 of 12 documents would be deleted"):
        update(workspace(tmp_path, "loss"), DOCUMENTS, "docs.0")


def test_a_lake_on_a_bucket_is_locked_in_the_folder_of_the_project(store, tmp_path):
    first, second = workspace(tmp_path, "locks"), workspace(tmp_path, "locks")
    with holding(first, RUN):
        assert (tmp_path / "data/.locks/run.lock").exists()
        with pytest.raises(LockedError, match="s3://lake/locks"), holding(second, RUN, patience=0):
            pass
