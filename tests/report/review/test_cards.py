"""A card shows what the page's row holds."""

from pipeline.gate.register import TO_DO
from pipeline.parsing.errors import TIMEOUT, UNSUPPORTED, ParseError
from pipeline.report.review.cards import card
from pipeline.report.review.pictures import Picture
from tests.report.review.review_rows import SCORES, block, content, document, entry, gated, parsed

PICTURE = Picture(b"webp", 827, 1170)


def made(drawn=PICTURE, *, document_values=None, register=(), parse=None, **decision):
    (row,) = content(
        [document(**(document_values or {}))], [parsed(**(parse or {}))], [gated(**decision)], register
    )
    return card(row, drawn)


def test_blocks_boxes_and_lists():
    shown = made(
        blocks=[
            block("Titel", "title", bbox=[10, 20, 110, 40]),
            block("eins", "list_item", level=1, bbox=[10, 50, 60, 60]),
            block("zwei", "list_item", level=2),
            block("Ende", section_path=["Titel"]),
            block("", "table", rows=[["A", "B"], ["1", "2"]], header_rows=1, caption="Tabelle 1"),
        ]
    )
    assert [(group["kind"], len(group["blocks"])) for group in shown["groups"]] == [
        ("title", 1), ("list", 2), ("paragraph", 1), ("table", 1),
    ]  # fmt: skip
    assert [(box["number"], box["x"], box["y"], box["width"], box["height"]) for box in shown["boxes"]] == [
        (1, 10, 20, 100, 20), (2, 10, 50, 50, 10),
    ]  # fmt: skip
    table = shown["groups"][-1]["blocks"][0]
    assert (table["head"], table["body"], table["caption"]) == ([["A", "B"]], [["1", "2"]], "Tabelle 1")
    assert shown["picture"]["source"].startswith("data:image/webp;base64,")


def test_every_score_is_shown_under_its_name():
    shown = made(
        scores=SCORES | {"confidence": 0.83, "known_words": 0.4, "characters": 12345},
        parse={"scores": {"parse": 0.5, "layout": None, "table": None, "ocr": None}},
    )
    assert [(score["name"], score["shown"]) for score in shown["scores"]] == [
        ("confidence", "83%"), ("known words", "40%"), ("characters", "12,345"), ("reader: parse", "50%"),
    ]  # fmt: skip


def test_attempts_and_the_one_that_was_chosen():
    attempts = [
        {"engine": "rapidocr", "preprocessing": "none", "quality": 0.4},
        {"engine": "tesseract", "preprocessing": "deskew", "quality": 0.9},
    ]
    shown = made(attempts=attempts, chosen_attempt=1)
    assert [(each["engine"], each["quality"], each["chosen"]) for each in shown["attempts"]] == [
        ("rapidocr", "0.40", False), ("tesseract", "0.90", True),
    ]  # fmt: skip


def test_why():
    poor = entry(number=1, reason="low_quality", detail="too poor", action="rescan_requested")
    rejected = made(route="reject", quality=0.2, register=(poor,))
    assert (rejected["route_name"], rejected["why"]) == ("rejected", "too poor")
    assert rejected["to_do"] == TO_DO["low_quality"], "the sentence of the register"
    assert made()["to_do"] == ""
    assert made(blank=True)["why"].startswith("A blank page")
    assert "low confidence" in made(route="flag", quality=0.6)["why"]


def test_without_a_picture_no_boxes_and_the_reason():
    blocks = [block("x", bbox=[0, 0, 10, 10])]
    late = made(ParseError(TIMEOUT, "(60 s)"), blocks=blocks)
    assert (late["picture"], late["boxes"]) == (None, [])
    assert "time limit" in late["no_picture"]
    assert made(ParseError(UNSUPPORTED))["no_picture"] == made(None)["no_picture"] == ""


def test_a_page_outside_of_every_rule_is_shown_all_the_same():
    shown = made(
        blocks=[block("x", bbox=[-5, -5, -5, -5], level=99), block("y", "something new", bbox=[1.0])]
    )
    assert shown["boxes"][0]["width"] == shown["boxes"][0]["height"] == 1.0
    assert len(shown["boxes"]) == 1
