"""Ask for structured output: the rungs of a ladder, and the request that stands in a prompt."""

import json
from typing import Any, get_args

from schemas.model_catalog import StructuredRung

LADDER: tuple[StructuredRung, ...] = get_args(StructuredRung)
"""From the strictest: a native schema, a forced tool, JSON in the text."""


# Any: a JSON schema has any shape.
def return_template(schema: dict[str, Any] | None, example: str = "") -> str:
    """Return the request for JSON that is added to a prompt, with the schema in words and an example."""
    parts = ["Answer with one JSON object and nothing else: no code fence, no comment."]
    if schema is not None:
        told = json.dumps(schema, ensure_ascii=False)
        parts.append(f"It must be valid against this JSON schema:\n{told}")
    if example:
        parts.append(f"An answer looks like this:\n{example}")
    return " ".join(parts[:2]) if not example else "\n".join(parts)
