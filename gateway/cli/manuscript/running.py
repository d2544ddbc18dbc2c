"""Verbs of runs: write, watch."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import TagOption
from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.manuscript import reports
from gateway.cli.manuscript.arguments import (
    MaxHunksOption,
    MaxPassesOption,
    MinScoreOption,
    MinutesOption,
    NovelArgument,
    SceneArgument,
)
from gateway.cli.output import EXIT_FAILED, EXIT_REFUSED, Interrupted, JsonFlag, Printer, next_step
from gateway.desk.manuscript import runs
from gateway.desk.manuscript.runs import LoopOptions, Written
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.manuscript.layout import TO_MEND
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.agent_state import WHOLE_NOVEL
from schemas.manuscript import MOST_ACTIONS, ManuscriptLimits, ManuscriptResult

IntentOption = Annotated[
    str,
    typer.Option(
        "--intent",
        help="The intent to write under. Default: the first in progress that owns the scene's file.",
    ),
]


def write(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    instructions: Annotated[
        str | None,
        typer.Option(
            "--instructions",
            "-i",
            help="What to write, or @FILE. Default: as the last time.",
        ),
    ] = None,
    max_passes: MaxPassesOption = None,
    min_score: MinScoreOption = None,
    max_hunks: MaxHunksOption = None,
    decisions: Annotated[
        int, typer.Option("--max-actions", min=1, max=MOST_ACTIONS, help="Actions tried at most.")
    ] = 200,
    calls: Annotated[int | None, typer.Option("--max-calls", min=1, help="Model calls at most.")] = None,
    tokens: Annotated[int | None, typer.Option("--max-tokens", min=1, help="Read and written.")] = None,
    minutes: MinutesOption = None,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="US dollars that the run may cost.")
    ] = None,
    evidence: Annotated[
        bool | None,
        typer.Option(
            "--evidence/--no-evidence",
            help="Search sources before each section, and cite them. Default: as Novel.yml says.",
            show_default=False,
        ),
    ] = None,
    intent: IntentOption = "",
    tag: TagOption = "",
    amend: Annotated[
        bool, typer.Option("--amend", help="Give a run that goes on these instructions.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print calls and money, and start nothing.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; `watch` comes back to it.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Let the agents plan, write, criticise and revise until the score is reached.

    A run that goes on already is joined and keeps its own settings. Ctrl-C leaves it running.

    \b
      penwright manuscript write ~/novels/tide -i "A short essay on tide mills."
      penwright manuscript write tide --max-passes 2 --min-score 0.9 --budget 1.50
      penwright manuscript write tide -i @instructions.md --estimate
      penwright manuscript write tide --evidence

    Exit codes: 0 finished, 1 failed or ended below the score, 3 refused or stopped.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)
    limits = ManuscriptLimits(
        decisions=decisions,
        calls=calls,
        tokens=tokens,
        minutes=minutes,
        cost_micros=None if budget is None else round(budget * 1_000_000),
    )
    wanted = LoopOptions(
        instructions=text_of(instructions),
        max_passes=max_passes,
        min_score=min_score,
        max_hunks=max_hunks,
        limits=limits,
        evidence=evidence,
        intent=intent,
        tag=tag,
    )
    if estimate:
        from gateway.cli.manuscript.estimating import print_estimate

        print_estimate(services, out, found, wanted)
        return
    wait = None if detach else waiter(found, quiet=json)
    with begun_or_not(found):
        written = asyncio.run(
            runs.write(
                services, found, wanted, amend=amend, wait=wait, told=partial(_tell_joined, out, found)
            )
        )
    print_written(services, out, found, written)


def revise(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneArgument = WHOLE_NOVEL,
    instruction: Annotated[str, typer.Option("--instruction", "-i", help="What to change, or @FILE.")] = "",
    intent: IntentOption = "",
    tag: TagOption = "",
    detach: Annotated[bool, typer.Option("--detach", help="Return at once.")] = False,
    json: JsonFlag = False,
) -> None:
    """Have one instruction carried out by the reviser, in one call and one commit.

    \b
      penwright manuscript revise ~/novels/tide -i "Say in the first paragraph what a tide mill is."

    Exit codes: 0 revised, 1 failed or nothing was changed, 3 refused or stopped.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)
    wait = None if detach else waiter(found, quiet=json)
    text = text_of(instruction) or ""
    with begun_or_not(found):
        written = asyncio.run(runs.revise(services, found, text, intent=intent, tag=tag, wait=wait))
    print_written(services, out, found, written)


def watch(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneArgument = WHOLE_NOVEL, json: JsonFlag = False
) -> None:
    """Follow the run to its end, or show how the last one ended.

    \b
      penwright manuscript watch ~/novels/tide

    While no worker runs, it says so and waits for one; Ctrl-C leaves the run as it is.
    """
    services, out = services_of(ctx), Printer(json)
    found = runs.document(services, novel, scene)

    def on_silence() -> None:
        out.note(
            f"A run on {found.name} goes on, but no worker answers; waiting for one. "
            "`penwright status` shows the workers, `penwright up` starts them."
        )

    ended = asyncio.run(runs.watch(services, found, waiter(found, quiet=json), on_silence))
    print_ending(services, out, found, ended, fresh=True)


def text_of(given: str | None) -> str | None:
    """A text as it is, or of the file after ``@``.

    Raises:
        UsageMistake: ``instructions-not-utf8``.
    """
    if given is None or not given.startswith("@"):
        return given
    path = Path(given[1:]).expanduser()
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageMistake(
            "instructions-not-utf8",
            f"{str(path)!r} is not UTF-8 at byte {error.start}",
            hint="convert it, for instance with `iconv -t utf-8`",
        ) from None


@contextmanager
def begun_or_not(found: Document) -> Iterator[None]:
    """Say at a Ctrl-C before the run is waited for that it may not have begun."""
    try:
        yield
    except KeyboardInterrupt:
        message = (
            f"the run may not have begun: `penwright manuscript watch {found.words}` says whether it did"
        )
        raise Interrupted(message) from None


def waiter(found: Document, *, quiet: bool) -> Waiter:
    """Waits for a run with a progress line."""
    goes_on = (
        f"the run goes on: `penwright manuscript watch {found.words}` shows it, "
        f"`penwright manuscript stop {found.words}` ends it"
    )
    return Waiter(goes_on, quiet, resumes=f"penwright manuscript resume {found.words}", by_step=True)


def _tell_joined(out: Printer, found: Document, written: Written) -> None:
    for line in reports.joined_lines(found, written):
        out.note(line)


def print_written(services: Services, out: Printer, found: Document, written: Written) -> None:
    """Print what became of a start: its end, or that it goes on."""
    if written.result is not None:
        print_ending(services, out, found, written.result, fresh=written.fresh)
        return
    data = {
        "status": "started" if written.fresh else "joined",
        "novel_id": found.novel.novel_id,
        "scene": found.scene,
        "session": written.given.session if written.fresh else "",
        "amended": written.amended is not None,
    }
    out.result(data, reports.started_lines(found, written))


def print_ending(
    services: Services, out: Printer, found: Document, ended: ManuscriptResult, *, fresh: bool
) -> None:
    """Print how a run ended; a refusal or failure leaves as the error it is."""
    models, is_demo = runs.models_of(services, found, ended)
    told = {"joined": not fresh, "models": models, "demo": is_demo}
    left = runs.not_made(services, found, ended)
    told |= {"not_made": left}
    data = {"novel_id": ended.novel, **ended.model_dump(mode="json", exclude={"novel"}), **told}
    if ended.outcome in ("refused", "failed"):
        kind = Refused if ended.outcome == "refused" else PermanentError
        code = ended.code or ended.stop
        hint = {"hint": TO_MEND} if code.startswith("novel-") else reports.step_of(found, code)
        error = kind(code, ended.message, **hint)
        if not out.as_json:
            raise error
        out.result({"status": "error", "error": ended.message, "next": next_step(error), **data}, "")
        raise typer.Exit(EXIT_REFUSED if ended.outcome == "refused" else EXIT_FAILED)
    lines = [*reports.ending_lines(found, ended, left), *reports.model_lines(models, is_demo=is_demo)]
    out.result({"status": ended.outcome, **data}, lines)
    if ended.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)
    if ended.outcome == "unfinished":
        raise typer.Exit(EXIT_FAILED)
