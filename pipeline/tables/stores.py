"""The one way in which a place, local or on a store, is opened: fsspec's file system, and the path in it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_CONNECTED: Final = ("sftp", "ssh")
_PACKAGES: Final = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs",
    "sftp": "paramiko", "ssh": "paramiko", "http": "aiohttp", "https": "aiohttp",
}  # fmt: skip


def open_store(place: str, options: Mapping[str, Any] | None = None) -> tuple["AbstractFileSystem", str]:
    """The file system of a path or URL, and the path in it.

    Other processes write, too: no listing is kept. A connection (SFTP) is made anew each time, because fsspec keeps what it
    opened for the life of the process, and in a daemon that scans every night it would be found dead in the second.

    Args:
        place: a path, or a URL that fsspec knows.
        options: of the file system.

    Raises:
        Exception: whatever the store raises.
    """
    import fsspec

    connected = urlsplit(place).scheme.lower() in _CONNECTED
    how = {"skip_instance_cache": True} if connected else {"use_listings_cache": False}
    fs, path = fsspec.url_to_fs(place, **how, **(options or {}))
    return fs, str(path)


def package_for(place: str) -> str:
    """What to install for a URL, as a command; "" where it is not known."""
    package = _PACKAGES.get(urlsplit(place).scheme.lower())
    return f"pip install {package}" if package else ""
