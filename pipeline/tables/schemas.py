"""The tables of the lake: columns, types, keys and rules. Grain and meaning of each stand at its definition.

Longer than 400 lines, because the contracts of all tables stand in one place.

Every table is validated against its pandera schema before it is published (`lake.py`) and in an asset check.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from pipeline.config import CRITERIA, LANGUAGES, UNKNOWN
from pipeline.tables import columns as c
from pipeline.tables.vectors import searchable

if TYPE_CHECKING:
    import pandera.polars as pa
    from polars._typing import PolarsDataType

Rules = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Table:
    """One table of the lake.

    Attributes:
        name: folder of the table below the lake's root.
        grain: what one row is.
        key: columns that are unique together; the rows are sorted by them.
        schema: every column with its polars type, in order.
        nullable: columns that may hold nulls; all others may not.
        allowed: the values a column may take, for columns with a closed set.
        filled: list columns of which no list may be empty or hold a null.
        stamps: columns that record when the table was made; no part of its content.
    """

    name: str
    grain: str
    key: tuple[str, ...]
    schema: pl.Schema
    nullable: frozenset[str] = frozenset()
    allowed: Rules = field(default_factory=dict[str, Sequence[str]])
    filled: frozenset[str] = frozenset()
    stamps: frozenset[str] = frozenset()

    def empty(self) -> pl.DataFrame:
        """A frame without rows, with the table's columns and types."""
        return pl.DataFrame(schema=self.schema)

    def frame(self, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
        """A frame of the table from dictionaries, sorted by key. Raises if a value does not fit its type."""
        return pl.DataFrame(list(rows), schema=self.schema, strict=True).sort(self.key)

    @cached_property
    def pandera(self) -> "pa.DataFrameSchema":
        """The contract: exact columns in order, types, nulls, allowed values, unique key, finite floats, no zero vectors, filled lists."""
        import pandera.polars as pa

        return pa.DataFrameSchema(
            {name: pa.Column(dtype, nullable=name in self.nullable, checks=self._checks(name, dtype))
             for name, dtype in self.schema.items()},
            name=self.name,
            strict=True,
            ordered=True,
            unique=list(self.key),
        )  # fmt: skip

    def _checks(self, name: str, dtype: pl.DataType) -> list[Any]:
        import pandera.polars as pa

        checks: list[Any] = []
        if name in self.allowed:
            checks.append(pa.Check.isin(list(self.allowed[name])))
        if name in self.filled:
            checks.append(_check(pl.col(name).list.len() > 0, "not empty"))
            checks.append(_check(~pl.col(name).list.contains(None), "no null in it"))
        if isinstance(dtype, pl.Array):
            checks.append(_check(pl.col(name).map_batches(_searchable, pl.Boolean), "finite and not zero"))
        elif (finite := _finite(pl.col(name), dtype)) is not None:
            checks.append(_check(finite, "finite"))
        return checks


def _check(rule: pl.Expr, error: str) -> "pa.Check":
    """A pandera check of one column by an expression that is true, or null, where the rule is kept."""
    import pandera.polars as pa

    return pa.Check(lambda data: data.lazyframe.select(rule.fill_null(value=True)), error=error)


def _searchable(vectors: pl.Series) -> pl.Series:
    return pl.Series(searchable(vectors.to_numpy()))


def _finite(values: pl.Expr, dtype: "PolarsDataType") -> pl.Expr | None:
    """Whether all floats in a value are finite, however deep they lie; None for a type without floats.

    NaN is not null to polars, and passes every check of nulls. A number in a list may not be null either.
    """
    if isinstance(dtype, pl.Struct):
        fields = (_finite(values.struct.field(field.name), field.dtype) for field in dtype.fields)
        rules = [rule.fill_null(value=True) for rule in fields if rule is not None]
        return pl.all_horizontal(rules) if rules else None
    if isinstance(dtype, pl.List):
        rule = _finite(pl.element(), dtype.inner)
        return None if rule is None else values.list.eval(rule.fill_null(value=False)).list.all()
    return values.is_finite() if dtype.is_float() else None


_LANGUAGES: Final = (*LANGUAGES, UNKNOWN)
BLOCK_KINDS: Final = (
    "title", "heading", "paragraph", "list_item", "table", "caption", "footnote", "code", "figure", "turn",
)  # fmt: skip

SPAN: Final = pl.Struct(dict.fromkeys(("row", "column", "rows", "columns"), pl.Int32))
# Why one copy is canonical and not another: the first criterion of the election in which they differ; "id": none.
REASONS: Final = (*CRITERIA, "id")

BLOCK: Final = pl.Struct(
    {
        "block_id": pl.String,  # "<page>.<n>", unique in the version, in reading order
        "kind": pl.String,  # one of BLOCK_KINDS
        "level": pl.Int16,  # heading: 1 is the highest; list item: nesting from 1; else 0
        "text": pl.String,  # of a table: its cells row by row, tab and newline between them; of a turn: "speaker: text"
        # headings above it, highest first; a heading's own text not included
        "section_path": pl.List(pl.String),
        # left, top, right, bottom in points from the page's top left; empty: unknown
        "bbox": pl.List(pl.Float32),
        "rows": pl.List(pl.List(pl.String)),  # of a table, every row as long as the longest; else empty
        "header_rows": pl.Int16,  # the first rows of a table that name its columns
        # of a table, one for each row: the page that the row stands on. A table over several pages is one block, on the first
        "row_pages": pl.List(pl.Int32),
        # of a table: its merged cells, from 0, the rows and columns that each covers; every one of them repeats the text
        "spans": pl.List(SPAN),
        "caption": pl.String,  # of a table or figure; else ""
        "anchor": pl.String,  # of a footnote: its mark in the text; else ""
        "image_hash": pl.String,  # of a figure with an image: its sha256; else ""
    }
)

PICTURE: Final = pl.Struct(
    {
        "decision": pl.String,  # what became of it, and why: one of parsing/figures.py
        "image_hash": pl.String,  # sha256 of the image, or of its bytes in the file; "" where there is none
        "block_id": pl.String,  # the block that it is, or whose words are its labels; "" for none
        "bbox": pl.List(pl.Float32),  # as in blocks; empty: unknown
        "pixels": pl.List(pl.Int32),  # width, height; empty: unknown
    }
)

DOCUMENTS: Final = Table(
    name="documents",
    grain="One row per version of a document that is in the estate.",
    key=c.VERSION_KEY,
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,  # sha256 of the bytes; "" when they could not be read
            c.COLLECTION: pl.String,
            c.URI: pl.String,  # path below the collection's source, NFC, with /
            c.EXTERNAL_ID: pl.String,
            c.TITLE: pl.String,  # from the sidecar, else the file name without its ending
            c.DOC_TYPE: pl.String,
            c.DOCUMENT_CLASS: pl.String,  # decides the chunking strategy
            c.AUTHORITY: pl.Int16,  # 0 to 100
            c.EFFECTIVE_DATE: pl.Date,
            c.EXPIRY_DATE: pl.Date,
            c.VERSION_LABEL: pl.String,
            c.SUPERSEDES: pl.List(pl.String),  # external ids
            c.SUPERSEDED_BY: pl.String,  # doc_id of the successor
            c.VALID_FROM: pl.Date,  # first day on which it answers; null: always did
            c.VALID_TO: pl.Date,  # first day on which it no longer answers; null: still does
            c.ACL_GROUPS: pl.List(pl.String),  # never empty
            c.LANGUAGE_HINT: pl.String,
            c.MODIFIED_AT: pl.Datetime("us", "UTC"),
            c.BYTES: pl.Int64,
            c.MEDIA_TYPE: pl.String,
            c.METADATA_HASH: pl.String,
            c.STATUS: pl.String,
            c.ERROR: pl.String,  # why bytes or sidecar could not be read at the last scan (estate/faults.py); null: they could
            c.ETAG: pl.String,  # as the source gave it when the bytes were hashed; "" when it promises nothing
            c.FIRST_SEEN: pl.Datetime("us", "UTC"),
            c.LAST_SEEN: pl.Datetime("us", "UTC"),
        }
    ),
    nullable=frozenset(
        {c.EFFECTIVE_DATE, c.EXPIRY_DATE, c.SUPERSEDED_BY, c.VALID_FROM, c.VALID_TO, c.LANGUAGE_HINT, c.ERROR}
    ),
    allowed={c.STATUS: ("live", "superseded")},
    filled=frozenset({c.ACL_GROUPS}),
    stamps=frozenset({c.ETAG, c.FIRST_SEEN, c.LAST_SEEN}),
)

PARSED_PAGES: Final = Table(
    name="parsed_pages",
    grain="One row per page of a version; page 0 stands for a document of which no page could be read.",
    key=(*c.VERSION_KEY, c.PAGE_NO),
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.PAGE_NO: pl.Int32,  # from 1; formats without pages have one
            c.WIDTH: pl.Float32,  # points; 0 when the format has no pages
            c.HEIGHT: pl.Float32,
            c.ROTATION: pl.Int16,  # degrees clockwise
            c.SOURCE: pl.String,
            c.BLOCKS: pl.List(BLOCK),
            c.PICTURES: pl.List(PICTURE),  # every picture of the page, also those that are in no block
            # running headers, footers and page numbers kept out of the blocks
            c.FURNITURE: pl.List(pl.String),
            # what was repaired in its text, by kind: hyphen, soft_hyphen, ligature, character, space, mojibake
            c.REPAIRS: pl.List(pl.Struct({"kind": pl.String, "count": pl.Int32})),
            c.SCORES: pl.Struct(dict.fromkeys(c.PARSE_SCORES, pl.Float32)),
            c.ENGINE: pl.String,  # what read the page, joined by "+" in the order of work; "" for a failure (docs/architecture.md)
            c.ENGINE_REASON: pl.String,  # why these: format, text layer, scan, unsure: …, configured; "" for a failure
            c.STATUS: pl.String,
            c.REASON: pl.String,  # reason code of a failure (parsing/errors.py); "" when ok
            c.ERROR: pl.String,  # the failure in words; "" when ok
            c.INPUT_HASH: pl.String,
        }
    ),
    allowed={c.SOURCE: ("native", "ocr", "none"), c.STATUS: ("ok", "failed")},
)

GATED_PAGES: Final = Table(
    name="gated_pages",
    grain="One row per page that was parsed, with its scores and the decision.",
    key=(*c.VERSION_KEY, c.PAGE_NO),
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.PAGE_NO: pl.Int32,
            # of the chosen attempt, as in parsed_pages: the frame of the blocks' boxes
            c.WIDTH: pl.Float32,
            c.HEIGHT: pl.Float32,
            c.ROTATION: pl.Int16,
            c.SOURCE: pl.String,
            c.ENGINE: pl.String,
            c.LANGUAGE: pl.String,
            c.SCORES: pl.Struct(
                {
                    "confidence": pl.Float32,  # mean confidence of the OCR engine; null for native text
                    "known_words": pl.Float32,  # share of words known in the page's language; null: too few words
                    "symbols": pl.Float32,  # share of characters that are neither letters, digits, space nor punctuation
                    "single_letters": pl.Float32,  # share of words of one letter
                    "repeated_lines": pl.Float32,  # share of lines that repeat another
                    # of the picture of the page, as in parsed_pages; null for native text
                    **dict.fromkeys(("doubtful", "uncovered", "sideways", "short_lines", "overlapping"), pl.Float32),
                    "characters": pl.Int32,  # letters and digits
                    "worst": pl.String,  # the measure that decided the quality; "" when none speaks against the page
                }
            ),
            c.QUALITY: pl.Float32,  # 0 to 1
            c.ROUTE: pl.String,
            c.BLANK: pl.Boolean,  # nothing on the page: passes, gives no chunk
            # every reading that was tried, in order; a reading that failed has no quality, and says why
            c.ATTEMPTS: pl.List(
                pl.Struct(
                    {"engine": pl.String, "preprocessing": pl.String, "quality": pl.Float32, "error": pl.String}
                )
            ),
            c.CHOSEN_ATTEMPT: pl.Int16,  # position in attempts
            c.DATE_READ: pl.Date,  # of page 1: the labelled date in its text (parsing/dates.py); null: none, or in doubt
            c.BLOCKS: pl.List(BLOCK),  # of the chosen attempt; kept for rejected pages too
            c.INPUT_HASH: pl.String,
        }
    ),
    nullable=frozenset({c.DATE_READ}),
    allowed={
        c.SOURCE: ("native", "ocr", "none"), c.ROUTE: ("pass", "flag", "reject"), c.LANGUAGE: _LANGUAGES,
    },
)  # fmt: skip

PAGE_EXCEPTIONS: Final = Table(
    name="page_exceptions",
    grain="One row per page or document that is not, or not fully, in the index; page 0 is the whole document.",
    key=(*c.VERSION_KEY, c.PAGE_NO, c.REASON),
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.PAGE_NO: pl.Int32,
            c.COLLECTION: pl.String,
            c.URI: pl.String,
            c.STAGE: pl.String,
            c.REASON: pl.String,
            c.DETAIL: pl.String,
            c.ACTION: pl.String,
            c.STATUS: pl.String,
            c.FIRST_SEEN: pl.Datetime("us", "UTC"),
            c.LAST_SEEN: pl.Datetime("us", "UTC"),
        }
    ),
    allowed={
        c.STAGE: ("scan", "parse", "gate"),
        c.ACTION: ("rescan_requested", "second_pass_failed", "unreadable", "timeout", "unsupported", "password_needed",
                   "fix_metadata", "none"),
        c.STATUS: ("open", "resolved"),
    },
    stamps=frozenset({c.FIRST_SEEN, c.LAST_SEEN}),
)  # fmt: skip

CHUNK_EXCEPTIONS: Final = Table(
    name="chunk_exceptions",
    grain="One row per chunk that is not in the index, because an encoder has no vector for its string.",
    key=(c.CHUNK_ID, c.REASON),
    schema=pl.Schema({c.CHUNK_ID: pl.String, **PAGE_EXCEPTIONS.schema}),
    allowed={c.STAGE: ("embed",), c.ACTION: ("cut_smaller", "none"), c.STATUS: ("open",)},
    stamps=PAGE_EXCEPTIONS.stamps,
)

ACKNOWLEDGED: Final = Table(
    name="acknowledged",
    grain="One row per entry of the register that somebody has looked at and left as it is; one partition.",
    key=(*c.VERSION_KEY, c.PAGE_NO, c.REASON, c.DETAIL),
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.PAGE_NO: pl.Int32,
            c.REASON: pl.String,
            c.DETAIL: pl.String,
            c.ACKNOWLEDGED_AT: pl.Datetime("us", "UTC"),
        }
    ),
    stamps=frozenset({c.ACKNOWLEDGED_AT}),
)

FIGURE_DESCRIPTIONS: Final = Table(
    name="figure_descriptions",
    grain="One row per distinct image of a partition, and language, that a vision model is to describe.",
    key=(c.IMAGE_HASH, c.LANGUAGE),
    schema=pl.Schema(
        {
            c.IMAGE_HASH: pl.String,
            c.LANGUAGE: pl.String,  # of the description
            c.STATUS: pl.String,  # waiting: not asked yet, the next run goes on; failed: refused or not found
            c.DESCRIPTION: pl.String,  # "" unless described
            c.DETAIL: pl.String,  # why it waits or failed; "" when described
            c.INPUT_HASH: pl.String,  # of the image, the language, model and prompt
        }
    ),
    allowed={c.STATUS: ("described", "waiting", "failed"), c.LANGUAGE: LANGUAGES},
)

CONTEXTS: Final = Table(
    name="contexts",
    grain="One row per chunk that a language model is to place in its document.",
    key=(c.CHUNK_ID,),
    schema=pl.Schema(
        {
            c.CHUNK_ID: pl.String,
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.QUESTION_HASH: pl.String,  # of all that is sent, and to which model
            c.TOKEN_COUNT: pl.Int32,  # of what is sent
            c.STATUS: pl.String,  # waiting: not asked yet, the next run goes on; failed: refused
            c.SENTENCE: pl.String,  # "" unless written, and where the chunk needs none
            c.DETAIL: pl.String,  # why it waits or failed; "" when written
            c.INPUT_HASH: pl.String,
        }
    ),
    allowed={c.STATUS: ("written", "waiting", "failed")},
)

SECTIONS: Final = Table(
    name="sections",
    grain="One row per section of a version: the parents that a reader is shown.",
    key=(c.SECTION_ID,),
    schema=pl.Schema(
        {
            c.SECTION_ID: pl.String,
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.ORDINAL: pl.Int32,
            c.PATH: pl.List(pl.String),
            c.LEVEL: pl.Int16,
            c.TEXT: pl.String,
            c.TOKEN_COUNT: pl.Int32,
            c.PAGES: pl.List(pl.Int32),
            c.INPUT_HASH: pl.String,
        }
    ),
)

CHUNKS: Final = Table(
    name="chunks",
    grain="One row per chunk.",
    key=(c.CHUNK_ID,),
    schema=pl.Schema(
        {
            c.CHUNK_ID: pl.String,
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.SECTION_ID: pl.String,
            c.ORDINAL: pl.Int32,  # 0, 1, 2 … in the document, without gaps
            c.KIND: pl.String,
            c.STRATEGY: pl.String,
            c.TEXT: pl.String,
            c.CONTEXT: pl.String,  # prefix of what is embedded; "" for none
            c.TOKEN_COUNT: pl.Int32,  # of what is embedded: prefix and special tokens included
            c.SECTION_PATH: pl.List(pl.String),
            c.ARTICLE: pl.String,  # "§ 5", "Madde 12" …; null outside numbered articles
            c.PAGES: pl.List(pl.Int32),
            c.SPAN_START: pl.Int32,  # characters into the section's text
            c.SPAN_END: pl.Int32,
            c.LANGUAGE: pl.String,
            c.LOW_CONFIDENCE: pl.Boolean,
            c.CHUNK_HASH: pl.String,  # of the text
            c.EMBED_HASH: pl.String,  # of the exact string that is embedded
            c.DATE_READ: pl.Date,  # of the document's first page, as in gated_pages
            c.INPUT_HASH: pl.String,
        }
    ),
    nullable=frozenset({c.ARTICLE, c.DATE_READ}),
    allowed={c.KIND: ("prose", "table", "figure", "transcript"), c.LANGUAGE: _LANGUAGES},
)

SIGNATURES: Final = Table(
    name="signatures",
    grain="One row per chunk.",
    key=(c.CHUNK_ID,),
    schema=pl.Schema(
        {
            c.CHUNK_ID: pl.String,
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.EXACT_HASH: pl.String,  # of the normalised text; "" for chunks of too few words
            c.N_WORDS: pl.Int32,
            c.WORDS_SUM: pl.UInt64,  # hash of the words in order; those of a document's chunks join to one of its words
            c.MINHASH: pl.List(pl.UInt32),  # empty for chunks of too few shingles
            c.SHINGLES: pl.List(
                pl.UInt32
            ),  # hashes of the distinct shingles, ascending; empty where minhash is
            c.N_SHINGLES: pl.Int32,  # distinct
            c.INPUT_HASH: pl.String,
        }
    ),
)

BANDS: Final = Table(
    name="bands",
    grain="One row per distinct text that is compared with others: its LSH bands, and whom it hangs on.",
    key=(c.EXACT_HASH,),
    schema=pl.Schema(
        {
            c.EXACT_HASH: pl.String,
            c.CHUNK_ID: pl.String,  # of its copies the one elected first, which stands for all
            c.STANDING: pl.String,  # what the election and the comparison know of that chunk
            c.N_SHINGLES: pl.Int32,
            c.BANDS: pl.List(pl.UInt32),  # one hash for each band
            c.LEADER: pl.String,  # exact_hash of the text that it is a near-duplicate of; its own if of none
            c.SIMILARITY: pl.Float32,  # Jaccard to that text; 1 to itself
        }
    ),
)

CLUSTERS: Final = Table(
    name="clusters",
    grain="One row per chunk that is in a cluster of two or more.",
    key=(c.CHUNK_ID,),
    schema=pl.Schema(
        {
            c.CHUNK_ID: pl.String,
            c.DOC_ID: pl.String,
            c.CLUSTER_ID: pl.String,
            c.CANONICAL_CHUNK_ID: pl.String,
            c.SIMILARITY: pl.Float32,  # Jaccard of the shingles to the canonical's, 0 to 1
            c.KIND: pl.String,
            c.REASON: pl.String,  # by what the canonical won over it; of the canonical: over the next best
        }
    ),
    allowed={c.KIND: ("canonical", "exact", "near"), c.REASON: REASONS},
)


RUNS: Final = Table(
    name="runs",
    grain="One row per run of `kesit run` that was not killed; a partition per month.",
    key=(c.STARTED_AT, c.RUN_ID),
    schema=pl.Schema(
        {
            c.RUN_ID: pl.String,
            c.STARTED_AT: pl.Datetime("us", "UTC"),
            c.SECONDS: pl.Float64,  # wall-clock time
            c.OUTCOME: pl.String,
            c.COLLECTION: pl.String,  # the one that was asked for; "" for all
            c.CHANGES: pl.Struct(
                dict.fromkeys(
                    ("created", "updated", "renamed", "deleted", "metadata", "unchanged", "failed"), pl.Int64
                )
            ),  # documents
            c.CHUNKS_ADDED: pl.Int64,
            c.CHUNKS_REMOVED: pl.Int64,
            c.COMPUTED: pl.Int64,  # embeddings
            c.BUILD: pl.String,  # table@version that the run left as the newest one; "" before the first
            c.PROMOTED: pl.Boolean,
            c.REASON: pl.String,  # why it went live, or not
            c.ERRORS: pl.List(pl.String),  # one line for each stage that stopped
            c.REPORT: pl.String,  # the whole run report, JSON
        }
    ),
    allowed={c.OUTCOME: ("complete", "documents_failed", "stopped")},
)


EMBEDDINGS: Final = "embeddings"
"""The folder that holds a table of vectors for each encoder, the former ones, too."""


def embeddings(encoder: str, dims: int) -> Table:
    """The table of one encoder: one row per distinct embedded string of a partition.

    Args:
        encoder: the encoder's slug, a folder name.
        dims: length of its vectors.
    """
    return Table(
        name=f"{EMBEDDINGS}/{encoder}",
        grain="One row per distinct embedded string.",
        key=(c.EMBED_HASH,),
        schema=pl.Schema(
            {c.EMBED_HASH: pl.String, c.ENCODER: pl.String, c.VECTOR: pl.Array(pl.Float32, dims)}
        ),
    )


KEPT_VERSIONS: Final = Table(
    name="kept_versions",
    grain="One row per earlier edition of a document that was edited in place: what cannot be made anew from the sources.",
    key=c.VERSION_KEY,
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,  # of the document
            c.VERSION_ID: pl.String,  # sha256 of the bytes of then; they lie in the lake's folder `versions`
            c.NUMBER: pl.Int32,  # the editions of a document in order, from 1
            c.REPLACED_ON: pl.Date,  # the day on which the file of the next one was last written
            # what follows is as it was then, and means what it does in `documents`
            **{
                name: DOCUMENTS.schema[name]
                for name in (
                    c.URI, c.TITLE, c.DOC_TYPE, c.DOCUMENT_CLASS, c.AUTHORITY, c.EFFECTIVE_DATE, c.EXPIRY_DATE,
                    c.VERSION_LABEL, c.VALID_FROM, c.LANGUAGE_HINT, c.MODIFIED_AT, c.BYTES, c.MEDIA_TYPE, c.FIRST_SEEN,
                )
            },
        }
    ),
    nullable=frozenset({c.EFFECTIVE_DATE, c.EXPIRY_DATE, c.VALID_FROM, c.LANGUAGE_HINT}),
)  # fmt: skip

FEEDS: Final = Table(
    name="feeds",
    grain="One row per collection with a change feed: how far it was followed.",
    key=(c.COLLECTION,),
    schema=pl.Schema(
        {
            c.COLLECTION: pl.String,
            c.POSITION: pl.Int64,  # bytes
            c.MARK: pl.String,
            c.RULES: pl.String,
            c.PARTITIONS: pl.List(pl.String),
            c.SIDECARS: pl.List(pl.String),
            c.PENDING: pl.List(pl.String),
        }
    ),
)

PACES: Final = Table(
    name="paces",
    grain="One row per stage: how much it did in earlier runs, later ones counting more, and how long that took.",
    key=(c.STAGE,),
    schema=pl.Schema(
        {
            c.STAGE: pl.String,
            c.UNITS: pl.Float64,  # pages, strings or partitions
            c.SECONDS: pl.Float64,
        }
    ),
)

REBUILT: Final = (
    DOCUMENTS, PARSED_PAGES, GATED_PAGES, PAGE_EXCEPTIONS, FIGURE_DESCRIPTIONS, CONTEXTS, SECTIONS, CHUNKS,
    CHUNK_EXCEPTIONS, SIGNATURES, BANDS, CLUSTERS,
)  # fmt: skip
"""What a run from nothing makes anew, in the order of the line; tables of embeddings come on top. The others tell of runs, or cannot be made again."""
