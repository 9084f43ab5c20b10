"""Files that commands write: they replace nothing of anybody else, and harm nobody who opens them."""

import csv
import itertools
import re
import tomllib
from pathlib import Path

import pytest

from pipeline.config import load_config, parse_config
from pipeline.line.project import DAGSTER_YAML, WORKSPACE_YAML
from tests.command import kesit, one_line
from tests.line.projects import Project, texts

ROOT = Path(__file__).resolve().parents[1]


def test_a_review_that_cannot_be_says_why(estate, tmp_path):
    (tmp_path / "v.json").write_text("{}", encoding="utf-8")
    for arguments, says in (
        (("--summary", str(tmp_path / "v.json")), "is no file of verdicts"),
        (("--collection", "nowhere"), "'nowhere' is not configured"),
        (("--out", "docs/r.html"), "must not lie inside the source"),
    ):
        done = kesit(estate.project, "review", *arguments)
        assert done.code == 2
        assert says in one_line(done)


@pytest.mark.slow
def test_cells_that_a_spreadsheet_would_run_are_kept_as_they_are_and_harmless_in_what_is_written(tmp_path):
    """B92."""
    project = Project(tmp_path / "p")
    starts = (
        "=2*3",
        "+49 7 1234",
        "-5",
        "@SUM(A1:A2)",
        "\t=2+2",
        '=HYPERLINK("http://127.0.0.1/x","tıkla")',
        "normal",
    )
    quoted = ('"' + text.replace('"', '""') + '"' for text in starts)
    rows = "".join(f'"{letter}",{text}\n' for letter, text in zip("abcdefg", quoted, strict=True))
    words = "".join(
        f'"Pompa {n}","Basınç her vardiyada kontrol edilir ve deftere yazılır."\n' for n in range(9)
    )
    project.write("hucreler.csv", f'"Ad","Açıklama"\n{words}{rows}')
    for name in ("=BUGÜN().txt", "+makro.txt", "@a.txt", "-5.txt", "normal.txt"):
        project.write(name, "")  # no content: the register names them
        project.write(
            f"x/{name}", f"Pumpe {name} läuft seit drei Tagen ohne Störung und wird jede Woche geprüft."
        )
        project.write(
            f"y/{name}", f"Pumpe {name} läuft seit drei Tagen ohne Störung und wird jede Woche geprüft."
        )
    project.run()
    text = texts(project)
    assert all(cell.strip() in text for cell in starts)
    for command, name in (("exceptions", "e.csv"), ("duplicates", "d.csv")):
        assert kesit(project.folder, command, "--csv", str(tmp_path / name)).code == 0
        with (tmp_path / name).open(encoding="utf-8-sig", newline="") as file:
            header, *found = csv.reader(file)
        assert len(found) >= 5
        for cell in itertools.chain(header, *found):
            assert not cell.startswith(("=", "+", "@", "\t", "\r")), cell
            assert not cell.startswith("-") or float(cell) < 0, "a number stays one"
    (shown,) = (
        row for row in kesit(project.folder, "exceptions", "--json").json if row["uri"] == "=BUGÜN().txt"
    )
    assert shown["reason"] == "no_content"


@pytest.mark.parametrize(
    ("command", "option", "ending"),
    [
        (("review",), "--out", ".html"),
        (("exceptions",), "--csv", ".csv"),
        (("duplicates",), "--csv", ".csv"),
        (("duplicates", "show", "x"), "--csv", ".csv"),
        (("sweep",), "--out", ".toml"),
        (("sweep",), "--plot", ".png"),
        (("eval", "--compare", "live", "live"), "--plot", ".png"),
    ],
)
def test_what_a_command_writes_replaces_nothing_that_it_did_not_write(
    estate, tmp_path, command, option, ending
):
    config = estate.project.config_file
    before = config.read_bytes()
    mine, other = tmp_path / "mine.txt", tmp_path / f"mine{ending}"
    for place in (mine, other):
        place.write_text("mine", encoding="utf-8")
    for place in (config, mine, other):
        done = kesit(estate.project, *command, option, str(place))
        assert done.code == 2
        assert f"nothing that {option} wrote; name another file, or delete this one first" in one_line(done)
    assert "must not lie inside" in one_line(kesit(estate.project, *command, option, f"docs/x{ending}"))
    assert "must be a file in a folder" in one_line(kesit(estate.project, *command, option, "/dev/null"))
    assert (config.read_bytes(), mine.read_bytes(), other.read_bytes()) == (before, b"mine", b"mine")


def test_what_a_command_wrote_it_replaces_and_no_other_command_does(estate, tmp_path):
    for command, option, file in (
        (("review", "--pages", "1"), "--out", "r.html"),
        (("exceptions",), "--csv", "e.csv"),
        (("duplicates",), "--csv", "d.csv"),
        (("duplicates", "show", "a.txt"), "--csv", "s.csv"),
    ):
        for _ in range(2):
            assert kesit(estate.project, *command, option, str(tmp_path / file)).code == 0
    assert kesit(estate.project, "exceptions", "--csv", str(tmp_path / "d.csv")).code == 2


def test_init_writes_a_project_whose_comments_are_the_defaults(tmp_path):
    done = kesit(tmp_path, "init")
    assert (done.code, done.out.count("wrote ")) == (0, 3)
    file = tmp_path / "kesit.toml"
    wanted = parse_config({"collections": [{"name": "documents", "source": "documents"}]}, base=tmp_path)
    assert load_config(file) == wanted
    text = file.read_text(encoding="utf-8")
    shown = tomllib.loads(re.sub(r"^# (?=[a-z0-9_]+ = )", "", text, flags=re.MULTILINE))
    assert parse_config(shown, base=tmp_path) == wanted
    sections = wanted.model_dump()
    assert {name: shown[name].keys() for name in shown.keys() - {"collections"}} == {
        name: sections[name].keys() for name in sections.keys() - {"collections", "base"}
    }
    assert shown["collections"][0].keys() == sections["collections"][0].keys()
    again = kesit(tmp_path, "init")
    assert again.code == 2
    assert "is there already" in one_line(again)
    assert file.read_text(encoding="utf-8") == text
    assert (tmp_path / "dagster.yaml").read_text(encoding="utf-8") == DAGSTER_YAML


def test_the_files_of_dagster_at_the_root_are_those_of_a_new_project():
    assert (ROOT / "dagster.yaml").read_text(encoding="utf-8") == DAGSTER_YAML
    assert (ROOT / "workspace.yaml").read_text(encoding="utf-8") == WORKSPACE_YAML
