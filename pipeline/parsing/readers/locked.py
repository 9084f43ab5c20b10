"""Encrypted office files (ECMA-376 and MS-OFFCRYPTO containers), opened with the configured passwords."""

import io
from collections.abc import Sequence
from typing import Any, Final

from pipeline.parsing.errors import CORRUPT, ENCRYPTED, UNSUPPORTED, ParseError, first_line

_OWN: Final = "VelvetSweatshop"  # what Excel itself uses for a file that is only protected against changes (MS-OFFCRYPTO)

_UNKNOWN_METHOD: Final = (
    "encrypted in a way that is not read here, whatever the password; save the file without one"
)


def unlocked(data: bytes, passwords: Sequence[str]) -> bytes:
    """The office archive inside an encrypted container.

    Args:
        data: the container.
        passwords: tried in turn, after that of files which are only protected against changes.

    Raises:
        ParseError: encrypted, if nothing opens it; unsupported, if the method is not known; corrupt, if it holds nothing encrypted.
    """
    from msoffcrypto.exceptions import InvalidKeyError

    container = _container(data)
    for password in (_OWN, *passwords):
        opened = io.BytesIO()
        try:
            container.load_key(password=password, verify_password=True)
            container.decrypt(opened)
        except InvalidKeyError:
            continue
        except (MemoryError, RecursionError):
            raise
        except Exception as error:  # a method of encryption that the library lacks; no password would help
            raise ParseError(UNSUPPORTED, f"({_UNKNOWN_METHOD}: {first_line(error)})") from error
        if not opened.getvalue().startswith(b"PK"):
            raise ParseError(CORRUPT, "(what is encrypted is no office archive)")
        return opened.getvalue()
    tried = f"(none of the {len(passwords)} configured passwords opens it)" if passwords else ""
    raise ParseError(ENCRYPTED, tried or "(an office file inside an encrypted container)")


def _container(data: bytes) -> Any:
    from msoffcrypto import OfficeFile

    try:
        container = OfficeFile(io.BytesIO(data))
        encrypted = container.is_encrypted()
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise _closed(error) from error
    if not encrypted:
        raise ParseError(CORRUPT, "(an office file of the old format under the name of the new one)")
    return container


def _closed(error: Exception) -> ParseError:
    """The library raises anything on a container that is damaged, or of a kind that it does not know."""
    return ParseError(ENCRYPTED, f"(in a container that cannot be opened: {first_line(error)})")
