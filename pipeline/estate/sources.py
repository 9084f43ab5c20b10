"""From a collection's settings to its source."""

from pipeline.config import CollectionConfig, Config, with_secrets
from pipeline.estate.feed import Feed
from pipeline.estate.folder import Folder
from pipeline.estate.remote import RemoteFolder
from pipeline.estate.source import Source


def open_source(config: Config, collection: CollectionConfig) -> Source:
    """The source of a collection. Nothing is read yet.

    Raises:
        ConfigError: an environment variable that its storage_options name is not set.
    """
    place = config.resolve(collection.source)
    if "://" not in place:
        return Folder(place, collection)
    return RemoteFolder(place, collection, with_secrets(collection))


def open_feed(config: Config, collection: CollectionConfig) -> Feed:
    """The change feed of a collection. Nothing is read yet. Errors: see `open_source`."""
    place = config.resolve(collection.feed)
    # A URL of the same kind as the source is reached in the same way.
    same = "://" in place and place.partition("://")[0] == collection.source.partition("://")[0]
    return Feed(place, with_secrets(collection) if same else {})
