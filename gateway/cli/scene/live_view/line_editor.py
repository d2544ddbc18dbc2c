"""The line that a person types while the scene goes on: keys in, finished lines out."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

LEAVE: Final = "/quit"
"""Command that Ctrl-D on an empty line stands for."""
_KEY = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|[^\[O])|\r\n|.", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*|O)?\Z")
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_ENTER = ("\r", "\n", "\r\n")
_BACK = "\x7f\x08"
_CLEAR, _WORD, _END = "\x15", "\x17", "\x04"


@dataclass
class LineEditor:
    """A line without a cursor of its own: typing and erasing happen at its end."""

    text: str = ""
    _unfinished: str = ""
    """The beginning of the sequence of a key whose rest was not read yet."""
    _pasting: bool = False

    def typed(self, keys: str) -> list[str]:
        """Take keys; returns the lines that they finish. Line breaks of pasted text finish none."""
        lines = []
        for key in _KEY.findall(self._finished(keys)):
            if key.startswith("\x1b"):
                self._pasting = key == _PASTE_BEGINS or (self._pasting and key != _PASTE_ENDS)
            elif self._pasting:
                self.text += "\n" if key in _ENTER else " " if key == "\t" else _printable(key)
            elif key in _ENTER:
                lines.append(self.text)
                self.text = ""
            elif key == _END and not self.text:
                lines.append(LEAVE)
            else:
                self.text = _after(self.text, key)
        return lines

    def _finished(self, keys: str) -> str:
        """The keys without a sequence that is cut off at their end; Escape alone begins none."""
        begun, self._unfinished = self._unfinished, ""
        if begun != "\x1b" or keys[:1] in ("[", "O"):
            keys = begun + keys
        if cut := _UNFINISHED.search(keys):
            self._unfinished = cut.group()
            return keys[: cut.start()]
        return keys


def _after(text: str, key: str) -> str:
    if key in _BACK:
        return _without_last(text)
    if key == _CLEAR:
        return ""
    if key == _WORD:
        return text.rstrip().rpartition(" ")[0]
    return text + _printable(key)


def _printable(key: str) -> str:
    return key if key.isprintable() or key == "\u200d" else ""


def _without_last(text: str) -> str:
    """Without the last character as a person sees it: marks go with their letter."""
    kept = text[:-1]
    return _without_last(kept) if kept and unicodedata.combining(text[-1]) else kept
