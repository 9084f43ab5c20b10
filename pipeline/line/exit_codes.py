"""The exit code of each error that a user can cause or mend. Errors that are not here are defects of Kesit."""

BAD_INPUT = 2
REFUSED = 3
INCOMPLETE = 1


def exit_code(error: Exception) -> int | None:
    """1: something stopped and what was there before stands; 2: bad configuration or arguments; 3: refused.

    None for a defect. The classes are imported here because most runs end without an error.
    """
    from pipeline.config import ConfigError
    from pipeline.embedding.sources import EncoderError
    from pipeline.estate.guard import MassDeleteError
    from pipeline.estate.source import SourceError
    from pipeline.evaluation.questions import QuestionError
    from pipeline.index.errors import SearchIndexError
    from pipeline.line.lock import LockedError
    from pipeline.report.duplicates import UnknownDocumentError
    from pipeline.report.review.verdicts import ReviewError
    from pipeline.retrieval.query import QueryError
    from pipeline.retrieval.search import IndexMismatchError
    from pipeline.tables.lake import LakeError

    codes: tuple[tuple[type[Exception], int], ...] = (
        (ConfigError, BAD_INPUT),
        (SourceError, BAD_INPUT),
        (QueryError, BAD_INPUT),
        (QuestionError, BAD_INPUT),
        (ReviewError, BAD_INPUT),
        (UnknownDocumentError, BAD_INPUT),
        (EncoderError, BAD_INPUT),
        (SearchIndexError, BAD_INPUT),
        (IndexMismatchError, BAD_INPUT),
        (MassDeleteError, REFUSED),
        (LockedError, REFUSED),
        (LakeError, INCOMPLETE),
        (OSError, INCOMPLETE),
    )
    return next((code for kind, code in codes if isinstance(error, kind)), None)
