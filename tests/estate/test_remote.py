"""Sources behind a URL: what is listed, what an etag promises, and that an error deletes nothing."""

import functools
import http.server
import importlib.util
import unicodedata
from datetime import UTC, datetime, timedelta

import fsspec
import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import _registry

from pipeline.config import CollectionConfig, ConfigError, parse_config
from pipeline.estate.remote import RemoteFolder
from pipeline.estate.scan import scan_collection
from pipeline.estate.source import NoSourceError, SourceError, content_hashes
from pipeline.estate.sources import open_source
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS
from tests.loopback import serving


@pytest.fixture
def memory(tmp_path):
    """A folder in fsspec's memory, of this test alone."""
    fs = fsspec.filesystem("memory")
    root = f"/{tmp_path.name}"
    yield lambda name, content=b"x": fs.pipe_file(f"{root}/{name}", content), f"memory:/{root}"
    fs.rm(root, recursive=True)


def source(url, **settings):
    rules = CollectionConfig(name="docs", source=url, **settings)
    return RemoteFolder(url, rules, settings.get("storage_options", {}))


def scan(remote, before=None):
    done = scan_collection(remote.listing(), DOCUMENTS.empty() if before is None else before, remote.rules)
    kinds = dict(done.changes.group_by("kind").agg(pl.col(c.URI).sort()).rows())
    return kinds, done.documents


class TestListing:
    def test_everything_below_is_listed_as_in_a_folder(self, memory):
        write, url = memory
        nfd = unicodedata.normalize("NFD", "Ö/ü.txt")
        names = ("b.txt", "a/z/y.txt", nfd, ".git/x.txt", "~$a.docx", "a.pdf.meta.toml", "a/_defaults.toml")
        for name in names:
            write(name, b"12345")
        listing = source(url).listing()
        assert [e.uri for e in listing.entries] == ["a/z/y.txt", "b.txt", unicodedata.normalize("NFC", nfd)]
        assert {e.size for e in listing.entries} == {5}
        assert set(listing.sidecars) == {"a.pdf.meta.toml", "a/_defaults.toml"}
        assert listing.unreadable == {}

    def test_patterns_leave_out(self, memory):
        write, url = memory
        for name in ("a.txt", "a.bak", "drafts/b.txt"):
            write(name)
        listing = source(url, exclude=("*.bak", "drafts/")).listing()
        assert [e.uri for e in listing.entries] == ["a.txt"]

    def test_an_empty_place_is_an_error_and_not_an_empty_collection(self, memory):
        write, url = memory
        with pytest.raises(NoSourceError, match=f"^source = '{url}': "):
            source(url).listing()
        write(".keep", b"")
        assert source(url).listing().entries == ()

    def test_a_file_is_no_folder(self, memory):
        write, url = memory
        write("a.txt")
        with pytest.raises(NoSourceError, match="is a file, not a folder"):
            source(f"{url}/a.txt").listing()

    def test_an_unknown_protocol_is_named(self):
        with pytest.raises(NoSourceError, match="source = 'gopher://x': ValueError: Protocol not known"):
            source("gopher://x").listing()

    @pytest.mark.parametrize(
        ("url", "package"), [("gs://b/x", "gcsfs"), ("az://b/x", "adlfs"), ("abfs://b@c/x", "adlfs")]
    )
    def test_a_store_whose_package_is_missing_says_what_to_install(self, url, package):
        if importlib.util.find_spec(package):
            pytest.skip(f"{package} is installed")
        with pytest.raises(
            NoSourceError, match=f"source = '{url}': a package .* is not installed: pip install {package} "
        ):
            source(url).listing()

    def test_options_reach_the_store_of_each_kind(self, monkeypatch):
        """Of stores that are not here: with a file system in their place that keeps what it is opened with."""
        opened = []

        class Bucket(MemoryFileSystem):
            cachable = False

            def __init__(self, **options):
                opened.append(options)
                super().__init__()

        for protocol, options in (
            ("gs", {"project": "p", "endpoint_url": "http://x"}),
            ("az", {"account_name": "a"}),
        ):
            monkeypatch.setitem(_registry, protocol, Bucket)
            with pytest.raises(SourceError, match=f"source = '{protocol}://bucket/x'"):
                source(f"{protocol}://bucket/x", storage_options=options).listing()
            assert opened[-1].items() >= options.items()

    def test_an_error_below_says_nothing_is_known(self, memory, monkeypatch):
        write, url = memory
        write("a.txt")
        write("d/b.txt")
        fs = fsspec.filesystem("memory")
        real = fs.ls

        def broken(error):
            def ls(path, detail=True, **options):
                if path.endswith("/d"):
                    raise error
                return real(path, detail=detail, **options)

            monkeypatch.setattr(type(fs), "ls", staticmethod(ls))

        broken(TimeoutError("timed out"))
        with pytest.raises(SourceError, match="timed out") as raised:
            source(url).listing()
        assert raised.value.exit_code == 1, "no setting is wrong"
        broken(PermissionError(13, "Permission denied"))
        listing = source(url).listing()
        assert [e.uri for e in listing.entries] == ["a.txt"]
        assert listing.unreadable == {"d": "Permission denied"}


class TestScan:
    def test_life_of_a_document(self, memory):
        write, url = memory
        remote = source(url)
        write("a.txt", b"one")
        write("b.txt", b"two")
        write("b.txt.meta.toml", b'title = "B"\nacl_groups = ["board"]')
        kinds, documents = scan(remote)
        assert kinds == {"created": ["a.txt", "b.txt"]}
        assert documents.sort(c.URI)[c.TITLE].to_list() == ["a", "B"]
        assert documents.sort(c.URI)[c.ACL_GROUPS].to_list() == [["public"], ["board"]]
        ids = dict(documents.select(c.URI, c.DOC_ID).rows())
        write("a.txt", b"ONE")  # the same size; memory has no etags, so it is read
        kinds, documents = scan(remote, documents)
        assert kinds == {"unchanged": ["b.txt"], "updated": ["a.txt"]}
        fsspec.filesystem("memory").mv(f"{url}/a.txt", f"{url}/x/c.txt")
        kinds, documents = scan(remote, documents)
        assert kinds == {"unchanged": ["b.txt"], "renamed": ["x/c.txt"]}
        assert dict(documents.select(c.URI, c.DOC_ID).rows()) == {
            "x/c.txt": ids["a.txt"],
            "b.txt": ids["b.txt"],
        }
        fsspec.filesystem("memory").rm(f"{url}/x/c.txt")
        kinds, documents = scan(remote, documents)
        assert kinds == {"unchanged": ["b.txt"], "deleted": ["x/c.txt"]}

    def test_an_object_that_cannot_be_read_keeps_its_last_good_state(self, memory, monkeypatch):
        write, url = memory
        remote = source(url)
        write("a.txt", b"one")
        write("b.txt", b"two")
        _, documents = scan(remote)
        real = type(fsspec.filesystem("memory")).open

        def opened(fs, path, *args, **options):
            if path.endswith("a.txt"):
                raise RuntimeError("the line broke")  # what is no OSError, too
            return real(fs, path, *args, **options)

        monkeypatch.setattr(type(fsspec.filesystem("memory")), "open", opened)
        write("b.txt", b"TWO")
        kinds, after = scan(remote, documents)
        assert kinds == {"failed": ["a.txt"], "updated": ["b.txt"]}
        row = after.row(by_predicate=pl.col(c.URI) == "a.txt", named=True)
        assert row[c.ERROR] == "unreadable: RuntimeError: the line broke"
        assert (
            row[c.VERSION_ID]
            == documents.row(by_predicate=pl.col(c.URI) == "a.txt", named=True)[c.VERSION_ID]
        )


class TestEtags:
    NOW = datetime(2026, 1, 2, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("info", "trusted", "etag"),
        [
            ({"ETag": '"abc"', "LastModified": NOW}, False, '"abc"-3-2026-01-02T00:00:00+00:00'),
            ({"etag": "abc", "last_modified": NOW - timedelta(1)}, False, "abc-3-2026-01-01T00:00:00+00:00"),
            ({"generation": 7, "updated": "2026-01-01T00:00:00Z"}, False, "7-3-2026-01-01T00:00:00+00:00"),
            ({"ETag": 'W/"abc"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}, False, ""),
            ({"ETag": 'W/"abc"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}, True, "3-2026-01-01T00:00:00+00:00"),
            ({"mtime": 1_700_000_000}, False, ""),
            ({"mtime": 1_700_000_000}, True, "3-2023-11-14T22:13:20+00:00"),
            ({"mtime": NOW.timestamp() - 1}, True, ""),  # it may change again in the same tick
            ({}, True, ""),
        ],
    )  # fmt: skip
    def test_what_each_store_says_is_taken_for_what_it_is(self, info, trusted, etag):
        remote = source("memory://x", trust_times=trusted)
        assert remote._as_found("a.txt", "/x/a.txt", info | {"size": 3}, "", self.NOW).etag == etag


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_folders_that_a_web_server_lists(tmp_path):
    pytest.importorskip("aiohttp")
    for name in ("a b.txt", "Ö/ü#1.txt", "Ö/deep/x.txt", "b.txt.meta.toml", "b.txt"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "other.txt").write_text("not below")
    with serving(functools.partial(_Quiet, directory=tmp_path)) as address:
        remote = source(f"{address}/docs/")
        listing = remote.listing()
        assert [e.uri for e in listing.entries] == ["a b.txt", "b.txt", "Ö/deep/x.txt", "Ö/ü#1.txt"]
        assert list(listing.sidecars) == ["b.txt.meta.toml"]
        assert [e.size for e in listing.entries] == [len(e.uri.encode()) for e in listing.entries]
        assert all(e.modified_at.year > 2000 for e in listing.entries)
        assert {e.uri: e.location for e in listing.entries} == {
            e.uri: remote.location_of(e.uri) for e in listing.entries
        }
        hashes = content_hashes(listing.entries, listing.read)
        assert all(isinstance(digest, str) for digest in hashes.values())
        (tmp_path / "docs/a b.txt").unlink()
        assert isinstance(content_hashes(listing.entries[:1], listing.read)["a b.txt"], OSError)
        with pytest.raises(NoSourceError):
            source(f"{address}/nothing").listing()
    with pytest.raises(SourceError) as raised:
        remote.listing()
    assert raised.value.exit_code == 1, "nobody answers"


class TestSettings:
    def config(self, tmp_path, **collection):
        raw = {"collections": [{"name": "docs", "source": "s3://bucket/docs"} | collection]}
        return parse_config(raw, base=tmp_path)

    def test_secrets_come_from_the_environment(self, tmp_path, monkeypatch):
        options = {
            "secret": "env:KESIT_TEST",
            "client_kwargs": {"endpoint_url": "http://x", "token": "env:KESIT_TEST"},
        }
        config = self.config(tmp_path, storage_options=options)
        monkeypatch.delenv("KESIT_TEST", raising=False)
        with pytest.raises(
            ConfigError, match=r"'docs': storage_options\.secret: the environment variable 'KESIT_TEST'"
        ):
            open_source(config, config.collections[0])
        monkeypatch.setenv("KESIT_TEST", "hush")
        opened = open_source(config, config.collections[0])
        assert opened.options == {
            "secret": "hush",
            "client_kwargs": {"endpoint_url": "http://x", "token": "hush"},
        }
        assert "hush" not in repr(config)
        assert "hush" not in repr(opened)

    @pytest.mark.parametrize(
        ("collection", "message"),
        [
            ({"storage_options": {"secret": "hush"}}, 'secret must be "env:" and the name of an environment variable'),
            ({"storage_options": {"client_kwargs": {"aws_secret_access_key": "hush"}}}, "aws_secret_access_key must be"),
            ({"storage_options": {"secret": "env:hush hush"}}, "secret must be"),
            ({"storage_options": {"endpoint_url": "env:"}}, "endpoint_url must be"),
            ({"storage_options": "hush"}, "must be a valid dictionary"),
            ({"source": "sftp://me:hush@host/x"}, "must hold no password or query"),
            ({"source": "https://host/x?token=hush"}, "must hold no password or query"),
            ({"source": "docs", "storage_options": {"anon": True}}, "are for a source that is a URL"),
            ({"source": "docs", "trust_times": True}, "trust_times is for a source that is a URL"),
        ],
    )  # fmt: skip
    def test_what_may_be_a_secret_is_refused_and_not_repeated(self, tmp_path, collection, message):
        with pytest.raises(ConfigError, match=message) as raised:
            self.config(tmp_path, **collection)
        assert "hush" not in str(raised.value)

    @pytest.mark.parametrize(
        ("lake", "inner"), [("s3://bucket/docs/lake", "s3://other/x"), ("lake", "s3://bucket/docs/inner")]
    )
    def test_places_inside_one_another_are_refused(self, tmp_path, lake, inner):
        raw = {
            "collections": [
                {"name": "docs", "source": "s3://bucket/docs"},
                {"name": "inner", "source": inner},
            ],
            "lake": {"root": lake},
        }
        with pytest.raises(ConfigError, match="must not lie inside"):
            parse_config(raw, base=tmp_path)
