import io
import sys

from pipeline.report.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_away_from_a_terminal_a_line_now_and_then(capsys):
    with Progress() as progress:
        progress("docs.0: parsed 1/9 documents")
        progress("docs.0: parsed 2/9 documents")
    assert capsys.readouterr() == ("", "docs.0: parsed 1/9 documents\n")


def test_silent_is_silent(capsys, monkeypatch):
    with Progress(silent=True) as progress:
        progress("x")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress(silent=True) as progress:
        progress("x")
    assert sys.stderr.getvalue() == ""
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_a_message_may_hold_any_name(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with Progress() as progress:
        progress("docs.0: parsed 1/9 documents ([/bold] [x].pdf)")
    assert capsys.readouterr().out == ""
