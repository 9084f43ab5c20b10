from pipeline.parsing.journal import Journal


def test_finished_documents_are_there_again_and_half_ones_are_not(tmp_path):
    with Journal.open(tmp_path, {"a", "b"}) as journal:
        journal.add("a", [{"n": 1}], last=False)
        journal.add("b", [{"n": 7}], last=False)
        journal.add("a", [{"n": 2}], last=True)
    with Journal.open(tmp_path, {"a", "b"}) as journal:
        assert ("a" in journal, "b" in journal) == (True, False)
        assert list(journal.rows("a")) == [[{"n": 1}], [{"n": 2}]]
        journal.add("b", [{"n": 8}], last=True)
        assert list(journal.rows("b")) == [[{"n": 8}]]


def test_what_nobody_wants_any_more_goes(tmp_path):
    with Journal.open(tmp_path, {"a"}) as journal:
        journal.add("a", [{"n": 1}], last=True)
    (tmp_path / "a.1-50.sheets").write_bytes(b"x")
    (tmp_path / "c.1-50.sheets").write_bytes(b"x")
    size = (tmp_path / "rows.journal").stat().st_size
    with Journal.open(tmp_path, {"c"}) as journal:
        assert "a" not in journal
    assert not (tmp_path / "a.1-50.sheets").exists()
    assert (tmp_path / "c.1-50.sheets").exists()
    assert (tmp_path / "rows.journal").stat().st_size < size
