"""Readable histories: decrypted, and with the payloads that are stored outside of them."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowHistory
from temporalio.common import RawValue
from temporalio.converter import DataConverter

# Any, here and below: JSON.
Json = Any


async def opened(history: WorkflowHistory, converter: DataConverter) -> dict[str, Json]:
    """``history`` as JSON, such as the Temporal UI and every replayer read it."""
    told: dict[str, Json] = history.to_json_dict()
    sealed = list(payloads(told))
    # One at a time: a search attribute and a failure's details are no sequence of values.
    for each in sealed:
        (plain,) = await converter.decode([ParseDict(each, Payload())], [RawValue])
        each.clear()
        each.update(MessageToDict(plain.payload))
    return told


def payloads(told: Json) -> Iterator[dict[str, Json]]:
    """Every payload of a history as JSON, to be changed in place."""
    if isinstance(told, dict):
        if "metadata" in told and "encoding" in told["metadata"]:
            yield told
            return
        for each in told.values():
            yield from payloads(each)
    elif isinstance(told, list):
        for each in told:
            yield from payloads(each)
