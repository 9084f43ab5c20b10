"""Pictures of pages: upright, of the right page, of the right bytes, small; a hostile file costs only itself."""

import hashlib
import io
import time
from dataclasses import replace

import pypdfium2
import pytest
from PIL import Image, ImageDraw

from pipeline.parsing.errors import CHANGED, CORRUPT, TIMEOUT, UNSUPPORTED, ParseError
from pipeline.parsing.isolation import isolated
from pipeline.parsing.worker import Limits
from pipeline.report.review.pictures import Picture, PictureTask, draw, draw_pages
from tests.parsing.readings import limits

LIMITS = limits(timeout_seconds=60)


def task(path, page_no=1, *, width=200.0, rotation=0, key=0) -> PictureTask:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return PictureTask(key, str(path), "", digest, page_no, width, rotation)


def opened(picture) -> Image.Image:
    assert isinstance(picture, Picture), picture
    image = Image.open(io.BytesIO(picture.webp))
    assert image.format == "WEBP"
    assert image.size == (picture.width, picture.height)
    return image.convert("L")


def pdf(path, *sizes, rotate=0):
    """Pages with a black square in the upper left corner of each, `sizes` in points."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path))
    for width, height in sizes:
        canvas.setPageSize((width, height))
        canvas.rect(0, height - 40, 40, 40, fill=1)
        canvas.showPage()
    canvas.save()
    if rotate:
        document = pypdfium2.PdfDocument(path.read_bytes())
        for page in document:
            page.set_rotation(rotate)
        document.save(str(path))
    return path


def corner(image: Image.Image) -> str:
    """In which corner the black square is."""
    w, h = image.size
    spots = {"top left": (9, 9), "top right": (w - 9, 9), "bottom left": (9, h - 9), "bottom right": (w - 9, h - 9)}  # fmt: skip
    (found,) = [name for name, spot in spots.items() if image.getpixel(spot) < 90]
    return found


def test_a_pdf_page_at_100_dpi(tmp_path):
    path = pdf(tmp_path / "a.pdf", (200, 300), (300, 200))
    assert opened(draw(task(path), LIMITS)).size == (278, 417)
    assert opened(draw(task(path, 2), LIMITS)).size == (417, 278)


@pytest.mark.parametrize(
    ("rotate", "rotation", "where"),
    [(0, 0, "top left"), (90, 90, "top right"), (0, 90, "top right"), (90, 0, "top left"), (0, 180, "bottom right")],
)  # fmt: skip
def test_the_page_is_turned_as_the_parser_turned_it(tmp_path, rotate, rotation, where):
    path = pdf(tmp_path / "a.pdf", (200, 300), rotate=rotate)
    assert corner(opened(draw(task(path, rotation=rotation), LIMITS))) == where


def test_frames_of_an_image(tmp_path):
    frames = [Image.new("L", (600, 900), 255) for _ in range(2)]
    ImageDraw.Draw(frames[1]).rectangle((0, 0, 80, 80), fill=0)
    path = tmp_path / "a.tif"
    frames[0].save(path, save_all=True, append_images=frames[1:], dpi=(300, 300))
    image = opened(draw(task(path, 2, width=216, rotation=90), LIMITS))
    assert image.size == (300, 200)
    assert corner(image) == "top right"


def test_an_endless_page_becomes_a_picture_of_bearable_size(tmp_path):
    image = opened(draw(task(pdf(tmp_path / "a.pdf", (100, 14_000)), width=100), LIMITS))
    assert max(image.size) <= 12_000
    assert image.size[0] * image.size[1] <= 6_100_000


def test_what_cannot_be_drawn_says_why(tmp_path):
    path = pdf(tmp_path / "a.pdf", (200, 300))
    other = tmp_path / "b.docx"
    other.write_bytes(b"PK\x03\x04")
    damaged = tmp_path / "c.pdf"
    damaged.write_bytes(b"%PDF-1.7\nnothing")
    reasons = [
        draw(replace(task(path), sha256="0" * 64), LIMITS),
        draw(task(other), LIMITS),
        draw(task(damaged), LIMITS),
        draw(task(path, 9), LIMITS),
    ]
    assert [error.reason for error in reasons if isinstance(error, ParseError)] == [CHANGED, UNSUPPORTED, CORRUPT, CORRUPT]  # fmt: skip


@pytest.mark.parametrize("made", ["EPS", "GIF", "PPM"])
def test_a_picture_of_a_kind_that_the_parser_does_not_read_is_not_drawn(tmp_path, made):
    path = tmp_path / "scan.png"
    Image.new("RGB", (60, 90), "white").save(path, made)
    assert getattr(draw(task(path), LIMITS), "reason", None) == CORRUPT


def endless(task: PictureTask, given: Limits) -> Picture | ParseError:
    """A file that never lets go of its reader; every other is drawn."""
    while task.key == 1:
        time.sleep(1)
    return draw(task, given)


def test_a_file_that_hangs_or_is_hostile_costs_its_own_picture(tmp_path):
    path = pdf(tmp_path / "a.pdf", (200, 300))
    tasks = [task(path, key=number) for number in range(3)]
    results = dict(isolated(endless, tasks, replace(LIMITS, timeout_seconds=2)))
    assert results[1].reason == TIMEOUT
    assert opened(results[0]).size == opened(results[2]).size == (278, 417)


def test_progress(tmp_path):
    path = pdf(tmp_path / "a.pdf", (200, 300))
    told = []
    drawn = draw_pages([task(path, key=3), task(path, key=5)], LIMITS, lambda *done: told.append(done))
    assert sorted(drawn) == [3, 5]
    assert told == [(1, 2), (2, 2)]
