"""Runs of the manuscript loop: started or joined, followed, told something, ended."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from gateway.desk.engine import messages
from gateway.desk.engine.manuscripts import Manuscripts
from gateway.desk.engine.pipelines import NO_ANSWER, Message
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.works import books, inspecting, novels
from gateway.desk.works.documents import Document
from gateway.desk.works.override_tags import checked_tag
from penwright.domain.manuscript.agent_state import changes_of
from penwright.domain.manuscript.layout import scene_path
from penwright.domain.manuscript.policy import NOT_MADE
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.errors import EngineUnavailable, Refused, UsageMistake
from schemas.agent_state import LONGEST_INSTRUCTIONS, AgentState
from schemas.manuscript import (
    Amended,
    AmendRequest,
    ManuscriptInput,
    ManuscriptLimits,
    ManuscriptResult,
    ManuscriptSettings,
    StopRequest,
)
from schemas.novel import NovelConfig
from schemas.records import RunRow

_LONGEST_INSTRUCTION = 8_000
"""Characters of one instruction for the reviser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopOptions:
    """Options of a person for a run; None: as the document's settings have it."""

    instructions: str | None = None
    max_passes: int | None = None
    min_score: float | None = None
    max_hunks: int | None = None
    limits: ManuscriptLimits = field(default_factory=ManuscriptLimits)
    only_revise: str = ""
    """One instruction for one revision, in place of the loop."""
    evidence: bool | None = None
    """Gather passages of sources before each section; None: as ``Novel.yml`` says."""
    intent: str = ""
    tag: str = ""
    """Tag of the override set of its agents; empty: as their profiles say."""
    who: str = ""
    """Person who asks; empty: the person of the services."""


@dataclass(frozen=True, slots=True)
class Written:
    """A run that was started or joined."""

    given: ManuscriptInput
    fresh: bool
    """False: another start had begun the run already; what was asked for here does not count."""
    amended: Amended | None = None
    result: ManuscriptResult | None = None
    """None: no caller waited for its end."""


def document(services: Services, named: str, scene: str) -> Document:
    """The document that a command means.

    Raises:
        NotFound, BrokenBook: as ``novels.find``.
        UsageMistake: ``bad-scene-name``.
    """
    scene_path(scene)
    return Document(novels.find(services, named), scene)


def order_of(services: Services, found: Document, wanted: LoopOptions) -> ManuscriptInput:
    """The order for one run; the novel is registered, and its instructions are stored.

    Raises:
        Refused: ``no-instructions``.
        NotFound: as ``checked_tag``.
        UsageMistake: as ``check_instructions``, or ``bad-variable`` for a setting out of range.
        BrokenBook: what is wrong with Novel.yml in the folder.
    """
    tag = checked_tag(services, wanted.tag, "manuscript")
    config = novels.folder_config(found.novel)
    novels.enter(services, found.novel)
    defaults = services.defaults()
    with services.open_store() as store:
        settings = settings_of(inspecting.state(store, found.key), wanted)
        instructions = store.blobs.put(settings.instructions.encode("utf-8", "surrogatepass"))
    return ManuscriptInput(
        novel=found.novel.novel_id,
        scene=found.scene,
        session=books.new_session(services.now()),
        workspace=found.novel.workspace,
        settings=ManuscriptSettings(
            instructions=instructions,
            max_passes=settings.max_passes,
            min_score=settings.min_score,
            max_hunks=settings.max_hunks,
            limits=wanted.limits,
        ),
        who=wanted.who or services.person(),
        only_revise=wanted.only_revise,
        intent=wanted.intent,
        repo_queue=defaults.repo_queue,
        model_queue=defaults.model_queue,
        override_tag=tag,
        evidence=not wanted.only_revise and _is_sourced(found, config, wanted),
        title=config.title,
        second_opinion=True,
    )


def _is_sourced(found: Document, config: NovelConfig, wanted: LoopOptions) -> bool:
    """Whether the run gathers evidence: as it is told, or as ``Novel.yml`` has it."""
    if wanted.evidence is not None:
        return wanted.evidence
    use = config.evidence
    return use == "always" or (use == "when-sources" and novels.has_sources(found.novel))


def settings_of(known: AgentState, wanted: LoopOptions) -> AgentState:
    """The document's settings with what is wanted in their place; raises as ``order_of``."""
    if wanted.instructions is not None:
        check_instructions(wanted.instructions)
    given = {
        name: value
        for name in ("instructions", "max_passes", "min_score", "max_hunks")
        if (value := getattr(wanted, name)) is not None
    }
    settings = known.model_copy(update=changes_of(given).model_dump(exclude_none=True))
    if not settings.instructions.strip() and not wanted.only_revise:
        raise Refused(
            "no-instructions",
            f"{known.key.novel}/{known.key.scene} has no instructions yet; nothing was started",
            hint="say what to write: `--instructions TEXT`, or `--instructions @FILE`",
        )
    return settings


def check_instructions(text: str) -> None:
    """Raise ``UsageMistake`` for instructions that no run can have.

    Codes: ``empty-instructions``, ``long-instructions``, ``bad-instructions`` for what cannot be stored.
    """
    if not text.strip():
        raise UsageMistake(
            "empty-instructions", "the instructions are empty", hint="say in a sentence what to write"
        )
    if len(text) > LONGEST_INSTRUCTIONS:
        raise UsageMistake(
            "long-instructions",
            f"the instructions have {len(text):,} characters; {LONGEST_INSTRUCTIONS:,} is the most",
            hint="say it in fewer words",
        )
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise UsageMistake(
            "bad-instructions",
            "the instructions hold a NUL character, or half of a character, so they are no text",
            hint="write them in a text editor, as UTF-8",
        )


def known_at_once(services: Services, found: Document, run: str, pipeline: str) -> None:
    """Record a run that was started, so that its id is known before its first step is done."""
    with services.open_store() as store:
        if store.records.run(run) is None:
            row = RunRow(
                run=run, pipeline=pipeline, subject=found.name, stage="open", started_at=services.now()
            )
            store.records.note(row, [])


async def write(
    services: Services,
    found: Document,
    wanted: LoopOptions,
    *,
    amend: bool = False,
    wait: Wait | None,
    told: Callable[[Written], None] | None = None,
) -> Written:
    """Start a run, or join the one that goes on; without ``wait``, return as soon as that is done.

    Args:
        amend: give a run that goes on the wanted instructions; otherwise it keeps its own.
        told: is given what was started or joined before its end is waited for.

    Raises:
        as ``order_of``.
    """
    given = await asyncio.to_thread(order_of, services, found, wanted)
    async with services.engine() as engine:
        runs = engine.manuscripts
        fresh = await runs.start(given)
        if fresh:
            await asyncio.to_thread(known_at_once, services, found, given.run_name, MANUSCRIPT_PROFILE.name)
        amended = None
        if not fresh and amend:
            request = AmendRequest(instructions=given.settings.instructions, who=given.who)
            amended = await runs.amend(found.name, request)
        begun = Written(given, fresh, amended)
        if told:
            told(begun)
        return replace(begun, result=await _ending(runs, found.name, wait)) if wait else begun


async def revise(
    services: Services,
    found: Document,
    instruction: str,
    *,
    intent: str = "",
    tag: str = "",
    who: str = "",
    wait: Wait | None,
) -> Written:
    """Have one instruction carried out in one revision, by the reviser alone.

    Raises:
        UsageMistake: ``empty-instructions``, or ``instruction-too-long``.
        Refused: ``already-running``.
    """
    wanted = LoopOptions(only_revise=_checked(instruction), intent=intent, tag=tag, who=who)
    given = await asyncio.to_thread(order_of, services, found, wanted)
    async with services.engine() as engine:
        if not await engine.manuscripts.start(given):
            raise Refused(
                "already-running",
                f"a run on {found.name!r} goes on; the instruction was not taken",
                hint=f"`penwright manuscript stop {found.words}` ends it",
            )
        await asyncio.to_thread(known_at_once, services, found, given.run_name, MANUSCRIPT_PROFILE.name)
        ended = await _ending(engine.manuscripts, found.name, wait) if wait else None
    return Written(given, True, None, ended)


def _checked(instruction: str) -> str:
    if not instruction.strip():
        raise UsageMistake("empty-instructions", "the instruction is empty", hint="say what to change")
    if len(instruction) > _LONGEST_INSTRUCTION:
        raise UsageMistake(
            "instruction-too-long",
            f"the instruction has {len(instruction):,} characters; at most {_LONGEST_INSTRUCTION:,} fit",
            hint="give it in parts, or as `--instructions` of a run",
        )
    return instruction.strip()


async def watch(
    services: Services, found: Document, wait: Wait, on_silence: Callable[[], None]
) -> ManuscriptResult:
    """Wait for the end of the run, or return how the last one ended.

    ``on_silence`` is called when no worker answers.

    Raises:
        Refused: ``nothing-runs``, if none ever ran.
    """
    async with services.engine() as engine:
        try:
            await engine.manuscripts.progress(found.name)
        except EngineUnavailable as silence:
            if silence.code != NO_ANSWER:
                raise
            on_silence()
        with _named(found):
            return await _ending(engine.manuscripts, found.name, wait)


async def send(services: Services, found: Document, message: Message) -> None:
    """Kill, pause or resume the run; returns once it has confirmed that.

    Raises:
        Refused: ``nothing-runs``.
        EngineUnavailable: the engine does not run, or the error of ``not_acknowledged``.
    """
    async with services.engine() as engine:
        await messages.send(engine.manuscripts, found.name, message, nothing_runs(found))


async def stop(services: Services, found: Document, reason: str, *, who: str = "") -> None:
    """End the run after the call in hand; ``Refused`` ``nothing-runs``.

    Args:
        who: who asks; empty: the person of the services.
    """
    request = StopRequest(who=who or services.person(), reason=reason)
    async with services.engine() as engine:
        with _named(found):
            await engine.manuscripts.stop(found.name, request)


def models_of(services: Services, found: Document, ended: ManuscriptResult) -> tuple[tuple[str, ...], bool]:
    """The models that answered in a run that ended, and whether the demo model was one of them."""
    with services.open_store() as store:
        return inspecting.models_of(store, found.key, _run_of(found, ended))


def not_made(services: Services, found: Document, ended: ManuscriptResult) -> str:
    """The refused edits of a run's last revision, with reasons; empty if none was, or its message says it."""
    if NOT_MADE in ended.message:
        return ""
    with services.open_store() as store:
        actions = inspecting.actions(store, found.key, run=_run_of(found, ended))
    revised = [each.summary for each in actions if each.action == "revise_manuscript"]
    return revised[-1].partition(NOT_MADE)[2] if revised else ""


def _run_of(found: Document, ended: ManuscriptResult) -> str:
    return f"manuscript/{found.name}#{ended.session}"


def nothing_runs(found: Document) -> Refused:
    """Make the error for a missing run."""
    return Refused(
        "nothing-runs",
        f"nothing runs on {found.name!r}",
        hint=f"`penwright manuscript write {found.words} -i TEXT` begins a run (without `-i`: with the last "
        f"instructions), `penwright manuscript history {found.words}` shows what was done",
    )


@contextmanager
def _named(found: Document) -> Iterator[None]:
    """Name the manuscript on which nothing runs; the engine's own refusal does not."""
    try:
        yield
    except Refused as refusal:
        raise (nothing_runs(found) if refusal.code == "nothing-runs" else refusal) from None


async def _ending(runs: Manuscripts, name: str, wait: Wait) -> ManuscriptResult:
    waited: Awaitable[ManuscriptResult] = runs.result(name)
    return await wait(waited, lambda: runs.progress(name))
