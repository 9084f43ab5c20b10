"""An address on loopback that takes what is posted to it."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What was posted, in order, and the status that answers it."""

    url: str
    status: int = 204
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def receiver() -> Generator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(received.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received = Receiver(f"http://127.0.0.1:{server.server_port}/secret-path")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
