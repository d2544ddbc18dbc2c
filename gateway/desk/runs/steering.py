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
        Refused: ``not-permitted``, ``not-steerable``, or the run has ended.
        EngineUnavailable: no worker confirmed it in time.
    """
    require(principal, "run", subject_of(row.subject))
    prefix, _, rest = row.run.partition("/")
    name = rest.partition("#")[0]
    if row.ended_at is not None or row.outcome:
        raise Refused(
            "run-ended", f"the run {row.run!r} has ended", hint="only a run that goes on can be told"
        )
    if prefix == "agent":
        await runs.send(services, rest, message, done=_participle(message))
    elif prefix in PIPELINES:
        await PIPELINES[prefix].send(services, name, message)
    else:
        raise Refused("not-steerable", f"a run of {prefix!r} is steered with its own verbs")


def _participle(message: Message) -> str:
    if isinstance(message, KillRequest):
        return "killed"
    return "paused" if message == "pause" else "resumed"
