"""Figures through the whole line, with a vision model on loopback."""

import pytest

from pipeline.config import ConfigError
from pipeline.tables import schemas as s
from tests.endpoint.service import completion, service
from tests.line.projects import Project, assert_same, content, texts
from tests.parsing.documents import lines, written
from tests.parsing.test_figures import drawn, image

PROSE = "Die Pumpe wird jedes Jahr geprüft, und der Befund wird in das Buch eingetragen."
COLOURS = {"red": (255, 0, 0), "blue": (0, 0, 255), "black": (0, 0, 0), "green": (0, 128, 0)}

THINGS = {
    "red": "ein Laufrad",
    "blue": "ein Ventil mit Handrad",
    "black": "ein Manometer",
    "green": "ein Vertrag",
}


def _manual(*colours):
    def draw(page):
        for number, colour in enumerate(colours, start=1):
            lines(page, [PROSE, PROSE], y=780)
            drawn(page, image(colour), 150, 500, 250, 150)
            lines(page, [f"Abbildung {number}: Die Pumpe, Ansicht {number}"], x=150, y=480)
            lines(page, [PROSE, PROSE], y=430)
            page.showPage()

    return written(draw)


def _write(project, uri, *colours, doc_type="manual"):
    path = project.write(uri, "", doc_type=doc_type)
    path.write_bytes(_manual(*colours))


def _seen(picture, _prompt):
    import io

    from PIL import Image

    opened = Image.open(io.BytesIO(picture))
    colour = opened.getpixel((opened.width // 2, opened.height // 2))
    name = next((name for name, value in COLOURS.items() if value == colour), "?")
    return f"Zu sehen ist {THINGS.get(name, 'nichts')}."


def _settings(served, **more):
    return {"endpoint": served.url, "model": "eyes", "classes": ["manual"]} | more


@pytest.fixture
def served():
    with service() as state:
        state.says = _seen
        yield state


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "p", parsing={"workers": 1, "layout": "geometry"})


def _states(project):
    return dict(project.workspace().lake.read(s.FIGURE_DESCRIPTIONS)["status"].value_counts().iter_rows())


@pytest.mark.slow
def test_figures_of_named_classes_are_described_once_and_found(project, served, tmp_path):
    _write(project, "a.pdf", "red", "blue")
    _write(project, "b.pdf", "red", "black")
    _write(project, "c.pdf", "green", doc_type="contract")
    project.run()
    assert served.requests == []  # off unless it is asked for
    assert "Abbildung 1: Die Pumpe, Ansicht 1" in texts(project)

    project.configure(figures=_settings(served))
    report = project.run()
    assert len(served.requests) == 3  # red stands in two documents; contracts are not sent
    assert all("Deutsch" in str(request["messages"]) for request in served.requests)
    assert (report.figures.indexed, report.figures.described, report.figures.waiting) == (5, 3, 0)
    assert texts(project).count("[Maschinelle Bildbeschreibung] Zu sehen ist ein Laufrad.") == 2
    assert "ein Vertrag" not in texts(project)
    results = project.search("Auf welchem Bild sieht man das Ventil mit dem Handrad?")[:2]
    assert [(r.uri, r.kind, r.pages) for r in results if "Handrad" in r.text] == [("a.pdf", "figure", (2,))]

    _write(project, "d.pdf", "blue")
    project.run()
    project.run()
    assert len(served.requests) == 3
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))

    project.configure(figures={})
    project.run()
    assert "Maschinelle" not in texts(project)


@pytest.mark.slow
def test_the_cap_holds_exactly_and_the_next_run_goes_on(project, served):
    _write(project, "a.pdf", "red", "blue")
    _write(project, "b.pdf", "black", "green")
    project.configure(figures=_settings(served, max_images=3, cost_per_image=0.5))
    report = project.run()
    assert len(served.requests) == 3
    assert (report.figures.described, report.figures.waiting, report.figures.cost) == (3, 1, 0.5)
    assert any("limit of images" in line for line in report.lines())
    report = project.run()
    assert len(served.requests) == 4
    assert (report.figures.described, report.figures.waiting) == (4, 0)
    project.run()
    assert len(served.requests) == 4


@pytest.mark.slow
def test_a_service_that_fails_stops_nothing_and_is_asked_again(project, served):
    _write(project, "a.pdf", "red", "blue", "black")
    cut = completion("Zu sehen", "length")
    served.answers = [(401, {}, b"no"), (401, {}, b"no")]
    project.configure(figures=_settings(served))
    report = project.run()
    assert (report.failed, report.errors) == ((), ())
    assert len(served.requests) == 2  # then it is left alone
    assert _states(project) == {"waiting": 3}
    assert "Abbildung 1" in texts(project)
    served.answers = [(400, {}, b"I do not look at this")]
    project.run()
    assert _states(project) == {"described": 2, "failed": 1}
    project.run()
    assert len(served.requests) == 5
    served.answers = [(200, {}, cut)]
    _write(project, "a.pdf", "green")
    project.run()
    assert _states(project) == {"failed": 1}
    project.configure(figures=_settings(served, answer_tokens=900))
    project.run()
    assert _states(project) == {"described": 1}
    assert [request["max_tokens"] for request in served.requests] == [500] * 6 + [900]


@pytest.mark.slow
def test_without_service_or_key_images_wait_and_say_why(project, monkeypatch):
    _write(project, "a.pdf", "red")
    project.configure(figures={"classes": ["manual"], "cost_per_image": 0.25})
    report = project.run()
    assert (report.figures.waiting, report.figures.cost) == (1, 0.25)
    assert report.figures.why == ("figures.endpoint is not set: nothing is sent",)
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    away = {"endpoint": "http://127.0.0.1:9/v1", "model": "m", "classes": ["manual"]}
    project.configure(figures=away | {"api_key_variable": "NO_SUCH_KEY"})
    assert "NO_SUCH_KEY" in project.run().figures.why[0]


def test_what_is_configured_must_fit_together(project):
    for wrong, message in (
        ({"endpoint": "ftp://x/v1", "model": "m", "classes": ["manual"]}, "http"),
        ({"endpoint": "http://u:p@x/v1", "model": "m", "classes": ["manual"]}, "password"),
        ({"endpoint": "http://x/v1", "classes": ["manual"]}, "model must be"),
        ({"endpoint": "http://x/v1", "model": "m"}, "classes must name"),
        ({"classes": ["novel"]}, "regulation"),
    ):
        project.configure(figures=wrong)
        with pytest.raises(ConfigError, match=message):
            _ = project.config
