"""What a spreadsheet shows for a value: number formats of ECMA-376 (part 1, 18.8.30), as far as people use them."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<symbol>[^\]-]*)(?:-(?P<language>\w+))?[^\]]*\]'
    r"|\[(?P<elapsed>h+|m+|s+)\]|\[(?P<condition>[<>=][^\]]*)\]|\[[^\]]*\]|(?P<noon>AM/PM|A/P)|(?P<general>General)"
    r"|(?P<power>E[+-]0+)|(?P<digit>[0#?])|(?P<date>y+|d+|h+|s+|m+)|(?P<mark>[.,%@/])|(?P<other>.)",
    re.DOTALL | re.IGNORECASE,
)
_SECTION: Final = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[]|["\\\[])*?(?:;|$)', re.DOTALL)
# Shown as the reader's own system writes dates, which the file does not tell.
_LOCAL: Final = ("mm-dd-yy", "m/d/yy h:mm", "general", "")
_LANGUAGES: Final = {0x07: "de", 0x1F: "tr"}  # of the low byte of a language code
_MONTHS: Final = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "de": [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    "tr": [
        "Ocak",
        "Şubat",
        "Mart",
        "Nisan",
        "Mayıs",
        "Haziran",
        "Temmuz",
        "Ağustos",
        "Eylül",
        "Ekim",
        "Kasım",
        "Aralık",
    ],
}
_DAYS: Final = {
    "en": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "de": ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    "tr": ["Pazartesi", "Salı", "Çarşamba", "Perşembe", "Cuma", "Cumartesi", "Pazar"],
}
_LARGE: Final = 1e15  # beyond it a sheet has no more digits
_SHORT_DAY: Final = {"en": 3, "de": 2, "tr": 3}

Moment = dt.datetime | dt.date | dt.time | dt.timedelta


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # a group of `_TOKEN`; "text" for what is shown as it is
    text: str


def language_of(codes: Iterable[str]) -> str:
    """The language that most of a workbook's format codes name: "de", "tr", or "en" for any other and for none."""
    named = [match["language"] for code in codes for match in _TOKEN.finditer(code) if match["language"]]
    found = [
        _LANGUAGES.get(int(name, 16) & 0xFF, "en")
        for name in named
        if re.fullmatch(r"[0-9A-E][0-9A-F]{2,3}", name.upper())
    ]
    return max(sorted(set(found)), key=found.count, default="en")


def shown(value: object, code: str, language: str = "en") -> str:
    """The characters that a cell shows.

    A date whose code leaves day and month to the reader's system is an ISO date. Fractions and conditions are not followed:
    such a number is shown plain.

    Args:
        value: str, int, float, bool, date, datetime, time, timedelta or None.
        code: the cell's format code, such as `0.00`, `#,##0.00 "€"` or `dd.mm.yyyy`.
        language: of the numbers and of the names of months: "en", or "de" or "tr", which have a decimal comma.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, Moment):
        return _moment(value, code, language)
    if isinstance(value, int | float):
        return _number(value, _sections(code), language).strip()
    sections = _sections(code)
    text = str(value)
    return (
        "".join(text if token.text == "@" else token.text for token in sections[3])
        if len(sections) > 3
        else text
    )


@lru_cache(maxsize=4096)
def _sections(code: str) -> tuple[tuple[_Token, ...], ...]:
    """The sections of a code: for positive numbers, negative ones, zero, and text."""
    parts = [match.group() for match in _SECTION.finditer(code)]
    if not code.endswith(";") and len(parts) > 1 and parts[-1] == "":
        parts.pop()
    return tuple(tuple(_tokens(part.removesuffix(";"))) for part in parts)


def _tokens(section: str) -> Iterable[_Token]:
    for match in _TOKEN.finditer(section):
        kind = match.lastgroup or ""
        if kind in ("quoted", "escaped", "other"):
            yield _Token("text", match[kind])
        elif kind in ("symbol", "language"):
            yield _Token("text", match["symbol"])
        elif kind:
            yield _Token(kind, match[kind])


def _number(value: float, sections: Sequence[Sequence[_Token]], language: str) -> str:
    sign = ""
    odd = any(token.kind == "condition" for section in sections for token in section)
    if odd or not abs(value) < _LARGE:
        return _plain(value, language)
    if value < 0 and len(sections) > 1:
        tokens, value = sections[1], -value
    elif value == 0 and len(sections) > 2:
        tokens = sections[2]
    else:
        tokens, sign, value = sections[0], "-" if value < 0 else "", abs(value)
    kinds = {token.kind for token in tokens}
    if "general" in kinds:
        return sign + "".join(
            _plain(value, language) if token.kind == "general" else token.text for token in tokens
        )
    if "digit" not in kinds:
        return "".join(token.text for token in tokens if token.kind == "text")
    if "power" in kinds:
        places = sum(token.kind == "digit" for token in tokens[_point(tokens) :])
        return sign + f"{value:.{max(places, 0)}E}".replace(".", _point_of(language))
    if any(token.text == "/" for token in tokens if token.kind == "mark"):
        return sign + _plain(value, language)
    text = _digits(value, tokens, language)
    return sign + text if any(char in "123456789" for char in text) else text


def _point(tokens: Sequence[_Token]) -> int:
    return next((at for at, token in enumerate(tokens) if token == _Token("mark", ".")), len(tokens))


def _point_of(language: str) -> str:
    return "." if language == "en" else ","


def _digits(value: float, tokens: Sequence[_Token], language: str) -> str:
    """A number in the places of a section that has some."""
    point = _point(tokens)
    places = sum(token.kind == "digit" for token in tokens[point:])
    digits = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    commas = [at for at, token in enumerate(tokens) if token == _Token("mark", ",")]
    grouped = (
        any(digits[0] < at < max(d for d in digits if d < point) for at in commas)
        if digits[0] < point
        else False
    )
    scale = sum(at > digits[-1] or (at < point and not any(at < d < point for d in digits)) for at in commas)
    percents = sum(token == _Token("mark", "%") for token in tokens)
    exact = Decimal(repr(value)).scaleb(2 * percents - 3 * scale)
    whole, _, rest = f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}".partition(".")
    slots = sum(token.kind == "digit" for token in tokens[:point])
    least = sum(token.text == "0" for token in tokens[:point] if token.kind == "digit")
    whole = whole.lstrip("0").zfill(least)
    kept = max((n for n, token in enumerate(_only_digits(tokens[point:]), 1) if token.text == "0"), default=0)
    rest = rest[:kept] + rest[kept:].rstrip("0")
    if grouped:
        whole, slots = _grouped(whole, "," if language == "en" else "."), 1
    out: list[str] = []
    filled = 0
    for at, token in enumerate(tokens):
        if token.kind == "digit" and at < point:
            # The first place takes all digits for which there are no places.
            if filled < slots:
                start = 0 if filled == 0 else len(whole) - (slots - filled)
                out.append(whole[max(start, 0) : max(len(whole) - (slots - filled) + 1, 0)])
                filled += 1
        elif token.kind == "digit":
            out.append(rest[:1])
            rest = rest[1:]
        elif at == point:
            out.append(_point_of(language) if rest else "")
        elif token.kind == "text" or token.text == "%":
            out.append(token.text)
    return "".join(out)


def _only_digits(tokens: Sequence[_Token]) -> list[_Token]:
    return [token for token in tokens if token.kind == "digit"]


def _grouped(digits: str, separator: str) -> str:
    first = len(digits) % 3
    groups = [digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))]
    return separator.join(group for group in groups if group)


def _plain(value: float, language: str) -> str:
    """A number without a format."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < _LARGE):
        return str(int(value))
    return f"{value:.12g}".replace(".", _point_of(language))


def _moment(value: Moment, code: str, language: str) -> str:
    tokens = _sections(code)[0]
    parts = [token for token in tokens if token.kind in ("date", "elapsed")]
    system = re.search(r"\[\$-F[48]00\]", code, re.IGNORECASE)
    if isinstance(value, dt.timedelta):
        return _elapsed(value, tokens)
    if not parts or system or code.lower() in _LOCAL:
        return _iso(value)
    out: list[str] = []
    noon = any(token.kind == "noon" for token in tokens)
    for token in tokens:
        if token.kind == "date":
            at = next(n for n, part in enumerate(parts) if part is token)
            before = parts[at - 1].text[0].lower() if at else ""
            after = parts[at + 1].text[0].lower() if at + 1 < len(parts) else ""
            clock = token.text[0] in "mM" and len(token.text) <= 2 and (before == "h" or after == "s")
            out.append(
                _part(value, "n" * len(token.text) if clock else token.text.lower(), language, noon=noon)
            )
        elif token.kind == "noon":
            out.append(f"{value:%p}" if len(token.text) > 3 else f"{value:%p}"[:1])
        elif token.kind in ("text", "mark"):
            out.append(token.text)
    return "".join(out).strip()


def _part(value: Moment, code: str, language: str, *, noon: bool) -> str:
    """One part of a date or a time; `n` stands for minutes. A part that the value lacks is empty."""
    wide = len(code)
    if isinstance(value, dt.datetime | dt.date):
        if code[0] == "y":
            return f"{value.year % 100:02d}" if wide <= 2 else f"{value.year:04d}"
        if code[0] == "m":
            name = _MONTHS[language][value.month - 1]
            return (
                f"{value.month:0{wide}d}"
                if wide <= 2
                else name[:3]
                if wide == 3
                else name[:1]
                if wide == 5
                else name
            )
        if code[0] == "d":
            name = _DAYS[language][value.weekday()]
            return (
                f"{value.day:0{wide}d}" if wide <= 2 else name[: _SHORT_DAY[language]] if wide == 3 else name
            )
    if isinstance(value, dt.datetime | dt.time):
        hour = (value.hour - 1) % 12 + 1 if noon else value.hour
        number = {"h": hour, "n": value.minute, "s": value.second}.get(code[0], 0)
        return f"{number:0{min(wide, 2)}d}"
    return "0" * min(wide, 2) if code[0] in "hns" else ""


def _iso(value: dt.datetime | dt.date | dt.time) -> str:
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "minutes")
    return value.isoformat()


def _elapsed(value: dt.timedelta, tokens: Sequence[_Token]) -> str:
    """A span of time in hours, minutes and, if the code has them, seconds."""
    seconds = round(abs(value.total_seconds()))
    sign = "-" if value < dt.timedelta() else ""
    text = f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}"
    with_seconds = any(token.kind in ("date", "elapsed") and token.text[0] in "sS" for token in tokens)
    return f"{text}:{seconds % 60:02d}" if with_seconds or seconds % 60 else text
