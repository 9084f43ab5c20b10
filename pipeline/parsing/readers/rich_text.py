"""RTF without LibreOffice: its text in paragraphs. Headings, lists and tables are known by their words alone."""

from dataclasses import replace
from typing import Final

from pipeline.parsing.errors import CORRUPT, ParseError, first_line
from pipeline.parsing.readers.plain import read_text
from pipeline.parsing.tree import Page

ENGINE: Final = "striprtf"


def read_rich_text(data: bytes) -> list[Page]:
    """One page of an RTF file.

    Args:
        data: the file; what is not ASCII in it is escaped, in the code page that the file names.

    Raises:
        ParseError: corrupt.
    """
    from striprtf.striprtf import rtf_to_text

    try:
        # Each paragraph of RTF is a line here; an empty line between them keeps them apart.
        text = rtf_to_text(data.decode("latin-1"), errors="replace").replace("\n", "\n\n")
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the library raises anything on a damaged file
        raise ParseError(CORRUPT, f"({first_line(error)})") from error
    return [replace(page, engine=ENGINE) for page in read_text(text)]
