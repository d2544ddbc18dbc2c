"""Builders of model requests and of scripts for the scripted model."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from penwright.adapters.models.scripted import Script, ScriptedAnswer
from schemas.base import Effect, OpId
from schemas.model import BudgetScope, Message, ModelRequest
from schemas.model_catalog import ModelCatalog, ModelEntry


def model_request(
    *contents: str,
    op_id: str = "book/lamp#one:2",
    role: str = "writer",
    **rest: Any,  # any field of the request
) -> ModelRequest:
    """The smallest valid request; ``contents`` are user messages."""
    fields: dict[str, Any] = {"max_output_tokens": 500, "timeout_s": 20.0} | rest
    return ModelRequest(
        effect=Effect(op_id=OpId(op_id), issued_at=datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
        role=role,
        messages=tuple(Message(role="user", content=content) for content in contents or ("Write.",)),
        scope=BudgetScope(run="book/lamp#one", subject="lamp"),
        **fields,
    )


def write_script(
    path: Path, *answers: ScriptedAnswer, otherwise: Literal["demo", "fail"] = "demo"
) -> ModelCatalog:
    """Put a script at ``path``; returns a catalog in which every role plays it."""
    path.write_text(Script(answers=answers, otherwise=otherwise).model_dump_json(), encoding="utf-8")
    return scripted_catalog(path)


def scripted_catalog(path: Path) -> ModelCatalog:
    """A catalog whose only model reads its script from ``path``."""
    entry = ModelEntry(name="scripted", provider="scripted", script=str(path), local=True)
    return ModelCatalog(models=(entry,), default="scripted")


def calls_made(path: Path) -> Sequence[str]:
    """Op ids of every attempt that a script at ``path`` has seen, in order."""
    from penwright.adapters.models.scripted import ScriptedProvider

    return [attempt.op_id for attempt in ScriptedProvider.from_file(str(path)).attempts]
