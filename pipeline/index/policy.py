"""Who may see a document and when it answers, applied to a build that was made earlier.

Deletions and closed access never wait for a better build: they hold for what is live, and for what goes live again.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from pipeline.estate.validity import with_dates_read
from pipeline.index.build import BATCH, KEEP_VERSIONS
from pipeline.index.pointer import Build, find_pointer, write_pointer
from pipeline.index.tables import connect, one_of, open_version, read_columns, to_arrow
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from lancedb.table import Table

_POLICY: Final = (c.ACL_GROUPS, c.VALID_FROM, c.DATE_SOURCE, c.VALID_TO, c.SUPERSEDED_BY)


@dataclass(frozen=True)
class Differences:
    """How the rows of a build differ from the policy of today.

    Attributes:
        gone: doc_id of documents that are no longer in the estate.
        gone_rows: how many rows they have.
        moved: chunk_id and today's policy of rows whose policy moved; row_hash is blank, so that the next build takes
            the row for changed.
    """

    gone: tuple[str, ...]
    gone_rows: int
    moved: pl.DataFrame

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.gone) or self.moved.height > 0


def differences(table: "Table", documents: pl.DataFrame) -> Differences:
    """Compare the rows of an open table with the documents of today.

    Args:
        table: rows of an index, at any version.
        documents: table `documents` of the whole estate.
    """
    # A build of an earlier schema does not say who dated a document.
    policy = [name for name in _POLICY if name in table.schema.names]
    held = read_columns(table, (c.CHUNK_ID, c.DOC_ID, *policy))
    today = documents.unique(c.DOC_ID, keep="last", maintain_order=True)
    today = with_dates_read(today, _dates_read(held, today)).select(c.DOC_ID, *policy)
    gone = held.join(today, on=c.DOC_ID, how="anti")
    now = held.select(c.CHUNK_ID, c.DOC_ID).join(today, on=c.DOC_ID, how="inner")
    was = held.select(c.CHUNK_ID, pl.struct(policy).alias("was"))
    moved = (
        now.join(was, on=c.CHUNK_ID, how="inner")
        .filter(pl.struct(policy).ne_missing(pl.col("was")))
        .select(c.CHUNK_ID, *policy, pl.lit("").alias(c.ROW_HASH))
    )
    return Differences(tuple(gone[c.DOC_ID].unique().sort()), gone.height, moved)


def _dates_read(held: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """The dates that a build read in documents, as `with_dates_read` takes them: its rows keep them while nothing else dates them."""
    if c.DATE_SOURCE not in held.columns:
        return documents.select(*c.VERSION_KEY, pl.lit(None, pl.Date).alias(c.DATE_READ)).clear()
    read = held.filter(pl.col(c.DATE_SOURCE) == "document").unique(
        c.DOC_ID, keep="first", maintain_order=True
    )
    return read.select(c.DOC_ID, pl.col(c.VALID_FROM).alias(c.DATE_READ)).join(
        documents.select(c.VERSION_KEY), on=c.DOC_ID
    )


def apply(table: "Table", found: Differences) -> None:
    """Delete and update rows of a table that is open at its latest version."""
    for start in range(0, len(found.gone), BATCH):
        table.delete(one_of(c.DOC_ID, list(found.gone[start : start + BATCH])))
    for batch in found.moved.iter_slices(BATCH):
        if batch.height:
            table.merge_insert(c.CHUNK_ID).when_matched_update_all().execute(to_arrow(batch))
    table.optimize(cleanup_older_than=KEEP_VERSIONS)


def kept_true(root: str, build: Build, documents: pl.DataFrame) -> Build:
    """The build without what was deleted or closed since it was made: itself when nothing was, else a new version of it.

    Args:
        root: folder or URL of the index.
        build: any build that is still there.
        documents: table `documents` of the whole estate as it is now.

    Raises:
        IndexMissingError: its table or version is not there.
    """
    table = open_version(connect(root), build.table, build.version)
    found = differences(table, documents)
    if not found:
        return build
    table.restore()  # a new version, on top of all others, with the content of this one
    apply(table, found)
    return build.model_copy(update={"version": table.version, "rows": table.count_rows()})


def keep_live(root: str, documents: pl.DataFrame) -> bool:
    """Take from the live build what was deleted or closed since it was made; it stays the same build otherwise.

    For runs after which no new build goes live: it was kept back, or a stage stopped before there was one.

    Args:
        root: folder or URL of the index.
        documents: table `documents` of the whole estate as it is now.

    Returns:
        Whether anything had moved; no version was made otherwise.

    Raises:
        IndexMissingError: what the pointer names is not there.
    """
    pointer = find_pointer(root)
    if pointer is None:
        return False
    kept = kept_true(root, pointer.current, documents)
    if kept == pointer.current:
        return False
    write_pointer(root, pointer.model_copy(update={"current": kept}))
    return True
