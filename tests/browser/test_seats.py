"""People at one table: three Chromiums over sixty rounds, and no secret reaches whom it was kept from."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import httpx
import pytest
from playwright.async_api import Error, Page, Response, async_playwright, expect

from gateway.desk.installed_services import PooledServices
from gateway.desk.scene import casting, changes, creating
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.table.certifying import certify
from gateway.desk.scene.table.seats import invite, seat_of
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.lorebooks import Place
from schemas.base import Effect, OpId
from schemas.director import CastMember
from schemas.lore import Lorebook, LoreEntry
from schemas.scene import CloseRound, OpenRound, Round
from schemas.worlds import Character, World
from tests.support.engine.home import EngineHome, engine_home, until
from tests.support.engine.provider_server import Behaviour, ProviderServer
from tests.support.programs import CHROMIUM

ROUNDS = 60
PEOPLE = ("Ann", "Bob", "Cleo")
HERE = (("Ann", "Bob", "Cleo"), ("Ann", "Bob"), ("Bob", "Cleo"), ("Cleo", "Ann"), ("Bob",))
"""Those who are present, in turn; of them, who has not spoken for longest speaks.

In every sixth round that is typed in a browser, and Dan, whom the vendor plays, answers through the engine;
the others are stored as the engine would store them.
"""
KILLED_IN = {21: "web", 45: "models"}
"""Rounds in whose middle a process is killed: that of the pages, and that which asks the model."""
TAKEN_BACK = (14, 29, 44, 59)
EDITED = (10, 27, 40)
LOOKED_AFTER = 10
PATIENCE_MS = 120_000
COPIES = ("/export?format=json", "/export?format=markdown")


@dataclass
class Secrets:
    """Tokens of one word that stands nowhere else, and who may know each."""

    known: dict[str, frozenset[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    """Tokens that were said, and taken back or replaced since."""

    def new(self, *known_by: str) -> str:
        made = f"quoin{len(self.known):03}x{len(self.known) * 7919 % 1000:03}"
        self.known[made] = frozenset(known_by)
        return made

    def found(self, who: str, text: str, *, ever: bool = False) -> list[str]:
        """Those that stand in a text and are kept from one; ``ever``: what was taken back was known once."""
        kept = (each for each, by in self.known.items() if who not in by or (each in self.gone and not ever))
        return [each for each in kept if each in text]

    def heard(self, who: str, said: set[str]) -> list[str]:
        return [each for each, by in self.known.items() if each in said - self.gone and who in by]


@dataclass
class Guest:
    """One Chromium of its own, at one seat, and all that has come to it over any wire."""

    who: str
    link: str
    page: Page
    came: list[str] = field(default_factory=list)
    awaited: list["asyncio.Future[None]"] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: self._frame(frame)))
        self.page.on(
            "response", lambda answer: self.awaited.append(asyncio.ensure_future(self._body(answer)))
        )

    def _frame(self, frame: Any) -> None:  # Any: text or bytes
        self.came.append(frame if isinstance(frame, str) else bytes(frame).decode("utf-8", "replace"))

    async def _body(self, answer: Response) -> None:
        if answer.request.resource_type in ("document", "fetch", "xhr"):
            try:
                self.came.append(await answer.text())
            except Error:
                return  # a page that was left, or a redirection

    async def says(self, words: str) -> None:
        """Type it and press Enter, without a mouse."""
        field = self.page.get_by_label("What you say")
        await field.fill(words)
        await field.press("Enter")
        await expect(self.page.locator(".message.own", has_text=words)).to_be_visible(timeout=PATIENCE_MS)
        await expect(field).to_have_value("", timeout=PATIENCE_MS)

    async def shown(self) -> str:
        """The document, and what the browser keeps."""
        kept = await self.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        return f"{await self.page.content()}{kept}"


@dataclass
class Table:
    """The engine, its vendor, and the scene."""

    home: EngineHome
    vendor: ProviderServer
    services: PooledServices
    secrets: Secrets = field(default_factory=Secrets)
    scene: str = ""
    said: set[str] = field(default_factory=set)
    """Tokens that stood in a message."""

    def lay_out(self) -> None:
        """Four characters, each with secrets; a plot; lore for one; a note for the director."""
        new = self.secrets.new
        with self.services.open_store() as store:
            store.worlds.create(World(id="", name="Skerrow"))
            for name in PEOPLE:
                store.worlds.create(Character(id="", name=name, secrets=new(name), goals=new(name)))
            store.worlds.create(Character(id="", name="Dan", secrets=new()))
            lore = tuple(
                LoreEntry(uid=f"{uid}", title="lamp", content=new("Bob"), constant=True, characters=("Bob",))
                for uid in range(11)
            )
            store.worlds.create(Lorebook(id="", name="Lamps", entries=lore))
        lorebooks.attach(self.services, "Lamps", Place("world", "Skerrow"))
        wish = NewScene(title="Quay", world="skerrow", cast=PEOPLE, settings={"director": "off"})
        self.scene = creating.create(self.services, wish).scene.id
        notes = {"plot": new(), "goals": new(), "direction": new()}
        creating.change_settings(self.services, self.scene, notes)
        for name in PEOPLE:
            changes.set_state(self.services, self.scene, name, {"intentions": new(name)})

    def seats(self) -> dict[str, str]:
        return {name: invite(self.services, self.scene, name).secret for name in PEOPLE}

    def bring(self, *here: str) -> None:
        gone = [each for each in (*PEOPLE, "Dan") if each not in here]
        casting.change(self.services, self.scene, here, gone)

    @property
    def rests(self) -> bool:
        with self.services.open_store() as store:
            return store.scenes.running(self.scene) is None

    @property
    def newest(self) -> str:
        """Id of the newest message."""
        with self.services.open_store() as store:
            return store.scenes.messages(self.scene, newest=1)[-1].id


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """An engine with pages, whose characters are played by a vendor of ours."""
    with ProviderServer().running() as vendor:
        config = tmp_path_factory.mktemp("engine") / "penwright.toml"
        config.write_text(
            f'[models.script]\nmodel = "openai/script"\napi_base = "{vendor.address}"\n'
            'key_env = "SCRIPT_KEY"\n[roles]\ncharacter = "script"\n'
        )
        home = engine_home(
            PENWRIGHT_CONFIG=str(config),
            PENWRIGHT_WEB__ENABLED="true",
            PENWRIGHT_WORKER__GRACE_S="2",
            SCRIPT_KEY="k",
        )
        try:
            up = home.cli("up", "--detach")
            assert up.returncode == 0, up.stderr
            until(lambda: home.record().children["web"].state == "ready")
            made = Table(home, vendor, PooledServices(home.environ))
            made.lay_out()
            yield made
            made.services.close()
        finally:
            home.remove()


@pytest.fixture
async def guests(table: Table) -> AsyncIterator[dict[str, Guest]]:
    """Three browsers, each of which came by its link."""
    async with async_playwright() as playwright, AsyncExitStack() as stack:
        found: dict[str, Guest] = {}
        for who, link in (await asyncio.to_thread(table.seats)).items():
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            stack.push_async_callback(browser.close)
            found[who] = Guest(who, link, await browser.new_page())
            found[who].listen()
            await found[who].page.goto(f"{table.services.web_address()}/seat#{link}")
            await found[who].page.get_by_label("What you say").wait_for()
            assert link not in found[who].page.url
        yield found


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_no_secret_of_a_hundred_comes_to_a_seat_that_did_not_witness_it(
    table: Table, guests: dict[str, Guest]
) -> None:
    play = Play(table, guests)
    for who, guest in guests.items():
        draft = table.secrets.new(who)
        await guest.page.get_by_label("What you say").fill(draft)
        await until_kept(table, guest, draft)

    for number in range(1, ROUNDS + 1):
        await play.round(number)
        if number % LOOKED_AFTER == 0:
            await play.look()

    assert len(table.secrets.known) == 100
    await play.look()
    for guest in guests.values():
        await asyncio.gather(*guest.awaited)
        assert table.secrets.found(guest.who, "\n".join(guest.came), ever=True) == []
        assert len(guest.came) > ROUNDS
    assert (await asyncio.to_thread(certify, table.services, table.scene)).certificate.leaks == ()


async def until_kept(table: Table, guest: Guest, draft: str) -> None:
    def kept() -> bool:
        return seat_of(table.services, guest.link).draft == draft

    await asyncio.to_thread(until, kept)


@dataclass
class Play:
    """The sixty rounds."""

    table: Table
    guests: dict[str, Guest]
    spoke: list[str] = field(default_factory=list)

    async def round(self, number: int) -> None:
        table, here = self.table, HERE[number % len(HERE)]
        with_dan = (*here, "Dan") if number % 6 == 3 else here
        await asyncio.to_thread(table.bring, *with_dan)
        speaker = min(
            here, key=lambda each: max((i for i, who in enumerate(self.spoke) if who == each), default=-1)
        )
        self.spoke.append(speaker)
        heard = [table.secrets.new(*here)]
        if "Dan" in with_dan:
            heard.append(table.secrets.new(*here))
            pause = 0.25 if number in KILLED_IN else 0.0
            table.vendor.behave(Behaviour(text=f"Dan says that the {heard[1]} is out at sea.", pause_s=pause))
        table.said |= {*heard}
        words = f"Round {number}: I know of the {heard[0]} by the quay."
        if "Dan" in with_dan:
            await self.guests[speaker].says(words)
        else:
            await asyncio.to_thread(self._quickly, number, speaker, words)
        if process := KILLED_IN.get(number):
            await asyncio.to_thread(self._kill, process)
            for guest in self.guests.values():
                await guest.page.wait_for_function("window.socket?.connected", timeout=PATIENCE_MS)
        await asyncio.to_thread(until, lambda: table.rests, patience_s=240)
        await self._after(number, heard)

    def _kill(self, name: str) -> None:
        killed = self.table.home.child(name)
        assert not self.table.rests, "the round is in its middle"
        killed.kill()
        self.table.home.await_restarted(name, old=killed.pid)

    def _quickly(self, number: int, speaker: str, words: str) -> None:
        """A round in which nobody answers, as the engine would store it."""
        scene, who = self.table.scene, speaker.lower()
        effect = Effect(op_id=OpId(f"scene/{scene}#q{number}:1"), issued_at=self.table.services.now())
        voice = CastMember(id=who, name=speaker, taken=True)
        order = OpenRound(effect=effect, scene=scene, session=f"q{number}", text=words, voice=voice)
        with self.table.services.open_store() as store:
            opened = store.scenes.open_round(order)
            played = Round(
                scene=scene,
                number=opened.number,
                kind="message",
                status="completed",
                before=opened.state,
                started_at=effect.issued_at,
            )
            ended = effect.model_copy(update={"op_id": OpId(f"scene/{scene}#q{number}:2")})
            end = CloseRound(
                effect=ended, scene=scene, round=played, state=opened.state, session=f"q{number}"
            )
            store.scenes.close_round(end)

    async def _after(self, number: int, heard: list[str]) -> None:
        table = self.table
        if number in TAKEN_BACK:
            await asyncio.to_thread(changes.undo, table.services, table.scene)
            table.secrets.gone |= {*heard}
        if number in EDITED:
            edited = table.secrets.new(*table.secrets.known[heard[-1]])
            await asyncio.to_thread(
                changes.edit, table.services, table.scene, table.newest, f"Now it is the {edited}.", who="op"
            )
            table.said.add(edited)
            table.secrets.gone.add(heard[-1])

    async def look(self) -> None:
        """Nothing that is kept from a seat stands in its page, its table, its events or its files."""
        for guest in self.guests.values():
            heard = self.table.secrets.heard(guest.who, self.table.said)
            await expect(guest.page.locator(".message", has_text=heard[-1])).to_be_visible(
                timeout=PATIENCE_MS
            )
            shown = [await guest.shown(), *await asyncio.to_thread(self._told, guest)]
            for text in shown:
                assert self.table.secrets.found(guest.who, text) == []
            assert [each for each in heard if each not in shown[-1]] == []

    def _told(self, guest: Guest) -> list[str]:
        """Answers of the API to the secret of a seat; the copy in Markdown is the last."""
        api = f"{self.table.services.web_address()}/api/v1/seats/me"
        caller = {"authorization": f"Bearer {guest.link}"}
        with httpx.Client(headers=caller, timeout=PATIENCE_MS / 1000) as client:
            asked = [client.get(f"{api}{each}") for each in ("?limit=200", *COPIES)]
            for answer in asked:
                assert answer.status_code == 200, answer.text
            with client.stream("GET", f"{api}/events", params={"after": "...."}) as events:
                assert events.status_code == 200
                told = takewhile(lambda line: line != ": here", events.iter_lines())
                return ["\n".join(told), *(each.text for each in asked)]
