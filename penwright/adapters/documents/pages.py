"""Web pages: their characters, whatever encoding they name."""

import codecs
import re

from penwright.errors import UsageMistake

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_HEAD = 2048


def decoded_page(content: bytes) -> str:
    """Return the text of a page in UTF-8 or in the encoding that it names.

    Raises:
        UsageMistake: ``source-not-utf8``.
    """
    named = _CHARSET.search(content[:_HEAD])
    for encoding in ("utf-8-sig", named[1].decode("ascii", "replace") if named else "", "utf-16"):
        try:
            if encoding and (
                encoding != "utf-16" or content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            ):
                return content.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    raise UsageMistake(
        "source-not-utf8",
        "the page is neither UTF-8 nor in the encoding that it names",
        hint="open it in a browser and save it again, or convert it with `iconv -t utf-8`",
    )
