"""Taking secrets out of text that will be committed."""

import re
from typing import Final

HIDDEN: Final = "[secret]"
_NAMED = re.compile(
    r"(?i)\b([\w-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|credential)s?)"
    r"([\"']?\s*[:=]\s*)(\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&\"']+)"
)
_CARRIED = re.compile(r"(?i)\b(bearer|basic)(\s+)[A-Za-z0-9+/._~=-]{8,}")
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_ISSUED = re.compile(
    r"\b(?:sk-[\w-]{16,}|(?:gh[opsur]|glpat|hf|npm|pypi)[_-][\w-]{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{10,}"
    r"|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)"
)
_RANDOM = re.compile(r"(?<![\w/+])(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])(?=[\w/+]*[0-9])[\w/+]{40,}={0,2}")
"""Letters of both cases and digits, too long for a word; paths have other signs, our hashes no capitals."""


def scrubbed(text: str) -> str:
    """``text`` with whatever looks like a key, a token or a password put out of sight."""
    for pattern in (_KEY_BLOCK, _IN_ADDRESS, _ISSUED):
        text = pattern.sub(HIDDEN, text)
    text = _CARRIED.sub(rf"\1\2{HIDDEN}", text)
    text = _NAMED.sub(rf"\1\2{HIDDEN}", text)
    return _RANDOM.sub(HIDDEN, text)
