"""Replies of the manuscript roles: a good one of each, and what any text is read as."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from penwright.adapters.clock import SystemClock
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.ports.blobs import Blobs
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import Delivery, ManuscriptRole
from tests.support.doubles.store import memory_store

TASK = TaskParams(sentences=40, named_before=(3,), targets_wanted=10)
PICKING = TaskParams(records=3)

_EDITS = """status: continue
rationale: The opening says nothing of the river.

@@@ replace
reason: Name the river.
@@@ find
The water rose for three days.
@@@ with
The Ister rose for three days, \\textbf{higher} than in “any” year \\cite{hill1907}.
@@@ end

@@@ append
@@@ with
## What remained

Nobody counted the boats; {some} were found in trees.
@@@ end
"""
GOOD: Mapping[ManuscriptRole, str] = MappingProxyType(
    {
        "manager": json.dumps(
            {
                "action": "write_section",
                "reasoning": "The methods are missing.",
                "parameters": {"section_title": "Methods"},
            }
        ),
        "formatter": "### Blueprint\n\nA report for water boards.\n\n### Length\n\n- 900 words in all",
        "planner": json.dumps(
            {
                "sections": [
                    {
                        "section_title": "Floods of the Ister",
                        "section_summary": "What rose, when, and how “high”.",
                        "section_word_count": 300,
                        "status": "drafted",
                    },
                    {
                        "section_title": "What remained",
                        "section_summary": "Boats, silt and \\textbf{claims}.",
                        "section_word_count": 250,
                        "status": "pending",
                    },
                ]
            }
        ),
        "writer": _EDITS,
        "critic": json.dumps(
            {
                "critique_summary": "Sound, but the second section only lists.",
                "score": 0.72,
                "action_items": ["Say why the dam failed.", "Cut the list of boats in “What remained”."],
            },
            ensure_ascii=False,
        ),
        "reviser": _EDITS,
        "citation-orchestrator": json.dumps(
            {
                "citation_targets": [
                    {
                        "sentence_citation_target": 12,
                        "kind": "insert",
                        "reason_citation_target": "A figure without a source.",
                        "section_title_citation_target": "Floods of the Ister",
                        "evidence_type_citation_target": "statistic",
                    },
                    {
                        "sentence_citation_target": 31,
                        "kind": "verify",
                        "reason_citation_target": "The year looks wrong.",
                    },
                ]
            }
        ),
        "citation-generator": json.dumps(
            {
                "queries": [
                    {"text": "river flood silt deposition", "title": "", "authors": ["Hill"], "year": 1907}
                ],
                "identifiers": [{"kind": "doi", "value": "10.5555/ister.12"}],
                "notes": "An old survey.",
            }
        ),
    }
)
"""By role; every reader takes it."""
PICKED = json.dumps({"chosen": [2], "reason": "It measures the silt of that flood.", "notes": ""})
"""The generator's answer to records."""


def blobs() -> Blobs:
    return memory_store(clock=SystemClock()).blobs


def read(
    role: ManuscriptRole,
    text: str,
    *,
    task: TaskParams = TASK,
    cut_off: bool = False,
    kept: Blobs | None = None,
) -> Delivery | ModelMistake:
    """What the role's reader makes of a reply; any other exception is the reader's fault."""
    definition = ROLES[role].definition
    assert definition.reads is not None, "every role reads its own replies"
    arrival = RawReply(
        text=text,
        params=(task,),
        before=None,
        model="some-model",
        demo=False,
        blobs=kept or blobs(),
        cut_off=cut_off,
    )
    try:
        found = definition.reads(arrival)
    except ModelMistake as mistake:
        return mistake
    assert isinstance(found, Delivery)
    return found
