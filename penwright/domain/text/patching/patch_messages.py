"""Messages to a model about its edits."""

from collections.abc import Mapping, Sequence

from schemas.patching import Operation, OperationResult, Patched

_LONGEST = 600
_DONE = ("applied", "already_applied")
_COPY = "copy it letter for letter if you mean it"
_MESSAGES = {
    "already_applied": "the text already reads so; nothing was changed",
    "not_found": "no passage reads like that; copy it from the text, letter for letter",
    "ambiguous": "{found} passages read like that; quote more of the text around the one you mean, or say "
    "with count how many are meant",
    "numeric_mismatch": f"the nearest passage has other numbers; {_COPY}",
    "negation_mismatch": f"the nearest passage has another negation, or only one of the two has one; {_COPY}",
    "token_mismatch": "the nearest passage has another command, citation, link or formula, or would cut a "
    f"word; {_COPY}",
    "citation_touched": "it would alter, drop, add or move a citation; leave citations as they are",
    "overlap": "it changes the same words as edit {other}; neither was made; send one edit for both",
    "over_limit": "the reply had more edits than the {limit} that are allowed; send it again",
    "empty_find": "it does not say what to look for; only append needs no find, or a text that is empty",
    "bad_count": "count is {count!r}, but must be a number from 1 to the number of passages{there}, or all",
    "conflict": "the author has changed the same words meanwhile; read them again",
}


def refused_message(outcome: str, operation: Operation, details: Mapping[str, object]) -> str:
    """One sentence on why an operation changed nothing, and what to do."""
    there = f" ({details['found']})" if "found" in details else ""
    return _MESSAGES[outcome].format(**{"count": operation.count, "found": 0, **details, "there": there})


def feedback(operations: Sequence[Operation], patched: Patched) -> str:
    """Feedback for the model about operations that failed; empty if none did.

    It names those that were applied, which must not be sent again, and quotes the nearest text of the others.
    """
    failed = [each for each in patched.results if each.outcome not in _DONE]
    if not failed:
        return ""
    done = [str(each.index + 1) for each in patched.results if each.outcome in _DONE]
    said = [f"Made already, do not send again: edit {', '.join(done)}."] if done else []
    return "\n\n".join([*said, *(_on_failure(operations[each.index], each) for each in failed)])


def _on_failure(operation: Operation, result: OperationResult) -> str:
    lines = [f"Edit {result.index + 1} ({operation.kind}) was not made: {result.message}."]
    if operation.find:
        lines += ["You looked for:", shortened(operation.find)]
    if result.nearest:
        lines += ["The text that comes nearest:", shortened(result.nearest)]
    return "\n".join(lines)


def shortened(text: str) -> str:
    """A long text without its middle."""
    half = _LONGEST // 2
    return text if len(text) <= 2 * _LONGEST else f"{text[:half]} … {text[-half:]}"
