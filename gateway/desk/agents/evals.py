"""Evals: an order for one, its run, its report, and the comparison of two."""

import asyncio
import re
from dataclasses import dataclass
from pathlib import PurePath

from pydantic import JsonValue

from gateway.desk.agents.eval_services import EvalServices
from gateway.desk.engine import messages
from gateway.desk.engine.pipelines import Message
from gateway.desk.engine.waits import Wait
from penwright.agents.definition.experiments import experiment
from penwright.agents.digests import json_digest
from penwright.agents.evals.comparison import compare
from penwright.agents.evals.dataset import read_dataset
from penwright.agents.evals.judging import read_evaluator
from penwright.errors import Refused, UsageMistake
from penwright.roles.catalogue import find
from schemas.base import BlobRef
from schemas.control import KillRequest
from schemas.eval_run import EvalPlan, EvalRunInput, EvalRunResult
from schemas.evals import EvalComparison, EvalReport


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """Request of a person for an eval."""

    agent: str
    """Its name, or the last part of it."""
    content: bytes
    """The dataset, one sample per line of JSON."""
    dataset: str
    """Its file name."""
    judge: JsonValue
    """Name or description of an evaluator."""
    flags: dict[str, JsonValue]
    tag: str = ""
    """The override set to work with."""
    model: str = ""
    """Default: the one of the agent's role."""
    subject: str = ""
    eval_id: str = ""
    """Default: the dataset's name and a digest of the options, so that the same request has it again."""
    at_once: int = 4
    sample_s: int = 1_800


def order_of(services: EvalServices, request: EvalRequest) -> EvalRunInput:
    """The order for an eval; everything that can be checked before is, and the dataset is stored."""
    if not request.agent:
        raise UsageMistake("no-agent", "which agent is to be run? Name it with --agent, or by its --role")
    services.register_agents()
    definition = find(request.agent).definition
    read_evaluator(request.judge)
    read_dataset(request.content, request.dataset)
    eval_id = request.eval_id or _named_after(request, definition.name)
    tried = experiment(eval_id, tag=request.tag, model=request.model)
    return EvalRunInput(
        eval_id=eval_id,
        dataset=_stored(services, request.content),
        dataset_name=request.dataset,
        agent=definition.name,
        experiment=tried.model_copy(update={"flags": request.flags}),
        model_role=definition.key,
        subject=request.subject,
        judged_by=request.judge,
        queues=services.queues(),
        at_once=request.at_once,
        sample_s=request.sample_s,
    )


async def run(services: EvalServices, given: EvalRunInput, wait: Wait) -> EvalRunResult:
    """Run an eval, or wait for the one that runs under this id.

    Raises:
        Refused: ``already-running``: that one has other samples.
    """
    async with services.evals() as evals:
        if not await evals.start(given):
            await asyncio.to_thread(_refuse_another, services, given)
        return await wait(evals.result(given.eval_id), lambda: evals.progress(given.eval_id))


async def kill(services: EvalServices, eval_id: str, reason: str) -> None:
    """Stop a running eval, as the person of ``services``; ``Refused`` ``nothing-runs``."""
    await signal(services, eval_id, KillRequest(who=services.person(), reason=reason))


async def signal(services: EvalServices, eval_id: str, message: Message) -> None:
    """Kill, pause or resume a running eval; returns once that is confirmed.

    Raises:
        Refused: ``nothing-runs``.
        EngineUnavailable: no worker confirmed it in time.
    """
    hint = f"`penwright eval show {eval_id}` shows what it came to"
    nothing = Refused("nothing-runs", f"no eval {eval_id!r} is running", hint=hint)
    async with services.evals() as evals:
        await messages.send(evals, eval_id, message, nothing)


def report(services: EvalServices, eval_id: str) -> tuple[EvalPlan, EvalReport]:
    """The results of an eval so far."""
    with services.archive() as archive:
        plan = archive.plan_of(eval_id)
        return plan, archive.report(plan)


def compared(services: EvalServices, first: str, second: str) -> EvalComparison:
    """The second eval against the first, sample by sample."""
    with services.archive() as archive:
        plans = (archive.plan_of(first), archive.plan_of(second))
        before, after = (archive.finished(plan, archive.planned(plan)) for plan in plans)
    return compare(first, before, second, after)


def _stored(services: EvalServices, content: bytes) -> BlobRef:
    with services.archive() as archive:
        return archive.blobs.put(content)


def _named_after(request: EvalRequest, agent: str) -> str:
    # The digest names evals that exist: its content must not change.
    options: JsonValue = {
        "tag": request.tag,
        "flags": request.flags,
        "model": request.model,
        "subject": request.subject,
        "id": "",
    }
    stem = re.sub(r"[^a-z0-9._-]+", "-", PurePath(request.dataset).stem.lower()).strip("-._")[:50]
    return f"{stem or 'eval'}.{json_digest([agent, request.judge, options])[:8]}"


def _refuse_another(services: EvalServices, given: EvalRunInput) -> None:
    with services.archive() as archive:
        plan = archive.plan_of(given.eval_id)
    if (plan.dataset, plan.judged_by, plan.pinned.agent) != (given.dataset, given.judged_by, given.agent):
        raise Refused(
            "already-running",
            f"an eval {given.eval_id!r} is running over other samples; nothing was changed",
            hint=f"wait for it, stop it with `penwright eval kill {given.eval_id}`, or choose another --id",
        )
