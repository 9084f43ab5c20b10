"""One question to a language model behind an OpenAI-compatible service: text, and an image if there is one.

What leaves the machine is counted (`Budget`) before it leaves; the key is in no message and no error.
"""

import base64
import json
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from pipeline.config import ConfigError, variable

if TYPE_CHECKING:
    import httpx2

_TRIES: Final = 4
_TRIES_CUT: Final = 2  # each may be paid for
_FIRST_WAIT: Final = 1.0  # seconds; doubled after each failed try
_LONGEST_WAIT: Final = 60.0  # seconds; a service that asks for more is asked again in the next run
_REFUSED_FOR_NOW: Final = (408, 409, 425, 429, 500, 502, 503, 504)
_OUR_FAULT: Final = (
    401,
    402,
    403,
    404,
    405,
)  # key, account, model or address: the next question fares no better
# Control characters, and halves of surrogate pairs, which JSON can spell and no table can hold.
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_LARGEST: Final = 1 << 20  # bytes of an answer; the longest text that a model may give takes a tenth
CUT_OFF: Final = "the answer was cut off"
_SHOWN: Final = 200  # characters of a service's own words


class EndpointError(RuntimeError):
    """The service cannot be used now: it is down, busy, or refuses us. Whatever was to be asked waits."""


class AnswerError(RuntimeError):
    """The service refuses this question, or its answer is none. Asking again would not help."""


class BudgetError(EndpointError):
    """Nothing more may be sent in this run."""


@dataclass
class Budget:
    """What may still be sent, in requests or in tokens. A request that the service answers with an error is given back: it costs nothing.

    One that breaks off without an answer is not: it may have been worked on.

    Attributes:
        left: requests or tokens.
        closed: why nothing more is sent although some are left; "" for no such reason.
    """

    left: int
    closed: str = ""

    def take(self, cost: int = 1) -> None:
        """Count a request. Raises BudgetError if less is left."""
        if self.left < cost:
            raise BudgetError("nothing more may be sent in this run")
        self.left -= cost

    def give_back(self, cost: int = 1) -> None:
        """Take back the count of a request that cost nothing."""
        self.left += cost

    def close(self, reason: str) -> None:
        """Send nothing more."""
        self.left, self.closed = 0, reason


@dataclass(frozen=True)
class Endpoint:
    """A model of a service.

    Attributes:
        url: base, such as `http://localhost:8000/v1`.
        model: its name there.
        answer_tokens: of one answer at most.
        timeout_seconds: for one answer.
        key: of the service; "" for none.
        wait: takes seconds and lets them pass.
    """

    url: str
    model: str
    answer_tokens: int
    timeout_seconds: float
    key: str = field(default="", repr=False)
    wait: Callable[[float], None] = time.sleep

    def ask(self, prompt: str, budget: Budget, *, image: bytes | None = None, cost: int = 1) -> str:
        """The model's answer.

        A service that is busy or down is asked up to four times, with pauses that double, or as long as its `Retry-After` says.

        Args:
            prompt: the question.
            budget: each request is counted there.
            image: PNG.
            cost: of one request, in what the budget counts.

        Raises:
            BudgetError: nothing more may be sent.
            EndpointError: the service is down, busy, or refuses the key, the model or the address.
            AnswerError: it refuses this question, or the answer holds no text, or is cut off.
        """
        import httpx2

        body = self._body(prompt, image)
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        trouble = ""
        # No redirect is followed: it would carry the image somewhere that nobody named.
        with httpx2.Client(timeout=self.timeout_seconds, headers=headers, follow_redirects=False) as client:
            cut = 0
            for attempt in range(_TRIES):
                budget.take(cost)
                pause = _FIRST_WAIT * 2**attempt
                try:
                    with client.stream("POST", f"{self.url}/chat/completions", json=body) as response:
                        content = _beginning(response)
                except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
                    budget.give_back(cost)  # nothing was sent
                    trouble = f"cannot be reached ({type(error).__name__})"
                except httpx2.RequestError as error:
                    trouble = f"broke off ({type(error).__name__})"
                    cut += 1
                else:
                    if response.status_code not in _REFUSED_FOR_NOW:
                        return self._read(response.status_code, content, budget, cost)
                    budget.give_back(cost)
                    trouble = f"answers {response.status_code}"
                    pause = max(pause, _retry_after(response.headers.get("retry-after", "")))
                if pause > _LONGEST_WAIT or attempt == _TRIES - 1 or cut == _TRIES_CUT or budget.left < cost:
                    break
                self.wait(pause)
        raise EndpointError(f"{self.url} {trouble}")

    def _read(self, status: int, content: bytes, budget: Budget, cost: int) -> str:
        if status != 200:
            budget.give_back(cost)
            words = " ".join(content.decode("utf-8", "replace").split())
            if self.key:
                words = words.replace(self.key, "…")
            words = words[:_SHOWN]
            if status in _OUR_FAULT or status < 400:
                raise EndpointError(f"{self.url} answers {status}: {words}")
            raise AnswerError(f"{status}: {words}")
        if len(content) > _LARGEST:
            raise AnswerError(f"the answer is larger than {_LARGEST >> 20} MiB, as none of a chat model is")
        try:
            choice = json.loads(content)["choices"][0]
            said, ended = choice["message"]["content"], choice.get("finish_reason")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise AnswerError("the answer is not that of a chat model") from None
        if ended == "length":
            raise AnswerError(cut_off(self.answer_tokens))
        text = _NO_TEXT.sub("", _without_thoughts(said)).strip() if isinstance(said, str) else ""
        if not text:
            raise AnswerError("the answer holds no text")
        return text

    def _body(self, prompt: str, image: bytes | None) -> dict[str, Any]:
        content: Any = prompt
        if image is not None:
            url = "data:image/png;base64," + base64.b64encode(image).decode("ascii")
            content = [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": url}}]
        return {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": self.answer_tokens,
            "temperature": 0,
        }


def cut_off(answer_tokens: int) -> str:
    """What is said of an answer that did not fit into so many tokens. It begins with `CUT_OFF`."""
    return f"{CUT_OFF} after {answer_tokens} tokens: raise answer_tokens"


def _beginning(response: "httpx2.Response") -> bytes:
    """The body, of a large one somewhat more than `_LARGEST` bytes: what comes behind is not waited for."""
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > _LARGEST:
            break
    return bytes(content)


def _without_thoughts(text: str) -> str:
    """The answer behind what a model that reasons thinks aloud. Some templates open the thought themselves, so it only ends."""
    thought, end, answer = text.partition("</think>")
    opened = thought.lstrip().startswith("<think>")
    if end and (opened or "<think>" not in thought):
        return answer
    return "" if opened else text


def key_of(name: str, setting: str) -> str:
    """The key that an environment variable holds; "" when no variable is named.

    Args:
        name: of the variable.
        setting: the key of the configuration that names it, for the error.

    Raises:
        ConfigError: the variable is not set, or empty, or holds what no header can carry.
    """
    key = variable(name, setting).strip() if name else ""
    if name and not (key and key.isascii() and key.isprintable()):
        raise ConfigError(
            f"{setting}: the environment variable {name!r} is empty, or holds characters that no key has"
        )
    return key


def _retry_after(value: str) -> float:
    """Seconds that a `Retry-After` header asks for: a number, or a date (RFC 9110, 10.2.3); 0 if it is neither."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return 0.0
    return seconds if math.isfinite(seconds) else 0.0
