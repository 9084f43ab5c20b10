"""Numbers of articles: "§ 5", "Madde 12", "Article 4", "3.1.4", in headings and at the start of paragraphs."""

import re
from collections.abc import Sequence
from typing import Final

_MADDE: Final = (
    r"(?:(?:[Gg][Ee][Çç][İIi][Cc][İIi]|[Ee][Kk]|[Mm][Üü][Kk][Ee][Rr]{2}[Ee][Rr])\s+)?(?:MADDE|Madde|madde)"
)
_NAMED: Final = rf"(?:{_MADDE}|ARTIKEL|Artikel|ARTICLE|Article|Art\.?|SECTION|Section|Sec\.|CLAUSE|Clause)"
_NUMBER: Final = r"\d+(?:\s?[a-zA-Z]\b|/[A-Z0-9]+)?"
_PARAGRAPH: Final = rf"§{{1,2}}\s*{_NUMBER}(?:\s*(?:bis|und|,|[-–])\s*{_NUMBER})*"
_DECIMAL: Final = r"\d{1,3}(?:\.\d{1,3})+"

# At the start of a heading any of them names the article.
_IN_HEADING: Final = re.compile(
    rf"\s*(?:(?P<sign>{_PARAGRAPH})|(?P<word>{_NAMED})\s*(?P<number>{_NUMBER}|[IVXLC]+\b)|(?P<decimal>{_DECIMAL})(?=\.?(?:\s|$)))"
)
# A paragraph that begins with a number is an article when something sets the number off; "§ 5 Abs. 2 gilt" cites one.
_IN_PARAGRAPH: Final = re.compile(
    rf"\s*(?:(?P<sign>§\s*{_NUMBER})|(?P<word>{_NAMED})\s*(?P<number>{_NUMBER}))\s*(?:[-–—:]|\.(?=\s|$)|\(1\)|$)"
)
_CLAUSE: Final = re.compile(rf"\s*(?P<decimal>{_DECIMAL})\.?\s+(?=[^\W\d_])")
_UPPER_TO_TITLE: Final = {"GEÇİCİ": "Geçici", "EK": "Ek", "MÜKERRER": "Mükerrer"}


def article_of_heading(heading: str) -> str | None:
    """The number that a heading carries, in one spelling: "MADDE 12 – Fesih" gives "Madde 12"; None without one."""
    return _label(_IN_HEADING.match(heading))


def article_of_paragraph(text: str) -> str | None:
    """The article that begins with this paragraph; None when it begins none or only cites one."""
    return _label(_IN_PARAGRAPH.match(text))


def clause_of_paragraph(text: str) -> str | None:
    """The decimal number in front of a clause: "3.1.4 The supplier …" gives "3.1.4"."""
    return _label(_CLAUSE.match(text))


def article_of_path(path: Sequence[str]) -> str | None:
    """The number of the nearest heading that carries one."""
    return next((label for heading in reversed(path) if (label := article_of_heading(heading))), None)


def _label(match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    found = match.groupdict()
    if found.get("sign"):
        return re.sub(r"^(§+)\s*", r"\1 ", " ".join(found["sign"].split()))
    if found.get("word"):
        words = [
            _UPPER_TO_TITLE.get(word, word[0].upper() + word[1:].lower()) for word in found["word"].split()
        ]
        return f"{' '.join(words)} {found['number']}"
    return found["decimal"]
