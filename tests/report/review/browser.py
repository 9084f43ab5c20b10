"""Chromium without a window, driven through its DevTools protocol over a pipe: no port, no driver, no library."""

import base64
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
)  # fmt: skip
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync", "--no-first-run",
    "--no-default-browser-check", "--mute-audio", "--remote-debugging-pipe", "--window-size=1400,900",
)  # fmt: skip
_PATIENCE = 30.0


def chromium() -> str:
    """Path of the installed browser; skips the test where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("no Chromium is installed")
    return found


class Page:
    """One tab. `events` collects what the browser reports: requests, console messages, uncaught errors, downloads."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def attach(self, downloads: Path) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        session, self._session = self._session, None
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads), eventsEnabled=True)  # fmt: skip
        self._session = session

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Run a command and return its result; events that come before it are kept."""
        self._last += 1
        command: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        while True:
            message = self._receive()
            if message.get("id") == self._last:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self.events.append(message)

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(deadline - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            data = os.read(self._answers, 1 << 20)
            assert data, "the browser has ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, file: Path) -> None:
        """Load a local file and wait until it has loaded."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=file.as_uri())
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        self.wait_for(lambda: self.run(expression), expression)

    def wait_for(self, done: Callable[[], Any], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not done():
            assert time.monotonic() < deadline, f"never came true: {what}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press and let go of a key, as a keyboard does."""
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def move(self, selector: str) -> tuple[float, float]:
        """Put the mouse on the middle of an element."""
        x, y = self.run(
            f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); const r = e.getBoundingClientRect();"
            f" return [r.x + r.width / 2, r.y + r.height / 2]; }})(document.querySelector({json.dumps(selector)}))"
        )
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, selector: str) -> None:
        """Click on the middle of an element with the mouse."""
        x, y = self.move(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def size(self, width: int, height: int) -> None:
        """The size of the window's content in pixels."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)  # fmt: skip

    def scheme(self, name: str) -> None:
        """`light` or `dark`, as the system would prefer it."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def requests(self) -> list[str]:
        """Addresses of everything that was asked for."""
        sent = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]  # fmt: skip
        return [url for url in sent if not url.startswith(("data:", "about:"))]

    def complaints(self) -> list[str]:
        """Console messages, uncaught errors, violations of the page's policy."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")  # fmt: skip
        return [json.dumps(event["params"])[:500] for event in self.events if event.get("method") in kinds]


@contextmanager
def browsing(profile: Path) -> Generator[Page]:
    """A browser with a fresh profile in an empty folder, and one tab; downloads land in `profile/downloads`."""
    downloads = profile / "downloads"
    downloads.mkdir(parents=True)
    program = chromium()
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    silence = os.open(os.devnull, os.O_RDWR)
    # Chromium reads commands from descriptor 3 and answers on 4.
    actions = [
        *((os.POSIX_SPAWN_DUP2, end, high) for end, high in ((their_in, 103), (their_out, 104))),
        *((os.POSIX_SPAWN_DUP2, high, low) for high, low in ((103, 3), (104, 4))),
        *((os.POSIX_SPAWN_CLOSE, high) for high in (103, 104)),
        *((os.POSIX_SPAWN_DUP2, silence, number) for number in (0, 1, 2)),
    ]
    arguments = [program, *_QUIET, f"--user-data-dir={profile / 'profile'}"]
    # A process group of its own: its helpers end with it.
    process = os.posix_spawn(program, arguments, dict(os.environ), file_actions=actions, setpgroup=0)
    for end in (their_in, their_out, silence):
        os.close(end)
    try:
        page = Page(our_out, our_in)
        page.attach(downloads)
        yield page
    finally:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(our_out)
        os.close(our_in)
