"""A source on a real SFTP server."""

import logging

import pytest

from pipeline.config import parse_config
from pipeline.estate.feed import Feed
from pipeline.estate.source import NoSourceError, SourceError, content_hashes
from pipeline.estate.sources import open_source
from pipeline.line.run import run
from pipeline.line.workspace import Workspace
from tests.line.projects import _ENCODERS, index_rows, plain_driver

paramiko = pytest.importorskip("paramiko")
from tests.estate.sftp_server import PASSWORD, USER, serving_sftp  # noqa: E402


@pytest.fixture
def server(tmp_path, monkeypatch):
    logging.getLogger("paramiko").setLevel(logging.CRITICAL)
    monkeypatch.setenv("SFTP_PASSWORD", PASSWORD)
    (tmp_path / "store/docs/Ö").mkdir(parents=True)
    with serving_sftp(tmp_path / "store") as running:
        yield running


def config(tmp_path, port, **collection):
    options = {
        "username": USER,
        "password": "env:SFTP_PASSWORD",
        "look_for_keys": False,
        "allow_agent": False,
    }
    docs = {
        "name": "docs",
        "source": f"sftp://127.0.0.1:{port}/docs",
        "buckets": 1,
        "storage_options": options,
    }
    return parse_config({"collections": [docs | collection], "parsing": {"workers": 1}}, base=tmp_path)


def source(tmp_path, port, **collection):
    made = config(tmp_path, port, **collection)
    return open_source(made, made.collections[0])


def test_files_are_listed_and_read(server, tmp_path):
    docs = tmp_path / "store/docs"
    for name in ("a b.txt", "Ö/ü.txt", "b.txt.meta.toml", "~$c.docx"):
        (docs / name).write_text(name, encoding="utf-8")
    (docs / "link.txt").symlink_to(docs / "a b.txt")
    listing = source(tmp_path, server.port).listing()
    assert [(e.uri, e.size, e.etag) for e in listing.entries] == [("a b.txt", 7, ""), ("Ö/ü.txt", 9, "")]
    assert list(listing.sidecars) == ["b.txt.meta.toml"]
    assert listing.unreadable == {"link.txt": "is a symbolic link; follow_links = true would follow it"}
    assert all(isinstance(digest, str) for digest in content_hashes(listing.entries, listing.read).values())
    with pytest.raises(NoSourceError, match="docs/none"):
        source(tmp_path, server.port, source=f"sftp://127.0.0.1:{server.port}/docs/none").listing()
    (docs / "a b.txt").unlink()
    assert isinstance(content_hashes(listing.entries[:1], listing.read)["a b.txt"], OSError)


def test_a_connection_that_the_server_ended_is_made_anew(server, tmp_path):
    """As between the nights of a daemon."""
    (tmp_path / "store/docs/a.txt").write_text("x")
    assert source(tmp_path, server.port).listing().entries
    server.hang_up()
    assert source(tmp_path, server.port).listing().entries


def test_who_may_not_in_and_where_nobody_answers(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SFTP_PASSWORD", "falsch-9f3")
    with pytest.raises(SourceError, match=r"AuthenticationException: Authentication failed") as raised:
        source(tmp_path, server.port).listing()
    assert "falsch-9f3" not in str(raised.value)
    with pytest.raises(SourceError, match=r"source = 'sftp://127\.0\.0\.1:1/docs': ") as raised:
        source(tmp_path, 1).listing()
    assert raised.value.exit_code == 1


def test_the_line_and_a_feed(server, tmp_path):
    docs = tmp_path / "store/docs"
    (docs / "pumpe.txt").write_text("Die Pumpe läuft seit drei Tagen.", encoding="utf-8")
    made = config(tmp_path, server.port)
    opened = Workspace(made)
    opened._encoders = _ENCODERS
    report = run(opened, plain_driver)
    assert (report.documents["created"], report.failed, report.errors) == (1, (), ())
    assert "Die Pumpe" in index_rows(opened)["text"][0]
    (docs / "feed.jsonl").write_text('{"kind": "create", "uri": "pumpe.txt"}\n')
    options = {"username": USER, "password": PASSWORD, "look_for_keys": False, "allow_agent": False}
    _, end, _ = Feed(f"sftp://127.0.0.1:{server.port}/docs/feed.jsonl", options).events(None)
    assert end == 39
