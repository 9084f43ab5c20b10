import pytest

from pipeline.config import ConfigError, ParsingConfig
from pipeline.parsing.passwords import passwords_of


def test_passwords_come_from_a_variable_or_a_file(tmp_path, monkeypatch):
    path = tmp_path / "passwords"
    path.write_text("b\n\na b\n", encoding="utf-8")
    monkeypatch.setenv("OFFICE_KEYS", "a\nb")
    config = ParsingConfig(passwords_variable="OFFICE_KEYS", passwords_file=str(path))
    assert passwords_of(config) == ("a", "b", "a b")
    with pytest.raises(ConfigError, match="'NOT_THERE' is not set"):
        passwords_of(ParsingConfig(passwords_variable="NOT_THERE"))
    with pytest.raises(ConfigError, match="passwords_file"):
        passwords_of(ParsingConfig(passwords_file=str(tmp_path / "missing")))
