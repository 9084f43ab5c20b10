"""A disk without room: the run says so, what was live answers on, and the next run completes."""

import ctypes
import os
import shutil
import sys
from pathlib import Path

import pytest

from assets.run import open_driver
from tests.command import kesit
from tests.line.projects import Project, assert_same, content

ROOM = 24 << 20


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own that holds 24 MiB. Only root may mount one."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting needs root on Linux")
    folder = tmp_path / "project" / "data"
    folder.mkdir(parents=True)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={ROOM}".encode()):
        pytest.skip(f"cannot mount: {os.strerror(ctypes.get_errno())}")
    yield folder
    libc.umount2(os.fsencode(folder), 2)


def fill(folder: Path, but: int) -> Path:
    """A file that takes all room of a disk but so many bytes."""
    ballast = folder / "ballast"
    free = shutil.disk_usage(folder).free
    with ballast.open("wb") as file:
        for start in range(0, free - but, 1 << 16):
            file.write(b"\0" * min(1 << 16, free - but - start))
    return ballast


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 512 << 10])
def test_a_full_disk_stops_the_run_and_leaves_what_was_live(small_disk, tmp_path, left):
    project = Project(tmp_path / "project")
    for n in range(12):
        project.write(f"{n}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen ohne Störung.")
    assert project.run(open_driver).errors == ()
    before = content(project)
    for n in range(12):
        text = "\n\n".join(
            f"Ventil {n}.{m} schließt nach {n * m + 3} Sekunden bei {m} bar." for m in range(60)
        )
        project.write(f"{n}.txt", text)
    ballast = fill(small_disk, left)
    done = kesit(project, "run", "--json")
    assert done.code == 1, done
    told = done.err + done.out
    # The last is what SQLite says where the room ends within a write of Dagster's.
    assert any(why in told for why in ("No space left on device", "disk is full", "disk I/O error")), told
    assert "Traceback" not in told
    assert before["index"].equals(content(project)["index"]), "half an update went live"
    assert all("Pumpe" in result.text for result in project.search("Pumpe Ventil"))
    ballast.unlink()
    assert project.run(open_driver).errors == ()
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))


def test_a_full_disk_at_the_first_run_is_told_in_a_line(small_disk, tmp_path):
    project = Project(tmp_path / "project")
    project.write("a.txt", "Pumpe 1 läuft seit 3 Tagen ohne Störung.")
    fill(small_disk, 32 << 10)
    done = kesit(project, "run", "--json")
    assert done.code == 1, done
    assert "Traceback" not in done.err + done.out
    assert "disk" in done.err + done.out or "space" in done.err + done.out
