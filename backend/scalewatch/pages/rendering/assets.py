"""Style sheets and scripts, under URLs that name their version.

A URL never changes its content, so browsers keep it for good. plotly.js is made from
the one that the installed plotly package brings: the figures were written for it.
Swagger UI comes from a package as well.
"""

import gzip
import mimetypes
import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version as version_of
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import zstandard
from fastapi import APIRouter, Header, Response

from scalewatch import plotly_bundle, resources
from scalewatch.errors import NotFound

PLOTLY: Final = "plotly.min.js"
PACKAGED: Final = {
    "swagger-ui-bundle.js": ("fastapi_offline", "static"),
    "swagger-ui.css": ("fastapi_offline", "static"),
}
"""Files that installed packages bring, by package and folder."""

ENCODINGS: Final = ("zstd", "gzip")
"""Encodings that files are compressed by, the better one first."""

ZSTD_LEVEL: Final = 9
"""plotly.js becomes 6 % smaller than by gzip, in a tenth of a second."""

FOR_GOOD: Final = "public, max-age=31536000, immutable"
IMPORT: Final = re.compile(r'^@import url\("([^"]+)"\) layer\((\w+)\);$', re.MULTILINE)

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file with its encodings."""

    media_type: str
    plain: bytes


@router.get("/static/{version}/{path:path}", name="asset")
def show_asset(
    version: str, path: str, accept_encoding: Annotated[str, Header()] = ""
) -> Response:
    """Return a static file, immutable for the browser if its version is current."""
    asset = _asset(path)
    headers = {
        "Cache-Control": FOR_GOOD if version == asset_version(path) else "no-cache",
        "Vary": "Accept-Encoding",
    }
    for encoding in ENCODINGS:
        if encoding in accept_encoding:
            headers["Content-Encoding"] = encoding
            body = _compressed(path, encoding)
            return Response(body, media_type=asset.media_type, headers=headers)
    return Response(asset.plain, media_type=asset.media_type, headers=headers)


@cache
def asset_version(path: str) -> str:
    """Return the version of a static file, by its content."""
    if path == PLOTLY:
        content = sha256(plotly_bundle.plotly_bundle()).hexdigest()
        return f"plotly-{version_of('plotly')}-{content[:8]}"
    if path in PACKAGED:
        package, _ = PACKAGED[path]
        return f"{package}-{version_of(package)}"
    digest = sha256()
    for name in sorted(_files()):
        digest.update(name.encode() + b"\0" + _files()[name].read_bytes())
    return digest.hexdigest()[:12]


@cache
def _files() -> dict[str, Path]:
    folder = resources.bundled("frontend") / "static"
    return {
        file.relative_to(folder).as_posix(): file
        for file in folder.rglob("*")
        if file.is_file()
    }


@cache
def _asset(path: str) -> Asset:
    """Read a file once.

    Raises
    ------
    NotFound
        If there is no such file; the path is looked up, never opened as given.
    """
    if path == PLOTLY:
        plain = plotly_bundle.plotly_bundle()
    elif path in PACKAGED:
        package, folder = PACKAGED[path]
        plain = files(package).joinpath(folder, path).read_bytes()
    elif path in _files():
        plain = _style(path) if path.endswith(".css") else _files()[path].read_bytes()
    else:
        raise NotFound("file", path)
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return Asset(media_type, plain)


@cache
def _compressed(path: str, encoding: str) -> bytes:
    """Compress a file once for each encoding."""
    plain = _asset(path).plain
    if encoding == "zstd":
        return zstandard.compress(plain, ZSTD_LEVEL)
    return gzip.compress(plain, mtime=0)


def _style(path: str) -> bytes:
    """Fold the imported style sheets in: one request instead of a chain of them."""
    folder = _files()[path].parent

    def folded(match: re.Match[str]) -> str:
        imported = (folder / match[1]).read_text("utf-8")
        return f"@layer {match[2]} {{\n{imported}}}"

    return IMPORT.sub(folded, _files()[path].read_text("utf-8")).encode()
