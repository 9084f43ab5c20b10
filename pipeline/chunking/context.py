"""The line in front of a chunk: where it stands in its document. And the exact string that is embedded."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import polars as pl
import regex

from pipeline.chunking.counter import Ledger
from pipeline.tables import columns as c

PATH_SEPARATOR: Final = " › "
ELLIPSIS: Final = "…"
# The heading path may take this share of the ceiling; the rest is the text's.
LARGEST_SHARE: Final = 0.25
# Where a language model's sentence belongs to the prefix this share is kept free, so that no cut depends on what it says.
SHARE_WITH_SENTENCE: Final = 1 / 3

_GRAPHEME: Final = regex.compile(r"\X")
_OPTIONAL: Final = re.compile(r"\[([^\[\]]*)\]")
_FIELD: Final = re.compile(r"\{(\w+)\}")


def embedded_text(context: str, text: str) -> str:
    """The exact string that is embedded for a chunk."""
    return f"{context}\n{text}" if context else text


def embedded_text_expr() -> pl.Expr:
    """`embedded_text` over the columns context and text, as an expression."""
    return (
        pl.when(pl.col(c.CONTEXT) != "")
        .then(pl.format("{}\n{}", c.CONTEXT, c.TEXT))
        .otherwise(pl.col(c.TEXT))
    )


def fields_of(template: str) -> set[str]:
    """Names of the fields that a template asks for."""
    return set(_FIELD.findall(template))


def template_context(
    template: str, values: Mapping[str, str], path: Sequence[str], allowance: int, ledger: Ledger
) -> str:
    """A template with its fields filled, as one line of at most `allowance` tokens.

    Too long a line loses the upper headings of its path first, then the end of a language model's sentence; when even the last
    heading with what the template adds does not fit, the path stands alone, shortened as `path_context` does it.

    Args:
        template: text with fields in braces; a part in brackets goes when a field in it is empty.
        values: of the fields other than `path`; `context`: the sentence by which a language model places the chunk.
        path: headings, highest first.
        allowance: tokens, the line break after the line included.
        ledger: counts.

    Returns:
        The line, or "" when everything in it is empty or nothing fits.
    """
    headings = [heading for heading in (" ".join(heading.split()) for heading in path) if heading]
    lines = [PATH_SEPARATOR.join(headings)]
    lines += [PATH_SEPARATOR.join((ELLIPSIS, *headings[first:])) for first in range(1, len(headings))]

    def fits(line: str) -> bool:
        return ledger.cost(f"{line}\n") <= allowance

    whole = ""
    for line in lines:
        whole = _filled(template, {**values, "path": line})
        if not whole or fits(whole):
            return whole
    if values.get("context"):
        words = values["context"].split()

        def shorter(count: int) -> str:
            sentence = " ".join(words[:count]) + ELLIPSIS
            return _filled(template, {**values, "path": lines[-1], "context": sentence})

        kept = _most(len(words) - 1, lambda count: fits(shorter(count)))
        if kept:
            return shorter(kept)
        return template_context(template, {**values, "context": ""}, path, allowance, ledger)
    return path_context(headings, allowance, ledger) if headings else _beginning(whole, fits)


def _filled(template: str, values: Mapping[str, str]) -> str:
    def part(match: re.Match[str]) -> str:
        return match[1] if all(values.get(name) for name in _FIELD.findall(match[1])) else ""

    kept = _OPTIONAL.sub(part, template)
    if not any(values.get(name) for name in _FIELD.findall(kept)):
        return ""
    return " ".join(_FIELD.sub(lambda field: values.get(field[1], ""), kept).split())


def path_context(path: Sequence[str], allowance: int, ledger: Ledger) -> str:
    """The section path on one line, shortened to at most `allowance` tokens; the text is never shortened for it.

    The nearest headings stay: the line loses its upper headings first, then the end of the last one.

    Args:
        path: headings, highest first.
        allowance: tokens, the line break after the path included.
        ledger: counts.

    Returns:
        The line, or "" when the path is empty or not even the first character of its last heading fits.
    """
    headings = [" ".join(heading.split()) for heading in path]
    headings = [heading for heading in headings if heading]
    if not headings:
        return ""

    def fits(line: str) -> bool:
        return ledger.cost(f"{line}\n") <= allowance

    whole = PATH_SEPARATOR.join(headings)
    if fits(whole):
        return whole
    for first in range(1, len(headings)):
        line = PATH_SEPARATOR.join((ELLIPSIS, *headings[first:]))
        if fits(line):
            return line
    return _beginning(headings[-1], fits)


def _beginning(heading: str, fits: Callable[[str], bool]) -> str:
    """As many whole words, else as many characters, of the heading as fit, with an ellipsis."""
    words = heading.split()
    kept = _most(len(words) - 1, lambda count: fits(" ".join(words[:count]) + ELLIPSIS))
    if kept:
        return " ".join(words[:kept]) + ELLIPSIS
    graphemes: list[str] = _GRAPHEME.findall(words[0][:1000])
    kept = _most(len(graphemes), lambda count: fits("".join(graphemes[:count]) + ELLIPSIS))
    return "".join(graphemes[:kept]) + ELLIPSIS if kept else ""


def _most(largest: int, fits: Callable[[int], bool]) -> int:
    """The largest count up to `largest` that fits, found by halving; 0 when none does."""
    low, high = 0, largest
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
