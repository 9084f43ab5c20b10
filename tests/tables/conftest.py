"""A lake on disk and one in memory."""

import pytest

from pipeline.tables.lake import Lake


@pytest.fixture(params=["disk", "memory"])
def lake(request, tmp_path):
    if request.param == "disk":
        return Lake(str(tmp_path / "a lake"))
    return Lake(f"memory://{tmp_path.name}")
