"""The day that a document says it is from: a labelled date on its first page, "Gültig ab 1. März 2023".

Only what can be understood in one way is read. A label opens its line or cell and the date follows at once, so that a law
that is cited "in der Fassung vom …" is no label. Of an English date in numbers it must be clear which is the month.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

_FIRST_PAGE: Final = 4_000  # characters: of a format without pages, what would be the first
_NO_STATEMENT: Final = frozenset({"code", "turn"})  # what somebody wrote or said, not what the document is

_MONTHS: Final = (
    ("january", "jan", "januar", "jänner", "ocak"),
    ("february", "feb", "februar", "feber", "şubat"),
    ("march", "mar", "märz", "mrz", "mart"),
    ("april", "apr", "nisan"),
    ("may", "mai", "mayis"),
    ("june", "jun", "juni", "haziran"),
    ("july", "jul", "juli", "temmuz"),
    ("august", "aug", "ağustos"),
    ("september", "sep", "sept", "eylül"),
    ("october", "oct", "oktober", "okt", "ekim"),
    ("november", "nov", "kasim"),
    ("december", "dec", "dezember", "dez", "aralik"),
)
_MONTH: Final[Mapping[str, int]] = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}


@dataclass(frozen=True)
class _Label:
    """What stands in front of a date.

    Attributes:
        rank: 0: from when the document applies; 1: the edition it is; 2: when it was last changed.
        day_first: whether the language writes the day before the month; False: it may be either.
        words: a pattern, folded as `_folded` does.
    """

    rank: int
    day_first: bool
    words: str


_LABELS: Final = (
    _Label(0, True, r"gültig(?:keit)? (?:ab|seit|vom)|gilt ab|in kraft(?: getreten)?(?: am| ab| seit)?"),
    _Label(0, True, r"(?:datum des )?inkrafttreten(?:s|datum)?(?: am)?"),
    _Label(
        0, True, r"yürürlük(?: başlangiç)? tarihi|yürürlüğe (?:giriş|girme) tarihi|yürürlüğe girdiği tarih"
    ),
    _Label(0, False, r"effective(?: date)?(?: as of| from| since)?|date effective|valid (?:from|as of)"),
    _Label(0, False, r"in force (?:from|since|as of)|(?:date of )?entry into force"),
    _Label(1, True, r"stand(?: vom)?|fassung(?: vom)?|(?:version|ausgabe) vom|sürüm tarihi"),
    _Label(1, False, r"version(?: [\d.]+)? of|version date"),
    _Label(2, True, r"letzte (?:änderung|aktualisierung|überarbeitung)(?: am| vom)?"),
    _Label(2, True, r"zuletzt (?:geändert|aktualisiert|überarbeitet)(?: am)?"),
    _Label(
        2,
        True,
        r"(?:son )?(?:güncelleme|güncellenme|revizyon) tarihi|son (?:güncelleme|güncellenme|revizyon)",
    ),
    _Label(2, False, r"last (?:revised|updated|modified|changed)(?: on)?|(?:last )?revision date"),
)

_DAY: Final = r"(?P<{0}>0?[1-9]|[12]\d|3[01])"
_YEAR: Final = r"(?P<{0}>(?:19|20)\d\d)"
_NAME: Final = "|".join(sorted(_MONTH, key=lambda name: (-len(name), name)))
_ISO: Final = _YEAR.format("y1") + r"(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})"
_NUMBERS: Final = r"(?P<a2>\d{1,2})(?P<s2>[./-])\s?(?P<b2>\d{1,2})(?P=s2)\s?" + _YEAR.format("y2")
_DAY_NAME: Final = (
    _DAY.format("d3") + rf"(?:\.|st|nd|rd|th)?\s*(?:of )?(?P<n3>{_NAME})\b\.?,?\s*" + _YEAR.format("y3")
)
_NAME_DAY: Final = (
    rf"(?P<n4>{_NAME})\b\.?\s*" + _DAY.format("d4") + r"(?:st|nd|rd|th)?,?\s+" + _YEAR.format("y4")
)
_DATE: Final = rf"(?:{_ISO}|{_NUMBERS}|{_DAY_NAME}|{_NAME_DAY})"
# A line, a cell of a table, a part of a footer; a mark or the number of a heading may stand before the label.
_OPENS: Final = r"(?:^|[\t|·•])[^\w\n]{0,8}(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+)?"
_BETWEEN: Final = r"(?:\s?:\s*|[ \t|]*)(?:(?:den|dem|the)\s)?"
# The end of the line, cell or sentence, or what may follow a date: a time of day, a page number, the last day.
_ENDS: Final = (
    r"(?=t\d\d:|(?!\w)(?:\.\s|\.?\s*(?:$|[)\]\t|·•;]|,?\s+(?:\d{1,2}:\d\d|seite|page|sayfa|bis|until)\b)))"
)
_DATED: Final = tuple(
    (label, re.compile(rf"{_OPENS}(?:{label.words}){_BETWEEN}{_DATE}{_ENDS}", re.MULTILINE))
    for label in _LABELS
)


def date_of_page(blocks: Sequence[Mapping[str, Any]], furniture: Iterable[str]) -> date | None:
    """The day that the first page of a document says it is from; None: it does not say, or not clearly.

    Args:
        blocks: of the page, as in PARSED_PAGES, in reading order.
        furniture: its running headers and footers.
    """
    texts = (str(block["text"] or "") for block in blocks if block["kind"] not in _NO_STATEMENT)
    return labelled_date("\n".join(furniture)[:_FIRST_PAGE] + "\n" + "\n".join(texts)[:_FIRST_PAGE])


def labelled_date(text: str) -> date | None:
    """The date behind a label in a text, in English, German or Turkish; None where there is none that is certain.

    A date from when the document applies counts more than that of an edition, and that more than one of a last change. Of the
    first of these that the text has, all dates must be one and the same, and possible.
    """
    found: dict[int, set[date | None]] = {}
    folded = _folded(text)
    for label, pattern in _DATED:
        for match in pattern.finditer(folded):
            found.setdefault(label.rank, set()).update(_readings(match, day_first=label.day_first))
    if not found:
        return None
    days = found[min(found)]
    return next(iter(days)) if len(days) == 1 else None


def _folded(text: str) -> str:
    """In small letters, those of ı one with those of i, so that no capital depends on the language."""
    return (
        unicodedata.normalize("NFC", text)
        .replace("İ", "i")
        .replace("ı", "i")
        .replace("\u00a0", " ")
        .casefold()
    )


def _readings(match: re.Match[str], *, day_first: bool) -> Iterator[date | None]:
    """Every day that the written date can be; None for an impossible one."""
    part = match.groupdict()
    if part["y1"]:
        yield _day(part["y1"], part["m1"], part["d1"])
    elif part["y3"]:
        yield _day(part["y3"], _MONTH[part["n3"]], part["d3"])
    elif part["y4"]:
        yield _day(part["y4"], _MONTH[part["n4"]], part["d4"])
    elif day_first:
        yield _day(part["y2"], part["b2"], part["a2"])
    else:
        either = {_day(part["y2"], part["b2"], part["a2"]), _day(part["y2"], part["a2"], part["b2"])}
        yield from either - {None} or either


def _day(year: str, month: str | int, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
