"""While a candidate of another kind stays back, new and changed documents reach what is live, made as it was made."""

import pytest

from pipeline.embedding.sources import UseMultilingual
from pipeline.index.pointer import read_pointer, write_pointer
from pipeline.line.builds import build_lines, list_builds
from pipeline.line.keeping_up import tell_behind
from pipeline.line.stages import embedding_tables
from pipeline.line.status import status
from pipeline.line.whole_estate import INDEX
from tests.line.projects import Project, index_rows
from tests.line.test_stages import with_questions

PARAGRAPHS = "\n\n".join(f"Absatz {n} über die Ventile und Dichtungen der Halle {n}." for n in range(4))
FINER = {"max_tokens": 32, "min_tokens": 0}
NEW = "# Neu\n\nDer Kompressor steht seit heute in Halle neun."


@pytest.fixture
def project(tmp_path) -> Project:
    """A person went back from a build of finer chunks, which `kesit.toml` still asks for."""
    project = Project(tmp_path / "project", dedup={"threshold": 1.0})
    for name in ("kantine", "fichte", "tor"):
        project.write(f"{name}.md", f"# {name.title()}\n\n{PARAGRAPHS.replace('Halle', name)}")
    project.run()
    project.configure(chunking=FINER)
    workspace = project.workspace()
    held = {"held": INDEX.fingerprint(workspace)}
    write_pointer(workspace.index_root, read_pointer(workspace.index_root).model_copy(update=held))
    return project


def test_what_is_live_stays_what_its_own_settings_give(project):
    before = read_pointer(project.workspace().index_root)
    project.write("neu.md", f"{NEW}\n\n{PARAGRAPHS.replace('Ventile', 'Pumpen')}")
    project.write("tor.md", f"# Tor\n\nGeschlossen.\n\n{PARAGRAPHS.replace('Halle', 'tor')}")
    project.write("kantine.md.meta.toml", 'title = "Speisen"')
    (project.docs / "fichte.md").rename(project.docs / "tanne.md")
    report = project.run()
    after = read_pointer(project.workspace().index_root)
    assert (report.index["promoted"], report.behind) == (False, "")
    assert (after.current.table, after.held) == (before.current.table, before.held)
    live = index_rows(project.workspace())
    assert set(live["uri"]) == {"kantine.md", "tanne.md", "tor.md", "neu.md"}
    assert set(live.filter(uri="kantine.md")["title"]) == {"Speisen"}

    # The settings put back find nothing to write: every row is what they make of the document.
    project.configure(chunking={})
    report = project.run()
    assert (report.index["promoted"], report.index["table"]) == (True, before.current.table)
    assert [report.index[key] for key in ("inserted", "updated", "deleted")] == [0, 0, 0]
    (table,) = embedding_tables(project.workspace())
    vectors = project.workspace().read(table).select("embed_hash", "vector")
    both = live.join(vectors, on="embed_hash", how="left")
    (column,) = (name for name in live.columns if name.startswith("vector_"))
    assert both[column].to_numpy() == pytest.approx(both["vector"].to_numpy(), abs=1e-5)


def test_a_document_that_no_build_has_a_row_of_is_not_waited_for(project, monkeypatch):
    vectors = UseMultilingual.vectors

    def none_of_loch(self, texts):
        return vectors(self, texts) * [[0.0] if "Loch" in text else [1.0] for text in texts]

    monkeypatch.setattr(UseMultilingual, "vectors", none_of_loch)
    before = read_pointer(project.workspace().index_root)
    project.write("loch.txt", "Loch Loch Loch")
    report = project.run()
    assert [each.document for each in report.refused] == ["docs/loch.txt"]
    assert report.behind == ""
    assert read_pointer(project.workspace().index_root) == before  # no version was made for it
    tell_behind(project.workspace(), "somebody went back")
    assert read_pointer(project.workspace().index_root).behind is None


def test_what_does_not_reach_it_is_told(project):
    root = project.workspace().index_root

    def told() -> str:
        """What the report of a run says, and all others too."""
        report = project.run()
        lines = [
            *report.lines(),
            *status(project.workspace()).lines(),
            *build_lines(list_builds(project.workspace())),
        ]
        assert "\n".join(lines).count(report.behind) == 3
        assert "Kompressor" not in " ".join(index_rows(project.workspace())["text"])
        return report.behind

    # An earlier version of Kesit kept no settings with a build.
    pointer = read_pointer(root)
    write_pointer(
        root, pointer.model_copy(update={"current": pointer.current.model_copy(update={"chunking": None})})
    )
    project.write("neu.md", NEW)
    (project.docs / "tor.md").unlink()
    assert told().startswith("1 document is newer than what is live, since ")
    assert "tor.md" not in set(index_rows(project.workspace())["uri"])  # no reason to keep what was deleted
    behind = read_pointer(root).behind

    # The evaluation refuses what comes: first beside a candidate of another kind, then of the same kind.
    chunking = {"chunking": pointer.current.chunking}
    now = read_pointer(root)
    write_pointer(root, now.model_copy(update={"current": now.current.model_copy(update=chunking)}))
    with_questions(project, ("neu.md", "steht nirgends"), floor=1.0)
    project.write("neuer.md", "# Neuer\n\nNoch ein Kompressor.")
    assert "with them what is live stays back: recall@5 0.000" in told()
    assert read_pointer(root).behind.since == behind.since
    assert status(project.workspace()).as_json()["behind"]["documents"] == 2
    project.configure(chunking={})
    assert "the build with them stays back: recall@5 0.000" in told()

    project.configure(evaluation={})
    assert project.run().behind == ""
    assert read_pointer(root).behind is None
    assert "Kompressor" in " ".join(index_rows(project.workspace())["text"])
