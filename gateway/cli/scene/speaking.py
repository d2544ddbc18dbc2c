"""Verbs that play a round: say, continue, narrate, regenerate, watch."""

import asyncio
import sys
from typing import Annotated, Any

import typer

from gateway.cli.arguments import TagOption
from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.output import EXIT_FAILED, EXIT_REFUSED, JsonFlag, Printer, next_step
from gateway.cli.scene import reports
from gateway.cli.scene.arguments import (
    BudgetOption,
    DetachFlag,
    MinutesOption,
    QueueFlag,
    SceneArgument,
    micros,
)
from gateway.desk.scene import rounds, views
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.services import Services
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.director_round import NumberedResult
from schemas.scene import SceneMessage


def say(
    ctx: typer.Context,
    scene: SceneArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you say; - reads standard input.")],
    voice: Annotated[
        str, typer.Option("--as", metavar="NAME", help="A character that you took over says it.")
    ] = "",
    tag: TagOption = "",
    queue: QueueFlag = False,
    detach: DetachFlag = False,
    minutes: MinutesOption = None,
    budget: BudgetOption = None,
    json: JsonFlag = False,
) -> None:
    """Say something; the director decides who answers, and the cast does.

    Each reply is printed once it is stored. Ctrl-C leaves the round running.

    \b
      penwright scene say harbour "Who lit the lamp?"
      echo "Who lit the lamp?" | penwright scene say harbour -
      penwright scene say harbour "And now?" --queue
      penwright scene say harbour "I did." --as "Ann Quist"

    Exit codes: 0 played, 1 failed, 3 refused or stopped.
    """
    services = services_of(ctx)
    wanted = RoundOptions(
        text=_text(services, text), voice=voice, tag=tag, minutes=minutes, cost_micros=micros(budget)
    )
    _play(services, scene, wanted, queue=queue, detach=detach, json=json)


def continue_(
    ctx: typer.Context,
    scene: SceneArgument,
    tag: TagOption = "",
    queue: QueueFlag = False,
    detach: DetachFlag = False,
    minutes: MinutesOption = None,
    budget: BudgetOption = None,
    json: JsonFlag = False,
) -> None:
    """Play on without a message.

    \b
      penwright scene continue harbour
    """
    wanted = RoundOptions(kind="continue", tag=tag, minutes=minutes, cost_micros=micros(budget))
    _play(services_of(ctx), scene, wanted, queue=queue, detach=detach, json=json)


def narrate(
    ctx: typer.Context,
    scene: SceneArgument,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="What to describe; - reads stdin.")] = "",
    tag: TagOption = "",
    queue: QueueFlag = False,
    detach: DetachFlag = False,
    json: JsonFlag = False,
) -> None:
    """Have the narrator describe something; nobody else acts, and no state changes.

    \b
      penwright scene narrate harbour "the harbour at low tide"
    """
    services = services_of(ctx)
    wanted = RoundOptions(kind="narrate", tag=tag, text=_text(services, text) if text else "")
    _play(services, scene, wanted, queue=queue, detach=detach, json=json)


def regenerate(
    ctx: typer.Context,
    scene: SceneArgument,
    message: Annotated[
        str, typer.Argument(metavar="[MESSAGE]", help="A reply's number. Default: the whole last round.")
    ] = "",
    tag: TagOption = "",
    queue: QueueFlag = False,
    detach: DetachFlag = False,
    json: JsonFlag = False,
) -> None:
    """Have a reply, or the last round, made again; the old stays as an alternative.

    \b
      penwright scene regenerate harbour 12
      penwright scene regenerate harbour
      penwright scene choose harbour 12 1         # back to the first one
    """
    wanted = RoundOptions(kind="regenerate", tag=tag, message=message)
    _play(services_of(ctx), scene, wanted, queue=queue, detach=detach, json=json)


def watch(ctx: typer.Context, scene: SceneArgument, json: JsonFlag = False) -> None:
    """Follow the round that runs, or show how the last one ended.

    \b
      penwright scene watch harbour
    """
    services, out, teller = services_of(ctx), Printer(json), Telling(json)
    found = rounds.scene_of(services, scene)
    wait = waiter(found.id, quiet=json)
    ended = asyncio.run(rounds.watch(services, found.id, wait, teller.print_message))
    print_ending(services, out, ended, teller)


class Telling:
    """Prints each message once; under ``--json`` it only collects them."""

    def __init__(self, quiet: bool) -> None:
        self.messages: list[SceneMessage] = []
        self._quiet = quiet
        # The progress line puts itself in the place of sys.stdout, which a pipe must not notice.
        self._stream = None if sys.stdout.isatty() else sys.stdout

    def print_message(self, message: SceneMessage) -> None:
        """Take a message that is stored now."""
        self.messages.append(message)
        if self._quiet or message.speaker == "user":
            return
        stream = self._stream or sys.stdout
        stream.write("\n".join([*reports.message_lines(message), ""]) + "\n")
        stream.flush()


def waiter(scene: str, *, quiet: bool) -> Waiter:
    """Waits for a round with a progress line."""
    goes_on = (
        f"the round goes on: `penwright scene watch {scene}` shows it, `penwright scene stop {scene}` ends it"
    )
    return Waiter(goes_on, quiet, resumes=f"penwright scene resume {scene}")


def _turn(scene: str, *, quiet: bool) -> Waiter:
    """Waits for the end of another's round."""
    goes_on = f"nothing of yours was started; `penwright scene watch {scene}` shows the round that runs"
    return Waiter(goes_on, quiet, resumes=f"penwright scene resume {scene}")


def print_ending(services: Services, out: Printer, ended: NumberedResult, teller: Telling) -> None:
    """Print how a round ended; a refusal or failure leaves as the error it is."""
    data = _data(ended, teller.messages)
    if ended.outcome in ("refused", "failed"):
        kind = Refused if ended.outcome == "refused" else PermanentError
        error = kind(ended.code, ended.message, **_step(ended))
        if not out.as_json:
            raise error
        out.result({"status": "error", "error": ended.message, "next": next_step(error), **data}, "")
        raise typer.Exit(EXIT_REFUSED if ended.outcome == "refused" else EXIT_FAILED)
    spoken = len(ended.spoken) or sum(each.speaker != "user" for each in teller.messages)
    why = views.notes(services, ended.scene, ended.round, ended.take) if ended.silent and ended.round else ()
    names = views.names_in(services, ended.scene) if ended.left_over or ended.failed else {}
    lines = [
        *reports.ending_lines(ended, spoken, why, names),
        *reports.writer_lines(ended.models, is_demo=ended.demo),
    ]
    out.result({"status": ended.outcome, **data, "notes": list(why)}, lines)
    if ended.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)


def _play(
    services: Services, scene: str, wanted: RoundOptions, *, queue: bool, detach: bool, json: bool
) -> None:
    out, teller = Printer(json), Telling(json)
    found = rounds.scene_of(services, scene)
    if wanted.kind == "message" and not (found.persona or wanted.voice):
        out.note(_speaks_as(services, found.id))
    if found.settings.hold_plan and not detach:
        out.note(f"The plan will wait for you: `penwright scene approve {found.id}`, in another terminal.")
    wait = None if detach else waiter(found.id, quiet=json)
    turn = _turn(found.id, quiet=json)
    played = asyncio.run(
        rounds.play(services, found.id, wanted, queue=queue, turn=turn, wait=wait, told=teller.print_message)
    )
    if played.result is not None:
        print_ending(services, out, played.result, teller)
        return
    data = {"status": "started", "scene": found.id, "session": played.given.session}
    steps = (
        [f"penwright scene show {found.id}", f"penwright scene approve {found.id}"]
        if found.settings.hold_plan
        else []
    )
    lines = [f"A round of {found.id} is at work."]
    out.result(data, [*lines, *reports.next_lines(*steps, f"penwright scene watch {found.id}")])


def _speaks_as(services: Services, scene: str) -> str:
    return (
        f"You speak as {services.person()!r}, your login: the scene has no persona. "
        f"`penwright scene hand-over {scene} PERSONA` gives it one."
    )


def _data(ended: NumberedResult, messages: list[SceneMessage]) -> dict[str, Any]:  # Any: JSON
    said = [{**each.model_dump(mode="json"), "text": each.text} for each in messages]
    return {**ended.model_dump(mode="json"), "messages": said}


def _step(ended: NumberedResult) -> dict[str, str]:
    """Advise on a failed round, as an error's ``hint``."""
    scene = ended.scene
    steps = {
        "round-runs": f"`--queue` waits for its end, `penwright scene stop {scene}` ends it",
        "no-message": f"`penwright scene show {scene}` numbers the replies",
        "no-such-message": f"`penwright scene show {scene}` numbers its messages",
        "context-too-small": rounds.more_room(scene),
    }
    shows = f"`penwright scene show {scene} {ended.name.options}` shows what was tried; "
    again = f"`penwright scene regenerate {scene}` tries again" if ended.round else ""
    hint = steps.get(ended.code) or (shows + again if ended.round else "")
    return {"hint": hint} if hint else {}


def _text(services: Services, given: str) -> str:
    """A text as it is, or standard input for ``-``.

    Raises:
        UsageMistake: ``no-input``, ``message-not-text``.
    """
    if given != "-":
        return given
    incoming = services.incoming()
    if incoming is None:
        raise UsageMistake(
            "no-input", "standard input is a terminal", hint="pipe the text in, or give it as TEXT"
        )
    try:
        return incoming.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageMistake(
            "message-not-text", f"standard input is not UTF-8 at byte {error.start}", hint="write it as UTF-8"
        ) from None
