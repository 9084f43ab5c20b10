"""A service that speaks the protocol of chat completions, on loopback: it answers what a test tells it to."""

import base64
import json
from contextlib import contextmanager

from tests.loopback import Quiet, serving


class Service:
    """What the service was asked, and how it answers.

    Attributes:
        url: its base.
        requests: bodies of all requests, in order.
        headers: of all requests, in order.
        answers: (status, headers, body) in turn; when there are none left, the model says `says` of the image.
        says: from the PNG of an image and the prompt to what the model says.
    """

    def __init__(self, url):
        self.url = url
        self.requests = []
        self.headers = []
        self.answers = []
        self.says = lambda _image, _prompt: "A pump with an impeller."


def completion(text, finish_reason="stop"):
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice]}).encode()


@contextmanager
def service():
    """A running service; it ends with the block."""

    class Handler(Quiet):
        def do_POST(self):  # noqa: N802 - the name that http.server calls
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            state.headers.append(dict(self.headers))
            if state.answers:
                status, headers, content = state.answers.pop(0)
            else:
                status, headers, content = 200, {}, completion(state.says(*_question(body)))
            if status is None:  # breaks off
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with serving(Handler) as address:
        state = Service(f"{address}/v1")
        yield state


def _question(body):
    content = body["messages"][0]["content"]
    if isinstance(content, str):
        return None, content
    text = next(part["text"] for part in content if part["type"] == "text")
    url = next(part["image_url"]["url"] for part in content if part["type"] == "image_url")
    return base64.b64decode(url.removeprefix("data:image/png;base64,")), text
