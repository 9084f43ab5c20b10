"""Failures are told to the address that the configuration names: what stopped, where, and why, as JSON."""

from datetime import UTC, datetime
from typing import Any, Final

from pipeline.config import Config, ConfigError, from_environment

_TIMEOUT_SECONDS: Final = 10
_LONGEST_TEXT: Final = 2000


def alert(config: Config, event: str, text: str, **facts: Any) -> str:
    """Post a failure, if an address is configured. That it cannot be told must not make things worse: nothing is raised.

    The body has `text` (one line for a person, as chat services show it), `event`, `project` (the folder's name), `at`, and
    the further facts. What the documents say is never in it.

    Args:
        config: names the address.
        event: what kind of failure: run_failed, scan_refused.
        text: what happened.
        facts: further fields of the body.

    Returns:
        Why it could not be told, without the address (it may be a secret); "" if it was, or nobody is to be told.
    """
    setting = config.alerts.webhook
    if not setting:
        return ""
    try:
        address = from_environment(setting, "alerts.webhook")
    except ConfigError as error:
        return str(error)
    if not address.startswith(("https://", "http://")):
        return f"alerts.webhook = {setting!r}: this environment variable holds no address"

    import httpx2

    project = config.base.name
    body = {
        "text": f"kesit, {project}: {text}"[:_LONGEST_TEXT],
        "event": event,
        "project": project,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
    }
    try:
        with httpx2.Client(timeout=_TIMEOUT_SECONDS, follow_redirects=False) as client:
            response = client.post(address, json=body)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return f"alerts.webhook cannot be reached ({type(error).__name__})"
    return "" if response.is_success else f"alerts.webhook answers {response.status_code}"
