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
    with pytest.raises(ConfigError, match=r"^retrieval.glossary: .*words.psv: no such file"):
        check_settings(project.workspace())
    words = project.folder / "words.psv"
    rules = set()
    for text in ("Kesit | section", "Kesit | section | kesit", "Kesit | cross section | kesit"):
        words.write_text(text + "\n", encoding="utf-8")
        if "kesit" not in text:
            with pytest.raises(
                ConfigError, match=r"^retrieval.glossary: .*words.psv, line 1: not three cells"
            ):
                check_settings(project.workspace())
        else:
            check_settings(project.workspace())
            rules.add(rules_fingerprint(project.workspace()))
    assert len(rules) == 2
