"""What the pages of browser tests and pictures show: two books, a paper and a scene, by the demo model."""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from gateway.cli.book.init import init_book
from gateway.desk.book import sessions
from gateway.desk.citations import scans
from gateway.desk.engine.waits import quietly
from gateway.desk.installed_services import InstalledServices
from gateway.desk.manuscript import new_novels, runs
from gateway.desk.scene import creating, orders, rounds
from gateway.desk.works import books
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.lorebooks import Place
from penwright.domain.book.files.layout import CONFIG
from schemas.lore import Lorebook, LoreEntry
from schemas.worlds import Character, Persona, World

_SMALL = {"target_length": 4200, "words_per_session": 420, "chapter_count": 5}
_CAST = (
    Character(
        id="",
        name="Ann Quist",
        description="Keeper of the ferry; dry, careful, kind to strangers.",
        secrets="She has sold the ferry.",
    ),
    Character(
        id="",
        name="Bob Vane",
        description="A surveyor who measures the road.",
        secrets="The road will be closed.",
    ),
)
_LORE = {
    "lamp": "The lamp on the jetty went out in the year of the great storm; to light it is a debt.",
    "ferry": "The ferry crosses at slack water only, and never after dark.",
    "lighthouse": "The lighthouse keeper left a logbook.",
}
_SAYINGS = ("Who lit the lamp on the jetty?", "I saw a light out on the water. Is that the ferry?")
_INSTRUCTIONS = "A short essay on why published findings fail to replicate, for students."


@dataclass(frozen=True)
class Stock:
    """Ids of what was made."""

    book: str
    second_book: str
    novel: str
    scene: str
    folder: Path


async def stocked(services: InstalledServices, folder: Path) -> Stock:
    """Make it all, side by side."""
    book, second, novel, scene = await asyncio.gather(
        written_book(services, folder / "tide", "Low Tide", 2),
        written_book(services, folder / "salt", "The Salt Road", 1),
        _paper(services, folder / "findings"),
        _scene(services),
    )
    return Stock(book, second, novel, scene, folder)


async def written_book(services: InstalledServices, place: Path, title: str, count: int) -> str:
    """A book that so many sessions wrote; returns its id."""
    await asyncio.to_thread(init_book, services, place, {"title": title, "author": "M. Orr"}, ask=False)
    config = place / CONFIG
    lines = config.read_text(encoding="utf-8")
    for key, value in _SMALL.items():
        lines = re.sub(rf"(?m)^{key}:.*$", f"{key}: {value}", lines)
    config.write_text(lines, encoding="utf-8")
    found = await asyncio.to_thread(books.find, services, str(place))
    for _ in range(count):
        given = await asyncio.to_thread(sessions.session_of, services, found, "")
        await sessions.write(services, given, quietly)
    return found.book_id


async def _paper(services: InstalledServices, place: Path) -> str:
    made = await asyncio.to_thread(new_novels.create, services, place, {"title": "Findings That Last"})
    found = await asyncio.to_thread(runs.document, services, str(place), "-")
    await runs.write(services, found, runs.LoopOptions(instructions=_INSTRUCTIONS), wait=quietly)
    await scans.scan(services, found, scans.ScanWish(), wait=quietly)
    return made.novel_id


async def _scene(services: InstalledServices) -> str:
    def laid_out() -> str:
        with services.open_store() as store:
            store.worlds.create(World(id="", name="Skerrow"))
            for each in _CAST:
                store.worlds.create(each)
            store.worlds.create(Persona(id="", name="Mira", description="A stranger with a lantern."))
            entries = tuple(
                LoreEntry(uid=str(number), title=key, keys=(key,), content=content)
                for number, (key, content) in enumerate(_LORE.items(), 1)
            )
            store.worlds.create(Lorebook(id="", name="Skerrow", entries=entries))
        lorebooks.attach(services, "Skerrow", Place("world", "Skerrow"))
        cast = tuple(each.name for each in _CAST)
        wish = creating.NewScene(title="Harbour at dusk", world="Skerrow", cast=cast, persona="Mira")
        return creating.create(services, wish).scene.id

    scene = await asyncio.to_thread(laid_out)
    for saying in _SAYINGS:
        await rounds.play(services, scene, orders.RoundOptions(text=saying), wait=quietly)
    return scene
