"""The report as one HTML file: from cards through a template that escapes everything, under a policy that runs our script alone."""

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pipeline.report.review.rows import PAGE, READING
from pipeline.report.review.sampling import BAND
from pipeline.report.review.verdicts import FORMAT, FORMAT_VERSION, VERDICTS
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import BLOCK_KINDS

_FILTERS: Final = (
    (c.ROUTE, "route"),
    (c.DOCUMENT_CLASS, "class"),
    (c.ENGINE, "engine"),
    (BAND, "quality"),
    (c.LANGUAGE, "language"),
    (c.COLLECTION, "collection"),
)
_FOR_OWNER: Final = 0o600


def report_html(
    cards: Sequence[Mapping[str, Any]],
    *,
    estate: Mapping[str, int],
    seed: int,
    collection: str | None,
    made_at: str,
) -> str:
    """The report.

    Args:
        cards: of `cards.card`, in the order in which they are read.
        estate: pages of the estate by score band: what the cards were drawn from.
        seed: of the sample.
        collection: the one that was drawn from; None: all.
        made_at: day and time, for a person.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pipeline.report.review", "."), autoescape=True, undefined=StrictUndefined
    )
    style, script = _packaged("report.css"), _packaged("report.js")
    pages = [card["facts"] for card in cards]
    identity = fingerprint(*(str(page[name]) for page in pages for name in (*PAGE, READING)))
    data = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "report": identity,
        "made_at": made_at,
        "estate": dict(estate),
        "pages": pages,
    }
    return environment.get_template("report.html").render(
        cards=cards,
        data=data,
        estate=estate,
        seed=seed,
        collection=collection,
        made_at=made_at,
        filters=_FILTERS,
        verdicts=list(VERDICTS.items()),
        kinds=BLOCK_KINDS,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
    )


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone may read, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FOR_OWNER)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)


def _packaged(name: str) -> str:
    return files("pipeline.report.review").joinpath(name).read_text(encoding="utf-8")


def _policy_hash(text: str) -> str:
    """The source of a Content-Security-Policy that allows exactly this inline text (W3C CSP Level 3)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
