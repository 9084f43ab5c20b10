"""A worker that fails while it reads certain pages, each time it comes to them."""

import os
import signal
import time
from typing import Any

from pipeline.parsing.readers.pdf import PdfFile
from pipeline.parsing.worker import Answer, Limits, Say, Task, read


def fail(how: str) -> None:
    """End this process, hang, or raise."""
    match how:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(3)
        case "hang":
            time.sleep(60)
        case "memory":
            raise MemoryError
        case _:
            raise ValueError(how)


def read_spoilt(how: str, pages: range, task: Task, limits: Limits, say: Say) -> Answer:
    """The work of the parser, where some pages of every PDF fail."""
    sheet = PdfFile.sheet

    def spoilt(file: PdfFile, number: int) -> Any:
        if number in pages:
            fail(how)
        return sheet(file, number)

    PdfFile.sheet = spoilt
    try:
        return read(task, limits, say)
    finally:
        PdfFile.sheet = sheet
