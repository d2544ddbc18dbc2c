"""Pausing, resuming and killing a run of any pipeline, by its name in the store."""

from gateway.desk.agents import runs
from gateway.desk.engine.pipelines import Message
from gateway.desk.principals import Principal, require
from gateway.desk.runs.pipelines import PIPELINES
from gateway.desk.services import Services
from gateway.desk.works.subjects import subject_of
from penwright.errors import Refused
from schemas.control import KillRequest
from schemas.records import RunRow


async def steer(services: Services, principal: Principal, row: RunRow, message: Message) -> None:
    """Tell a run of any pipeline something; returns once it has confirmed that.

    Raises:
        Refused: ``not-permitted``, ``not-steered-here``, or the run has ended.
        EngineUnavailable: no worker confirmed it in time.
    """
    require(principal, "run", subject_of(row.subject))
    prefix, _, rest = row.run.partition("/")
    if row.ended_at is not None or row.outcome:
        raise Refused(
            "run-ended", f"the run {row.run!r} has ended", hint="only a run that goes on can be told"
        )
    if prefix == "agent":
        await runs.send(services, rest, message, done=_participle(message))
    else:
        await send(services, row.run, message)


async def send(services: Services, run: str, message: Message) -> None:
    """Kill, pause or resume the run of this name; returns once that is confirmed.

    Raises:
        Refused: ``not-steered-here``, or it has ended.
        EngineUnavailable: the engine does not run, or no worker confirmed it in time.
    """
    first, _, name = run.partition("#")[0].partition("/")
    if first not in PIPELINES:
        raise Refused("not-steered-here", f"{run!r} is not steered here", hint="see `penwright run --help`")
    await PIPELINES[first].send(services, name, message)


def _participle(message: Message) -> str:
    if isinstance(message, KillRequest):
        return "killed"
    return "paused" if message == "pause" else "resumed"
