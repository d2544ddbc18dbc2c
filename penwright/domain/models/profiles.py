"""Ask a model as the profile of its role says."""

from schemas.model import ModelRequest
from schemas.model_catalog import Profile


def profiled(request: ModelRequest, profile: Profile) -> ModelRequest:
    """Return ``request`` with the profile's sampler, size, thought and form of JSON.

    JSON is asked for only where the request wants it and the profile does not forbid it; only then are a
    schema and a return template sent along.
    """
    longest = profile.max_output_tokens or request.max_output_tokens
    rooms = filter(None, (request.context_tokens, profile.context_tokens))
    asked = request.model_copy(
        update={
            "sampler": profile.sampler,
            "max_output_tokens": min(request.max_output_tokens, longest),
            "reasoning": profile.reasoning,
            "context_tokens": min(rooms, default=None),
        }
    )
    if request.output_schema is None:
        return asked
    if profile.expects_json is False:
        return asked.model_copy(update={"output_schema": None, "schema_name": ""})
    wanted = {
        "output_schema": profile.json_schema or request.output_schema,
        "output_example": profile.json_example,
        "output_mode": profile.json_mode,
    }
    if profile.json_mode == "object":
        wanted["output_rung"] = "json-in-text"
    return asked.model_copy(update=wanted)
