"""Filters of a query as DataFusion expressions, which LanceDB applies before it ranks.

Only typed values come in and only `literal` writes them, so nothing that a user typed can become syntax. Names of
columns are constants. Groups that are null make the whole filter null, which means no: access fails closed.
"""

from collections.abc import Iterable
from datetime import date
from typing import Final

from pipeline.retrieval.query import Query
from pipeline.tables import columns as c

PUBLIC: Final = "public"


def literal(value: str | date) -> str:
    """A value as a DataFusion literal. In standard SQL the quote, doubled, is the only character to escape."""
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return "'" + value.replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """The column has one of the values; with no values: never."""
    listed = ", ".join(literal(value) for value in sorted(set(values)))
    return f"{column} IN ({listed})" if listed else "false"


def none_of(column: str, values: Iterable[str]) -> str:
    """The column is null or has none of the values; with no values: always."""
    listed = ", ".join(literal(value) for value in sorted(set(values)))
    return f"({column} IS NULL OR {column} NOT IN ({listed}))" if listed else "true"


def groups_of(query: Query) -> frozenset[str]:
    """The groups whose documents the asker may see: his own and the public."""
    return frozenset({PUBLIC, *query.groups})


def permitted(query: Query) -> str:
    """What the asker may see, whether in force or not."""
    groups = ", ".join(literal(group) for group in sorted(groups_of(query)))
    return f"array_has_any({c.ACL_GROUPS}, [{groups}])"


def visible(query: Query, as_of: date, *, few: bool = False) -> str:
    """What the asker may see and what is in force on the day.

    Args:
        query: whose groups count.
        as_of: the day. A row answers from valid_from on (null: always did) until the day before valid_to (null: still
            does).
        few: another filter beside this one leaves few rows. Their days are then compared one by one; the index of a date
            would gather every row in force first (measured: 4 ms a column for 200,000 rows).
    """
    day = literal(as_of)
    if few:  # LanceDB asks no index for this spelling
        days = f"({c.VALID_FROM} > {day}) IS NOT TRUE AND ({c.VALID_TO} <= {day}) IS NOT TRUE"
    else:
        days = (
            f"({c.VALID_FROM} IS NULL OR {c.VALID_FROM} <= {day})"
            f" AND ({c.VALID_TO} IS NULL OR {c.VALID_TO} > {day})"
        )
    return f"{permitted(query)} AND {days}"


def wanted(query: Query, as_of: date, *, few: bool = False) -> str:
    """`visible`, and the collections, classes, languages and confidence that the query asks for."""
    parts = [visible(query, as_of, few=few)]
    for column, values in (
        (c.COLLECTION, query.collections),
        (c.DOCUMENT_CLASS, query.classes),
        (c.LANGUAGE, query.languages),
    ):
        if values:
            parts.append(one_of(column, values))
    if not query.include_low_confidence:
        parts.append(f"{c.LOW_CONFIDENCE} = false")
    return " AND ".join(parts)
