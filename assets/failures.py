"""What a stage said when it stopped."""

from collections.abc import Iterable
from typing import Any, Final

import dagster as dg

# On the runs of the command line, which reports its failures itself.
STARTED_BY: Final = {"kesit/started_by": "kesit run"}


def causes(events: Iterable[dg.DagsterEvent]) -> list[str]:
    """One line for each stage that stopped: its name and the cause."""
    return [
        f"{event.step_key}: {_cause(event.step_failure_data.error)}"
        for event in events
        if event.is_step_failure
    ]


def _cause(error: Any) -> str:
    """On one line; an error of Kesit's own without the name of its class."""
    while error is not None and error.cause is not None and (error.cls_name or "").startswith("Dagster"):
        error = error.cause
    message = " ".join(error.message.split()) if error is not None else "unknown"
    own, _, told = message.partition(": ")
    return told if own.startswith("pipeline.") else message
