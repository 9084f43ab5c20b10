"""How alike two readings of a document are: text in reading order, headings, and neighbours of table cells."""

import itertools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree
from rapidfuzz.distance import Levenshtein

LEADERS = re.compile(r"(?:[.…]\s?){4,}|(?:_\s?){4,}")
BULLETS = re.compile(r"[•▪◦‣■●○☐□\ue000-\uf8ff\ufffd\x80-\x9f]|(?:(?<=\s)|^)[-–·*]\s")
TYPOGRAPHY = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufffe"), "-"),
}
Cell = tuple[int, int, int, int, str]  # first row, last row, first column, last column, text


@dataclass
class Reading:
    """What a reader found in one document. `text`, `headings` and `tables` are None where it does not look for them."""

    text: str | None
    pages: int
    headings: list[str] | None = None
    tables: list[list[Cell]] | None = None
    engines: Counter[str] = field(default_factory=Counter)


def plain(text: str) -> str:
    """One line of NFKC text without bullets, leaders and invisible characters, with plain quotes and dashes, as the reference's."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "").translate(TYPOGRAPHY)
    return " ".join(BULLETS.sub(" ", LEADERS.sub(" ", text)).split())


def text_similarity(found: str, truth: str) -> float:
    """1 minus the edit distance over characters divided by the longer length; line-end hyphens are joined in both."""
    joined = (re.sub(r"(?<=\w)-\s+(?=[a-zäöüßçğış])", "", plain(text)) for text in (found, truth))
    return Levenshtein.normalized_similarity(*joined)


def word_f1(found: str, truth: str) -> float:
    """F1 of the words whatever their order, line-end hyphens joined."""
    ours, theirs = (
        Counter(re.sub(r"(?<=\w)-\s+(?=[^\W\d_])", "", plain(text)).split()) for text in (found, truth)
    )
    return f1((ours & theirs).total(), ours.total(), theirs.total())


def heading_counts(found: Sequence[str], truth: Sequence[str]) -> tuple[int, int, int]:
    """Right, found and true headings; equal means equal letters and digits, or an edit similarity of 0.9."""
    left = [key(text) for text in truth]
    right = 0
    for text in map(key, found):
        match = next((other for other in left if Levenshtein.normalized_similarity(text, other) >= 0.9), None)
        if match is not None:
            left.remove(match)
            right += 1
    return right, len(found), len(truth)


def key(text: str) -> str:
    """Letters and digits only, as the competition compares cells."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def relations(table: Sequence[Cell]) -> Counter[tuple[str, str, str]]:
    """Pairs of neighbouring cells with content, rightward and downward; empty cells are passed over.

    Source: M. Göbel, T. Hassan, E. Oro, G. Orsi: A methodology for evaluating algorithms for table understanding in PDF
    documents (DocEng 2012), the measure of the ICDAR 2013 table competition.
    """
    grid: dict[tuple[int, int], int] = {}
    keys = [key(text) or text.strip() for *_, text in table]
    for number, (row, last_row, column, last_column, _) in enumerate(table):
        if keys[number]:
            for place in ((r, k) for r in range(row, last_row + 1) for k in range(column, last_column + 1)):
                grid.setdefault(place, number)
    pairs: set[tuple[int, int, str]] = set()
    for direction, swap in (("right", False), ("down", True)):
        lines: dict[int, list[tuple[int, int]]] = {}
        for (row, column), number in grid.items():
            lines.setdefault(column if swap else row, []).append((row if swap else column, number))
        for line in lines.values():
            ordered = [number for _, number in sorted(line)]
            for one, two in itertools.pairwise(ordered):
                if one != two:
                    pairs.add((one, two, direction))
    return Counter((keys[one], keys[two], direction) for one, two, direction in pairs)


def table_counts(found: Iterable[Sequence[Cell]], truth: Iterable[Sequence[Cell]]) -> tuple[int, int, int]:
    """Right, found and true relations over all tables of a document; a table that is none counts against the reader."""
    ours: Counter[tuple[str, str, str]] = sum((relations(table) for table in found), Counter())
    theirs: Counter[tuple[str, str, str]] = sum((relations(table) for table in truth), Counter())
    return (ours & theirs).total(), ours.total(), theirs.total()


def f1(right: int, found: int, true: int) -> float:
    """Harmonic mean of precision and recall; 1 if there was nothing to find and nothing was found."""
    return 2 * right / (found + true) if found + true else 1.0


def cells(rows: Sequence[Sequence[str]], spans: Sequence[tuple[int, int, int, int]] = ()) -> list[Cell]:
    """Cells of a table; a merged cell, whose text the rows repeat, counts once."""
    inside = {
        (row, column)
        for top, end, left, right in spans
        for row in range(top, end + 1)
        for column in range(left, right + 1)
    }
    merged = [(*span, rows[span[0]][span[2]]) for span in spans]
    single = [
        (row, row, column, column, text)
        for row, line in enumerate(rows)
        for column, text in enumerate(line)
        if (row, column) not in inside
    ]
    return sorted([*merged, *single], key=lambda cell: (cell[0], cell[2]))


def docling_truth(path: Path) -> Reading:
    """docling's own output with its full models, stored beside the sample: a converter's output, not a person's."""
    return docling_reading(json.loads(path.read_bytes()))


def docling_reading(document: dict[str, Any]) -> Reading:
    """Body of an exported docling document in reading order, without furniture and without the insides of pictures."""
    parts = list(_walk(document, document["body"]))
    return Reading(
        "\n".join(text for _, text in parts),
        len(document["pages"]),
        [text for label, text in parts if label in ("section_header", "title")],
        [_docling_cells(table) for table in document["tables"]],
    )


def _docling_cells(table: dict[str, Any]) -> list[Cell]:
    return [
        (
            cell["start_row_offset_idx"],
            cell["end_row_offset_idx"] - 1,
            cell["start_col_offset_idx"],
            cell["end_col_offset_idx"] - 1,
            cell["text"],
        )
        for cell in table["data"]["table_cells"]
    ]


def _walk(document: dict[str, Any], node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for reference in node["children"]:
        _, group, index = reference["$ref"].split("/")
        item = document[group][int(index)]
        if item["content_layer"] != "body":
            continue
        if group in ("tables", "pictures"):
            for caption in item["captions"]:
                yield "caption", document["texts"][int(caption["$ref"].split("/")[2])]["text"]
            if group == "tables":
                yield "table", "\n".join(cell["text"] for cell in item["data"]["table_cells"])
            continue
        if group == "texts":
            mark = item.get("marker", "") if item.get("enumerated") else ""
            text = item["text"] or item["orig"]
            yield item["label"], text if text.startswith(mark) else f"{mark} {text}"
        yield from _walk(document, item)


def icdar_truth(path: Path) -> list[list[Cell]]:
    """Tables of an ICDAR 2013 structure file, written by people."""
    tables: list[list[Cell]] = []
    for table in etree.parse(path, etree.XMLParser(resolve_entities=False)).getroot().iter("table"):
        found: list[Cell] = []
        for region in table.iter("region"):
            down, right = int(region.get("row-increment") or 0), int(region.get("col-increment") or 0)
            for cell in region.iter("cell"):
                row, column = int(cell.get("start-row")) + down, int(cell.get("start-col")) + right
                last_row = int(cell.get("end-row") or cell.get("start-row")) + down
                last_column = int(cell.get("end-col") or cell.get("start-col")) + right
                found.append((row, last_row, column, last_column, cell.findtext("content") or ""))
        tables.append(found)
    return tables
