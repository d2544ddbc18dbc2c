"""Pausing, resuming and killing a run of any pipeline, by its name in the store."""

from gateway.desk import runs
from gateway.desk.book import permitted, sessions
from gateway.desk.manuscript import runs as manuscripts
from gateway.desk.pipelines import Message
from gateway.desk.principals import Principal, require
from gateway.desk.scene import rounds
from gateway.desk.services import Services
from gateway.desk.subjects import subject_of
from penwright.errors import NotFound, Refused
from schemas.base import BookId
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
    match prefix:
        case "book":
            book = permitted.book(services, principal, "run", name, laid_out=False)
            await sessions.send(services, book, message)
        case "agent":
            await runs.send(services, rest, message, done=_participle(message))
        case "scene":
            await rounds.send(services, name, message)
        case "manuscript":
            novel, _, scene = name.partition("/")
            document = manuscripts.document(services, _folder(services, novel), scene)
            await manuscripts.send(services, document, message)
        case _:
            raise Refused("not-steerable", f"a run of {prefix!r} is steered with its own verbs")


def _folder(services: Services, novel: str) -> str:
    with services.open_store() as store:
        row = store.records.book(BookId(novel))
    if row is None:
        raise NotFound("unknown-novel", f"no novel is registered as {novel!r}")
    return row.path


def _participle(message: Message) -> str:
    if isinstance(message, KillRequest):
        return "killed"
    return "paused" if message == "pause" else "resumed"
