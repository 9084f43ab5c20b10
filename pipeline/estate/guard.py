"""The guard against mass deletion: a bad listing must not empty an index."""

from typing import Final

from pipeline.config import UserError

_DOCUMENTS: Final = 10
_SHARE: Final = 0.10


class MassDeleteError(UserError):
    """More documents would be deleted than goes without being asked. The message lists them and says how to go on."""

    exit_code = 3


def check_deletes(collection: str, deleted: list[str], total: int, *, allowed: int = 0) -> None:
    """Refuse to delete more than max(10 documents, 10 % of the collection), unless so many are `allowed`.

    Args:
        collection: name, for the message.
        deleted: what would be deleted.
        total: documents the collection has.
        allowed: the number the user agreed to.

    Raises:
        MassDeleteError: too many.
    """
    limit = max(_DOCUMENTS, int(total * _SHARE), allowed)
    if len(deleted) > limit:
        shown = "".join(f"\n  {uri}" for uri in sorted(deleted)[:20])
        more = f"\n  … and {len(deleted) - 20} more" if len(deleted) > 20 else ""
        raise MassDeleteError(
            f"collection {collection!r}: {len(deleted)} of {total} documents would be deleted; the limit is {limit}."
            f" If that is right, run again with --allow-deletes {len(deleted)}:{shown}{more}"
        )
