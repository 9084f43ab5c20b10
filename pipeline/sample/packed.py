"""Office files are zip archives full of the clock; this takes it out."""

import re
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EPOCH = (2026, 1, 1, 0, 0, 0)
_STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</)")


def without_clock(archive: bytes) -> bytes:
    """The same archive with one fixed time on every member and in the document's properties."""
    buffer = BytesIO()
    with ZipFile(BytesIO(archive)) as source, ZipFile(buffer, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "docProps/core.xml":
                data = _STAMP.sub(rb"\g<1>2026-01-01T00:00:00Z\g<2>", data)
            member = ZipInfo(name, _EPOCH)
            member.compress_type = ZIP_DEFLATED
            target.writestr(member, data)
    return buffer.getvalue()
