"""Sentences of the demo model's actors and narrator; placeholders are filled from the stage."""

from collections.abc import Mapping
from types import MappingProxyType

BEGINNINGS = (
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
ENDINGS = (
    "The words hang there. {name} leaves them hanging.",
    "Outside something knocks, stops, and knocks again.",
    "{name} keeps one eye on the door of {place} all the while.",
    "It is said lightly, and nobody takes it so.",
    "{name} waits for {other} to say the next thing.",
    "A hand goes to a pocket, and comes away empty.",
)
ENTRIES = (
    "The door opens, and {name} comes in with the cold behind.",
    "There are steps, and then {name} stands in {place} as if it had been agreed.",
)
EXITS = (
    "With that {name} takes a coat from the hook and goes; the door falls shut.",
    "{name} nods to {other}, and is gone before anybody has thought of a reason against it.",
)
NARRATION = (
    "The light in {place} is low, and whatever is bright in it seems to have come from somewhere else.",
    "There is a smell of wet wood and of something that was cooked hours ago.",
    "Sounds carry: a step, a hinge, water that finds its way down.",
    "On the table lies what people leave when they mean to come back.",
    "{people} have moved a little closer together than {place} would ask of them.",
    "Beyond the window the dark is not quite even; something in it moves, and may be a tree.",
    "Time passes here in small sounds. Nothing has been decided.",
    "A draught goes through {place} and turns a page that nobody was reading.",
)
AIMS = (
    "Answer {other}, but keep back the most important thing.",
    "Find out what {other} really wants.",
    "Change the subject without seeming to.",
    "Take {other}'s side, for a reason of your own.",
    "Say what nobody has dared to say so far.",
    "Do something with your hands before you speak.",
)
TONES = (
    "Let it stay quiet in {place}; what matters is said between the lines.",
    "A little faster now: nobody in {place} wants to be the last to speak.",
    "Everybody notices more than they say.",
)
MOODS = ("wary", "amused", "tired", "restless", "calm", "hopeful", "on edge")
ACTIVITIES = ("listening", "watching the door", "sorting papers", "pacing", "warming their hands")
INTENTIONS = ("to find out more", "to leave before dawn", "to keep the peace", "to tell the truth at last")
NAMES = ("Ines Roth", "Tomas Bell", "Mara Voss", "Edda Lind", "Jon Aske", "Selma Korr")
TRADES: Mapping[str, str] = MappingProxyType(
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
