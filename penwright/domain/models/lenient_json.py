"""JSON as models write it: what can be mended without guessing is mended, the rest stays broken.

Mended are line ends and tabs inside strings, and commas before a closing bracket. No value, key or item is
ever added, dropped or moved.
"""

import re

_TOKEN = re.compile(r'"(?:[^"\\]++|\\(?:.|\Z))*+"|,(?=\s*[}\]])', re.DOTALL)
_WITHIN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_RAW = re.compile(r"[\n\r\t]")


def tidied(json_text: str) -> str:
    """``json_text``, mended; correct JSON is returned as it is."""
    return _TOKEN.sub(_mended, json_text)


def _mended(found: re.Match[str]) -> str:
    if found[0] == ",":
        return ""
    return _RAW.sub(lambda sign: _WITHIN[sign[0]], found[0])
