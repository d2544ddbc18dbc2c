"""Ask for structured output: on each rung of a ladder in turn, until an answer validates."""

import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel

from penwright.domain.models.structured_output import parse_structured
from penwright.domain.models.usage import total
from penwright.errors import ModelFinal, ModelMistake
from penwright.ports.models import LanguageModel
from schemas.base import OpId
from schemas.model import Message, ModelRequest, ModelResponse
from schemas.model_catalog import StructuredRung

Wanted = TypeVar("Wanted", bound=BaseModel)

LADDER: tuple[StructuredRung, ...] = get_args(StructuredRung)


@dataclass(frozen=True, slots=True)
class Structured(Generic[Wanted]):
    """A validated value and all answers that were needed; the ``rung`` of the last one worked."""

    value: Wanted
    responses: tuple[ModelResponse, ...]

    @property
    def cost_micros(self) -> int | None:
        """Cost of all answers; None if one of them has an unknown price."""
        return total(response.usage for response in self.responses).cost_micros


async def complete_structured(
    model: LanguageModel, request: ModelRequest, kind: type[Wanted]
) -> Structured[Wanted]:
    """Get a ``kind`` from ``model``: native schema, else forced tool, else JSON in text, else one re-ask.

    Every rung is a call with its own op id, so a retried activity tries the same rungs and pays nothing
    again. ``kind``'s schema replaces the one in ``request``.

    Raises:
        ModelFinal: ``unusable-output`` if even the re-ask did not validate; or what the provider raised.
    """
    asked = request.model_copy(
        update={
            "output_schema": kind.model_json_schema(),
            "schema_name": request.schema_name or kind.__name__,
        }
    )
    answers: list[ModelResponse] = []
    problem = ModelMistake("empty-reply", "The reply was empty.")
    position = LADDER.index(request.output_rung)
    while position < len(LADDER):
        rung = LADDER[position]
        step = _step(asked, rung, first=not answers and rung == request.output_rung)
        try:
            answer = await model.complete(step)
        except ModelMistake as mistake:
            problem, position = mistake, position + 1
            continue
        except ModelFinal as failure:
            if failure.code != "model-bad-request" or position == len(LADDER) - 1:
                raise
            position += 1
            continue
        answers.append(answer)
        try:
            return Structured(parse_structured(answer.text, kind).value, tuple(answers))
        except ModelMistake as mistake:
            problem = mistake
        # The provider may have started lower than asked; continue below the rung that it used.
        position = max(position, LADDER.index(answer.rung) if answer.rung in LADDER else position) + 1
    return await _ask_again(model, asked, kind, answers, problem)


async def _ask_again(
    model: LanguageModel,
    asked: ModelRequest,
    kind: type[Wanted],
    answers: list[ModelResponse],
    problem: ModelMistake,
) -> Structured[Wanted]:
    """Ask once more with the answer that failed and why it failed."""
    failed = answers[-1].text[-20_000:] if answers else "(nothing)"
    step = _step(asked, "json-in-text", first=False).model_copy(
        update={
            "effect": asked.effect.model_copy(update={"op_id": OpId(f"{asked.effect.op_id}/re-ask")}),
            "messages": (
                *asked.messages,
                Message(role="assistant", content=failed),
                Message(role="user", content=f"That answer cannot be used. {problem.message}"),
            ),
        }
    )
    try:
        answer = (await model.complete(step)).model_copy(update={"rung": "re-ask"})
        return Structured(parse_structured(answer.text, kind).value, (*answers, answer))
    except ModelMistake as mistake:
        raise ModelFinal(
            "unusable-output",
            f"The model of role {asked.role!r} gave no valid {asked.schema_name!r} on any rung: "
            f"{mistake.message} Try it with `penwright models test MODEL`, or give the role another model.",
            role=asked.role,
        ) from mistake


def _step(asked: ModelRequest, rung: StructuredRung, *, first: bool) -> ModelRequest:
    op_id = asked.effect.op_id if first else OpId(f"{asked.effect.op_id}/{rung}")
    return asked.model_copy(
        update={"output_rung": rung, "effect": asked.effect.model_copy(update={"op_id": op_id})}
    )


# Any: a JSON schema has any shape.
def return_template(schema: dict[str, Any] | None, example: str = "") -> str:
    """Return the request for JSON that is added to a prompt, with the schema in words and an example."""
    parts = ["Answer with one JSON object and nothing else: no code fence, no comment."]
    if schema is not None:
        told = json.dumps(schema, ensure_ascii=False)
        parts.append(f"It must be valid against this JSON schema:\n{told}")
    if example:
        parts.append(f"An answer looks like this:\n{example}")
    return " ".join(parts[:2]) if not example else "\n".join(parts)
