"""Answers for a person: what was found, and where it stands."""

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pipeline.estate.media import division

_WIDTH: Final = 100
_LINES: Final = 4


def answer_lines(answer: Mapping[str, Any]) -> Iterable[str]:
    """The results of one answer (as `kesit search --json` prints it), each with its citation."""
    if not answer["results"]:
        yield "nothing found that these groups may read"
    for result in answer["results"]:
        yield f"{result['rank']}. {citation(result)}"
        yield from textwrap.wrap(
            result["text"],
            _WIDTH,
            initial_indent="   ",
            subsequent_indent="   ",
            max_lines=_LINES,
            placeholder=" …",
        )
        if result["newer"]:
            since = result["newer"]["effective_date"]
            yield f"   newer edition: {result['newer']['uri']}" + (
                f", in force from {since}" if since else ""
            )
        if result["also_in"]:
            yield f"   also in: {', '.join(place['uri'] for place in result['also_in'])}"


def citation(result: Mapping[str, Any]) -> str:
    """Where a result stands: title, section, pages, edition, file."""
    path = result["section_path"]
    if path and path[0] == result["title"]:  # the document begins with its title
        path = path[1:]
    parts = [result["title"], " › ".join(path), _pages(result["pages"], division(result["uri"]))]
    if result["version_label"]:
        parts.append(f"edition {result['version_label']}")
    if result["date_source"] == "document":
        parts.append(f"dated {result['effective_date']} (date read from the document)")
    elif result["effective_date"]:
        parts.append(f"in force since {result['effective_date']}")
    if result["low_confidence"]:
        parts.append("read with low confidence")
    return ", ".join(part for part in parts if part) + f" ({result['uri']})"


def _pages(pages: list[int], name: str) -> str:
    if not pages or not name:
        return ""
    return f"{name} {pages[0]}" if len(pages) == 1 else f"{name}s {pages[0]}–{pages[-1]}"
