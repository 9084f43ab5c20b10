"""An address on loopback that takes what is posted to it."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import Quiet, serving


@dataclass
class Receiver:
    """What was posted, in order, and the status that answers it."""

    url: str
    status: int = 204
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def receiver() -> Generator[Receiver]:
    class Handler(Quiet):
        def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
            received.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(received.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving(Handler) as address:
        received = Receiver(f"{address}/secret-path")
        yield received
