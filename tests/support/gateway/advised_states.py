"""States of a home in which the program advises something, each made when a command line first names it."""

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pydantic import JsonValue

from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.manuscript import new_novels
from gateway.desk.scene.picturing import MOST_PICTURES
from gateway.desk.works import books
from penwright.domain.book.files.layout import CHAPTERS_FOLDER
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.trace.layout import LEDGER
from schemas.agent_run import AgentRunResult
from schemas.worlds import Character
from tests.support.gateway.agents import RehearsedAgents
from tests.support.gateway.artist import an_artist
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in

ROOM = "context_tokens=N"
MEANT = {
    "AGENT": "scene/creator",
    "NAME": "Bob",
    "PATH": "craft",
    "PERSONA": "Nell",
    "N": "1",
    ROOM: "context_tokens=8192",
}
_FILLED = {"FOLDER", "FILE", "WORLD", "ID", "NEW_FOLDER", *MEANT}
"""Words of advice that stand for something that has to exist, or must not."""
_ASKING = {("book", "rollback"), ("manuscript", "rollback"), ("manuscript", "undo"), ("trace", "repair")}
"""Commands that ask whether to go on."""
_IDS = {"intent": "INT-001", "scene": "the-quay", "run": "over", "mcp": "the-quay"}
"""Meaning of ``ID`` in commands of a group."""
CONFIG = "Global Material/Config.yml"


class States(dict[str, str]):
    """Values of the placeholders in command lines: ``book`` is a founded book, ``FILE`` a text.

    Besides, the home has a world, a scene ``the-quay``, a lorebook ``tides``, and a run ``over``.
    """

    def __init__(self, run: Run, services: StageServices, founded: Path, folder: Path) -> None:
        self.run, self.services, self.folder = run, services, folder
        self.kept, self.new = _KEPT, _NEW
        self._founded, self._numbers = founded, count()
        text = self.file("text.md", "He waits.\n")
        world = a_world(services)
        a_scene(services, world)
        run("lore", "create", "Tides")
        assert services.agents is not None
        now = services.now()
        services.agents.over = (RunSummary("over", "ink/writer", "", "completed", "end", now, now, 0),)
        bib = self.file(
            "works.bib", "@article{lee2020tides, title = {Tides}, author = {Lee, Ann}, year = {2020}}\n"
        )
        super().__init__(FILE=text, BIB=bib, WORLD=world, FOLDER=str(folder), **MEANT)

    def __missing__(self, name: str) -> str:
        if name in self.new:
            return self.new[name](self)
        made = self[name] = self.kept[name](self)
        return made

    def are_new_in(self, line: str) -> bool:
        """Whether a state of ``line`` is made anew each time, so that its commands can be run again."""
        return any(f"{{{name}}}" in line for name in self.new)

    def ends_with(self, line: str) -> tuple[list[str], str]:
        """Run the commands of ``line``; the words of the last one, and what it prints as errors."""
        words = self.before_last(line)
        return words, self.typed(words)[2]

    def typed(self, words: list[str]) -> tuple[int, str, str]:
        """Run a command as a shell would that is told where the command's input is: some prose."""
        if "<" not in words:
            return self.run(*words)
        return self.run(*words[: words.index("<")], stdin=b"He waits.\n")

    def before_last(self, line: str) -> list[str]:
        """Run the commands of ``line`` before its last one, and return the words of that.

        Placeholders stand in braces, and `` ; `` between commands, which must succeed.
        """
        *first, last = line.format_map(self).split(" ; ")
        for each in first:
            self.do(each)
        return last.split()

    def do(self, line: str) -> None:
        """Run a command that must succeed."""
        code, _, err = self.run(*line.split())
        assert code == 0, f"{line} -> {code}: {err}"

    def says(self, line: str) -> str:
        """Run the commands of ``line``, and return all that the last one prints."""
        _, out, err = self.run(*self.before_last(line))
        return out + err

    def filled(self, advice: Sequence[str], here: Path) -> list[str]:
        """The words of an advice that is followed in the folder ``here`` by a person who says yes.

        Words in capitals get a meaning.
        """
        folder = self["book"] if advice[0] == "mcp" else str(here / "new")
        id = self["token"] if advice[0] == "web" else _IDS.get(advice[0], "")
        meant = {"FOLDER": folder, "ID": id, "FILE": str(here / "new.png") if "pictures" in advice else ""}
        agreed = ["--yes"] if tuple(advice[:2]) in _ASKING and "--undo" not in advice else []
        return [*(meant.get(word) or self[word] if word in _FILLED else word for word in advice), *agreed]

    def file(self, name: str, text: str) -> str:
        """A new file of the folder."""
        place = self.folder / name
        place.write_text(text, "utf-8")
        return str(place)

    def place(self, name: str) -> Path:
        """A path that nothing has yet."""
        return self.folder / f"{name}-{next(self._numbers)}"

    def copy_of(self, work: str) -> Path:
        """A copy of the book as it was founded, or of the novel."""
        source = self._founded if work == "book" and self["book"] else self[work]
        return Path(shutil.copytree(source, self.place(work)))


def _book(states: States) -> str:
    place = Path(shutil.copytree(states._founded, states.folder / "tide"))
    services = states.services
    books.register(services.store, services, services.book(place))
    return str(place)


def _novel(states: States) -> str:
    place = states.folder / "ebb"
    texts = {"-": "# Ebb\n", "empty": ""}
    made = new_novels.create(states.services, place, {"title": "Low Tide", "author": "M. Orr"}, scenes=texts)
    states["NOVEL"] = made.novel_id
    return str(place)


def _changed(work: str, file: str, text: str) -> Callable[[States], str]:
    """A copy of a book or novel, in which a file has another text."""

    def make(states: States) -> str:
        place = states.copy_of(work)
        (place / file).write_text(text, "utf-8")
        return str(place)

    return make


def _after(work: str, *lines: str) -> Callable[[States], str]:
    """A copy of a book or novel after commands, in which it is called ``@``."""

    def make(states: States) -> str:
        place = str(states.copy_of(work))
        for line in lines:
            states.do(line.replace("@", place))
        return place

    return make


def _chattering(states: States) -> str:
    """A book whose writer talks, and tells nothing."""
    place = states.copy_of("book")
    states.services.pipelines.chattering.add(states.services.book(place).book_id)
    return str(place)


def _new(line: str) -> Callable[[States], str]:
    """A new work in a folder of its own."""

    def make(states: States) -> str:
        place = states.place("other")
        states.do(f"{line} {place} --title Other --author B.Lee")
        return str(place)

    return make


def _written(*, meanwhile: bool = False, **fields: JsonValue) -> Callable[[States], str]:
    """A wish for which the creator of sheets writes these fields, while another may write the same."""

    def make(states: States) -> str:
        agents = _SlowCreator(states=states) if meanwhile else RehearsedAgents()
        raw = states.services.store.blobs.put(b"{}").model_dump()
        agents.answers["scene/creator"] = {"fields": fields, "raw": raw, "model": "m"}
        agents.over = states.services.agents.over if states.services.agents else ()
        states.services.agents = agents
        return "Brave."

    return make


@dataclass
class _SlowCreator(RehearsedAgents):
    """While it writes, another person changes what it writes."""

    states: States | None = None

    async def result(self, run_id: str) -> AgentRunResult:
        assert self.states is not None
        store = self.states.services.store.worlds
        cleo = store.read(Character, "cleo")
        assert cleo is not None
        store.change(cleo.model_copy(update={"goals": "Stay."}))
        return await super().result(run_id)


def _without_config(states: States) -> str:
    place = states.copy_of("book")
    (place / CONFIG).unlink()
    return str(place)


def _wrong(states: States) -> str:
    place = states.copy_of("book")
    config = place / CONFIG
    config.write_text(config.read_text("utf-8").replace("words_per_session: 1500", "words_per_session: many"))
    return str(place)


def _short(states: States) -> str:
    """A book of one chapter and one session."""
    place = states.copy_of("book")
    config = place / CONFIG
    short = re.sub(r"(?m)^target_length: .*", "target_length: 1500", config.read_text("utf-8"))
    config.write_text(re.sub(r"(?m)^chapter_count: .*", "chapter_count: 1", short), "utf-8")
    return str(place)


def _full(outline: str) -> Callable[[States], str]:
    """A book with a full chapter, and the outline of the next one in a file of this name."""

    def make(states: States) -> str:
        place = Path(_after("book", "book session @", "book session @")(states))
        (place / CHAPTERS_FOLDER / outline).write_text("# Chapter 2\n\nShe sails to the light.\n", "utf-8")
        git_in(place, "add", ".")
        git_in(place, *IDENTITY, "commit", "-qm", "Outline")
        return str(place)

    return make


def _clone_of(make: Callable[[States], str]) -> Callable[[States], str]:
    """A clone of a book, which nothing on this machine has taken notice of."""

    def clone(states: States) -> str:
        place = states.place("clone")
        git_in(states.folder, "clone", "-q", make(states), str(place))
        return str(place)

    return clone


def _never_a_config(states: States) -> str:
    place = states.place("folder")
    place.mkdir()
    git_in(place, "init", "-q", "-b", "main")
    (place / "notes.md").write_text("Notes.\n", "utf-8")
    git_in(place, "add", ".")
    git_in(place, *IDENTITY, "commit", "-qm", "Notes")
    return str(place)


def _bare(states: States) -> str:
    place = states.place("folder")
    place.mkdir()
    git_in(place, "init", "-q", "-b", "main")
    return str(place)


def _empty(states: States) -> str:
    place = states.place("folder")
    place.mkdir()
    return str(place)


def _reset(states: States) -> str:
    place = states.copy_of("book")
    states.do(f"book reset {place} --yes {place.name}")
    return str(place)


def _entries(states: States) -> str:
    states.do("lore create Shores")
    for key in ("ebb", "flood"):
        states.do(f"lore add shores --key {key} --content Water. --set title=Same")
    return "shores"


def _damaged(states: States) -> str:
    place = states.place("harbour")
    states.do(f"scene create {place.stem} --world {states['WORLD']}")
    states.do(f"scene export {place.stem} --to json --output {place}")
    place.write_text(place.read_text("utf-8")[:-40], "utf-8")
    return str(place)


def _cramped(states: States) -> str:
    scene = states.place("hut").stem
    states.do(f"scene create {scene} --world {states['WORLD']} --cast cleo")
    states.do(f"scene state {scene} --set context_tokens=512")
    return scene


def _pictured(states: States) -> str:
    """Words of a character of whom there are as many pictures as are kept."""
    services = states.services
    an_artist(services)
    scene = states.place("loft").stem
    states.do(f"scene create {scene} --world {states['WORLD']} --cast cleo")
    states.do(f"scene picture {scene} --of cleo")
    cleo = services.store.worlds.read(Character, "cleo")
    assert cleo is not None
    services.store.worlds.change(cleo.model_copy(update={"pictures": cleo.pictures * MOST_PICTURES}))
    return f"{scene} --of cleo"


def _painted(states: States) -> str:
    """A scene of which a painter can paint."""
    an_artist(states.services)
    scene = states.place("attic").stem
    states.do(f"scene create {scene} --world {states['WORLD']} --cast cleo")
    return scene


def _edited_ledger(states: States) -> str:
    place = Path(_NEW["written"](states))
    ledger = place / LEDGER
    ledger.write_text(ledger.read_text("utf-8").replace("rehearsed", "nobody"), "utf-8")
    git_in(place, *IDENTITY, "commit", "-qam", "Edit")
    return str(place)


def _aimless(states: States) -> str:
    place = states.copy_of("book")
    (place / REGISTRY).write_text("active_intents: []\n", "utf-8")
    git_in(place, *IDENTITY, "commit", "-qam", "Drop the intents")
    return str(place)


def _token(states: States) -> str:
    _, out, _ = states.run("web", "tokens", "create", "program", "--scope", "read", "--json")
    return str(json.loads(out)["id"])


def steps_in(printed: str, failed: list[str]) -> Iterator[list[str]]:
    """The words of each command in an error; of an option alone, those of the failed command with it."""
    for text in re.findall("`([^`]+)`", printed):
        words = shlex.split(text)
        if words[0] == "penwright":
            yield words[1:]
        elif words[0].startswith("--"):
            yield [*failed, *words]


def ends_of_steps(run: Run, printed: str) -> list[int]:
    """The exit code of each command in an error, run as it stands there; there must be one."""
    steps = list(steps_in(printed, []))
    assert steps, printed
    return [run(*step)[0] for step in steps]


_KEPT: dict[str, Callable[[States], str]] = {
    "book": _book,
    "BOOK": lambda states: states["book"],
    "novel": _novel,
    "NOVEL": lambda states: states["novel"] and states["NOVEL"],
    "entries": _entries,
}
"""States that are the same in all command lines."""
_NEW: dict[str, Callable[[States], str]] = {
    "torn": _changed("novel", "Novel.yml", "a: ["),
    "mistaken": _changed("novel", "Novel.yml", "title: ' '\n"),
    "broken": _changed("book", CONFIG, "a: ["),
    "twice": _changed("book", CONFIG, "chapters: 3\nchapters: 4\n"),
    "keyless": _changed("book", CONFIG, "language: en-GB\n"),
    "wrong": _wrong,
    "lost": _without_config,
    "short": _short,
    "full": _full("Chapter_02.md"),
    "clone": _clone_of(_full("Chapter_02.proposed.md")),
    "fresh_clone": _clone_of(lambda states: str(states.copy_of("book"))),
    "no_config": _never_a_config,
    "sealed": _after("book", "book session @", "book complete @ --early"),
    "scheduled": _after("book", "book schedule @ --every 6h"),
    "resting": _after("book", "book schedule @ --every 6h", "book schedule @ --pause"),
    "blocked": _after("book", "intent block INT-001 @"),
    "elsewhere": _after("book", "intent add @ --name Canon --scope Soul/** --start"),
    "reset": _reset,
    "other": _new("book init"),
    "other_novel": _new("manuscript new"),
    "bare": _bare,
    "empty": _empty,
    "held": _after("book", "book open @"),
    "written": _after("book", "book session @"),
    "chattering": _chattering,
    "token": _token,
    "damaged": _damaged,
    "meanwhile": _written(meanwhile=True, goals="Go."),
    "wished": _written(name="Ines Roth"),
    "nameless": _written(goals="Go."),
    "wordless": _written(),
    "cramped": _cramped,
    "pictured": _pictured,
    "painted": _painted,
    "edited_ledger": _edited_ledger,
    "aimless": _aimless,
}
"""States that are made anew each time that a command line names them."""
