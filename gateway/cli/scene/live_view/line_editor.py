"""The line that a person types while the scene goes on: keys in, finished lines out."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

LEAVE: Final = "/quit"
"""What Ctrl-D on an empty line stands for."""
_SEQUENCE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
_BACK = "\x7f\x08"
_CLEAR, _WORD, _END = "\x15", "\x17", "\x04"


@dataclass
class LineEditor:
    """A line without a cursor of its own: typing and erasing happen at its end."""

    text: str = ""

    def typed(self, keys: str) -> list[str]:
        """Take keys; returns the lines that they finish."""
        lines = []
        for key in _SEQUENCE.sub("", keys).replace("\r\n", "\r"):
            if key in "\r\n":
                lines.append(self.text)
                self.text = ""
            elif key == _END and not self.text:
                lines.append(LEAVE)
            else:
                self.text = _after(self.text, key)
        return lines


def _after(text: str, key: str) -> str:
    if key in _BACK:
        return _without_last(text)
    if key == _CLEAR:
        return ""
    if key == _WORD:
        return text.rstrip().rpartition(" ")[0]
    return text + key if key.isprintable() or key == "\u200d" else text


def _without_last(text: str) -> str:
    """Without the last character as a person sees it: marks go with their letter."""
    kept = text[:-1]
    return _without_last(kept) if kept and unicodedata.combining(text[-1]) else kept
