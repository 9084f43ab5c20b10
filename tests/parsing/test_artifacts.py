"""A folder of docling's models that cannot work is told before any document is tried."""

import importlib.util
from pathlib import Path

import pytest

from pipeline.config import ConfigError, ParsingConfig
from pipeline.parsing.artifacts import artifacts_listing, check_artifacts

MODELS = (
    "docling-project--docling-layout-heron/config.json",
    "docling-project--docling-models/model_artifacts/tableformer/accurate/tm_config.json",
)


def _folder(folder, names=MODELS):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    return ParsingConfig(layout="docling", artifacts_path=str(folder))


def test_without_a_folder_nothing_is_needed():
    check_artifacts(ParsingConfig(layout="docling"))
    assert artifacts_listing(ParsingConfig()) == ()


def test_the_path_needs_its_layout():
    with pytest.raises(ValueError, match="layout = 'docling' only, not with 'auto'"):
        ParsingConfig(artifacts_path="/models")


def test_a_missing_folder_and_a_missing_model_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"parsing\.artifacts_path = '.*': no such folder"):
        check_artifacts(ParsingConfig(layout="docling", artifacts_path=str(tmp_path / "none")))
    config = _folder(tmp_path, MODELS[:1])
    with pytest.raises(ConfigError, match=r"tableformer/accurate/tm_config\.json missing; fill the folder"):
        check_artifacts(config)


def test_missing_packages_are_named_with_what_to_install(tmp_path):
    config = _folder(tmp_path)
    absent = [
        name for name in ("torchvision", "docling_ibm_models") if importlib.util.find_spec(name) is None
    ]
    if absent:
        with pytest.raises(ConfigError, match=f"needs {', '.join(absent)}; install them with .*kesit"):
            check_artifacts(config)
    else:
        check_artifacts(config)


def test_other_models_are_another_listing(tmp_path):
    config = _folder(tmp_path)
    before = artifacts_listing(config)
    assert before == tuple(f"{name} 2" for name in sorted(MODELS))
    (tmp_path / MODELS[0]).write_text('{"a": 1}')
    assert artifacts_listing(config) != before


def test_the_options_choose_doclings_models_from_the_folder(tmp_path):
    from docling.datamodel.pipeline_options import (
        LayoutObjectDetectionOptions,
        TableFormerMode,
        TableStructureOptions,
    )

    from pipeline.parsing.plugins.pipeline import docling_options

    options = docling_options(Path(tmp_path), "tesseract")
    assert Path(options.artifacts_path) == tmp_path
    assert isinstance(options.layout_options, LayoutObjectDetectionOptions)
    assert options.layout_options.model_spec.repo_id == "docling-project/docling-layout-heron"
    assert isinstance(options.table_structure_options, TableStructureOptions)
    assert options.table_structure_options.mode == TableFormerMode.ACCURATE
    assert options.ocr_options.engine == "tesseract"


def test_doclings_own_pipeline_looks_for_heron_where_the_check_does(tmp_path):
    from pipeline.parsing.plugins.pipeline import BundledPdfPipeline, docling_options

    with pytest.raises(Exception, match="docling-project--docling-layout-heron"):
        BundledPdfPipeline(docling_options(tmp_path))
