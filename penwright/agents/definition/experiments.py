"""Experiments: overrides, typed flags and a model under one name, pinned when a run starts."""

import json
from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.flags import Flags
from penwright.agents.digests import json_digest
from penwright.domain.text.plain_names import RULE, is_plain_name
from penwright.errors import UsageMistake
from schemas.experiment import Experiment, PinnedExperiment
from schemas.overrides import ResolvedOverrides

FlagModel = TypeVar("FlagModel", bound=BaseModel)


def experiment(name: str, *, tag: str = "", flags: BaseModel | None = None, model: str = "") -> Experiment:
    """Declare an experiment.

    Raises:
        UsageMistake: ``bad-experiment`` for an invalid name or tag.
    """
    for what, given in (("name", name), ("tag", tag or "none")):
        if not is_plain_name(given):
            raise UsageMistake(
                "bad-experiment",
                f"Invalid {what} {given[:80]!r} of an experiment: use {RULE}.",
            )
    return Experiment(name=name, tag=tag, flags=flag_texts(flags) if flags else {}, model=model)


def flag_texts(flags: BaseModel) -> dict[str, str]:
    """Flags in their command-line form; ``flags_of`` parses it."""
    return {name: _text(value) for name, value in flags.model_dump(mode="json").items() if value is not None}


def flags_of(kind: type[FlagModel], texts: Mapping[str, str]) -> FlagModel:
    """The flags given in ``texts``; the others have their defaults.

    Raises:
        UsageMistake: ``bad-flag``, naming each flag that is unknown, missing or of another type.
    """
    try:
        return kind.model_validate_strings(dict(texts), extra="forbid")
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        problems = "; ".join(f"{'.'.join(map(str, each['loc']))[:80]!r}: {each['msg']}" for each in found)
        known = ", ".join(kind.model_fields) or "none"
        raise UsageMistake("bad-flag", f"The flags do not fit: {problems}. Known flags: {known}.") from None


def declared_flags(definition: AgentDefinition, texts: Mapping[str, str]) -> Flags | None:
    """The flags of a run as its definition declares them; None where it declares none.

    Raises:
        UsageMistake: ``bad-flag``, also for one that is not declared: it would have no effect.
    """
    if definition.flags is not None:
        return flags_of(definition.flags, texts)
    if texts:
        named = ", ".join(map(repr, sorted(texts)))
        raise UsageMistake(
            "bad-flag", f"{definition.name!r} has no flags, and {named} was given. Leave it out."
        )
    return None


def pin(
    given: Experiment, definition: AgentDefinition, definition_digest: str, overrides: ResolvedOverrides
) -> PinnedExperiment:
    """Pin an experiment to the present digests of definition and overrides."""
    identity: JsonValue = [
        definition.name,
        definition_digest,
        overrides.digest,
        dict(given.flags),
        given.model,
    ]
    return PinnedExperiment(
        experiment=given,
        agent=definition.name,
        definition=definition_digest,
        overrides=overrides.digest,
        digest=json_digest(identity),
    )


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
