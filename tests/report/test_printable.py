from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.printable import printable


def test_a_name_cannot_move_the_cursor_or_turn_the_line():
    assert printable("a\x1b[2Jb\r\nc\u202efdp.exe") == r"a\x1b[2Jb\r\nc\u202efdp.exe"
    assert printable("Übergabe – ölçüm\t12 €") == "Übergabe – ölçüm\t12 €"


@given(st.text())
def test_what_is_printed_is_one_line_that_can_be_written(text):
    shown = printable(text)
    shown.encode("utf-8")
    assert not any(ord(character) < 32 and character != "\t" for character in shown)
    assert len(shown.splitlines()) <= 1
