import io
import socket
import time
from email.utils import formatdate

import pytest

from pipeline.config import ConfigError
from pipeline.endpoint.chat import AnswerError, Budget, BudgetError, Endpoint, EndpointError, key_of
from tests.endpoint.service import completion, service


@pytest.fixture
def served():
    with service() as state:
        yield state


class Waits(list):
    """Notes how long a client would wait, and lets no time pass."""

    def __call__(self, seconds):
        self.append(seconds)


def _endpoint(served, waits=None, **more):
    return Endpoint(served.url, "eyes-1", 60, 5, wait=waits if waits is not None else Waits(), **more)


def _png():
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(out, "PNG")
    return out.getvalue()


def test_text_and_image_arrive_and_the_answer_comes_back(served):
    seen = []
    served.says = lambda image, prompt: seen.append((image, prompt)) or " Bir pompa. "
    assert _endpoint(served, key="s3cret").ask("Ne görüyorsun?", Budget(1), image=_png()) == "Bir pompa."
    assert seen == [(_png(), "Ne görüyorsun?")]
    assert served.requests[0]["model"] == "eyes-1"
    assert served.headers[0]["Authorization"] == "Bearer s3cret"
    assert _endpoint(served).ask("Nur Text", Budget(1))
    assert "Authorization" not in served.headers[1]


def test_a_busy_service_is_asked_again_after_the_pause_that_it_wants(served):
    date = formatdate(time.time() + 30, usegmt=True)
    served.answers = [
        (429, {"Retry-After": "7"}, b""), (503, {"Retry-After": date}, b""), (500, {}, b""), (200, {}, completion("ja"))
    ]  # fmt: skip
    waits, budget = Waits(), Budget(5)
    assert _endpoint(served, waits).ask("?", budget) == "ja"
    assert waits[0] == 7
    assert 20 < waits[1] <= 30
    assert waits[2] == 4
    assert budget.left == 4  # only the answer costs


def test_a_service_that_stays_busy_or_wants_too_long_a_pause_is_left_alone(served):
    served.answers = [(429, {}, b"")] * 9
    waits = Waits()
    with pytest.raises(EndpointError, match="answers 429"):
        _endpoint(served, waits).ask("?", Budget(9))
    assert waits == [1, 2, 4]
    served.answers = [(429, {"Retry-After": "86400"}, b"")]
    with pytest.raises(EndpointError):
        _endpoint(served, waits).ask("?", Budget(9))
    assert len(waits) == 3


def test_what_breaks_off_may_cost_and_is_counted(served):
    served.answers = [(None, {}, b""), (None, {}, b"")]
    budget = Budget(9)
    with pytest.raises(EndpointError, match="broke off"):
        _endpoint(served).ask("?", budget)
    assert (len(served.requests), budget.left) == (2, 7)


def test_the_budget_is_never_passed(served):
    budget = Budget(1)
    served.answers = [(None, {}, b"")]
    with pytest.raises(EndpointError):
        _endpoint(served).ask("?", budget)
    with pytest.raises(BudgetError):
        _endpoint(served).ask("?", budget)
    assert len(served.requests) == 1


def test_no_service_at_the_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    budget = Budget(3)
    with pytest.raises(EndpointError, match="cannot be reached"):
        Endpoint(f"http://127.0.0.1:{port}/v1", "m", 60, 5, wait=Waits()).ask("?", budget)
    assert budget.left == 3


@pytest.mark.parametrize("status", [401, 403, 404, 307])
def test_a_fault_of_ours_stops_the_asking_and_no_redirect_is_followed(served, status):
    served.answers = [(status, {"Location": "http://127.0.0.1:9/"}, b"bad key s3cret")]
    with pytest.raises(EndpointError, match=str(status)) as caught:
        _endpoint(served, key="s3cret").ask("?", Budget(3))
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in repr(_endpoint(served, key="s3cret"))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b"image refused"),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"choices": []}'),
        (200, completion("  ")),
        (200, completion("\x00\ud83d")),
        (200, b'{"choices": ["no"]}'),
        (200, b"[" * 200_000),
        (200, completion("a" * 2_000_000)),
        (400, b"a" * 2_000_000),
        (200, completion("Ein Laufrad mit", "length")),
        (200, completion("<think>Zu sehen ist wohl")),
        (200, completion("<think>Ein Laufrad.</think>\n")),
    ],
)
def test_a_question_that_is_refused_or_answered_with_nothing_is_not_asked_again(served, status, body):
    served.answers = [(status, {}, body)]
    with pytest.raises(AnswerError):
        _endpoint(served).ask("?", Budget(3))
    assert len(served.requests) == 1


def test_what_is_no_text_is_left_out_of_an_answer(served):
    served.says = lambda _image, _prompt: "Pumpe\x00 P-7\x1b\n\U0001f600 läuft\ud83d"
    assert _endpoint(served).ask("?", Budget(1)) == "Pumpe P-7\n\U0001f600 läuft"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("<think>\nIs it a pump?\n</think>\n\nA pump.", "A pump."),
        (" <think></think>A pump.", "A pump."),
        ("Is it a pump?\n</think>\nA pump.", "A pump."),  # the template of the chat began the thought
        ("A page on the tags <think> and </think>.", "A page on the tags <think> and </think>."),
        ("A page on the tag <think>.", "A page on the tag <think>."),
    ],
)
def test_what_a_model_thinks_aloud_is_no_part_of_its_answer(served, said, answer):
    served.says = lambda _image, _prompt: said
    assert _endpoint(served).ask("?", Budget(1)) == answer


def test_of_an_answer_that_is_too_large_no_more_is_read_and_it_is_said(served):
    served.answers = [(200, {}, completion("a" * 50_000_000))]
    with pytest.raises(AnswerError, match="larger than 1 MiB"):
        _endpoint(served).ask("?", Budget(1))


def test_no_part_of_the_key_is_shown_where_the_words_of_a_service_are_cut(served):
    served.answers = [(401, {}, b"x" * 190 + b" s3cret-and-long")]
    with pytest.raises(EndpointError) as caught:
        _endpoint(served, key="s3cret-and-long").ask("?", Budget(3))
    assert "s3c" not in str(caught.value)


def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("EYES_KEY", " k1\n")
    assert key_of("EYES_KEY", "figures.api_key_variable") == "k1"
    assert key_of("", "figures.api_key_variable") == ""
    monkeypatch.delenv("EYES_KEY")
    with pytest.raises(ConfigError, match=r"figures.api_key_variable: .* 'EYES_KEY' is not set"):
        key_of("EYES_KEY", "figures.api_key_variable")


@pytest.mark.parametrize("key", ["schlüssel", "one\ntwo", "\t"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(monkeypatch, key):
    monkeypatch.setenv("EYES_KEY", key)
    with pytest.raises(ConfigError, match="characters that no key has") as error:
        key_of("EYES_KEY", "figures.api_key_variable")
    assert key not in str(error.value)
