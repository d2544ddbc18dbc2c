"""Text that is data in a prompt, fenced so that a model cannot take it for an instruction."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class FencedText:
    """One text of a prompt, such as an outline, a memory or what was said."""

    kind: str
    name: str
    text: str


@dataclass(frozen=True)
class Fence:
    """A pair of marks ``<tag kind="…" name="…">`` and ``</tag>`` around a text."""

    tag: str
    beside: tuple[str, ...] = ()
    """Tags of other fences of the same prompts: no text within this one can begin or end them either."""

    def fenced(self, kind: str, name: str, text: str) -> str:
        """The text in its fence, for a prompt."""
        head = f'<{self.tag} kind="{attribute(kind)}" name="{attribute(name)}">'
        return f"{head}\n{self.escaped(text)}\n</{self.tag}>"

    def escaped(self, text: str) -> str:
        """``text`` as it stands inside a fence: it can neither end the fence nor begin another one."""
        return self._tag_in_text.sub(_escaped, text)

    def read(self, prompt: str) -> Iterator[FencedText]:
        """Every fenced text of ``prompt``, in order; the inverse of ``fenced``."""
        for kind, name, text in self._whole.findall(prompt):
            yield FencedText(kind, name, self._escaped_tag.sub(_plain, text))

    def rewritten(self, prompt: str, change: Callable[[FencedText], str]) -> str:
        """``prompt`` with ``change`` of each fenced text in its fence."""

        def changed(found: re.Match[str]) -> str:
            kind, name, text = found.groups()
            given = FencedText(kind, name, self._escaped_tag.sub(_plain, text))
            return self.fenced(kind, name, change(given))

        return self._whole.sub(changed, prompt)

    @cached_property
    def _tag_in_text(self) -> re.Pattern[str]:
        return re.compile(rf"(?:<|&((?:amp;)*lt;))(?=\s*/?\s*{self._tags})", re.IGNORECASE)

    @cached_property
    def _escaped_tag(self) -> re.Pattern[str]:
        return re.compile(rf"&(?:lt;|amp;((?:amp;)*lt;))(?=\s*/?\s*{self._tags})", re.IGNORECASE)

    @cached_property
    def _tags(self) -> str:
        return f"(?:{'|'.join((self.tag, *self.beside))})"

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(rf'<{self.tag} kind="([^"]*)" name="([^"]*)">\n(.*?)\n</{self.tag}>', re.DOTALL)


BOOK = Fence("book-text")
SCENE = Fence("scene-text", beside=("scene-direction",))
DIRECTION = Fence("scene-direction", beside=("scene-text",))
"""How the author of a scene wants it written: not data, and yet no more than that."""


def _escaped(found: re.Match[str]) -> str:
    """Text that is already escaped is escaped once more, so that unescaping is exact."""
    return f"&amp;{found[1]}" if found[1] else "&lt;"


def _plain(found: re.Match[str]) -> str:
    return f"&{found[1]}" if found[1] else "<"


def attribute(value: str) -> str:
    """A name as it stands in a fence's mark: signs that would end the mark are spaces there."""
    return re.sub(r'[\s"<>&]+', " ", value)
