"""Changes of a text line by line, for people, as ``diff -u`` shows them."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from penwright.domain.text.comparing.alignment import common_ends

_CONTEXT = 1
_MOST_COMPARED = 2000
"""Lines of the changed part that are compared one by one; a longer one is shown as removed and added."""


def line_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """The diff of one file, with a newline at its end.

    Args:
        before: content, None for no file.
        after: the same.
    """
    names = (path if content is not None else "/dev/null" for content in (before, after))
    head = "--- {}\n+++ {}\n".format(*names)
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return f"{head}no text: {len(before or b'')} bytes become {len(after or b'')}\n"
    same, same_end = common_ends(old, new)
    changed = _changed(old[same : len(old) - same_end], new[same : len(new) - same_end])
    first = max(0, same - _CONTEXT)
    last = old[len(old) - same_end :][:_CONTEXT]
    lines = [f"@@ line {first + 1} @@", *(f" {line}" for line in old[first:same]), *changed]
    return head + "".join(f"{line}\n" for line in (*lines, *(f" {line}" for line in last)))


def _lines(content: bytes | None) -> list[str] | None:
    """None for what is no text."""
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.splitlines()


def _changed(old: Sequence[str], new: Sequence[str]) -> list[str]:
    if max(len(old), len(new)) > _MOST_COMPARED:
        return [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    lines: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += _shortened(old[i:j])
        else:
            lines += [*(f"-{line}" for line in old[i:j]), *(f"+{line}" for line in new[k:m])]
    return lines


def _shortened(lines: Sequence[str]) -> list[str]:
    """Unchanged lines between two changes: their beginning and their end."""
    if len(lines) <= 2 * _CONTEXT + 1:
        return [f" {line}" for line in lines]
    left_out = f"@@ {len(lines) - 2 * _CONTEXT} lines unchanged @@"
    return [*(f" {line}" for line in lines[:_CONTEXT]), left_out, *(f" {line}" for line in lines[-_CONTEXT:])]
