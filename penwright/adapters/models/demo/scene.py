"""The demo model's answers as the roles of a scene, from the prompt alone.

A director who lets those act who were spoken to; actors, a narrator and a summariser in plain prose; a world
agent, a creator and a describer of pictures. The same prompt gives the same answer.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from penwright.adapters.models.demo.scene_stage import SpokenLine, Stage, mentions
from penwright.adapters.models.demo.task import LABEL, as_json
from penwright.domain.text.words import count_words
from schemas.agent import AgentMessage

_MOST_ACTORS = 3
_SUMMARY_WORDS = 300
_SHORT = 14
_PLAYED = re.compile(r"You play (.+?) in a scene\.")
_CAPITALISED = re.compile(r"\b(?:named|called)\s+([A-ZÀ-Þ][\w’'-]+(?: [A-ZÀ-Þ][\w’'-]+)?)")

_BEGINNINGS = (
    "{name} looks up, takes in {place}, and lets a moment pass.",
    "{name} crosses to where the light is better.",
    "{name} does not answer at once.",
    "“Wait,” {name} says, and raises a hand.",
    "{name} turns something small over and over between two fingers.",
    "{name} laughs, short and without much joy.",
    "{name} leans back until the boards of {place} creak.",
    "For once {name} speaks before anybody else can.",
)
ANSWERS = (
    "“You heard it as well as I did, {other}. Somebody has been here.”",
    "“I will tell you what I know, {other}, and it is not much.”",
    "“Ask me again tomorrow,” comes the answer. “Tonight I would only guess.”",
    "“That is not how I remember it,” {name} says to {other}.",
    "“If we stay here until morning, we shall have our answer.”",
    "“{quoted}? You put it kindly, {other}.”",
    "“Then one of us has to go and look. I would rather it were not me.”",
    "“I counted them twice, {other}. Twice the same, and once different.”",
)
_ENDINGS = (
    "The words hang there. {name} leaves them hanging.",
    "Outside something knocks, stops, and knocks again.",
    "{name} keeps one eye on the door of {place} all the while.",
    "It is said lightly, and nobody takes it so.",
    "{name} waits for {other} to say the next thing.",
    "A hand goes to a pocket, and comes away empty.",
)
_ENTRIES = (
    "The door opens, and {name} comes in with the cold behind.",
    "There are steps, and then {name} stands in {place} as if it had been agreed.",
)
_EXITS = (
    "With that {name} takes a coat from the hook and goes; the door falls shut.",
    "{name} nods to {other}, and is gone before anybody has thought of a reason against it.",
)
_NARRATION = (
    "The light in {place} is low, and whatever is bright in it seems to have come from somewhere else.",
    "There is a smell of wet wood and of something that was cooked hours ago.",
    "Sounds carry: a step, a hinge, water that finds its way down.",
    "On the table lies what people leave when they mean to come back.",
    "{people} have moved a little closer together than {place} would ask of them.",
    "Beyond the window the dark is not quite even; something in it moves, and may be a tree.",
    "Time passes here in small sounds. Nothing has been decided.",
    "A draught goes through {place} and turns a page that nobody was reading.",
)
_AIMS = (
    "Answer {other}, but keep back the most important thing.",
    "Find out what {other} really wants.",
    "Change the subject without seeming to.",
    "Take {other}'s side, for a reason of your own.",
    "Say what nobody has dared to say so far.",
    "Do something with your hands before you speak.",
)
_TONES = (
    "Let it stay quiet in {place}; what matters is said between the lines.",
    "A little faster now: nobody in {place} wants to be the last to speak.",
    "Everybody notices more than they say.",
)
_MOODS = ("wary", "amused", "tired", "restless", "calm", "hopeful", "on edge")
_ACTIVITIES = ("listening", "watching the door", "sorting papers", "pacing", "warming their hands")
_INTENTIONS = ("to find out more", "to leave before dawn", "to keep the peace", "to tell the truth at last")
_NAMES = ("Ines Roth", "Tomas Bell", "Mara Voss", "Edda Lind", "Jon Aske", "Selma Korr")
_TRADES: Mapping[str, str] = MappingProxyType(
    {
        "personality": "{name} speaks little, notices what others overlook, and hates to be thanked.",
        "appearance": "{name} is of middle height, in a coat mended twice, with ink on one thumb.",
        "goals": "{name} wants to be left in charge of one thing that nobody else can spoil.",
        "secrets": "{name} once let somebody else take the blame, and still has the letter that proves it.",
        "scenario": "One meets {name} at work, late, when everybody else has gone home.",
        "first_message": "{name} does not look up. “You are late. Sit. Not there.”",
        "example_messages": "“How do you know?”\n“I looked,” says {name}. “People forget that one can look.”",
    }
)
"""Fields of a sheet and what the demo writes into them."""


class _Play:
    """One answer in the making: the stage, and chance that depends on the prompt only."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage = stage
        self.random = random.Random(seed)

    def line(self, patterns: Sequence[str], **names: str) -> str:
        """One of the sentences, filled; none of it is taken for a pattern."""
        values = {"place": self.stage.place, **names}
        pattern = self.random.choice(patterns)
        text = re.sub(r"\{(\w+)\}", lambda slot: values.get(slot[1], ""), pattern)
        return text[:1].upper() + text[1:]


def scene_answer(messages: Sequence[AgentMessage], seed: int) -> str | None:
    """The answer of a scene's role; None if the instructions are not those of one."""
    system = messages[0].content if messages and messages[0].role == "system" else ""
    found = next((write for mark, write in _ANSWERS.items() if mark in system), None)
    return None if found is None else found(_Play(Stage.read(messages), seed))


def _direction(play: _Play) -> str:
    return _second_pass(play) if play.stage.pass_number > 1 else _first_pass(play)


def _first_pass(play: _Play) -> str:
    stage = play.stage
    entering = [name for name in stage.available if mentions(stage.last.said, name)][:1]
    acting = [*_actors(play), *entering][:_MOST_ACTORS]
    other = stage.last.name or stage.persona or "the others"
    return as_json(
        actingCharacters=[
            {
                "name": name,
                "guidance": play.line(_AIMS, other=other if other != name else "the others"),
                "priority": len(acting) - at,
            }
            for at, name in enumerate(acting)
        ],
        activations=[
            {"name": name, "entryGuidance": "Comes in from outside, and at once sees whose voice it was."}
            for name in entering
        ],
        deactivations=[],
        stateUpdates=[{"name": name, "mood": play.random.choice(_MOODS)} for name in acting[:1]],
        trackers=[],
        openGuidance=f"{play.line(_TONES)} {LABEL}",
    )


def _actors(play: _Play) -> list[str]:
    """Those who were spoken to, else the next one or two after whoever spoke last."""
    present, last = play.stage.present, play.stage.last
    if named := [name for name in present if mentions(last.said, name) and name != last.name]:
        return named
    start = present.index(last.name) + 1 if last.name in present else play.random.randrange(len(present) or 1)
    turned = [*present[start:], *present[:start]]
    return turned[: 1 + play.random.randrange(2)]


def _second_pass(play: _Play) -> str:
    """Whoever was spoken to in this round and has not answered, remains; else nobody."""
    stage = play.stage
    spoke = {each.name for each in stage.this_round}
    said = " ".join(each.said for each in stage.this_round if each.name in stage.present)
    remaining = [name for name in stage.present if name not in spoke and mentions(said, name)][:1]
    changed = next((each.name for each in reversed(stage.this_round) if each.name in stage.present), "")
    return as_json(
        remainingActors=[
            {"name": name, "guidance": "Answer, in one or two sentences."} for name in remaining
        ],
        newActivations=[],
        deactivations=[],
        stateUpdates=[{"name": changed, "activity": play.random.choice(_ACTIVITIES)}] if changed else [],
        trackers=[],
        openGuidance="",
    )


def _turn(play: _Play) -> str:
    stage = play.stage
    name = _played(stage)
    last = next((each for each in reversed(stage.lines) if each.name != name), SpokenLine("", ""))
    names = {"name": name, "other": last.name or stage.persona or "friend", "quoted": _first_words(last.said)}
    opening = _ENTRIES if stage.of("entry-guidance") else _BEGINNINGS
    closing = _EXITS if stage.of("exit-guidance") else _ENDINGS
    answers = ANSWERS if names["quoted"] else tuple(one for one in ANSWERS if "{quoted}" not in one)
    prose = " ".join(play.line(each, **names) for each in (opening, answers, closing))
    reported = {
        "mood": play.random.choice(_MOODS),
        "intentions": play.random.choice(_INTENTIONS),
    }
    return f"{prose}\n\n```state\n{as_json(**reported)}\n```" if play.random.random() < 0.6 else prose


def _played(stage: Stage) -> str:
    told = next((each.name.strip() for each in stage.of("character")), "")
    found = _PLAYED.search(stage.system)
    return told or (found[1] if found else "The stranger")


def _narration(play: _Play) -> str:
    people = [*play.stage.present, *filter(None, [play.stage.persona])]
    together = " and ".join([", ".join(people[:-1]), people[-1]]) if len(people) > 1 else "The people here"
    chosen = play.random.sample(_NARRATION, 3)
    return " ".join(play.line((each,), people=together.lstrip(" and")) for each in chosen)


def _summary(play: _Play) -> str:
    told = (f"{each.name} said: {_first_words(each.said)}." for each in play.stage.lines)
    kept = list(dict.fromkeys(told))
    while len(kept) > 1 and count_words(" ".join(kept)) > _SUMMARY_WORDS:
        kept.pop(0)
    title = " and ".join(list(dict.fromkeys(each.name for each in play.stage.lines))[:2])
    return f"{title}\n\n{' '.join(kept)}" if kept else f"Nothing has happened yet. {LABEL}"


def _world(play: _Play) -> str:
    trackers = dict(re.findall(r"^\W*([\w ]+?): (\d{1,6})\s*$", play.stage.text("trackers"), re.MULTILINE))
    lower = {name: str(int(value) - 1) for name, value in list(trackers.items())[:1] if int(value) > 0}
    if not lower and not play.stage.lines:
        return as_json(facts={}, trackers={}, unchanged=True)
    facts = {"last heard": _first_words(play.stage.last.said)} if play.stage.lines else {}
    return as_json(facts=facts, trackers=lower, unchanged=False)


def _sheet(play: _Play) -> str:
    stage = play.stage
    wish = " ".join(stage.text("request").split()) or "somebody whom one would notice"
    named = re.search(r"^name: (.+)$", stage.text("sheet"), re.MULTILINE) or _CAPITALISED.search(wish)
    name = named[1].strip() if named else play.random.choice(_NAMES)
    sheet: dict[str, Any] = {  # Any: texts, a number and a list
        "name": name,
        "description": f"{name}: {wish.rstrip('.')}. {LABEL}",
        **{field: text.format(name=name) for field, text in _TRADES.items()},
        "talkative": play.random.randrange(20, 90, 5),
        "tags": re.findall(r"[a-zà-ÿ]{5,}", wish.lower())[:3],
    }
    field = stage.field("field")
    return as_json(**({field: sheet.get(field, f"{wish} {LABEL}")} if field else sheet))


def _picture(play: _Play) -> str:
    stage = play.stage
    people = ", ".join(stage.present[:3]) or "nobody"
    wish = " ".join(stage.text("request").split()) or _first_words(stage.last.said)
    return as_json(
        prompt=f"{stage.place}, low light, {people}; {wish}; ink and wash, muted colours",
        avoid="text, letters, frames",
        caption=f"{stage.place[:1].upper()}{stage.place[1:]}. {LABEL}",
    )


def _first_words(text: str) -> str:
    return " ".join(re.sub(r"[“”\"*_]", "", text).split()[:_SHORT]).rstrip(".,;:!?— ")


_ANSWERS: Mapping[str, Callable[[_Play], str]] = {
    "You direct a scene.": _direction,
    "You write only what": _turn,
    "You narrate a scene:": _narration,
    "You sum up a stretch of a scene": _summary,
    "You keep the world of a scene:": _world,
    "You write character sheets for scenes": _sheet,
    "You describe pictures for a model that draws them.": _picture,
}
"""By a sentence of the role's instructions."""
