"""Single pages read again in workers."""

import hashlib

import pytest

from pipeline.config import ParsingConfig
from pipeline.parsing.again import Reading, read_page_again
from pipeline.parsing.errors import ParseError
from pipeline.parsing.pages import PageToRead, read_again
from tests.gate import scans
from tests.parsing.documents import canvas, lines, texts
from tests.parsing.readings import engines


def _reading(page=1, preprocessing="none"):
    return Reading(page, "rapidocr", preprocessing, ("de", "en"))


def test_documents_without_pictures_of_their_pages_are_refused():
    with pytest.raises(ParseError) as error:
        read_page_again("a.md", "", b"# Titel", _reading(), engines(layout="geometry"))
    assert error.value.reason == "unsupported"


def test_a_page_that_is_not_there():
    page, buffer = canvas()
    lines(page, ["Eine Seite"])
    page.save()
    with pytest.raises(ParseError) as error:
        read_page_again("a.pdf", "", buffer.getvalue(), _reading(7), engines(layout="geometry"))
    assert error.value.reason == "corrupt"


def test_boxes_are_those_of_the_page_whatever_was_done_to_its_picture():
    data = scans.png(scans.picture(scans.SENTENCES[:2], shape=(1000, 260)))
    rows = [
        read_page_again("a.png", "", data, _reading(preprocessing=name), engines(layout="geometry"))[0]
        for name in ("none", "enlarged")
    ]
    assert texts(rows[:1]) == texts(rows[1:])
    assert rows[0]["width"] == pytest.approx(rows[1]["width"], abs=1) == 480
    boxes = [row["blocks"][0]["bbox"] for row in rows]
    assert boxes[0] == pytest.approx(boxes[1], abs=8)


@pytest.mark.slow
def test_workers_answer_in_the_order_of_the_questions(tmp_path):
    data = scans.png(scans.picture(scans.SENTENCES[:2], shape=(1000, 260)))
    file = tmp_path / "a.png"
    file.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    pages = [
        PageToRead(str(file), "", "another", _reading()),
        PageToRead(str(file), "", digest, _reading()),
        PageToRead(str(tmp_path / "b.png"), "", digest, _reading()),
    ]
    found = read_again(pages, ParsingConfig(workers=1, layout="geometry"))
    assert [each.reason if isinstance(each, ParseError) else "row" for each in found] == [
        "changed",
        "row",
        "unreadable",
    ]
    assert "Größere Störungen" in " ".join(texts([found[1]]))
    assert read_again([], ParsingConfig()) == []
