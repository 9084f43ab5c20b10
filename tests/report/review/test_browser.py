"""The report in a real browser: pages with boxes, verdicts by mouse and keyboard, a file that the summary reads, and no harm."""

import json
import stat
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from pipeline.config import ConfigError
from pipeline.line.reviewing import summarise_review, write_review
from pipeline.line.stage import update
from pipeline.line.stages import PARTITIONED
from pipeline.report.review.verdicts import ReviewError
from tests.line.projects import Project
from tests.report.review.browser import Page, browsing

HARM = "<script>document.title='harmed'</script><img src=x onerror=\"document.title='harmed'\">"
SENTENCE = (
    "The night shift records the pump pressure every two hours and reports every deviation to the foreman."
)


def pdf(path: Path) -> None:
    """An upright page with a heading, text and a ruled table; a page across; a page as long as ten."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(70, 770, "Pump pressure at night")
    canvas.setFont("Helvetica", 11)
    for line in range(3):
        canvas.drawString(70, 730 - 14 * line, SENTENCE[:85])
    for row in range(4):
        for column in range(3):
            canvas.rect(70 + 120 * column, 600 - 20 * row, 120, 20)
            canvas.drawString(75 + 120 * column, 606 - 20 * row, f"cell {row} {column}")
    canvas.showPage()
    for size in (landscape(A4), (595, 8420)):
        canvas.setPageSize(size)
        canvas.setFont("Helvetica", 11)
        for line in range(int(size[1]) // 60):
            canvas.drawString(70, size[1] - 60 - 50 * line, f"{line}. {SENTENCE[:80]}")
        canvas.showPage()
    canvas.save()


class Report(NamedTuple):
    project: Project
    file: Path


def read(project: Project) -> None:
    """The first three stages: the review needs neither chunks nor an index."""
    workspace = project.workspace()
    for stage in PARTITIONED[:3]:
        update(workspace, stage, "docs.0")


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Report:
    project = Project(tmp_path_factory.mktemp("review") / "project")
    pdf(project.docs / "pumps.pdf")
    project.write(
        "harm.txt", f"{HARM}\n\n{SENTENCE} {HARM} </script></textarea></title>", title=f"Note {HARM}"
    )
    project.write("list.md", f"# Stock\n\n- one pump\n- two valves\n\n| part | {HARM} |\n| --- | --- |\n| valve | 2 |\n")  # fmt: skip
    (project.docs / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    read(project)
    file = project.folder / "review.html"
    written = write_review(project.workspace(), pages=80, seed=1, collection=None, out=file)
    assert (written.pages, written.estate, written.pictures, written.undrawn) == (6, 6, 3, 1)
    return Report(project, file)


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Generator[tuple[Page, Path]]:
    folder = tmp_path_factory.mktemp("browser")
    with browsing(folder) as tab:
        yield tab, folder / "downloads" / "verdicts.json"


@pytest.fixture
def tab(report, browser) -> Page:
    """The report, as one who has never opened it sees it."""
    tab, saved = browser
    saved.unlink(missing_ok=True)
    tab.open(report.file)
    tab.run("localStorage.clear()")
    tab.open(report.file)
    tab.events.clear()
    tab.open(report.file)
    return tab


@pytest.fixture
def page(report, tab) -> Generator[Page]:
    """The report; at the end nothing else was asked for, and nobody complained."""
    yield tab
    assert set(tab.requests()) == {report.file.as_uri()}
    assert tab.complaints() == []
    assert tab.run("document.title") == "Kesit review: 6 pages"


@pytest.fixture
def saved(browser) -> Path:
    """Where the browser puts the verdicts."""
    return browser[1]


def go_to(page: Page, text: str) -> None:
    """Show the first page whose entry in the list holds a text, by a click on the entry."""
    number = page.run(
        f"[...document.querySelectorAll('#list li')].findIndex(e => e.textContent.includes({json.dumps(text)}))"
    )
    page.click(f"#list li[data-index='{number}'] button")
    page.until(f"!document.getElementById('page-{number}').hidden")


def shown(page: Page, selector: str) -> int:
    return page.run(f"document.querySelectorAll('main article:not([hidden]) {selector}').length")


def test_a_page_with_its_boxes_beside_its_text(page):
    go_to(page, "page 1 of 3")
    page.until("document.querySelector('article:not([hidden]) img').naturalWidth > 800")
    assert shown(page, ".text table td") + shown(page, ".text table th") == 12
    boxes = page.run("[...document.querySelectorAll('article:not([hidden]) .box')].map(e => e.dataset.block)")
    texts = page.run(
        "[...document.querySelectorAll('article:not([hidden]) .block')].map(e => e.dataset.block)"
    )
    assert boxes == texts
    assert len(boxes) >= 3
    # the box of the heading lies where the heading is drawn: an eleventh of the page from its top
    where = page.run(
        "(() => { const b = document.querySelector('article:not([hidden]) .box rect').getBoundingClientRect(),"
        " p = document.querySelector('article:not([hidden]) .sheet').getBoundingClientRect();"
        " return [(b.x - p.x) / p.width, (b.y + b.height / 2 - p.y) / p.height]; })()"
    )
    assert where == [pytest.approx(70 / 595, abs=0.01), pytest.approx(1 - 777 / 842, abs=0.01)]
    # the mouse on a box lights its text, and the other way round
    page.move("article:not([hidden]) .box rect")
    assert shown(page, ".block.lit") == shown(page, ".box.lit") == 1
    page.move("article:not([hidden]) .block:last-child")
    assert page.run("document.querySelector('article:not([hidden]) .box.lit').dataset.block") == texts[-1]
    page.press("b")
    assert page.run("getComputedStyle(document.querySelector('article:not([hidden]) svg')).display") == "none"


def test_formats_without_pages_and_pages_that_cannot_be_drawn_say_so(page):
    go_to(page, "list")
    assert shown(page, ".picture") == 0
    assert shown(page, ".text li") == 2
    assert "has no pages" in page.run("document.querySelector('article:not([hidden]) .remark').textContent")
    go_to(page, "broken")
    assert "cannot be drawn" in page.run(
        "document.querySelector('article:not([hidden]) .picture').textContent"
    )


def test_markup_in_a_document_is_text(page):
    go_to(page, "Note")
    assert page.run("document.querySelector('article:not([hidden]) h2').textContent") == f"Note {HARM}"
    assert HARM in page.run("document.querySelector('article:not([hidden]) .text').textContent")
    assert page.run("document.querySelectorAll('script, img').length") == 2 + 3, "our own, and three pictures"


def test_were_markup_not_escaped_the_policy_would_stop_it(tab):
    tab.run(f"document.body.insertAdjacentHTML('beforeend', {json.dumps(HARM)})")
    script = "Object.assign(document.createElement('script'), {textContent: \"document.title = 'harmed'\"})"
    tab.run(f"void document.body.append({script})")
    tab.wait_for(lambda: tab.run("1") and len(tab.complaints()) >= 2, "the browser refuses both")
    assert all("Content Security Policy" in each for each in tab.complaints())
    assert tab.run("document.title") != "harmed"
    failures = [e["params"] for e in tab.events if e.get("method") == "Network.loadingFailed"]
    assert [each["blockedReason"] for each in failures] == ["csp"], "the picture was never asked for"


def test_verdicts_by_mouse_and_keyboard_are_saved_and_summed_up(page, report, saved):
    go_to(page, "page 1 of 3")
    page.click("[data-verdict=wrong_table]")
    page.press("6")
    page.press("n")
    for letter in "row 2 – Zeile":
        page.press(letter)
    page.press("Escape")
    assert page.run("document.querySelector('#judged').textContent") == "1 of 6 judged"
    page.press("j")
    page.press("3")
    page.press("1")  # good stands alone
    page.press("j")
    page.press("1")
    page.press("1")  # taken back
    page.press("k")
    assert page.run("document.querySelector('#marks [aria-pressed=true]').dataset.verdict") == "good"
    page.press("u")
    assert page.run("document.querySelectorAll('#marks [aria-pressed=true]').length") == 0
    # a reload forgets nothing
    page.send("Page.reload")
    page.until("document.querySelector('#judged')?.textContent === '2 of 6 judged'")
    # filters
    page.run("{ const s = document.querySelector('[name=verdict]'); s.value = 'wrong_table'; s.dispatchEvent(new Event('change', {bubbles: true})) }")  # fmt: skip
    assert page.run("[...document.querySelectorAll('#list li')].filter(e => !e.hidden).length") == 1
    assert page.run("document.querySelector('#position').textContent") == "1 / 1"
    page.run("document.querySelector('#clear').click()")
    page.until("[...document.querySelectorAll('#list li')].filter(e => !e.hidden).length === 6")
    page.press("s")
    page.wait_for(lambda: saved.exists() and saved.stat().st_size, "verdicts.json is saved")

    summary = summarise_review(report.project.workspace(), saved)
    (overall,) = summary.tables["overall"]
    assert (summary.judged, overall["faulty"], overall["wrong_table"], overall["missing_text"]) == (
        2,
        1,
        1,
        1,
    )
    assert [(page["uri"], page["note"]) for page in summary.worst] == [("pumps.pdf", "row 2 – Zeile")]
    assert not summary.stale


def test_a_saved_file_can_be_taken_up_again(page, report, saved):
    go_to(page, "page 1 of 3")
    page.press("2")
    page.press("s")
    page.wait_for(lambda: saved.exists() and saved.stat().st_size, "verdicts.json is saved")
    page.press("2")
    page.until("document.querySelector('#judged').textContent === '0 of 6 judged'")
    for file, says in ((saved, "1 of 1 verdicts taken over."), (report.file, "cannot be used")):
        document = page.send("DOM.getDocument")["root"]["nodeId"]
        node = page.send("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
        page.send("DOM.setFileInputFiles", nodeId=node, files=[str(file)])
        page.until(f"document.querySelector('#message').textContent.includes({json.dumps(says)})")
    assert page.run("document.querySelector('#judged').textContent") == "1 of 6 judged"


@pytest.mark.parametrize(("width", "height"), [(1500, 900), (900, 700), (390, 800)])
def test_nothing_hangs_out_of_the_window(page, width, height):
    page.size(width, height)
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for number in range(6):
            page.run(f"document.querySelector('#list li[data-index=\"{number}\"] button').click()")
            assert page.run("document.documentElement.scrollWidth") <= width
            right = page.run(
                "Math.max(...['#bar', '#verdict', 'article:not([hidden])'].map(s => document.querySelector(s).getBoundingClientRect().right))"
            )
            assert right <= width
            if shown(page, ".sheet"):
                wide = page.run("document.querySelector('article:not([hidden]) .sheet').getBoundingClientRect().width")  # fmt: skip
                assert 0.4 * min(width, 800) < wide <= width


def test_the_file_is_its_owners_alone(report):
    assert stat.S_IMODE(report.file.stat().st_mode) == 0o600
    assert [each.name for each in report.file.parent.iterdir() if each.name.startswith(".review")] == []


def test_the_same_seed_gives_the_same_report(report, tmp_path):
    pages = []
    for name in ("a", "b"):
        file = tmp_path / name
        write_review(report.project.workspace(), pages=3, seed=5, collection="docs", out=file)
        pages.append(file.read_text().split('"pages": ')[1])
    assert pages[0] == pages[1]


def test_a_report_inside_a_source_would_become_a_document(report):
    with pytest.raises(ConfigError, match="must not lie inside the source of collection 'docs'"):
        write_review(report.project.workspace(), pages=1, seed=1, collection=None, out=report.project.docs / "x" / ".." / "r.html")  # fmt: skip


@pytest.mark.parametrize("out", ["/", ".", "no such folder/r.html"])
def test_a_report_needs_the_name_of_a_file(report, out):
    with pytest.raises(ConfigError, match="must be a file in a folder that is there"):
        write_review(report.project.workspace(), pages=1, seed=1, collection=None, out=Path(out))


def test_before_the_first_run_there_is_nothing_to_review(tmp_path):
    with pytest.raises(ReviewError, match="no pages to review yet"):
        write_review(
            Project(tmp_path / "p").workspace(), pages=1, seed=1, collection=None, out=tmp_path / "r"
        )
