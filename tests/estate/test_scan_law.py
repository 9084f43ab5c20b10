"""The law of scans: whatever happened before, the table is that of the folder as it is."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.tables import columns as c

STAMPS = (c.FIRST_SEEN, c.LAST_SEEN, c.ETAG)


NAMES = ("a.txt", "b.html", "d/c.txt", "d/ö.txt")


ACTION = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(["same", "one", "other"])),
    st.tuples(st.just("delete"), st.sampled_from(NAMES)),
    st.tuples(
        st.just("sidecar"),
        st.sampled_from(NAMES),
        st.sampled_from([
            "authority = 9", 'acl_groups = ["hr"]', 'title = "T"\nlanguage = "de"', 'supersedes = "a.txt"',
            'supersedes = ["d/c.txt", "b.html"]\neffective_date = 2026-02-01', "wrong = 1", "", None,
        ]),
    ),
    st.tuples(st.just("defaults"), st.sampled_from(["", "d/"]), st.sampled_from(['acl_groups = ["x"]', "no TOML", None])),
    st.tuples(st.just("break"), st.sampled_from(NAMES)),
    st.tuples(st.just("scan"), st.booleans()),
)  # fmt: skip


def act(estate, action, count):
    match action:
        case ("write", name, content):
            if (estate.root / name).is_symlink():
                estate.delete(name)
            estate.write(name, f"{content} of {name}, {count}" if content != "same" else f"always in {name}")
        case ("delete", name):
            (estate.root / name).unlink(missing_ok=True)
        case ("break", name):
            (estate.root / name).parent.mkdir(exist_ok=True)
            (estate.root / name).unlink(missing_ok=True)
            (estate.root / name).symlink_to("nowhere")
        case ("sidecar", name, text):
            (estate.root / name).parent.mkdir(exist_ok=True)
            (estate.root / f"{name}.meta.toml").unlink(missing_ok=True)
            if text is not None:
                estate.sidecar(name, text)
        case ("defaults", folder, text):
            (estate.root / folder).mkdir(exist_ok=True)
            (estate.root / folder / "_defaults.toml").unlink(missing_ok=True)
            if text is not None:
                estate.write(f"{folder}_defaults.toml", text)
        case ("scan", settled):
            estate.scan(settled=settled)


@settings(max_examples=30, deadline=None)
@given(st.lists(ACTION, max_size=14))
def test_after_any_changes_the_table_is_that_of_a_first_scan(actions):
    """Without renames, and with everything mended in the end: what is broken keeps a state that nobody else knows."""
    from tests.estate.conftest import Estate

    with tempfile.TemporaryDirectory() as folder:
        estate = Estate(Path(folder, "estate"))
        for count, action in enumerate(actions):
            act(estate, action, count)
        for name in NAMES:
            if (estate.root / name).is_symlink():
                estate.delete(name)
            sidecar = estate.root / f"{name}.meta.toml"
            if sidecar.exists() and "wrong" in sidecar.read_text():
                sidecar.unlink()
        for defaults in estate.root.rglob("_defaults.toml"):
            if "TOML" in defaults.read_text():
                defaults.unlink()
        estate.scan()
        first = Estate(estate.root)
        first.scan()
        assert estate.documents.drop(STAMPS).equals(first.documents.drop(STAMPS))
        assert estate.scan().keys() <= {"unchanged"}
