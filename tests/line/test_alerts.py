"""Failures are told to the configured address, and that it cannot be told makes nothing worse."""

import pytest

from pipeline.config import ConfigError, parse_config
from pipeline.line.alerts import alert
from tests.line.receiver import receiver


def config(tmp_path, webhook):
    return parse_config(
        {"collections": [{"name": "docs", "source": "docs"}], "alerts": {"webhook": webhook}}, base=tmp_path
    )


def test_a_failure_is_posted(tmp_path):
    with receiver() as received:
        assert alert(config(tmp_path, received.url), "run_failed", "chunks stopped", partition="docs.0") == ""
    (body,) = received.bodies
    assert body["text"] == f"kesit, {tmp_path.name}: chunks stopped"
    assert (body["event"], body["project"], body["partition"]) == ("run_failed", tmp_path.name, "docs.0")
    assert body["at"].endswith("+00:00")


def test_the_address_can_stand_in_the_environment(tmp_path, monkeypatch):
    with receiver() as received:
        monkeypatch.setenv("KESIT_ALERTS", received.url)
        assert alert(config(tmp_path, "env:KESIT_ALERTS"), "run_failed", "stopped") == ""
    assert len(received.bodies) == 1
    monkeypatch.delenv("KESIT_ALERTS")
    assert "'KESIT_ALERTS' is not set" in alert(config(tmp_path, "env:KESIT_ALERTS"), "run_failed", "stopped")


def test_nobody_is_told_unless_an_address_is_configured(tmp_path):
    assert alert(config(tmp_path, ""), "run_failed", "stopped") == ""


def test_what_cannot_be_told_is_said_without_the_address_and_raises_nothing(tmp_path):
    with receiver() as received:
        received.status = 500
        refused = alert(config(tmp_path, received.url), "run_failed", "stopped")
    assert refused == "alerts.webhook answers 500"
    gone = alert(config(tmp_path, received.url), "run_failed", "stopped")
    assert gone.startswith("alerts.webhook cannot be reached")
    assert "secret-path" not in gone


@pytest.mark.parametrize("webhook", ["ftp://host/x", "host/x", "$KESIT_ALERTS", "env:", "file:///etc/passwd"])
def test_only_web_addresses_can_be_configured(tmp_path, webhook):
    with pytest.raises(ConfigError, match=r"alerts\.webhook"):
        config(tmp_path, webhook)
