"""Answers in plain text, read where they arrive: on the worker, whole, with long parts kept by reference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel, JsonValue

from schemas.base import BlobRef

Params = TypeVar("Params", bound=BaseModel)


class LongTexts(Protocol):
    """As much of ``penwright.ports.Blobs`` as a reader needs."""

    def put(self, content: bytes) -> BlobRef: ...
    def get(self, ref: BlobRef) -> bytes: ...


@dataclass(frozen=True, slots=True)
class RawReply:
    """What a model ended with, and what it is read against."""

    text: str
    params: Sequence[BaseModel]
    """The run's own."""
    before: JsonValue
    """The output that was sent back as incomplete; None if none was."""
    model: str
    demo: bool
    blobs: LongTexts

    def param(self, kind: type[Params]) -> Params:
        """The run's parameters of one type."""
        return next(value for value in self.params if isinstance(value, kind))


AnswerReader = Callable[[RawReply], BaseModel]
"""Makes the definition's output of a text, the same in every attempt.

Raises:
    ModelMistake: when the text holds no answer. Its message is for people; ``ask`` among its details, if it
        is there, is what the model is told.
"""
