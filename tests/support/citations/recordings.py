"""Citation scans whose histories are kept: each path that a scan can take, once."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from temporalio.client import Client

from penwright.adapters.memory_scholarly import MemoryScholarly
from penwright.adapters.models.scripted import ScriptedAnswer
from schemas.citations import CitationDecision
from schemas.control import KillRequest
from schemas.scholarly import Outage
from tests.support.citations.audits import CITED, audit_desk, until_it_waits
from tests.support.citations.desk import TEXT, TIDES, USUAL, naming, scan_desk, script
from workflows.citation_scan import CitationScan

Keep = Callable[[str, str], Awaitable[None]]
"""Saves the history of a workflow under a name."""
LEFT = CitationDecision(verb="accept", who="ann", every="all")


async def decided(client: Client, folder: Path, keep: Keep) -> None:
    """A person accepts one proposal and rejects the other, while the scan waits."""
    async with scan_desk(client, folder, novel="tides-decided") as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        await desk.decide(handle, "accept", 1)
        await desk.decide(handle, "reject", 2)
        await handle.result()
        await keep("citations-decided", handle.id)


async def ruled(client: Client, folder: Path, keep: Keep) -> None:
    """The rule accepts; one generator gives no answer that can be used."""
    answers = [ScriptedAnswer(op="*/1/search*", text="I do not know."), *USUAL]
    async with scan_desk(client, folder, answers=answers, novel="tides-ruled") as desk:
        await desk.run(auto_accept=True)
        await keep("citations-ruled", desk.scan_id)


async def later(client: Client, folder: Path, keep: Keep) -> None:
    """What a scan left is decided in a run of its own."""
    async with scan_desk(client, folder, novel="tides-later") as desk:
        await desk.run()
        await desk.run("s2", again=True, decisions=(LEFT,))
        await keep("citations-later", desk.scan_id)


async def checked(client: Client, folder: Path, keep: Keep) -> None:
    """A citation that stands in the text is looked up, without a model."""
    entry = "@article{ghost1999none, title = {A work that nobody has written}, year = {1999}}"
    text = TEXT.replace("twice a day.", f"twice a day. [[{entry}]]")
    answers = script(name_0=naming(2, kind="verify"), name_1=naming())
    async with scan_desk(client, folder, text=text, answers=answers, novel="tides-checked") as desk:
        await desk.run(auto_accept=True)
        await keep("citations-checked", desk.scan_id)


async def killed(client: Client, folder: Path, keep: Keep) -> None:
    """It is paused and resumed, and killed while one generator is silent."""
    answers = [ScriptedAnswer(op="*/2/search*", fault="hang"), *USUAL]
    async with scan_desk(client, folder, answers=answers, novel="tides-killed") as desk:
        handle = await desk.start(auto_accept=True)
        await handle.signal(CitationScan.pause)
        await handle.signal(CitationScan.resume)
        await desk.until_asked("2/search")
        await handle.signal(CitationScan.kill, KillRequest(who="ada", reason="enough"))
        await handle.result()
        await keep("citations-killed", handle.id)


async def audited(client: Client, folder: Path, keep: Keep) -> None:
    """A document's citations are audited, and a registry that puts it off is asked again."""
    sources = MemoryScholarly([TIDES])
    sources.outages["crossref"] = Outage(source="crossref", reason="rate-limited", retry_after=1.5)
    async with audit_desk(client, folder, sources, text=CITED, name="tides-audited") as desk:
        handle = await desk.start(desk.of_document(session="s1", waits=True))
        await until_it_waits(handle)
        sources.outages.clear()
        await handle.result()
        await keep("citations-audited", handle.id)


ALL = (decided, ruled, later, checked, killed)
