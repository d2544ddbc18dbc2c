"""Conversion of values to payloads: the data converter of every client, worker and replayer."""

import dataclasses

from temporalio.converter import (
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    ExternalStorage,
    PayloadCodec,
)

from workers.payloads.no_key import NoKey
from workers.payloads.values import BoundedPayloadConverter


def converter(*, codec: PayloadCodec | None = None, storage: ExternalStorage | None = None) -> DataConverter:
    """Return the data converter; with a codec, the messages of failures are encrypted too."""
    plain = DataConverter(
        payload_converter_class=BoundedPayloadConverter,
        payload_codec=codec or NoKey(),
        external_storage=storage,
    )
    if codec is None:
        return plain
    return dataclasses.replace(plain, failure_converter_class=DefaultFailureConverterWithEncodedAttributes)
