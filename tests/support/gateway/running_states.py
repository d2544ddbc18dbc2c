"""States of a home with a whole engine, in which work goes on or has left something to decide."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

from tests.support.engine.home import until
from tests.support.gateway.advised_states import MEANT, States
from tests.support.gateway.services import Run

CLAIM = "# Doubt\n\nWhere studies are small and bias is common, most claimed research findings are false.\n"
"""Of a recorded work."""


class RunningStates(States):
    """Values of the placeholders in command lines.

    ``held`` is a book that an agent has open, ``doubt`` a text with a claim, ``scanned``, ``cited`` and
    ``uncited`` what citations made of it, ``paused`` a text whose run is paused, ``planned`` a scene whose
    plan waits for a person, ``approved`` one in whose round none does any more, ``unheld`` one in which none
    will, ``scanning`` a text whose scan is paused, and ``ended`` a run.
    """

    def __init__(self, run: Run, folder: Path) -> None:
        self.run, self.folder, self._numbers = run, folder, count()
        self.kept, self.new = {"book": _book, "WORLD": _world}, _NEW
        dict.__init__(self, FILE=self.file("doubt.md", CLAIM), **MEANT)


def _book(states: States) -> str:
    place = str(states.place("tide"))
    states.do(f"book init {place} --title Tide --author A.Lee")
    return place


def _world(states: States) -> str:
    for name in ("Ann", "Bob", "Cleo"):
        states.do(f"character create {name}")
    states.do("persona create Nell")
    states.do("world create Skerrow")
    return "skerrow"


def _doubt(states: States) -> str:
    place = str(states.place("doubt"))
    states.do(f"manuscript new {place} --title Doubt --author A.Lee")
    states.do(f"manuscript import {states['FILE']} --into {place}")
    return place


def _empty(states: States) -> str:
    place = str(states.place("blank"))
    states.do(f"manuscript new {place} --title Blank --author A.Lee")
    return place


def _after(state: str, *lines: str) -> Callable[[States], str]:
    """A new one of a state after commands, in which it is called ``@``."""

    def make(states: States) -> str:
        name = _NEW[state](states)
        for line in lines:
            states.do(line.replace("@", name))
        return name

    return make


def _planned(states: States) -> str:
    _, out, _ = states.run(
        "scene", "create", "Pier", "--world", states["WORLD"], "--cast", "ann,bob", "--json"
    )
    scene = str(json.loads(out)["scene"])
    states.do(f"scene state {scene} --set hold_plan=true")
    states.do(f"scene say {scene} Hello --detach")
    until(lambda: "waits for approval" in states.run("scene", "say", scene, "Hello")[2])
    return scene


def _rewritten(states: States) -> str:
    """A text whose cited sentence was changed."""
    place = _NEW["cited"](states)
    other = states.file("other.md", "# Doubt\n\nFew findings are true, some say.\n")
    states.do(f"manuscript import {other} --into {place} --force")
    return place


def _run(states: States) -> str:
    name = states.place("run").name
    states.do(f"run start ink/editor --subject {states['book']} --task Go --id {name}")
    return name


_NEW: dict[str, Callable[[States], str]] = {
    "fresh": _book,
    "doubt": _doubt,
    "blank": _empty,
    "scanned": _after("doubt", "cite scan @"),
    "cited": _after("scanned", "cite accept @ --verified --abstracts"),
    "uncited": _after("cited", "cite undo @"),
    "paused": _after("doubt", "manuscript write @ -i Essay --detach", "manuscript pause @"),
    "held": _after("fresh", "book open @"),
    "scanning": _after("doubt", "cite scan @ --detach", "cite pause @"),
    "rewritten": _rewritten,
    "planned": _planned,
    "approved": _after("planned", "scene pause @", "scene approve @"),
    "unheld": _after("approved", "scene state @ --set hold_plan=false"),
    "ended": _run,
}
