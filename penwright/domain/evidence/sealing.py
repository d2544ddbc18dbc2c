"""The seal of a reader's copy: a signature over every byte, and a short hash of each line that names it.

The seal is the last line. Its JSON has one form only, so that no byte of it can differ and mean the same.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from penwright.domain.evidence.marking import Part

FORMAT: Final = "penwright-evidence/1"
_SIGNED: Final = ("digest", "format", "key", "lines")
_BEGIN: Final = b'<script type="application/json" id="seal">'
_ENDING: Final = b"</script>\n"
_DIGITS: Final = 12
"""Of a line's hash; it names a change, and proves nothing: the digest over all lines does."""
_ESCAPED: Final = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
THE_SEAL: Final = "the seal"


@dataclass(frozen=True, slots=True)
class Checked:
    """The finding about one copy."""

    changed: tuple[str, ...] = ()
    """The parts that differ from what was signed, each once; empty: not one byte does."""
    fingerprint: str = ""
    """Of the key that the copy names; empty if its seal cannot be read."""

    @property
    def is_whole(self) -> bool:
        """Whether every byte is as it was signed."""
        return not self.changed


# Any, here and below: JSON.
def canonical(value: Any) -> str:
    """JSON in one form: keys sorted, no blanks, and no sign that could end an element of a page."""
    written = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return written.translate(_ESCAPED)


def fingerprint(public: bytes) -> str:
    """SHA-256 of a public key, 64 hexadecimal digits."""
    return sha256(public).hexdigest()


def same_fingerprint(one: str, other: str) -> bool:
    """Whether two fingerprints name one key; blanks, colons and case do not count."""
    return "".join(filter(str.isalnum, one)).lower() == "".join(filter(str.isalnum, other)).lower()


def sealed(parts: Iterable[Part], public: bytes, sign: Callable[[bytes], bytes]) -> bytes:
    """The parts as one file, each on lines of its own, with the seal at its end."""
    lines = [(each.name, line) for each in parts for line in each.content.encode().split(b"\n")]
    body = b"".join(line + b"\n" for _, line in lines)
    about = {
        "digest": sha256(body).hexdigest(),
        "format": FORMAT,
        "key": b64encode(public).decode(),
        "lines": [[name, _short(line)] for name, line in lines],
    }
    return body + _seal(about, sign(_signed(about)))


def checked(content: bytes) -> Checked:
    """Compare a copy with its seal; needs nothing else. Whose key it is, its reader must know."""
    start = content.rfind(b"\n", 0, -1) + 1
    body, seal = content[:start], _read(content[start:])
    if seal is None:
        return Checked((THE_SEAL,))
    public = b64decode(seal["key"])
    named = fingerprint(public)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(b64decode(seal["signature"]), _signed(seal))
    except (InvalidSignature, ValueError):
        return Checked((THE_SEAL,), named)
    if sha256(body).hexdigest() == seal["digest"]:
        return Checked((), named)
    return Checked(tuple(dict.fromkeys(_differing(body, seal["lines"]))) or ("its lines",), named)


def _read(line: bytes) -> dict[str, Any] | None:
    """The contents of a seal; None for one that is not in the one form that it is written in."""
    try:
        said = json.loads(line.removeprefix(_BEGIN).removesuffix(_ENDING))
        seal = {name: said[name] for name in (*_SIGNED, "signature")}
        lines = [(name, short) for name, short in seal["lines"]]
        texts = (*(each for line in lines for each in line), seal["digest"], seal["key"])
        is_ours = seal["format"] == FORMAT and all(isinstance(each, str) for each in texts)
        b64decode(seal["key"])
        return seal if is_ours and _seal(seal, b64decode(seal["signature"])) == line else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _seal(said: dict[str, Any], signature: bytes) -> bytes:
    whole = {**said, "signature": b64encode(signature).decode()}
    return _BEGIN + canonical(whole).encode() + _ENDING


def _signed(said: dict[str, Any]) -> bytes:
    return canonical({name: said[name] for name in _SIGNED}).encode()


def _short(line: bytes) -> str:
    return sha256(line).hexdigest()[:_DIGITS]


def _differing(body: bytes, known: Sequence[Sequence[str]]) -> Iterator[str]:
    """The names of lines that were changed, taken out, or have something beside them that was put in."""
    were, are = [short for _, short in known], [_short(line) for line in body.split(b"\n")[:-1]]
    for begin, end, was_put_in in _stretches(were, are):
        if was_put_in:
            yield f"something put in before {known[begin][0]}" if begin < len(known) else THE_SEAL
        else:
            yield from (name for name, _ in known[begin:end])
    if not body.endswith(b"\n"):
        yield THE_SEAL


def _stretches(were: Sequence[str], are: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Begin and end, among the lines that were, of those that differ; and whether others were put in there.

    What both begin and end with is left out first: comparing all of a book's lines would take minutes.
    """
    least = min(len(were), len(are))
    head = next((at for at in range(least) if were[at] != are[at]), least)
    left = least - head
    tail = next((at for at in range(left) if were[-1 - at] != are[-1 - at]), left)
    ours, theirs = were[head : len(were) - tail], are[head : len(are) - tail]
    if len(ours) == len(theirs):
        yield from ((head + at, head + at + 1, False) for at, one in enumerate(ours) if one != theirs[at])
        return
    for kind, begin, end, *_ in SequenceMatcher(None, ours, theirs).get_opcodes():
        if kind != "equal":
            yield head + begin, head + end, kind == "insert"
