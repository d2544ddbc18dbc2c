"""The ways of a vendor, by name: what it answers, and how the pipelines end that ask it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemas.model_catalog import ModelEntry
from tests.support.engine.provider_server import FULL_USAGE, Behaviour, called, calling, error

TINY = ModelEntry(
    name="tiny", provider="litellm", model="openai/tiny", timeout_s=2, local=True, streams=False
)
CLAUDE = TINY.model_copy(update={"model": "anthropic/claude-sonnet-4-5", "reasoning": 1_024})
"""A model that thinks, and wants its thought back with the results of tools."""
GOOD = Behaviour(as_asked=True)
BUSY = "Wed, 21 Oct 2015 07:28:00 GMT"
READS = called("read_chapter", '{"number": 1}')
FINISHES = {
    "thinks, counted": [Behaviour(as_asked=True, thinks=2_500)],
    "thinks in its text": [Behaviour(as_asked=True, thinks=2_500, thinks_aloud=True)],
    "rejects a limit's name": [Behaviour(as_asked=True, rejects="max_tokens")],
    "rejects temperature": [Behaviour(as_asked=True, rejects="temperature")],
    "answers from a cache": [
        Behaviour(as_asked=True, usage=FULL_USAGE | {"prompt_tokens_details": {"cached_tokens": 8}})
    ],
    "tells no usage": [Behaviour(as_asked=True, usage=None)],
    "cuts the connection once": [Behaviour(as_asked=True, cut=True), GOOD],
    "is silent once": [Behaviour(hang=True), GOOD],
    "sends a page for once": [Behaviour(body=b"<html><body>Sign in</body></html>"), GOOD],
    "is busy, with seconds": [error(429, "slow down", Retry_After="0.1"), GOOD],
    "is busy, with a date": [error(429, "slow down", Retry_After=BUSY), GOOD],
    "is overloaded once": [error(529, "overloaded", Retry_After="0"), GOOD],
    "gives two calls one id": [calling(READS, READS), GOOD],
    "wants its thought back": [
        replace(calling(READS), thinks=50),
        replace(calling(READS), thinks=50, wants_thought=True),
        Behaviour(as_asked=True, wants_thought=True),
    ],
    "gives arguments as an object": [calling(called("read_chapter", {"number": 1})), GOOD],
    "refuses in words once": [Behaviour(text="I'm sorry, but I can't help with that."), GOOD],
    "says nothing once": [Behaviour(text=""), GOOD],
}
ENDS = {
    "thinks without an end": ([Behaviour(as_asked=True, thinks=90_000)], "thought-past-limit"),
    "is stopped by a filter": ([Behaviour(finish="content_filter", text="")], "model-refused"),
    "refuses by field": ([Behaviour(refusal="I can't.")], "model-refused"),
    "refuses in words": ([Behaviour(text="I'm sorry, but I can't help with that.")], "model-refused"),
    "does not know the key": ([error(401, "bad key")], "model-auth"),
    "does not know the model": ([error(404, "no such model")], "model-not-found"),
    "wants money": ([error(402, "no credit")], "model-payment"),
    "says nothing": ([Behaviour(text="")], "unusable-reply"),
    "takes short answers": ([Behaviour(as_asked=True, window=600)], "model-bad-request"),
}
CACHED = FULL_USAGE | {"prompt_tokens_details": {"cached_tokens": 8}}
CLAUDE_FINISHES = {
    "thinks": [GOOD],
    "thinks between calls": [calling(READS), calling(READS), GOOD],
    "answers from a cache": [Behaviour(as_asked=True, usage=CACHED)],
    "cuts the connection once": [Behaviour(as_asked=True, cut=True), GOOD],
    "is busy, with seconds": [error(429, "slow down", Retry_After="0.1"), GOOD],
    "is overloaded once": [error(529, "overloaded", Retry_After="0"), GOOD],
    "refuses in words once": [Behaviour(text="I'm sorry, but I can't help with that."), GOOD],
    "says nothing once": [Behaviour(text=""), GOOD],
}
CLAUDE_ENDS = {
    "thinks without an end": ([Behaviour(as_asked=True, thinks=90_000)], "thought-past-limit"),
    "refuses": ([Behaviour(refusal="I can't.")], "model-refused"),
    "does not know the key": ([error(401, "bad key")], "model-auth"),
    "wants another thought back": ([error(400, "Invalid `signature`")], "model-bad-request"),
}


@dataclass(frozen=True)
class Mode:
    """A model whose vendor gives these answers in order, then the last one for ever."""

    entry: ModelEntry
    answers: Sequence[Behaviour]
    code: str = ""
    """The reason for which a pipeline ends; empty: it finishes."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """The reasons of pipelines that have one of their own, by name."""

    @property
    def thinks(self) -> bool:
        """Whether it is Claude."""
        return self.entry is CLAUDE


_OWN = {
    "refuses in words": {"manuscript": "no-progress"},
    "says nothing": {"manuscript": "no-progress", "scan": "empty-reply", "round": "empty-reply"},
}
MODES = {
    **{name: Mode(TINY, how) for name, how in FINISHES.items()},
    **{name: Mode(TINY, how, code, _OWN.get(name, {})) for name, (how, code) in ENDS.items()},
    **{f"claude {name}": Mode(CLAUDE, how) for name, how in CLAUDE_FINISHES.items()},
    **{f"claude {name}": Mode(CLAUDE, how, code) for name, (how, code) in CLAUDE_ENDS.items()},
}
