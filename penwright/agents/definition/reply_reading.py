"""Parse plain-text answers on the worker; long parts are stored and kept by reference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel, JsonValue

from schemas.base import BlobRef

Params = TypeVar("Params", bound=BaseModel)


class LongTexts(Protocol):
    """The part of ``penwright.ports.blobs.Blobs`` that a reader needs."""

    def put(self, content: bytes) -> BlobRef: ...
    def get(self, ref: BlobRef) -> bytes: ...


@dataclass(frozen=True, slots=True)
class RawReply:
    """The unparsed final reply of a model, with what a reader needs to parse it."""

    text: str
    params: Sequence[BaseModel]
    """The run's parameters."""
    before: JsonValue
    """The previous output, if it was sent back as incomplete."""
    model: str
    demo: bool
    blobs: LongTexts
    cut_off: bool = False
    """Whether it stopped at the token limit."""

    def param(self, kind: type[Params]) -> Params:
        """The run's parameters of one type."""
        return next(value for value in self.params if isinstance(value, kind))


AnswerReader = Callable[[RawReply], BaseModel]
"""Parses the definition's output; equal replies give equal outputs.

Raises:
    ModelMistake: if the text holds no answer. Its message is for people; the detail ``ask``, if present,
        is for the model.
"""
