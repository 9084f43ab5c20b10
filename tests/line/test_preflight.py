"""What a run would stumble over is said before it begins."""

import pytest

from pipeline.config import ConfigError
from pipeline.line.judging import rules_fingerprint
from pipeline.line.preflight import check_settings
from tests.line.projects import Project


def test_a_weight_of_an_encoder_that_is_no_model_is_refused(tmp_path):
    project = Project(tmp_path / "p")
    check_settings(project.workspace())  # the default names one that is not there
    project.configure(retrieval={"text_weight": 0.5})
    check_settings(project.workspace())
    (project.folder / "kesit.toml").open("a").write(
        "[retrieval.encoder_weights]\nuse_multilingual = 2\n'use_multilingual:en-de' = 0.5\n"
    )
    check_settings(project.workspace())
    (project.folder / "kesit.toml").open("a").write("'use:same' = 2\n")
    with pytest.raises(ConfigError, match=r"encoder_weights: 'use:same' = 2.*allowed: use_multilingual,"):
        check_settings(project.workspace())


def test_a_folder_without_a_model_is_refused(tmp_path):
    project = Project(tmp_path / "p", embedding={"models": ["docs"]})
    with pytest.raises(ConfigError, match=r"^embedding.models: 'docs': the folder .* holds no"):
        check_settings(project.workspace())


def test_a_glossary_that_cannot_be_read_is_refused_and_a_changed_one_judges_anew(tmp_path):
    project = Project(tmp_path / "p", retrieval={"glossary": "words.psv"})
    with pytest.raises(ConfigError, match=r"^retrieval.glossary = 'words.psv': .*words.psv: no such file"):
        check_settings(project.workspace())
    words = project.folder / "words.psv"
    rules = set()
    for text in ("Kesit | section", "Kesit | section | kesit", "Kesit | cross section | kesit"):
        words.write_text(text + "\n", encoding="utf-8")
        if "kesit" not in text:
            with pytest.raises(
                ConfigError, match=r"^retrieval.glossary = 'words.psv': .*words.psv, line 1: not three cells"
            ):
                check_settings(project.workspace())
        else:
            check_settings(project.workspace())
            rules.add(rules_fingerprint(project.workspace()))
    assert len(rules) == 2


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("docs", "a folder; a glossary is a file"),
        ("s3://bucket/words.psv", "a URL; allowed: a file of this machine"),
        ("latin.psv", "not UTF-8, from byte 2 on"),
    ],
)
def test_what_is_no_glossary_is_refused_in_one_line(tmp_path, place, wrong):
    project = Project(tmp_path / "p", retrieval={"glossary": "words.psv"})
    (project.folder / "docs").mkdir(exist_ok=True)
    (project.folder / "latin.psv").write_bytes("Prüfung | audit | denetim".encode("latin-1"))
    settings = project.folder / "kesit.toml"
    settings.write_text(settings.read_text().replace("words.psv", place))
    with pytest.raises(ConfigError) as caught:
        check_settings(project.workspace())
    assert str(caught.value).startswith(f"retrieval.glossary = {place!r}: ")
    assert wrong in str(caught.value)
    assert "\n" not in str(caught.value)
