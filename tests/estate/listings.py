"""A local folder, listed without a configuration."""

from datetime import datetime

from pipeline.config import CollectionConfig
from pipeline.estate.folder import Folder
from pipeline.estate.source import Listing


def list_folder(
    source: str, *, rules: CollectionConfig | None = None, now: datetime | None = None
) -> Listing:
    """By the rules of a collection, or by the default ones."""
    return Folder(source, rules or CollectionConfig(name="folder", source=source)).listing(now)
