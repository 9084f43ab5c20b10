"""One page as its card in the report shows it: facts, scores, blocks in groups, boxes. Plain values for the template."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from pipeline.gate.register import to_do
from pipeline.parsing.errors import UNSUPPORTED, ParseError
from pipeline.report.review.pictures import Picture
from pipeline.report.review.rows import LAST_PAGE, READING
from pipeline.report.review.sampling import BAND, FAILED
from pipeline.tables import columns as c

_LIST: Final = "list_item"
_ROUTES: Final = {"pass": "passed", "flag": "flagged", "reject": "rejected", FAILED: "failed"}
_WHY: Final = {
    "pass": "Indexed.",
    "flag": "Indexed with low confidence: its quality is below the threshold for flags.",
    "reject": "Not indexed: its quality is below the threshold for rejection.",
    FAILED: "Could not be read.",
}


def card(row: Mapping[str, Any], drawn: Picture | ParseError | None) -> dict[str, Any]:
    """Everything that the template shows of one page.

    Args:
        row: of `rows.with_content`.
        drawn: the picture of the page, why there is none (unsupported: its format is not drawn), or None.
    """
    if isinstance(drawn, ParseError) and drawn.reason == UNSUPPORTED:
        drawn = None
    blocks = [_block(number, block) for number, block in enumerate(row[c.BLOCKS] or (), start=1)]
    return {
        "facts": facts(row),
        "title": row[c.TITLE],
        "place": place(row),
        "engine": row[c.ENGINE] or "none",
        "source": row[c.SOURCE],
        "route_name": _ROUTES[row[c.ROUTE]],
        "why": _why(row),
        "to_do": to_do(row[c.REASON], row[c.ACTION], row[c.DETAIL]) if row[c.REASON] else "",
        "blank": row[c.BLANK],
        "scores": [*_scores(row[c.SCORES]), *_scores(row["parse_scores"], "reader: ")],
        "attempts": _attempts(row),
        "above": blocks[0]["path"] if blocks else [],
        "groups": list(_groups(blocks)),
        "blocks": len(blocks),
        "furniture": row[c.FURNITURE] or [],
        "picture": _picture(drawn) if isinstance(drawn, Picture) else None,
        "no_picture": drawn.message if isinstance(drawn, ParseError) else "",
        "boxes": _boxes(blocks, row) if isinstance(drawn, Picture) else [],
        "width": row[c.WIDTH] or 0.0,
        "height": row[c.HEIGHT] or 0.0,
    }


def facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """What goes into the file of verdicts about a page: enough to count errors and to find the page again."""
    quality = row[c.QUALITY]
    return {
        c.DOC_ID: row[c.DOC_ID],
        c.VERSION_ID: row[c.VERSION_ID],
        c.PAGE_NO: row[c.PAGE_NO],
        READING: row[READING],
        c.COLLECTION: row[c.COLLECTION],
        c.URI: row[c.URI],
        c.DOCUMENT_CLASS: row[c.DOCUMENT_CLASS],
        c.ENGINE: row[c.ENGINE],
        c.LANGUAGE: row[c.LANGUAGE],
        BAND: row[BAND],
        c.ROUTE: row[c.ROUTE],
        c.QUALITY: None if quality is None else round(float(quality), 4),
    }


def place(row: Mapping[str, Any]) -> str:
    """Which page of the document it is, in words."""
    if row[c.PAGE_NO] == 0:
        return "whole document"
    return "one page" if row[LAST_PAGE] <= 1 else f"page {row[c.PAGE_NO]} of {row[LAST_PAGE]}"


def _why(row: Mapping[str, Any]) -> str:
    if row[c.BLANK]:
        return "A blank page: passes and gives no chunk."
    if row[c.ROUTE] in (FAILED, "reject"):
        return row[c.DETAIL] or row[c.ERROR] or _WHY[row[c.ROUTE]]
    return _WHY[row[c.ROUTE]]


def _scores(scores: Mapping[str, Any] | None, prefix: str = "") -> Iterable[dict[str, Any]]:
    """Each component with its name and value; those that are shares also as a share, for a bar."""
    for name, value in (scores or {}).items():
        if value is None or isinstance(value, str | list | dict):
            continue
        share = isinstance(value, float) and 0.0 <= value <= 1.0
        shown = f"{value:.0%}" if share else f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
        yield {
            "name": prefix + name.replace("_", " "),
            "shown": shown,
            "share": round(float(value), 4) if share else None,
        }


def _attempts(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "engine": attempt["engine"] or "none",
            "preprocessing": attempt["preprocessing"],
            "quality": "–" if attempt["quality"] is None else f"{attempt['quality']:.2f}",
            "chosen": number == row[c.CHOSEN_ATTEMPT],
        }
        for number, attempt in enumerate(row[c.ATTEMPTS] or ())
    ]


def _block(number: int, block: Mapping[str, Any]) -> dict[str, Any]:
    rows = block["rows"] or []
    return {
        "number": number,
        "kind": block["kind"],
        "level": min(max(block["level"], 1), 6),
        "text": block["text"] or "",
        "path": block["section_path"] or [],
        "bbox": block["bbox"] or [],
        "head": rows[: block["header_rows"]],
        "body": rows[block["header_rows"] :],
        "caption": block["caption"] or "",
        "anchor": block["anchor"] or "",
    }


def _groups(blocks: Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """Runs of list items as one list, everything else alone."""
    for is_list, run in groupby(blocks, lambda block: block["kind"] == _LIST):
        if is_list:
            yield {"kind": "list", "blocks": list(run)}
        else:
            yield from ({"kind": block["kind"], "blocks": [block]} for block in run)


def _picture(picture: Picture) -> dict[str, Any]:
    return {
        "source": f"data:image/webp;base64,{base64.b64encode(picture.webp).decode()}",
        "width": picture.width,
        "height": picture.height,
    }


def _boxes(blocks: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where the blocks stand, in points of the upright page; label sizes fit the page, however large it is."""
    label = max(row[c.WIDTH], 1.0) / 60
    return [
        {
            "number": block["number"],
            "kind": block["kind"],
            "x": round(x0, 1),
            "y": round(y0, 1),
            "width": round(max(x1 - x0, 1.0), 1),
            "height": round(max(y1 - y0, 1.0), 1),
            "label": round(label, 1),
        }
        for block in blocks
        if len(block["bbox"]) == 4
        for x0, y0, x1, y1 in (block["bbox"],)
    ]
