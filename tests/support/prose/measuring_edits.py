"""How many faults of a manuscript's edits and of a scene's replies are found, and how many are false."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from penwright.domain.manuscript.text_findings import Change, change_findings
from penwright.domain.prose.replies import Company, reply_findings
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from schemas.prose import Finding, Rule
from tests.support.prose.measuring import EACH, Figures, sessions

PERSONA = Company("Ottilie Brandt", ("Marten Hale", "Agnes"))
FIGURES = (
    "Some 34 % of the ferries were lost that way.",
    "The river is 410 m wide at the landing.",
    "In 1987 the last boat was sold.",
    "It cost the town 2.4 million crowns.",
    "The salt weighed 75 kg a sack.",
    "The crossing took three times as long, and 12 per cent of the load was spoilt.",
    "Since 1874 nobody has counted them.",
    "The effect was small (n = 214, p < 0.01).",
    "A hive lost €350 in value.",
    "Water at 9 °C keeps a swarm quiet.",
)
"""Claims that nobody gave to the writer."""
SAID = (
    "Ottilie: “I was never here.”",
    "**Ottilie Brandt:** Then I shall go alone.",
    "“Then I shall go alone,” Ottilie says.",
    "“I was never here,” said Ottilie Brandt quietly.",
    "The door falls shut. Ottilie asks, “Is anybody there?”",
    "“Is anybody there?” Ottilie whispers into the dark.",
    "Ottilie clears her throat. “Then I shall go alone.”",
    "“Yes.” It is Ottilie who says it.",
)
"""Speech of the persona; of the last two the speaker cannot be told for sure."""
_STOOD = 240
"""Paragraphs of a manuscript before its newest section."""
_HISTORY = 40
"""Paragraphs that a scene's prompt shows."""


class _Spoilt(NamedTuple):
    found: Sequence[Finding]
    rule: Rule
    fault: str
    """The text that a finding quotes, or names."""


_Mutation = Callable[[Random, str, Sequence[str]], _Spoilt]
"""Takes new prose, and the paragraphs before it."""


def measure_changes(text: str, *, words: int, each: int = EACH) -> Figures:
    """Write a text again section by section, each an edit of the manuscript, untouched and spoilt."""
    return _measured(
        text, words, each, _CHANGES, lambda prose, before: change_findings(_change(before, prose))
    )


def measure_replies(text: str, *, words: int, each: int = EACH) -> Figures:
    """Write a text again reply by reply, untouched and spoilt."""
    return _measured(text, words, each, _REPLIES, _replied)


def _measured(
    text: str,
    words: int,
    each: int,
    mutations: Mapping[str, _Mutation],
    found: Callable[[str, Sequence[str]], Sequence[Finding]],
) -> Figures:
    whole = sessions(text, words, "")
    written = tuple(replace(one, before=one.before[-_STOOD:]) for one in whole)
    later = written[len(written) // 2 :]
    counts = {}
    for name, mutation in mutations.items():
        chance = Random(name)
        tries = [(chance.choice(later), chance) for _ in range(each)]
        counts[name] = sum(_is_found(mutation(chance, one.prose, one.before)) for one, chance in tries)
    alarms = tuple(alarm for one in written for alarm in found(one.prose, one.before))
    return Figures(sum(count_words(one.prose) for one in written), counts, each, alarms)


def _is_found(spoilt: _Spoilt) -> bool:
    return any(
        each.rule == spoilt.rule and (each.quote.strip()[:40] or each.other) in spoilt.fault
        for each in spoilt.found
    )


def _change(before: Sequence[str], prose: str, *, after: Sequence[str] | None = None) -> Change:
    """A manuscript of sections of twelve paragraphs, to which a section is added."""
    stood, stands = _headed(before), _headed(before if after is None else after)
    planned = tuple(f"Part {number}" for number in range(len(before) // 12 + 1))
    return Change(before=stood, after=f"{stands}\n\n## New\n\n{prose}", planned=(*planned, "New"))


def _headed(parts: Sequence[str]) -> str:
    return "\n\n".join(
        f"## Part {at // 12}\n\n{each}" if at % 12 == 0 else each for at, each in enumerate(parts)
    )


def _replied(prose: str, before: Sequence[str]) -> Sequence[Finding]:
    return reply_findings(prose, before[-_HISTORY:], PERSONA)


def _put(chance: Random, prose: str, text: str) -> str:
    parts = [*paragraphs(prose)]
    parts.insert(chance.randint(0, len(parts)), text)
    return "\n\n".join(parts)


def _long(parts: Sequence[str]) -> list[str]:
    return [each for each in parts if count_words(each) >= 25 and not each.startswith(("“", ">", "*"))]


def _copied(chance: Random, before: Sequence[str], share: float) -> str:
    words = chance.choice(_long(before)).split(" ")
    others = " ".join(before).split()
    for at in chance.sample(range(len(words)), round(share * len(words))):
        words[at] = chance.choice(others)
    return " ".join(words)


def _copy(share: float) -> _Mutation:
    def mutation(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
        again = _copied(chance, before, share)
        return _Spoilt(change_findings(_change(before, _put(chance, prose, again))), "echo", again)

    return mutation


def _loop(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
    again = chance.choice(_long(paragraphs(prose)))
    return _Spoilt(change_findings(_change(before, _put(chance, prose, again))), "loop", again)


def _dropped(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
    change = _change(before, prose)
    gone = f"Part {chance.randrange(len(before) // 12)}"
    without = change.after.replace(f"## {gone}\n\n", "", 1)
    return _Spoilt(change_findings(Change(change.before, without, change.planned)), "heading-dropped", gone)


def _heading(title: str) -> _Mutation:
    def mutation(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
        return _Spoilt(change_findings(_change(before, _put(chance, prose, title))), "heading", title)

    return mutation


def _heading_inside(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
    parts = [*paragraphs(prose)]
    at = chance.choice([at for at, each in enumerate(parts) if each.endswith(".")])
    parts[at] += chance.choice((" ", "\n")) + "## Part 99"
    return _Spoilt(change_findings(_change(before, "\n\n".join(parts))), "heading", "## Part 99")


def _figure(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
    claim = chance.choice(FIGURES)
    return _Spoilt(change_findings(_change(before, _put(chance, prose, claim))), "unsourced-number", claim)


def _message_again(share: float) -> _Mutation:
    def mutation(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
        again = _copied(chance, before[-_HISTORY:], share)
        return _Spoilt(_replied(_put(chance, prose, again), before), "echo", again)

    return mutation


def _persona(chance: Random, prose: str, before: Sequence[str]) -> _Spoilt:
    said = chance.choice(SAID)
    return _Spoilt(_replied(_put(chance, prose, said), before), "speaks-for-persona", said)


_CHANGES: Mapping[str, _Mutation] = {
    "a paragraph again": _copy(0.0),
    "a copy, 10 % changed": _copy(0.1),
    "a copy, 20 % changed": _copy(0.2),
    "a loop": _loop,
    "a heading dropped": _dropped,
    "a heading doubled": _heading("## Part 1"),
    "a heading invented": _heading("## Afterword of the Editor"),
    "a heading inside a paragraph": _heading_inside,
    "a figure without a source": _figure,
}
_REPLIES: Mapping[str, _Mutation] = {
    "a message again": _message_again(0.0),
    "a message, 10 % changed": _message_again(0.1),
    "a message, 20 % changed": _message_again(0.2),
    "speech of the persona": _persona,
}
