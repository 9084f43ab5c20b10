"""What happened to one stage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What happened to one stage, of one partition or of the whole estate.

    Attributes:
        stage: its name.
        partition: name, or "" for a stage of the whole estate.
        digest: hash of the content that now stands.
        rows: rows by table.
        counts: for the run report.
        details: further facts, for the run report and the UI.
        seconds: wall-clock time.
        fresh: nothing had moved, so nothing was done.
        same: the content is that of before, whether something was done or not.
    """

    stage: str
    partition: str
    digest: str
    rows: Mapping[str, int]
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    seconds: float = 0.0
    fresh: bool = False
    same: bool = False
