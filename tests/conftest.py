"""Fixtures that several test folders share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Tests must not reach a model hub; set before any library reads it.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")

# A law that holds late on a busy machine holds.
settings.register_profile("kesit", deadline=None)
settings.load_profile("kesit")

_SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def samples() -> Path:
    """Real files beside the checkout; tests that want them are skipped where they are not."""
    folder = _SHARED / "samples"
    if not folder.is_dir():
        pytest.skip("the folder of real sample files is not here")
    return folder


@pytest.fixture(scope="session")
def cases() -> Path:
    """Small inputs for faults that users reported; skipped where they are not."""
    folder = _SHARED / "cases"
    if not folder.is_dir():
        pytest.skip("the folder of fault cases is not here")
    return folder


@pytest.fixture(scope="session")
def estate(tmp_path_factory: pytest.TempPathFactory):
    """A small estate that was run by the command line; whoever changes it works on a copy."""
    from tests.command import told_estate

    return told_estate(tmp_path_factory.mktemp("cli") / "project")
