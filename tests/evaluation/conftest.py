"""The index rows and the encoder of the retrieval tests, under the names they have there."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_SPEC = spec_from_file_location("retrieval_fixtures", Path(__file__).parents[1] / "retrieval" / "conftest.py")
assert _SPEC is not None
assert _SPEC.loader is not None
_FIXTURES = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_FIXTURES)

make_table = _FIXTURES.make_table
encoder = _FIXTURES.encoder
