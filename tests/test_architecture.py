"""The order of imports is the architecture: it is tested, not hoped for."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Highest first: a package imports only what stands below it.
ORDER = (
    "cli", "line", "report", "evaluation", "retrieval", "index", "embedding", "dedup", "chunking", "contexts", "figures", "gate",
    "parsing", "sample", "estate", "language", "endpoint", "tables", "config",
)  # fmt: skip
MAX_LINES = 400


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""


def imported(file: Path) -> Iterator[str]:
    """Modules that a file imports, those as well that it names as parts of their package."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("file", sources("pipeline"), ids=lambda f: str(f.relative_to(ROOT)))
def test_pipeline_imports_only_downward(file):
    own = file.relative_to(ROOT / "pipeline").parts[0].removesuffix(".py")
    for module in imports(file):
        parts = module.split(".")
        assert parts[0] != "dagster", f"{file} imports dagster"
        # The command line drives the assets; it is the only place of the library that knows of them.
        assert parts[0] != "assets" or own == "cli", f"{file} imports {module}"
        if parts[0] == "pipeline" and len(parts) > 1 and parts[1] != own:
            assert own != "__init__", f"{file}: the package itself imports nothing"
            assert ORDER.index(parts[1]) > ORDER.index(own), f"{file} imports upward: {module}"


def test_no_modules_import_one_another_in_a_circle():
    """Imports inside functions and for types alone count: a circle of them is one thing in several files."""
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in sources("pipeline")}
    graph = {name: set(imported(file)) & names.keys() - {name} for name, file in names.items()}
    while removed := {
        name for name, needs in graph.items() if not needs
    }:  # what needs nothing is in no circle
        graph = {name: needs - removed for name, needs in graph.items() if name not in removed}
    assert graph == {}


def test_every_package_has_its_place_in_the_order():
    there = {
        path.name.removesuffix(".py")
        for path in (ROOT / "pipeline").iterdir()
        if not path.name.startswith("_")
    }
    assert there == set(ORDER)


@pytest.mark.parametrize("file", sources("assets"), ids=lambda f: str(f.relative_to(ROOT)))
def test_assets_hold_no_algorithm(file):
    heavy = {"docling", "datasketch", "lancedb", "sentence_transformers", "numpy", "torch"}
    assert not heavy & {module.split(".")[0] for module in imports(file)}


@pytest.mark.parametrize(
    "file", sources("pipeline") + sources("assets"), ids=lambda f: str(f.relative_to(ROOT))
)
def test_files_are_small_or_say_why_not(file):
    text = file.read_text(encoding="utf-8")
    if text.count("\n") > MAX_LINES:
        assert "Longer than" in text.split('"""')[1], f"{file}: over {MAX_LINES} lines and no reason given"


def test_places_are_opened_in_one_way():
    opening = {
        file.name
        for file in sources("pipeline") + sources("assets")
        if "url_to_fs" in file.read_text(encoding="utf-8")
    }
    assert opening == {"stores.py"}


def test_no_file_is_named_for_nothing():
    names = {"utils", "helpers", "common", "manager", "misc"}
    assert not [f for f in sources("pipeline") + sources("assets") if f.stem in names]


def test_tests_mirror_the_packages():
    packages = {
        path.name for path in (ROOT / "pipeline").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders == packages | {"assets", "end_to_end"}
