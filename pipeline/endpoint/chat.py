"""One question to a language model behind an OpenAI-compatible service: text, and an image if there is one.

What leaves the machine is counted (`Budget`) before it leaves; the key is in no message and no error.
"""

import base64
import math
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from pipeline.config import ConfigError

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
NOTHING: Final = ("-", "–", "—")  # answers by which a model says that there is nothing to say
PATIENCE: Final = (
    2  # questions in a row that a service could not be asked; then it is left alone until the next run
)
KEPT_EVERY: Final = 20  # answers after which they are kept, so that a killed run does not ask again
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
        timeout_seconds: for one answer.
        key: of the service; "" for none.
        wait: takes seconds and lets them pass.
    """

    url: str
    model: str
    timeout_seconds: float
    key: str = field(default="", repr=False)
    wait: Callable[[float], None] = time.sleep

    def ask(
        self, prompt: str, budget: Budget, *, image: bytes | None = None, max_tokens: int = 500, cost: int = 1
    ) -> str:
        """The model's answer.

        A service that is busy or down is asked up to four times, with pauses that double, or as long as its `Retry-After` says.

        Args:
            prompt: the question.
            budget: each request is counted there.
            image: PNG.
            max_tokens: of the answer.
            cost: of one request, in what the budget counts.

        Raises:
            BudgetError: nothing more may be sent.
            EndpointError: the service is down, busy, or refuses the key, the model or the address.
            AnswerError: it refuses this question, or the answer holds no text.
        """
        import httpx2

        body = _body(self.model, prompt, image, max_tokens)
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        trouble = ""
        # No redirect is followed: it would carry the image somewhere that nobody named.
        with httpx2.Client(timeout=self.timeout_seconds, headers=headers, follow_redirects=False) as client:
            cut = 0
            for attempt in range(_TRIES):
                budget.take(cost)
                pause = _FIRST_WAIT * 2**attempt
                try:
                    response = client.post(f"{self.url}/chat/completions", json=body)
                except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
                    budget.give_back(cost)  # nothing was sent
                    trouble = f"cannot be reached ({type(error).__name__})"
                except httpx2.RequestError as error:
                    trouble = f"broke off ({type(error).__name__})"
                    cut += 1
                else:
                    if response.status_code not in _REFUSED_FOR_NOW:
                        return self._read(response, budget, cost)
                    budget.give_back(cost)
                    trouble = f"answers {response.status_code}"
                    pause = max(pause, _retry_after(response.headers.get("retry-after", "")))
                if pause > _LONGEST_WAIT or attempt == _TRIES - 1 or cut == _TRIES_CUT or budget.left < cost:
                    break
                self.wait(pause)
        raise EndpointError(f"{self.url} {trouble}")

    def _read(self, response: "httpx2.Response", budget: Budget, cost: int) -> str:
        status = response.status_code
        if status != 200:
            budget.give_back(cost)
            words = " ".join(response.text.split())
            if self.key:
                words = words.replace(self.key, "…")
            words = words[:_SHOWN]
            if status in _OUR_FAULT or status < 400:
                raise EndpointError(f"{self.url} answers {status}: {words}")
            raise AnswerError(f"{status}: {words}")
        try:
            content = response.json()["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise AnswerError("the answer is not that of a chat model") from None
        text = _NO_TEXT.sub("", content).strip() if isinstance(content, str) else ""
        if not text:
            raise AnswerError("the answer holds no text")
        return text


def key_of(variable: str, setting: str) -> str:
    """The key that an environment variable holds; "" when no variable is named.

    Args:
        variable: its name.
        setting: the key of the configuration that names it, for the error.

    Raises:
        ConfigError: the variable is not set, or empty, or holds what no header can carry.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(f"{setting} = {variable!r}: this environment variable is not set")
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(
            f"{setting} = {variable!r}: this environment variable holds characters that no key has"
        )
    return key


def _body(model: str, prompt: str, image: bytes | None, max_tokens: int) -> dict[str, Any]:
    content: Any = prompt
    if image is not None:
        url = "data:image/png;base64," + base64.b64encode(image).decode("ascii")
        content = [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": url}}]
    return {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        "max_tokens": max_tokens,
        "temperature": 0,
    }


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
