"""Patterns as in a ``.gitignore`` at the top of the workspace; ``docs/globs.md`` specifies them.

What git would take for a pattern that matches nothing, or nearly nothing, is reported as unreadable: a rule
that was meant to protect and does not must never go unnoticed.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.text.globs import Glob
from penwright.domain.text.plain_names import hidden_sign

_TOKEN = re.compile(r"\\.|\[[!^]?\]?(?:\[:[^]]*:\]|\\.|[^]\\])*\]|.", re.DOTALL)
"""An escaped character, a list in brackets, or any one character."""
_CLASS = re.compile(r"\[:([^]:]*):\]")
_RANGE = re.compile(r"(\\.|[^\\])-(\\.|[^\\])", re.DOTALL)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "«": "»"}


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One line of a file of rules that is neither empty nor a comment; numbers begin at 1."""

    number: int
    written: str


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One pattern, compiled."""

    line: RuleLine
    gives_back: bool
    """It began with ``!``."""
    folders_only: bool
    glob: Glob

    def fits(self, path: str, *, folder: bool) -> bool:
        """Whether this very file or folder fits; what lies below a folder is the caller's affair."""
        return (folder or not self.folders_only) and self.glob.matches(path)


class UnreadableRule(Exception):
    """A line that would protect nothing, or something else than its author means."""

    def __init__(self, why: str, instead: str) -> None:
        super().__init__(why)
        self.why = why
        self.instead = instead
        """What to write."""


def lines_of(text: str) -> Iterator[RuleLine]:
    """The lines with a rule. A mark at the beginning (BOM), comments and trailing blanks are taken away."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.startswith("#") and (written := _trimmed(line.removesuffix("\r"))):
            yield RuleLine(number, written)


def rule_of(line: RuleLine) -> IgnoreRule:
    """Compile one line.

    Raises:
        UnreadableRule: see the class.
    """
    gives_back = line.written.startswith("!")
    pattern = unicodedata.normalize("NFC", line.written[gives_back:])
    _check(pattern)
    bare = pattern.removesuffix("/")
    anchored = bare if "/" in bare else f"**/{bare}"
    return IgnoreRule(line, gives_back, pattern.endswith("/"), Glob.of(anchored.removeprefix("/")))


def decisive(rules: Sequence[IgnoreRule], path: str) -> IgnoreRule | None:
    """The rule that decides about the file ``path``; None if none fits.

    The last that fits decides. What is below an ignored folder stays ignored, whatever follows.
    """
    found = None
    path = unicodedata.normalize("NFC", path)
    ends = [at for at, sign in enumerate(path) if sign == "/"]
    for end in (*ends, len(path)):
        folder = end < len(path)
        part = path[:end]
        found = next((rule for rule in reversed(rules) if rule.fits(part, folder=folder)), None)
        if found is not None and not found.gives_back:
            return found
    return found


def _trimmed(line: str) -> str:
    """Without the blanks at its end, other than one that is escaped."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and len(bare) < len(line) else bare


def _check(pattern: str) -> None:
    """Raise ``UnreadableRule`` for what is no pattern, or nearly certainly a slip."""
    _check_signs(pattern)
    tokens = _TOKEN.findall(pattern)
    _check_tokens(tokens)
    _check_parts(pattern)
    if pattern[0] in _QUOTES and len(pattern) > 1 and pattern.endswith(_QUOTES[pattern[0]]):
        raise UnreadableRule("quotes belong to the name here", f"write `{pattern[1:-1]}`")
    _check_braces(tokens)


def _check_signs(pattern: str) -> None:
    if not pattern.strip("/"):
        raise UnreadableRule("it names nothing", "name a file or a folder")
    if (hidden := hidden_sign(pattern)) is not None:
        seen = f"it holds U+{ord(hidden):04X}, which cannot be seen"
        raise UnreadableRule(seen, "write the line again by hand")
    if pattern[0].isspace() or (pattern[-1].isspace() and not pattern.endswith("\\ ")):
        raise UnreadableRule("it begins or ends with a blank", f"write `{pattern.strip()}`")
    if (remark := re.search(r"(?<!\\)\s#", pattern)) is not None:
        bare = pattern[: remark.start()].rstrip()
        raise UnreadableRule("a comment needs a line of its own", rf"write `{bare}`, or `\#` in a name")
    if re.search(r"(?<!\\)%2[35F]", pattern):
        plain = pattern.replace("%23", "#").replace("%2F", "/").replace("%25", "%")
        raise UnreadableRule("`%` has no meaning here", rf"write `{plain}`, or `\%` in a name")


def _check_tokens(tokens: Sequence[str]) -> None:
    for token in tokens:
        if token == "[":
            raise UnreadableRule("a `[` has no `]`", r"close the list, or write `\[` for the character")
        if token == "\\":
            raise UnreadableRule(r"it ends with `\`", "take it away, or write two of them")
        if token[0] == "\\" and token[1].isalnum():
            raise UnreadableRule(rf"`{token}` is no sign of a pattern", "write `/` between folders")
        if token[0] == "[":
            _check_list(token)


def _check_list(token: str) -> None:
    classes = _CLASS.findall(token)
    if any(Glob.of(f"[[:{name}:]]").matches(f"[[:{name}:]]") for name in classes):
        raise UnreadableRule(f"there is no class in `{token}`", "write the characters, such as `[a-z]`")
    inside = _CLASS.sub("", token[1:-1])
    if any(first[-1] > last[-1] for first, last in _RANGE.findall(inside)):
        raise UnreadableRule(f"the range in `{token}` runs backwards", "write the lower character first")
    if "/" in token:
        raise UnreadableRule(f"no list holds a `/`, as `{token}` does", "write one line for each folder")


def _check_parts(pattern: str) -> None:
    parts = pattern.removeprefix("/").removesuffix("/").split("/")
    if len(parts) > 1 and any("**" in part and part.strip("*") for part in parts):
        # git itself reads these differently at the beginning of a pattern than elsewhere.
        raise UnreadableRule("`**` stands beside other characters", "write `*`, or `**/` for any folders")
    if any(part in ("", ".", "..") for part in parts):
        plain = "/".join(part for part in parts if part not in ("", ".", ".."))
        raise UnreadableRule(
            "it has an empty, `.` or `..` part", f"write `/{plain}`, from the top of the book"
        )


def _check_braces(tokens: Sequence[str]) -> None:
    if "{" in tokens and "}" in tokens and "," in tokens[tokens.index("{") :]:
        raise UnreadableRule(
            "braces mean nothing here", r"write one line for each name, or `\{` for the character"
        )
