import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.tree import Block
from pipeline.tables.records import Lazy, Records, on_disk

VALUES = st.lists(
    st.one_of(st.integers(), st.text(), st.tuples(st.floats(allow_nan=False), st.binary())), max_size=8
)


@given(values=VALUES, cut=st.integers(min_value=0, max_value=60))
def test_a_torn_end_costs_only_the_record_that_is_torn(tmp_path_factory, values, cut):
    path = tmp_path_factory.mktemp("records") / "a"
    ends = [0]
    with Records.open(path) as records:
        for value in values:
            records.append(value)
            ends.append(path.stat().st_size)
    data = path.read_bytes()
    path.write_bytes(data[: max(len(data) - cut, 0)])
    whole = sum(end <= path.stat().st_size for end in ends[1:])
    with Records.open(path) as records:
        assert list(records.all()) == values[:whole]
        records.append("behind")
    with Records.open(path) as records:
        assert list(records.all()) == [*values[:whole], "behind"]


def test_a_damaged_record_is_the_end(tmp_path):
    with Records.open(tmp_path / "a") as records:
        records.append("eins")
        records.append("zwei")
    data = bytearray((tmp_path / "a").read_bytes())
    data[-1] ^= 1
    (tmp_path / "a").write_bytes(data)
    with Records.open(tmp_path / "a") as records:
        assert list(records.all()) == ["eins"]


class _Call:
    def __reduce__(self):
        import os

        return os.system, ("true",)


def test_a_file_that_somebody_else_wrote_calls_nothing(tmp_path):
    with Records.open(tmp_path / "a") as records:
        records.append(_Call())
        with pytest.raises(pickle.UnpicklingError, match="no place"):
            records.get(0)


def test_lists_on_disk_and_lazy_ones_are_sequences():
    blocks = [Block("paragraph", f"Absatz {n}") for n in range(5)]
    assert list(on_disk(iter(blocks))) == blocks
    numbers = Lazy(5, lambda n: n * n)
    assert [*numbers] == [*numbers] == [0, 1, 4, 9, 16]
    assert (numbers[-1], list(numbers[1:3]), 9 in numbers) == (16, [1, 4], True)
    with pytest.raises(IndexError):
        numbers[5]
