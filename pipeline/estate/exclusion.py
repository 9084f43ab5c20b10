"""Which files of a source are left out, by patterns as `.gitignore` has them."""

from collections.abc import Sequence

from pathspec import GitIgnoreSpec


class Exclusion:
    """The patterns of one collection.

    Args:
        patterns: each like a line of `.gitignore`: `*.bak`, `drafts/`, `/archive/**/*.pdf`, `!archive/keep.pdf`; the last one
            that fits decides.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._spec = GitIgnoreSpec.from_lines(patterns)
        self._any = bool(patterns)

    def covers(self, uri: str) -> bool:
        """Whether the file, or a folder that it lies in, is left out."""
        return self._any and self._spec.match_file(uri)
