"""The order in which parts of a prompt give way where it is larger than its room, one for all roles."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from penwright.domain.models.token_estimate import estimate_request, estimate_tokens
from penwright.domain.text.fences import BOOK, FencedText
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from penwright.errors import ModelFinal
from schemas.agent import AgentMessage
from schemas.model import CutText, ModelRequest

Keep = Literal["begin", "end", "relevant"]
LAST_PROSE = 600
"""Tokens of the last prose that stay, a paragraph more at most."""
ORDER: tuple[tuple[tuple[str, ...], Keep], ...] = (
    (("chapter", "found", "failed", "citations", "known"), "begin"),
    (("earlier-prose",), "end"),
    (("voice", "material/Summary.md", "prose", "manuscript"), "end"),
    (("continuity",), "begin"),
    (("lore", "evidence"), "begin"),
    (("material", "material/Lore.md"), "relevant"),
    (("next-outline", "style", "guidance", "critique", "items"), "begin"),
    (("material/Characters.md", "material/Outline.md"), "begin"),
)
"""Kinds of texts, or kind and name, in the order in which they give way; with what stays of each longest.
Histories first, then the oldest prose, then what the book states, then lore and evidence, then how it is
told, then who and what it is about."""
NEVER = frozenset(
    {
        *("style/Soul.md", "current-outline", "plan", "instruction", "instructions", "summary", "draft"),
        *("sentence", "sentences", "records", "passage", "premise"),
    }
)
"""Texts that are never cut; nor is what stands in no fence."""
_PROSE = frozenset({"earlier-prose", "prose", "manuscript"})
_GROWING = frozenset({"chapter", "found", "earlier-prose", "voice", "material/Summary.md", "prose"})
"""The author is not warned of these: of them there is ever more."""
_PLACES = {text: place for place, (texts, _) in enumerate(ORDER) for text in texts}
_SPARE = 500
"""Tokens left free, as the estimate is one; of a small window a sixteenth."""
_WORD = re.compile(r"\w{4,}")
_PARTS = {
    "system": "instructions",
    "user": "what is asked",
    "assistant": "answers",
    "tool": "results of tools",
}
"""Roles of messages in words."""


def fitted(request: ModelRequest, model: str) -> tuple[ModelRequest, tuple[CutText, ...]]:
    """``request`` within its ``context_tokens``, and what was cut for it.

    The answer gets its room, of a small window at most half.

    Args:
        model: name of the model, for the error.

    Raises:
        ModelFinal: ``prompt-past-window``: without all that may be cut there is no room for an answer.
    """
    if (window := request.context_tokens) is None:
        return request, ()
    spare, answer = min(_SPARE, window // 16), request.max_output_tokens
    kept = min(answer, window // 2) + thought_share(window, request.thought_tokens) + spare
    cutter = _Cutter(request.messages, estimate_request(request) + kept - window)
    fitting = request.model_copy(update={"messages": cutter.messages()})
    left = window - spare - estimate_request(fitting)
    if left < min(answer, window // 4):
        raise _past_window(fitting, window, model)
    return fitting.model_copy(update={"max_output_tokens": min(answer, left)}), tuple(cutter.cut)


def thought_share(window: int, thought: int) -> int:
    """The tokens of a window that are set aside for thought: at most a quarter."""
    return min(thought, window // 4)


def unshown(cut: Iterable[CutText]) -> tuple[str, ...]:
    """The names of cut texts that a person is warned of."""
    names = (each.name for each in cut if not {each.kind, f"{each.kind}/{each.name}"} & _GROWING)
    return tuple(dict.fromkeys(names))


def told_cut(cut: Iterable[CutText]) -> list[JsonValue]:
    """The cut texts, a line each, for those who look at a run."""
    return [f"{each.name}: {each.kept:,} of {each.tokens:,} tokens" for each in cut]


def place_of(kind: str, name: str) -> int | None:
    """The place of a text in ``ORDER``; None if it is never cut."""
    exact = f"{kind}/{name}"
    return None if exact in NEVER else _PLACES.get(exact, _PLACES.get(kind))


@dataclass
class _Cutter:
    """Cuts the texts of some messages until ``excess`` tokens are saved."""

    given: Sequence[AgentMessage]
    excess: int
    cut: list[CutText] = field(default_factory=list)

    def messages(self) -> tuple[AgentMessage, ...]:
        shown = self.given
        for place in range(len(ORDER)):
            if self.excess > 0:
                shown = tuple(self._without(place, each) for each in shown)
        return tuple(shown)

    def _without(self, place: int, message: AgentMessage) -> AgentMessage:
        if message.role not in ("user", "tool") or self.excess <= 0:
            return message
        content = BOOK.rewritten(
            message.content,
            lambda text: self._cut(text) if place_of(text.kind, text.name) == place else text.text,
        )
        return message.model_copy(update={"content": content})

    def _cut(self, text: FencedText) -> str:
        size = estimate_tokens(text.text)
        least = LAST_PROSE if text.kind in _PROSE else 0
        if self.excess <= 0 or size <= least:
            return text.text
        shortened = self._shortened(text, max(least, size - self.excess))
        if (left := estimate_tokens(shortened)) >= size:
            return text.text
        self.excess -= size - left
        self.cut.append(CutText(kind=text.kind, name=text.name, tokens=size, kept=left))
        return shortened

    def _shortened(self, text: FencedText, room: int) -> str:
        """As many whole paragraphs as there is room for, or lines of a text that has one paragraph."""
        place = place_of(text.kind, text.name)
        assert place is not None, "only what may be cut is shortened"
        keep, note = ORDER[place][1], f"[{count_words(text.text)} words in all; cut to fit]"
        whole, gap = tuple(paragraphs(text.text)), "\n\n"
        if len(whole) == 1:
            whole, gap = tuple(text.text.split("\n")), "\n"
        must = keep == "end" and text.kind in _PROSE
        numbered = list(enumerate(whole))
        ranked = numbered if keep == "begin" else self._ranked(numbered, keep)
        taken = sorted(_taken(ranked, room - estimate_tokens(note) - 1, must=must))
        shown = [whole[at] for at in taken]
        return gap.join([note, *shown] if keep == "end" else [*shown, note])

    def _ranked(self, numbered: list[tuple[int, str]], keep: Keep) -> list[tuple[int, str]]:
        if keep == "end":
            return numbered[::-1]
        told = frozenset(_words(self._told_of()))
        return sorted(numbered, key=lambda each: -len(told & frozenset(_words(each[1]))))

    def _told_of(self) -> str:
        """The subject of this prompt: what is never cut of it, and its last prose."""
        texts = [text for each in self.given for text in BOOK.read(each.content)]
        last = 4 * LAST_PROSE
        return " ".join(
            text.text[-last:] if text.kind in _PROSE else text.text
            for text in texts
            if text.kind in _PROSE or (place_of(text.kind, text.name) is None and text.kind != "style")
        )


def _taken(ranked: Iterable[tuple[int, str]], room: int, *, must: bool) -> Iterator[int]:
    """The first paragraphs that fit; the first one in any case if one ``must`` stay."""
    for at, paragraph in ranked:
        room -= estimate_tokens(paragraph) + 1
        if room < 0 and not must:
            return
        must = False
        yield at


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _past_window(request: ModelRequest, window: int, model: str) -> ModelFinal:
    size = estimate_request(request)
    return ModelFinal(
        "prompt-past-window",
        f"Model {model!r} has room for {window:,} tokens, and the prompt has about {size:,}, "
        f"without all that can be left out of it: {_sizes(request)}; its answer may take "
        f"{request.max_output_tokens:,}. It was not sent. Set `context_tokens` of the model if it takes "
        "more, or give the role one that does; a book is limited by `context_window_tokens` in its "
        "Config.yml, a scene by its `context_tokens`.",
        model=model,
    )


def _sizes(request: ModelRequest) -> str:
    """The parts of the prompt, largest first."""
    rest = _size(request, ())
    parts = {"tools and form of the answer": rest}
    for role, words in _PARTS.items():
        parts[words] = _size(request, (each for each in request.messages if each.role == role)) - rest
    shown = sorted(parts.items(), key=lambda part: -part[1])
    return ", ".join(f"{words} {size:,}" for words, size in shown if size)


def _size(request: ModelRequest, messages: Iterable[AgentMessage]) -> int:
    return estimate_request(request.model_copy(update={"messages": tuple(messages)}))
