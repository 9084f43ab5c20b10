"""Encrypted office files (ECMA-376 and MS-OFFCRYPTO containers), opened with the configured passwords."""

import io
from collections.abc import Sequence
from typing import Final

from pipeline.parsing.errors import CORRUPT, ENCRYPTED, ParseError, first_line

_OWN: Final = "VelvetSweatshop"  # what Excel itself uses for a file that is only protected against changes (MS-OFFCRYPTO)


def unlocked(data: bytes, passwords: Sequence[str]) -> bytes:
    """The office archive inside an encrypted container.

    Args:
        data: the container.
        passwords: tried in turn, after that of files which are only protected against changes.

    Raises:
        ParseError: encrypted, if no password opens it; corrupt, if it holds nothing encrypted.
    """
    from msoffcrypto import OfficeFile
    from msoffcrypto.exceptions import InvalidKeyError

    for password in (_OWN, *passwords):
        opened = io.BytesIO()
        try:
            container = OfficeFile(io.BytesIO(data))
            if container.is_encrypted():
                container.load_key(password=password, verify_password=True)
                container.decrypt(opened)
        except InvalidKeyError:
            continue
        except (MemoryError, RecursionError):
            raise
        except Exception as error:  # the library raises anything on a damaged container
            raise ParseError(CORRUPT, f"({first_line(error)})") from error
        if not opened.getvalue().startswith(b"PK"):
            raise ParseError(CORRUPT, "(an old container that holds no office archive)")
        return opened.getvalue()
    tried = f"(none of the {len(passwords)} configured passwords opens it)" if passwords else ""
    raise ParseError(ENCRYPTED, tried or "(an office file inside an encrypted container)")
