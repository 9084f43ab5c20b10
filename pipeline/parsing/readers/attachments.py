"""Files attached to an e-mail: each becomes further pages of it, under its own name."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Final, cast

from pipeline.estate.media import PACKED_SUFFIXES, suffix_of
from pipeline.parsing.errors import UNSUPPORTED, ParseError, classify
from pipeline.parsing.repair import one_line
from pipeline.parsing.tree import Block, Page

MOST: Final = 100
"""Attachments of one e-mail that are read."""

Reader = Callable[[str, str, bytes], list[Page]]


def with_attachments(pages: list[Page], mail: bytes, read: Reader) -> list[Page]:
    """The pages of an e-mail, followed by those of the files that are attached to it.

    An attachment's first block is a heading with its file name; its own headings stand below it. One that cannot be read is
    a failed page with its reason, a packed one too; other kinds without a reader (signatures, cards) are passed over.

    Args:
        pages: of the e-mail's text.
        mail: the e-mail, RFC 822.
        read: pages of a file by its name, media type and bytes.
    """
    result = list(pages)
    for name, media_type, data in _attached(mail):
        number = max((page.number for page in result), default=0)
        try:
            found = read(name, media_type, data)
        except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
            fault: ParseError = classify(error)
            if fault.reason != UNSUPPORTED or suffix_of(name) in PACKED_SUFFIXES:
                detail = f"Attachment {name}: {fault.message}"
                result.append(Page(number + 1, source="none", reason=fault.reason, error=detail))
            continue
        for offset, page in enumerate(found, start=1):
            blocks = [_below(block) for block in page.blocks]
            head = [Block("heading", name, level=1)] if offset == 1 else []
            result.append(replace(page, number=number + offset, blocks=(*head, *blocks)))
    return result


def _below(block: Block) -> Block:
    if block.kind == "title":
        return replace(block, kind="heading", level=2)
    return replace(block, level=block.level + 2) if block.kind == "heading" else block


def _attached(mail: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Name, media type and bytes of each attachment; pictures that the text shows inline are part of its look."""
    message = message_from_bytes(mail, policy=policy.default)
    parts = message.iter_attachments() if message.is_multipart() else iter(())
    for number, part in enumerate(parts, start=1):
        if number > MOST:
            return
        kind = part.get_content_type()
        if kind.startswith("image/") and (part.get_content_disposition() == "inline" or part["Content-ID"]):
            continue
        if kind == "message/rfc822":
            inner = part.get_payload(0) if part.is_multipart() else None
            data = inner.as_bytes() if isinstance(inner, EmailMessage) else b""
            name = part.get_filename() or f"attachment-{number}.eml"
        else:
            data = cast("bytes | None", part.get_payload(decode=True)) or b""
            name = part.get_filename() or f"attachment-{number}"
        if data:
            yield one_line(name), kind, data
