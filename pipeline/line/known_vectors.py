"""Which strings have their vector already, in whatever partition: looked up once in a run."""

from typing import Final

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import Table

_KEY: Final = "key"
_PARTITION: Final = "partition"


class KnownVectors:
    """Where the vectors of one table lie: eight bytes and a name for each string of the estate.

    What another process publishes meanwhile is not seen: such a string is embedded twice, to the same vector.

    Args:
        lake: the tables.
        table: the vectors of one encoder.
    """

    def __init__(self, lake: Lake, table: Table) -> None:
        self._lake = lake
        self._table = table
        self._places: pl.DataFrame | None = None

    def rows(self, partition: str, wanted: pl.DataFrame) -> pl.DataFrame:
        """Rows of the wanted strings: of this partition's own table and, for what is missing there, of the others.

        Args:
            partition: the partition that is to be embedded. Later calls expect its strings there.
            wanted: embed_hash, distinct.
        """
        own = self._lake.current(self._table, partition).join(wanted, on=c.EMBED_HASH, how="semi")
        found = [own]
        missing = wanted.join(own, on=c.EMBED_HASH, how="anti")
        if missing.height:
            keyed = missing.select(c.EMBED_HASH, _key())
            held = self._all().filter(pl.col(_PARTITION) != partition)
            hopes = keyed.join(held, on=_KEY, how="inner", maintain_order="right")
            for other in hopes[_PARTITION].unique(maintain_order=True):
                hoped = missing.join(hopes.filter(pl.col(_PARTITION) == other), on=c.EMBED_HASH, how="semi")
                if hoped.height:
                    rows = self._lake.current(self._table, other).join(hoped, on=c.EMBED_HASH, how="semi")
                    found.append(rows)
                    missing = missing.join(rows, on=c.EMBED_HASH, how="anti")
            new = keyed.select(_KEY, pl.lit(partition).alias(_PARTITION))
            self._places = pl.concat([self._all(), new.cast(self._all().schema)])  # pyright: ignore[reportArgumentType]
        return pl.concat(found)

    def _all(self) -> pl.DataFrame:
        if self._places is None:
            names = self._lake.partitions(self._table)
            parts = (
                self._lake.current(self._table, name, [c.EMBED_HASH]).select(
                    _key(), pl.lit(name).alias(_PARTITION).cast(pl.Categorical)
                )
                for name in names
            )
            empty = pl.DataFrame(schema={_KEY: pl.UInt64, _PARTITION: pl.Categorical})
            self._places = pl.concat([empty, *parts])
        return self._places


def _key() -> pl.Expr:
    """Sixty-four bits of a hash: two strings that share them only cost a look into a file."""
    return pl.col(c.EMBED_HASH).hash(seed=0).alias(_KEY)
