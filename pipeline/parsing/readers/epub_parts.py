"""E-books before docling sees them: images of the archive are written into the pages that show them, links to others are cut."""

import base64
import io
import posixpath
import re
import zipfile
from typing import Final
from urllib.parse import unquote

_PAGES: Final = (".xhtml", ".html", ".htm", ".xht", ".xml")
_TYPES: Final = {
    ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp", ".bmp": "bmp", ".tif": "tiff", ".tiff": "tiff",
}  # fmt: skip
_LARGEST: Final = 8 << 20  # bytes of one image
_TOGETHER: Final = 64 << 20  # bytes of all, each counted as often as it is shown
_SOURCE: Final = re.compile(rb"""(<img\b[^>]*?\ssrc\s*=\s*)(["'])(.*?)\2""", re.IGNORECASE | re.DOTALL)


def with_images(data: bytes) -> bytes:
    """The same e-book with its images as `data:` URIs, so that none has to be looked for on a disk or a network.

    Images of more than 8 MiB, and what goes beyond 64 MiB in all, are left out; their places stay.

    Args:
        data: an .epub that passed `guards.check_archive`.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        sizes = {member.filename: member.file_size for member in source.infolist()}
        left = _TOGETHER

        def written(page: str, link: str) -> bytes:
            nonlocal left
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(link)))
            kind = _TYPES.get(posixpath.splitext(name)[1].lower())
            if kind is None or not 0 < sizes.get(name, 0) <= min(_LARGEST, left):
                return b""
            left -= sizes[name]
            return f"data:image/{kind};base64,".encode() + base64.b64encode(source.read(name))

        for name in dict.fromkeys(source.namelist()):
            content = source.read(name)
            if name.lower().endswith(_PAGES):
                content = _SOURCE.sub(
                    lambda match, page=name: (
                        match[1] + match[2] + written(page, match[3].decode("utf-8", "replace")) + match[2]
                    ),
                    content,
                )
            target.writestr(name, content)
    return out.getvalue()
