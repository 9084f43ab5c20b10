"""A folder of documents that changes, and its documents table from scan to scan."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from pipeline.config import CollectionConfig
from pipeline.estate.scan import Scan, scan_collection
from pipeline.tables import columns as c
from pipeline.tables.lake import validate
from pipeline.tables.schemas import DOCUMENTS
from tests.estate.listings import list_folder


class Estate:
    """Attributes:
    root: the folder.
    documents: the documents table as of the last scan.
    """

    def __init__(self, root: Path, **settings) -> None:
        self.root = root
        self.collection = CollectionConfig(name="contracts", source=str(root), **settings)
        self.documents = DOCUMENTS.empty()
        root.mkdir(exist_ok=True)

    def write(self, uri, content="text", sidecar=None):
        path = self.root / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if sidecar is not None:
            self.sidecar(uri, sidecar)

    def sidecar(self, uri, text):
        (self.root / f"{uri}.meta.toml").write_text(text, encoding="utf-8")

    def delete(self, uri):
        (self.root / uri).unlink()

    def rename(self, old, new):
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def look(self, *, settled=False) -> Scan:
        """Scan, and forget it. Settled: as if the last change lay an hour back, so that times can be relied on."""
        now = datetime.now(UTC) + timedelta(hours=settled)
        listing = list_folder(str(self.root), rules=self.collection, now=now)
        return scan_collection(listing, self.documents, self.collection, now=now)

    def scan(self, *, settled=False) -> dict[str, list[str]]:
        """Scan, publish, and say which uris had which kind of change."""
        scan = self.look(settled=settled)
        validate(DOCUMENTS, "contracts.0", scan.documents)
        assert scan.documents[c.DOC_ID].is_unique().all(), "two rows of one document"
        self.documents = scan.documents
        kinds: dict[str, list[str]] = {}
        for kind, uri in scan.changes.select("kind", c.URI).sort("kind", c.URI).rows():
            kinds.setdefault(kind, []).append(uri)
        return kinds

    def row(self, uri):
        return self.documents.row(by_predicate=pl.col(c.URI) == uri, named=True)

    def ids(self):
        return dict(self.documents.select(c.URI, c.DOC_ID).rows())


@pytest.fixture
def estate(tmp_path):
    return Estate(tmp_path / "estate")


@pytest.fixture
def new_estate(tmp_path):
    """Further estates with settings of their own."""
    return lambda name="other", **settings: Estate(tmp_path / name, **settings)


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
