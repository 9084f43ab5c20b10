"""Earlier editions: what documents said before they were edited in place, where their collection keeps that.

An earlier edition is a document of its own, with the bytes and the metadata of then and the access groups of now. Its id
shares the first digits of the document's, so both lie in one partition, however many there are. A text that comes back is
in force again, and one row: it answers from its first day on.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

import polars as pl

from pipeline.config import CollectionConfig
from pipeline.estate.identity import UNREAD_VERSION, Row, document_id
from pipeline.estate.media import suffix_of
from pipeline.estate.rows import metadata_hash
from pipeline.estate.scan import Scan
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import DOCUMENTS, KEPT_VERSIONS, Table

_BUCKET_DIGITS: Final = 8
_SHOWN_DIGITS: Final = 12


def edition_id(doc_id: str, version_id: str) -> str:
    """The id of an earlier edition as a document: 32 hexadecimal digits, in the partition of its document."""
    return doc_id[:_BUCKET_DIGITS] + fingerprint("edition", doc_id, version_id)[_BUCKET_DIGITS:]


def file_name(row: Row) -> str:
    """The name under which the bytes of a row of `documents` or `kept_versions` are kept; its ending decides the reader."""
    return edition_id(row[c.DOC_ID], row[c.VERSION_ID]) + suffix_of(row[c.URI])


def keeps_history(row: Row, collection: CollectionConfig) -> bool:
    """Whether the version of a document that stands in this row is kept when it is edited."""
    return row[c.VERSION_ID] != UNREAD_VERSION and collection.keeps(row[c.DOCUMENT_CLASS])


def without_editions(documents: pl.DataFrame) -> pl.DataFrame:
    """The rows of `documents` that are in the source; of the others the id does not follow from the external id."""
    key = (c.STATUS, c.DOC_ID, c.COLLECTION, c.EXTERNAL_ID)
    own = [
        status != "superseded" or doc_id == document_id(collection, external_id)
        for status, doc_id, collection, external_id in documents.select(key).iter_rows()
    ]
    return documents.filter(pl.Series(own, dtype=pl.Boolean))


def with_editions(
    scan: Scan,
    previous: pl.DataFrame,
    kept: pl.DataFrame,
    held: Collection[str],
    place: Callable[[str], str],
) -> Scan:
    """The scan with the earlier editions of its documents.

    Args:
        scan: what is in the source, and what changed.
        previous: DOCUMENTS rows as published, without earlier editions.
        kept: KEPT_VERSIONS rows of the collection as published.
        held: names of the files that are kept.
        place: from such a name to where the file lies.
    """
    settings = scan.collection
    before, known = previous.to_dicts(), kept.to_dicts()
    present = {
        row[c.DOC_ID]: row for row in scan.documents.iter_rows(named=True) if keeps_history(row, settings)
    }
    chains = _chains(present, before, known, held)
    rows: list[Row] = []
    locations = dict(scan.locations)
    begins: dict[str, date | None] = {}
    for doc_id, chain in chains.items():
        now = present[doc_id]
        starts = {row[c.VERSION_ID]: row[c.VALID_FROM] for row in chain}
        end: date | None = None
        for row, successor in pairwise([*chain, now]):
            end = _begin(successor, row)
            if row[c.VERSION_ID] != now[c.VERSION_ID]:
                rows.append(_edition(row, now, end))
                locations[rows[-1][c.URI]] = place(file_name(row))
        begins[doc_id] = starts.get(now[c.VERSION_ID], end)
    wanted = {file_name(row) for row in (*present.values(), *_flat(chains.values()))}
    published = {file_name(row) for row in before if keeps_history(row, settings)}
    published |= {file_name(row) for row in known}
    begin = pl.col(c.DOC_ID).replace_strict(begins, default=pl.col(c.VALID_FROM), return_dtype=pl.Date)
    return replace(
        scan,
        documents=pl.concat([scan.documents.with_columns(begin.alias(c.VALID_FROM)), DOCUMENTS.frame(rows)]),
        locations=locations,
        kept=_frame(KEPT_VERSIONS, _flat(chains.values())),
        unsettled=frozenset(
            {f"{name} is missing" for name in (wanted & published) - set(held)}
            | {f"{name} is left over" for name in set(held) - wanted - published}
        ),
    )


def with_read_pages(pages: pl.DataFrame, kept: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Rows by page, once more under the id that the same version has, or had, as an edition: it need not be read again.

    Args:
        pages: rows of `table`, which has doc_id and version_id.
        kept: KEPT_VERSIONS rows.
        table: decides the key.
    """
    pairs = [(doc, version, edition_id(doc, version)) for doc, version in kept.select(c.VERSION_KEY).rows()]
    pairs += [(edition, version, doc) for doc, version, edition in pairs]
    names = pl.DataFrame(
        pairs, schema={c.DOC_ID: pl.String, c.VERSION_ID: pl.String, "other": pl.String}, orient="row"
    )
    moved = pages.join(names, on=c.VERSION_KEY).with_columns(pl.col("other").alias(c.DOC_ID))
    return pl.concat([pages, moved.select(pages.columns).join(pages, on=table.key, how="anti")])


def _chains(
    present: dict[str, Row], before: Iterable[Row], known: Iterable[Row], held: Collection[str]
) -> dict[str, list[Row]]:
    """The earlier editions of each document that has some, in order; those that were replaced just now come last."""
    versions: dict[str, dict[str, Row]] = {}
    for row in known:
        if row[c.DOC_ID] in present:
            versions.setdefault(row[c.DOC_ID], {})[row[c.VERSION_ID]] = row
    for old in before:
        now = present.get(old[c.DOC_ID])
        if (
            now is None
            or old[c.VERSION_ID] in {UNREAD_VERSION, now[c.VERSION_ID]}
            or file_name(old) not in held
        ):
            continue
        chain = versions.setdefault(old[c.DOC_ID], {})
        chain.pop(old[c.VERSION_ID], None)
        chain[old[c.VERSION_ID]] = old | {
            c.NUMBER: 1 + max((row[c.NUMBER] for row in chain.values()), default=0),
            c.REPLACED_ON: now[c.MODIFIED_AT].date(),
        }
    return {
        doc_id: sorted(chain.values(), key=lambda row: row[c.NUMBER]) for doc_id, chain in versions.items()
    }


def _begin(successor: Row, row: Row) -> date:
    """The first day of an edition: the one that it declares if it is later than that of the one before, else that of the edit."""
    declared, first = successor[c.EFFECTIVE_DATE], row[c.VALID_FROM]
    if declared is not None and (first is None or declared > first):
        return declared
    return max(row[c.REPLACED_ON], first or date.min)


def _edition(row: Row, now: Row, end: date) -> Row:
    """The row of an earlier edition in `documents`. It answers no longer, and to nobody else, than its document may."""
    expiry = row[c.EXPIRY_DATE]
    expired = expiry + timedelta(days=1) if expiry is not None and expiry < date.max else None
    made = (
        {name: row.get(name) for name in DOCUMENTS.schema.names()}
        | {
            c.DOC_ID: edition_id(row[c.DOC_ID], row[c.VERSION_ID]),
            c.COLLECTION: now[c.COLLECTION],
            c.EXTERNAL_ID: now[c.EXTERNAL_ID],
            c.URI: f"{now[c.URI]}/{row[c.VERSION_ID][:_SHOWN_DIGITS]}{suffix_of(row[c.URI])}",  # no file lies below a file
            c.SUPERSEDES: [],
            c.SUPERSEDED_BY: now[c.DOC_ID],
            c.VALID_TO: min(day for day in (end, expired, now[c.VALID_TO]) if day is not None),
            c.ACL_GROUPS: now[c.ACL_GROUPS],
            c.STATUS: "superseded",
            c.ERROR: None,
            c.ETAG: "",
            c.LAST_SEEN: now[c.LAST_SEEN],
        }
    )
    return made | {c.METADATA_HASH: metadata_hash(made)}


def _flat(chains: Iterable[Iterable[Row]]) -> list[Row]:
    return [row for chain in chains for row in chain]


def _frame(table: Table, rows: Iterable[Row]) -> pl.DataFrame:
    return table.frame([{name: row[name] for name in table.schema.names()} for row in rows])
