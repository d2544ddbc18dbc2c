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
    document: dict[str, Json] = history.to_json_dict()
    sealed = list(payloads(document))
    # One at a time: a search attribute and a failure's details are no sequence of values.
    for each in sealed:
        (plain,) = await converter.decode([ParseDict(each, Payload())], [RawValue])
        each.clear()
        each.update(MessageToDict(plain.payload))
    return document


def payloads(document: Json) -> Iterator[dict[str, Json]]:
    """Every payload of a history as JSON, to be changed in place."""
    if isinstance(document, dict):
        if "metadata" in document and "encoding" in document["metadata"]:
            yield document
            return
        for each in document.values():
            yield from payloads(each)
    elif isinstance(document, list):
        for each in document:
            yield from payloads(each)
