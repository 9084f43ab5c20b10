"""Names of the columns, once. A table's own list of columns, types and keys is in `schemas.py`."""

from typing import Final

# identity
DOC_ID: Final = "doc_id"
VERSION_ID: Final = "version_id"
PAGE_NO: Final = "page_no"
SECTION_ID: Final = "section_id"
CHUNK_ID: Final = "chunk_id"
CLUSTER_ID: Final = "cluster_id"
EMBED_HASH: Final = "embed_hash"
INPUT_HASH: Final = "input_hash"

# documents
COLLECTION: Final = "collection"
URI: Final = "uri"
EXTERNAL_ID: Final = "external_id"
TITLE: Final = "title"
DOC_TYPE: Final = "doc_type"
DOCUMENT_CLASS: Final = "document_class"
AUTHORITY: Final = "authority"
EFFECTIVE_DATE: Final = "effective_date"
EXPIRY_DATE: Final = "expiry_date"
VERSION_LABEL: Final = "version_label"
SUPERSEDES: Final = "supersedes"
SUPERSEDED_BY: Final = "superseded_by"
VALID_FROM: Final = "valid_from"
VALID_TO: Final = "valid_to"
DATE_SOURCE: Final = "date_source"
ACL_GROUPS: Final = "acl_groups"
LANGUAGE_HINT: Final = "language_hint"
MODIFIED_AT: Final = "modified_at"
FIRST_SEEN: Final = "first_seen"
ACKNOWLEDGED_AT: Final = "acknowledged_at"
LAST_SEEN: Final = "last_seen"
STATUS: Final = "status"
BYTES: Final = "bytes"
MEDIA_TYPE: Final = "media_type"
METADATA_HASH: Final = "metadata_hash"
ETAG: Final = "etag"
ERROR: Final = "error"

# pages
WIDTH: Final = "width"
HEIGHT: Final = "height"
ROTATION: Final = "rotation"
SOURCE: Final = "source"
BLOCKS: Final = "blocks"
PICTURES: Final = "pictures"
IMAGE_HASH: Final = "image_hash"
DESCRIPTION: Final = "description"
FURNITURE: Final = "furniture"
REPAIRS: Final = "repairs"
SCORES: Final = "scores"
ENGINE: Final = "engine"
ENGINE_REASON: Final = "engine_reason"
REASON: Final = "reason"
QUALITY: Final = "quality"
ROUTE: Final = "route"
BLANK: Final = "blank"
ATTEMPTS: Final = "attempts"
CHOSEN_ATTEMPT: Final = "chosen_attempt"
DATE_READ: Final = "date_read"

# exceptions
STAGE: Final = "stage"
DETAIL: Final = "detail"
ACTION: Final = "action"

# sections and chunks
PATH: Final = "path"
LEVEL: Final = "level"
TEXT: Final = "text"
SENTENCE: Final = "sentence"
QUESTION_HASH: Final = "question_hash"
TOKEN_COUNT: Final = "token_count"  # noqa: S105 - no password
PAGES: Final = "pages"
ORDINAL: Final = "ordinal"
KIND: Final = "kind"
STRATEGY: Final = "strategy"
CONTEXT: Final = "context"
SECTION_PATH: Final = "section_path"
ARTICLE: Final = "article"
SPAN_START: Final = "span_start"
SPAN_END: Final = "span_end"
LANGUAGE: Final = "language"
LOW_CONFIDENCE: Final = "low_confidence"
CHUNK_HASH: Final = "chunk_hash"

# duplicates
EXACT_HASH: Final = "exact_hash"
MINHASH: Final = "minhash"
SHINGLES: Final = "shingles"
N_SHINGLES: Final = "n_shingles"
N_WORDS: Final = "n_words"
WORDS_SUM: Final = "words_sum"
BANDS: Final = "bands"
LEADER: Final = "leader"
STANDING: Final = "standing"
CANONICAL_CHUNK_ID: Final = "canonical_chunk_id"
SIMILARITY: Final = "similarity"

# runs
RUN_ID: Final = "run_id"
STARTED_AT: Final = "started_at"
SECONDS: Final = "seconds"
OUTCOME: Final = "outcome"
CHANGES: Final = "changes"
CHUNKS_ADDED: Final = "chunks_added"
CHUNKS_REMOVED: Final = "chunks_removed"
COMPUTED: Final = "computed"
BUILD: Final = "build"
PROMOTED: Final = "promoted"
ERRORS: Final = "errors"
REPORT: Final = "report"
UNITS: Final = "units"

# embeddings and index rows
VECTOR: Final = "vector"
ENCODER: Final = "encoder"
SEARCH_TEXT: Final = "search_text"
PARENT_TEXT: Final = "parent_text"
PARENT_TOKENS: Final = "parent_tokens"
ROW_HASH: Final = "row_hash"

# earlier editions
NUMBER: Final = "number"
REPLACED_ON: Final = "replaced_on"

# how far a change feed was followed: the fields of a cursor
POSITION: Final = "position"
MARK: Final = "mark"
RULES: Final = "rules"
PARTITIONS: Final = "partitions"
SIDECARS: Final = "sidecars"
PENDING: Final = "pending"

# no column of a table: absolute local path of a document's file, while it is read
LOCATION: Final = "location"

# what one version of a document is known by
VERSION_KEY: Final = (DOC_ID, VERSION_ID)

# what is known of how well a page was read: fields of `scores` in `parsed_pages`
PARSE_SCORES: Final = (
    "parse", "layout", "table",  # how sure docling, or geometry, is of text, regions and tables: 0 to 1; null where not computed
    "ocr",  # mean confidence of the OCR engine, 0 to 1; null for native text, as is all that follows
    "doubtful",  # share of the characters in lines that the engine is not sure of
    "uncovered",  # share of the letters seen on the picture that no recognised line covers
    "letters_seen",  # their number
    "sideways",  # share of the lines that stand on end
    "short_lines",  # share of the lines of one or two characters
    "overlapping",  # share of the lines that lie on another
)  # fmt: skip
