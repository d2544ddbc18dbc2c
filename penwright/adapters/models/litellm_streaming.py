"""A reply of litellm in pieces, put together again as if it had come at once."""

from collections.abc import Mapping
from typing import Any

import httpx

from penwright.adapters.models.provider import Hear
from penwright.domain.models.structured_output import runs_on

_EVERY = 200
"""Characters of a structured reply after which it is looked at."""


# Any, here and below: litellm has no types.
async def collect_stream(
    litellm: Any, arguments: Mapping[str, Any], hear: Hear, *, structured: bool = False
) -> Any:
    """The whole reply; its text goes to ``hear`` while it comes, of thought and of calls an empty one.

    A cancelled call closes the connection; so does a structured reply that runs on: what came of it counts
    as one that reached its limit.

    Raises:
        httpx.RemoteProtocolError: the stream ended without saying that the reply is complete.
        Exception: as of a call that does not stream.
    """
    stream = await litellm.acompletion(**arguments, stream=True, stream_options={"include_usage": True})
    text, looked_at, is_cut = "", 0, False
    try:
        async for chunk in stream:
            if getattr(chunk, "choices", None):
                hear(piece := _text(chunk))
                text += piece if structured else ""
            if len(text) - looked_at >= _EVERY:
                looked_at, is_cut = len(text), runs_on(text)
            if is_cut:
                break
    finally:
        await stream.aclose()
    if stream.received_finish_reason is None and not is_cut:
        raise httpx.RemoteProtocolError("the reply stopped in the middle")
    reply = litellm.stream_chunk_builder(stream.chunks, messages=arguments["messages"])
    if is_cut and reply is not None:
        reply.choices[0].finish_reason = "length"
    used = [usage for chunk in stream.chunks if (usage := getattr(chunk, "usage", None)) is not None]
    if reply is not None and used:
        reply.usage = used[-1]  # as the vendor sent it, with its cost
    return reply


def _text(chunk: Any) -> str:
    choices = getattr(chunk, "choices", None) or ()
    content = getattr(choices[0].delta, "content", None) if choices else None
    return content if isinstance(content, str) else ""
