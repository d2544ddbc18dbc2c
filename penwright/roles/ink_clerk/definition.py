"""The clerk as an agent: it reads one passage once, and answers with what it states."""

import json
from hashlib import sha256

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.roles.ink_clerk.answer import ClerkOutput, ClerkReply, ClerkTask, read_clerk
from penwright.roles.prompt_file import PromptFile

_SYSTEM = PromptFile.load("penwright.roles.ink_clerk", "system.md", "language").text
CLERK = AgentDefinition(
    namespace="ink",
    key="clerk",
    title="The clerk of a book's continuity",
    sections=(Section(key="craft", title="How you read", body=_SYSTEM, params=ClerkTask),),
    output=ClerkOutput,
    reads=read_clerk,
    wanted=ClerkReply,
    repairs=1,
)
READER = sha256(_SYSTEM.encode()).hexdigest()[:12]
"""Digest of the instructions: readings by others are not made again, unless a person orders it."""
EXAMPLE = (ClerkTask(language="English"),)
"""Parameters to look at it with."""


def instruction_tokens() -> int:
    """Tokens of what every prompt of the clerk has: its instructions, and the form of the answer."""
    return estimate_tokens(_SYSTEM) + estimate_tokens(json.dumps(ClerkReply.model_json_schema()))
