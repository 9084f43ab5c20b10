import pytest

from pipeline.estate.guard import MassDeleteError, check_deletes


@pytest.mark.parametrize(
    ("deleted", "total"), [(0, 0), (1, 1), (10, 10), (10, 1000), (100, 1000), (25, 250), (25, 259)]
)
def test_small_deletions_pass(deleted, total):
    check_deletes("contracts", ["x"] * deleted, total)


@pytest.mark.parametrize(("deleted", "total"), [(11, 11), (11, 50), (101, 1000), (26, 259), (1000, 1000)])
def test_large_deletions_are_refused_unless_agreed_to(deleted, total):
    uris = [f"{n:04}.pdf" for n in range(deleted)]
    with pytest.raises(MassDeleteError):
        check_deletes("contracts", uris, total)
    with pytest.raises(MassDeleteError):
        check_deletes("contracts", uris, total, allowed=deleted - 1)
    check_deletes("contracts", uris, total, allowed=deleted)


def test_the_refusal_lists_what_and_says_how_to_go_on():
    with pytest.raises(MassDeleteError) as error:
        check_deletes("contracts", [f"{n:02}.pdf" for n in reversed(range(25))], 30)
    first, *rest = str(error.value).splitlines()
    assert first.startswith("collection 'contracts': 25 of 30 documents would be deleted; the limit is 10.")
    assert "--allow-deletes 25" in first
    assert rest == [*(f"  {n:02}.pdf" for n in range(20)), "  … and 5 more"]
