"""A reply of litellm in pieces, put together again as if it had come at once."""

from collections.abc import Mapping
from typing import Any

import httpx

from penwright.adapters.models.provider import Hear


# Any, here and below: litellm has no types.
async def heard(litellm: Any, arguments: Mapping[str, Any], hear: Hear) -> Any:
    """The whole reply; its text goes to ``hear`` while it comes, of thought and of calls an empty one.

    A cancelled call closes the connection.

    Raises:
        httpx.RemoteProtocolError: the stream ended without saying that the reply is complete.
        Exception: as of a call that does not stream.
    """
    stream = await litellm.acompletion(**arguments, stream=True, stream_options={"include_usage": True})
    try:
        async for chunk in stream:
            if getattr(chunk, "choices", None):
                hear(_text(chunk))
    finally:
        await stream.aclose()
    if stream.received_finish_reason is None:
        raise httpx.RemoteProtocolError("the reply stopped in the middle")
    reply = litellm.stream_chunk_builder(stream.chunks, messages=arguments["messages"])
    used = [usage for chunk in stream.chunks if (usage := getattr(chunk, "usage", None)) is not None]
    if reply is not None and used:
        reply.usage = used[-1]  # as the vendor sent it, with its cost
    return reply


def _text(chunk: Any) -> str:
    choices = getattr(chunk, "choices", None) or ()
    content = getattr(choices[0].delta, "content", None) if choices else None
    return content if isinstance(content, str) else ""
