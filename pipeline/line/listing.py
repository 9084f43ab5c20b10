"""What a source holds now: followed by its change feed where there is one that can be trusted, else listed."""

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.estate.feed import Cursor, FeedGapError, followed, rules_of
from pipeline.estate.identity import collection_name
from pipeline.estate.source import Listing, reason_of
from pipeline.estate.sources import open_feed, open_source
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

if TYPE_CHECKING:
    import polars as pl

    from pipeline.config import CollectionConfig, Config
    from pipeline.tables.lake import Lake


def listed(
    config: "Config",
    lake: "Lake",
    collection: "CollectionConfig",
    documents: "pl.DataFrame",
    *,
    now: datetime,
    say: Callable[[str], None],
) -> tuple[Listing, Cursor | None]:
    """What the source holds, and how far its feed was followed (None: there is none, or it cannot be read).

    The cursor is to be kept once the documents of the listing are published; until then the same events are looked at
    again.

    Raises:
        SourceError: the source cannot be listed.
    """
    source = open_source(config, collection)
    if not collection.feed:
        return source.listing(now), None
    feed, rules = open_feed(config, collection), rules_of(collection)
    try:
        known = _trusted_cursor(lake, collection, rules)
        touched, position, mark = feed.events(known)
        listing = followed(source, collection, known, touched=touched, known=documents.to_dicts(), now=now)
    except (FeedGapError, OSError) as gap:
        why = reason_of(gap) if isinstance(gap, OSError) else str(gap)
        say(f"{collection.name}: listing all, the feed does not suffice: {why}")
        try:  # its end before the listing: what comes meanwhile is looked at once more
            _, position, mark = feed.events(None)
        except OSError as error:
            say(f"{collection.name}: the feed cannot be read: {reason_of(error)}")
            return source.listing(now), None
        listing = source.listing(now)
    places = {entry.uri: entry.location for entry in listing.entries} | listing.sidecars
    if any(place != source.location_of(uri) for uri, place in places.items()):
        say(f"{collection.name}: names are not in Unicode NFC, so the feed cannot be followed")
        return listing, None
    waiting = tuple(entry.uri for entry in listing.waiting)
    return listing, Cursor(position, mark, rules, (), tuple(sorted(listing.sidecars)), waiting)


def keep_cursor(lake: "Lake", collection: str, cursor: Cursor) -> None:
    """Remember how far a feed was followed. Only when all documents of the collection are published."""
    kept = replace(cursor, partitions=_partitions(lake, collection))
    if kept != _cursor(lake, collection):
        row = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(kept).items()}
        lake.publish(s.FEEDS, collection, s.FEEDS.frame([{c.COLLECTION: collection, **row}]), "")


def _trusted_cursor(lake: "Lake", collection: "CollectionConfig", rules: str) -> Cursor:
    """How far the feed was followed, if that still says what is known."""
    cursor = _cursor(lake, collection.name)
    if cursor is None:
        raise FeedGapError("it was not followed yet")
    if cursor.rules != rules:
        raise FeedGapError("the settings of the collection changed")
    if not set(cursor.partitions) <= set(_partitions(lake, collection.name)):
        raise FeedGapError("documents that were known are not in the lake")
    return cursor


def _cursor(lake: "Lake", collection: str) -> Cursor | None:
    for row in lake.current(s.FEEDS, collection).iter_rows(named=True):
        lists = (tuple(row[name]) for name in (c.PARTITIONS, c.SIDECARS, c.PENDING))
        return Cursor(row[c.POSITION], row[c.MARK], row[c.RULES], *lists)
    return None


def _partitions(lake: "Lake", collection: str) -> tuple[str, ...]:
    return tuple(n for n in lake.partitions(s.DOCUMENTS) if collection_name(n) == collection)
