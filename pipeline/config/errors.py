"""What is wrong with a configuration, in one line that a person who writes TOML understands."""

import re
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ValidationError

from pipeline.config.values import PATTERNS, Section

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_PRIVATE_IN_URL = re.compile(r"(?<=//)[^/@\s'\"]*@|(?<=[^\s'\"])\?[^\s'\"]*")
# Where pydantic speaks of Python, and a person reads TOML.
_PLAIN = {
    "tuple_type": "must be an array",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
}


class UserError(Exception):
    """What a user can cause or mend: the message is for them. Any other error is a defect of Kesit.

    Attributes:
        exit_code: of the command. 1: something stopped, and what was there before stands; 2: bad configuration or
            arguments; 3: refused.
    """

    exit_code: ClassVar[int] = 2


class ConfigError(UserError):
    """The configuration cannot be used. The message is one line: file, key, value, and what is allowed."""


def one_line(error: ValidationError, model: type[Section]) -> str:
    """The first fault of a configuration of this model, and how many more there are."""
    # Beside each bad item of an array pydantic also reports the array as too short: that is no fault of its own.
    problems = error.errors()
    places = {problem["loc"][:-2] for problem in problems} | {problem["loc"][:-1] for problem in problems}
    problems = [p for p in problems if p["type"] != "too_short" or p["loc"] not in places]
    # A mistyped key is also a missing one, and says more.
    problems.sort(key=lambda problem: problem["type"] != "extra_forbidden")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return _problem(problems[0], model) + more


def _problem(problem: "ErrorDetails", model: type[Section]) -> str:
    key = ".".join(str(part) for part in problem["loc"] if part != "[key]")
    if problem["type"] == "extra_forbidden":
        return f"{key}: unknown key; allowed here: {', '.join(_siblings(problem['loc'], model))}"
    if problem["type"] == "missing":
        return f"{key}: is required"
    if not key:
        return plain_message(problem)
    # What may be a secret is not repeated.
    hidden = (
        isinstance(problem["input"], dict) or "storage_options" in problem["loc"] or key.endswith("_variable")
    )
    value = "" if hidden else f" = {problem['input']!r}"
    value = _PRIVATE_IN_URL.sub("…", value) if "://" in value else value
    return f"{key}{value}: {plain_message(problem)}"


def plain_message(problem: "ErrorDetails") -> str:
    """What is wrong with a value, as somebody who writes TOML would say it."""
    pattern = problem.get("ctx", {}).get("pattern", "")
    message = (
        PATTERNS.get(pattern) or _PLAIN.get(problem["type"]) or problem["msg"].removeprefix("Value error, ")
    )
    return message.replace("Input should be", "must be")


def _siblings(location: tuple[int | str, ...], model: Any) -> list[str]:
    """The keys that are allowed in the table which `location` points into."""
    for part in location[:-1]:
        if isinstance(part, int) or part not in model.model_fields:  # a place in an array, a key in a table
            continue
        annotation = model.model_fields[part].annotation
        arguments = [
            a for a in getattr(annotation, "__args__", ()) if isinstance(a, type) and issubclass(a, Section)
        ]
        model = arguments[0] if arguments else annotation
    return sorted(model.model_fields)
