"""Documents as web pages, Markdown, plain text and mail."""

from datetime import UTC, date, datetime, time
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from zlib import crc32

from pipeline.sample.document import (
    SOFT_HYPHEN,
    Block,
    Document,
    Figure,
    Footnote,
    Grid,
    Heading,
    Items,
    PageBreak,
    Para,
    Raw,
)

_MENU = {"tr": ("Ana sayfa", "Duyurular", "Rehber"), "de": ("Start", "Aktuelles", "Telefonbuch"), "en": ("Home", "News", "Directory")}  # fmt: skip


def html_text(document: Document) -> str:
    """A page of the intranet, with the menu and the foot that every page has."""
    menu = "".join(f'<li><a href="#">{escape(entry)}</a></li>' for entry in _MENU[document.lang])
    body = "\n".join(_html(block) for block in document.blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="{document.lang}">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(document.title)} · Poyraz</title>\n</head>\n<body>\n<nav><ul>{menu}</ul></nav>\n"
        f"<main>\n<h1>{escape(document.title)}</h1>\n{body}\n</main>\n<footer>© Poyraz Intranet</footer>\n</body>\n</html>\n"
    )


def _html(block: Block) -> str:  # noqa: PLR0911  # one return a kind of block
    match block:
        case Heading(text, level):
            return f"<h{level + 1}>{escape(text)}</h{level + 1}>"
        case Para(text, mark):
            raised = f"<sup>{mark}</sup>" if mark else ""
            return f"<p>{escape(text.replace(SOFT_HYPHEN, ''))}{raised}</p>"
        case Items(texts):
            return "<ul>\n" + "\n".join(f"<li>{escape(text)}</li>" for text in texts) + "\n</ul>"
        case Grid(rows, _, caption):
            lines = [
                "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
                for tag, row in zip(("th", *("td" for _ in rows[1:])), rows, strict=True)
            ]
            head = f"<caption>{escape(caption)}</caption>" if caption else ""
            return f"<table>{head}\n" + "\n".join(lines) + "\n</table>"
        case Figure(_, caption):
            return f"<figure><figcaption>{escape(caption)}</figcaption></figure>"
        case Footnote(mark, text):
            return f"<p><small>{mark} {escape(text)}</small></p>"
        case Raw(text):
            return f"<pre>{escape(text)}</pre>"
        case PageBreak():
            return "<hr>"


def markdown_text(document: Document) -> str:
    """The document as Markdown with a table in pipes."""
    return "\n\n".join((f"# {document.title}", *(_markdown(block) for block in document.blocks))) + "\n"


def _markdown(block: Block) -> str:  # noqa: PLR0911  # one return a kind of block
    match block:
        case Heading(text, level):
            return f"{'#' * (level + 1)} {text}"
        case Para(text, mark):
            return text.replace(SOFT_HYPHEN, "") + (f"[^{mark}]" if mark else "")
        case Items(texts):
            return "\n".join(f"- {text}" for text in texts)
        case Grid(rows, _, caption):
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            lines.insert(1, "|" + " --- |" * len(rows[0]))
            return "\n".join(lines) + (f"\n\n{caption}" if caption else "")
        case Figure(_, caption):
            return f"*{caption}*"
        case Footnote(mark, text):
            return f"[^{mark}]: {text}"
        case Raw(text):
            return text
        case PageBreak():
            return "---"


def plain_text(document: Document) -> str:
    """The bare text; a transcript is its turns and nothing else."""
    if any(isinstance(block, Raw) for block in document.blocks):
        return "".join(block.text for block in document.blocks if isinstance(block, Raw))
    return document.text().replace("\n", "\n\n") + "\n"


def mail_bytes(document: Document) -> bytes:
    """The paragraphs as a mail; the first one is its `From:` line, the title its subject."""
    sender, *texts = (block.text for block in document.blocks if isinstance(block, Para))
    sent = document.meta["effective_date"]
    assert isinstance(sent, date)
    message = EmailMessage()
    message["From"] = sender.removeprefix("From: ")
    message["To"] = "Poyraz <info@poyraz.example>"
    message["Subject"] = document.title
    message["Date"] = format_datetime(datetime.combine(sent, time(9, 5), UTC))
    message["Message-ID"] = f"<{crc32(document.path.encode()):08x}@poyraz.example>"
    message.set_content("\n\n".join(texts) + "\n", cte="quoted-printable")
    return message.as_bytes()
