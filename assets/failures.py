"""What a stage said when it stopped."""

from collections.abc import Iterable
from typing import Any, Final

import dagster as dg

_INTERRUPTS: Final = ("DagsterExecutionInterruptedError", "KeyboardInterrupt")

# On the runs of the command line, which reports its failures itself.
STARTED_BY: Final = {"kesit/started_by": "kesit run"}


def causes(events: Iterable[dg.DagsterEvent]) -> list[str]:
    """One line for each stage that stopped: its name and the cause."""
    return [
        f"{event.step_key}: {_cause(event.step_failure_data.error)}"
        for event in events
        if event.is_step_failure
    ]


def interrupted(events: Iterable[dg.DagsterEvent]) -> bool:
    """Whether a person ended the run (SIGINT): Dagster counts that as a failure, of a stage or between two of them."""
    errors = [
        event.step_failure_data.error if event.is_step_failure else event.job_failure_data.error
        for event in events
        if event.is_step_failure or event.is_job_failure
    ]
    return any(error is not None and error.cls_name in _INTERRUPTS for error in errors)


def _cause(error: Any) -> str:
    """On one line; an error of Kesit's own without the name of its class."""
    while error is not None and error.cause is not None and (error.cls_name or "").startswith("Dagster"):
        error = error.cause
    message = " ".join(error.message.split()) if error is not None else "unknown"
    own, _, told = message.partition(": ")
    return told if own.startswith("pipeline.") else message
