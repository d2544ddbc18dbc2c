"""Parse the answer in a model's final reply, or ask the model to repair it."""

from dataclasses import dataclass

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.output import FROM_MODEL, dumped, loaded
from penwright.agents.state import StateView
from penwright.domain.models.structured_output import LONGEST_TEXT, FieldProblem, Misfit, find_structured
from penwright.errors import BrokenDefinition


@dataclass(frozen=True, slots=True)
class Reply:
    """The final reply of a model."""

    text: str = ""
    answers: tuple[str, ...] = ()
    """Arguments of its calls of ``final_answer``, in their order, as received."""
    cut_off: bool = False
    """Whether it stopped at the token limit."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the declared type; not finalized yet."""

    value: BaseModel | str


@dataclass(frozen=True, slots=True)
class Repair:
    """The model may answer again."""

    code: str
    message: str
    """For the model."""
    problems: tuple[FieldProblem, ...]
    attempt: int
    """Which of the definition's repairs this is, from 1."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """There is no answer, and no repair is left."""

    code: str
    message: str
    """For people."""
    problems: tuple[FieldProblem, ...]
    repairs: int


def read_reply(definition: AgentDefinition, reply: Reply, *, repaired: int) -> Answered | Repair | Unusable:
    """Parse the answer in ``reply``.

    Calls of ``final_answer`` count before text, and the last candidate that fits before earlier ones.
    A reply that was cut off holds no answer, even if the rest could be repaired.

    Args:
        repaired: repairs of this run so far.
    """
    found = _cut_off(reply) or (
        _plain(reply) if definition.output is None else _structured(definition.output, reply)
    )
    if isinstance(found, Answered):
        return found
    if repaired < definition.repairs:
        return Repair(found.code, found.message, found.problems, repaired + 1)
    return Unusable(
        found.code,
        f"The model of agent {definition.key!r} gave no usable answer in {repaired + 1} attempts. "
        f"The last complaint was: {found.message} Give the role another model, or allow more repairs.",
        found.problems,
        repaired,
    )


@dataclass(frozen=True, slots=True)
class _Complaint:
    code: str
    message: str
    problems: tuple[FieldProblem, ...] = ()


def _cut_off(reply: Reply) -> _Complaint | None:
    if not reply.cut_off:
        return None
    return _Complaint("cut-off", "The reply was cut off at its longest. Answer again, and shorter.")


def _plain(reply: Reply) -> Answered | _Complaint:
    text = reply.text.strip()
    if len(text) > LONGEST_TEXT:
        return _oversize(text)
    return Answered(text) if text else _Complaint("empty-reply", "The reply was empty. Answer in words.")


def _structured(kind: type[BaseModel], reply: Reply) -> Answered | _Complaint:
    texts = reply.answers or (reply.text,)
    misfits: list[Misfit] = []
    for text in reversed(texts):
        found = find_structured(text, kind, context={FROM_MODEL: True})
        if not isinstance(found, Misfit):
            return Answered(found.value)
        misfits.append(found)
    return _oversize(texts[-1]) if len(texts[-1]) > LONGEST_TEXT else _unfit(misfits[0])


def _oversize(text: str) -> _Complaint:
    return _Complaint(
        "oversize-reply",
        f"The reply was {len(text)} characters long, and {LONGEST_TEXT} are read. Answer again, and shorter.",
    )


def _unfit(misfit: Misfit) -> _Complaint:
    if misfit.code != "invalid-output":
        return _Complaint(misfit.code, misfit.message)
    lines = [f"- {each.field or 'the whole'}: {each.message}" for each in misfit.problems]
    message = "\n".join(
        ["The answer does not fit its schema:", *lines, "Answer again with one object that does."]
    )
    return _Complaint(misfit.code, message, misfit.problems)


def finalized(definition: AgentDefinition, answer: Answered, state: StateView) -> BaseModel | str:
    """The answer with its hidden fields filled, ready to be stored.

    Raises:
        BrokenDefinition: ``finalize-failed`` when the hook raises or returns what its type does not allow.
    """
    if definition.finalize is None or isinstance(answer.value, str):
        return answer.value
    try:
        value = definition.finalize(answer.value, state)
        if type(value) is not type(answer.value):
            raise TypeError(f"it returned {type(value).__name__}, not {type(answer.value).__name__}")
        return loaded(type(value), dumped(value))
    except Exception as error:  # any error of the definition's own code
        raise BrokenDefinition(
            "finalize-failed",
            f"The finalize hook of agent {definition.key!r} failed: {error}. Fix the definition.",
            agent=definition.key,
        ) from error
