"""Why a document or page could not be read: reason codes, their words, and the one place that classifies exceptions."""

import re
from typing import Final

ENCRYPTED: Final = "encrypted"
CORRUPT: Final = "corrupt"
UNSUPPORTED: Final = "unsupported"
TIMEOUT: Final = "timeout"
OUT_OF_MEMORY: Final = "out_of_memory"
CRASH: Final = "crash"
TOO_LARGE: Final = "too_large"
DTD: Final = "dtd"
NO_CONTENT: Final = "no_content"
UNREADABLE: Final = "unreadable"
CHANGED: Final = "changed"

PASSING: Final = (TIMEOUT, OUT_OF_MEMORY, CRASH, UNREADABLE, CHANGED)
"""Reasons that may pass by themselves: the next run tries again."""

RETRIED: Final = (ENCRYPTED, *PASSING)
"""Reasons for which a document is read again in the next run: they may pass, or a password is configured by then."""

NO_FAILURE: Final = (NO_CONTENT,)
"""Reasons that are no failure: there is nothing that could be indexed."""

INSTALL_LIBREOFFICE: Final = (
    "LibreOffice reads such files, and is not installed; install it, or save the file as DOCX"
)
"""Stands in the detail of a file in an old format; it says what to do as well as what is wrong."""

REASONS: Final = {
    ENCRYPTED: "The file is protected by a password.",
    CORRUPT: "The file is damaged or is not what its name says.",
    UNSUPPORTED: "No reader for this kind of file.",
    TIMEOUT: "Reading took longer than the time limit.",
    OUT_OF_MEMORY: "Reading needed more than the memory limit.",
    CRASH: "The reader crashed on this file.",
    TOO_LARGE: "The file, or what it unpacks to, is beyond the size limit.",
    DTD: "The file defines document types or entities of its own, which are never followed.",
    NO_CONTENT: "The file opens but holds no text.",
    UNREADABLE: "The bytes of the file could not be read.",
    CHANGED: "The file changed after it was scanned; the next run reads what it is then.",
}
"""Every reason code and what it means, in words for a person."""


_NO_MEMORY: Final = re.compile(
    r"bad_alloc|bad allocation|allocate memory|(?:out of|insufficient) memory", re.IGNORECASE
)


class ParseError(Exception):
    """A document that cannot be read: a fault of the input, not of the program.

    Attributes:
        reason: one of `REASONS`.
        detail: what was found, in words.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    @property
    def message(self) -> str:
        """The reason in words, followed by the detail."""
        return f"{REASONS[self.reason]} {self.detail}".strip()


def classify(error: BaseException) -> ParseError:
    """The reason behind any exception that a reader raised."""
    if isinstance(error, ParseError):
        return error
    blameless = not_the_file(error)
    if blameless is not None:
        return blameless
    if isinstance(error, OSError) and error.filename is not None:
        return ParseError(UNREADABLE, f"({error.strerror})")
    if isinstance(error, RecursionError):
        return ParseError(CORRUPT, "(nested too deeply)")
    return ParseError(CORRUPT, f"({first_line(error)})")


def not_the_file(error: BaseException) -> ParseError | None:
    """The reason if the process that reads is at fault and not the file: short of memory, or without a library.

    A process short of memory also fails to import and has calls return nothing; what follows from that says so, too.
    """
    for cause in chain_of(error):
        if isinstance(cause, MemoryError) or _NO_MEMORY.search(str(cause)):
            return ParseError(OUT_OF_MEMORY)
        if isinstance(cause, ImportError | SystemError):
            return ParseError(CRASH, f"({first_line(cause)})")
    return None


def chain_of(error: BaseException) -> list[BaseException]:
    """The exception and what it came from, down to the first."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    return chain


def first_line(error: BaseException) -> str:
    """Kind and first line of an exception, at most 200 characters: fit for one line in a report."""
    # Where an object lies in memory is another place in every run, and the rows are compared.
    text = re.sub(r" at 0x[0-9a-f]+", "", str(error)).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}"[:200] if text else type(error).__name__
