"""What can be wrong with an index, so that callers can tell."""

from pipeline.config import UserError


class SearchIndexError(UserError):
    """The index cannot be built or read. The message says why and what to do."""

    exit_code = 1


class NoIndexYetError(SearchIndexError):
    """No build has gone live below this root."""

    exit_code = 2


class NoSuchBuildError(SearchIndexError):
    """A build was named that is not among the earlier ones."""

    exit_code = 2


class IndexMissingError(SearchIndexError):
    """A pointer names a table or version that is not there. Nothing is searched instead."""


class BuildRefusedError(SearchIndexError):
    """Rows that must not be written, or a table that they do not fit."""
