"""Verdicts of a trial: whether a model serves a role, and the settings that mend what fails."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from penwright.adapters.models.litellm_client import loaded_litellm
from penwright.adapters.models.window import window_of
from penwright.domain.models.choice import IMAGES
from penwright.domain.models.token_estimate import estimate_request
from penwright.errors import ModelMistake
from penwright.roles.model_roles import ModelRole
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import ModelEntry
from schemas.model_trial import Check, CheckName, RoleTrial

_MENDS: Mapping[str, str] = {
    "thought-past-limit": 'reasoning = "off" or "low", or a number of tokens that is enough, under {model}',
    "empty-reply": 'reasoning = "off" under {model}, if it only thought; else {other}',
    "cut-off": "a larger max_output_tokens under {model}; else {other}",
    "model-refused": "{other}; or fallback = … under {profile}",
    "tools-unsupported": "{other}",
    "model-bad-request": "extra = {{…}}, temperature or max_output_tokens under {model}",
    "context-too-long": "context_tokens and max_output_tokens under {model}, or {other}",
    "prompt-past-window": "context_tokens under {model}, if it takes more; else {other}",
}
_ENDLESS = 1_000_000_000
_OF_JSON = frozenset({"no-json", "invalid-output"})


def known_window(entry: ModelEntry) -> int | None:
    """The tokens that the model takes; None if not known. The first call loads litellm."""
    return window_of(loaded_litellm(), entry) if entry.provider == "litellm" else _ENDLESS


@dataclass(frozen=True, slots=True)
class Given:
    """Facts of a model that are known without asking it."""

    entry: ModelEntry
    window: int | None
    priced: bool
    capped: bool
    """Whether a cap counts dollars, so that it is not asked without a price."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The result of a question; neither usage nor a code: it was not asked."""

    usage: Usage | None = None
    rung: str = ""
    called: bool = False
    """Whether a tool was called."""
    code: str = ""
    """Of what is wrong; empty: nothing."""
    message: str = ""
    other_rung: str = ""
    """The way of asking for JSON that works instead; ``none``: no way does."""

    @classmethod
    def of(cls, answer: ModelResponse | None, mistake: ModelMistake | None) -> Self:
        """An answer, and what is wrong with it."""
        code, message = (mistake.code, mistake.message) if mistake else ("", "")
        if answer is None:
            return cls(code=code, message=message)
        return cls(answer.usage, answer.rung, bool(answer.tool_calls), code, message)

    @property
    def may_be_form(self) -> bool:
        """Whether another way of asking for JSON may help."""
        return self.code in {*_OF_JSON, "model-bad-request"}

    @property
    def is_form(self) -> bool:
        """Whether JSON is wrong, and nothing else."""
        return self.code in _OF_JSON or self.other_rung not in ("", "none")


def role_trial(role: ModelRole, request: ModelRequest, asked: Asked, given: Given) -> RoleTrial:
    """The row of a role."""
    checks = (
        _answers(role, asked, given),
        _json(role, asked, given),
        _tools(role, request, asked, given),
        _room(role, request, given),
        _price(given),
        Check(name="cache", state="works" if _cached(asked.usage) else "unknown"),
    )
    works = all(each.state != "fails" for each in checks)
    return RoleTrial(role=role.name, answer_tokens=role.answer_tokens, checks=checks, works=works)


def picture_trial(asked: Asked, given: Given) -> RoleTrial:
    """The row of the role that makes pictures; ``given.priced``: whether the price of one is known."""
    other = f'{IMAGES} = "another model" under [roles]'
    bad = {"state": "fails", "problem": asked.message, "mend": other} if asked.code else {"state": "works"}
    price = _price(given)
    if price.mend:
        price = price.model_copy(update={"mend": f"usd_per_image under [models.{given.entry.name}]"})
    rest: tuple[CheckName, ...] = ("json", "tools", "room")
    checks = (
        Check.model_validate({"name": "answers", **bad}),
        *(Check(name=each, state="not needed") for each in rest),
        price,
        Check(name="cache", state="not needed"),
    )
    works = all(each.state != "fails" for each in checks)
    return RoleTrial(role=IMAGES, answer_tokens=0, checks=checks, works=works)


def _answers(role: ModelRole, asked: Asked, given: Given) -> Check:
    if asked.usage is None and not asked.code:
        return Check(name="answers", state="unknown")
    if not asked.code or asked.is_form or asked.code == "tools-unsupported":
        return Check(name="answers", state="works")
    return _failed("answers", role, asked, given)


def _json(role: ModelRole, asked: Asked, given: Given) -> Check:
    if role.definition.asks_for is None:
        return Check(name="json", state="not needed")
    if asked.is_form:
        return _failed("json", role, asked, given)
    return Check(name="json", state="unknown" if asked.usage is None or asked.code else "works")


def _tools(role: ModelRole, request: ModelRequest, asked: Asked, given: Given) -> Check:
    if not request.tools:
        return Check(name="tools", state="not needed")
    if asked.code == "tools-unsupported":
        return _failed("tools", role, asked, given)
    return Check(name="tools", state="works" if asked.called else "unknown")


def _room(role: ModelRole, request: ModelRequest, given: Given) -> Check:
    name, window = given.entry.name, given.window
    if window is None:
        mend = f"context_tokens under [models.{name}], to be told before a prompt is too large"
        return Check(name="room", state="unknown", mend=mend)
    prompt = estimate_request(request)
    if prompt < window:
        return Check(name="room", state="works")
    problem = f"Model {name!r} takes {window:,} tokens, and the instructions alone have about {prompt:,}."
    mend = _mend("prompt-past-window", role, given.entry)
    return Check(name="room", state="fails", problem=problem, mend=mend)


def _price(given: Given) -> Check:
    if given.priced:
        return Check(name="price", state="works")
    if not given.capped:
        return Check(name="price", state="unknown")
    mend = f"input_usd_per_million and output_usd_per_million under [models.{given.entry.name}]"
    problem = "Its price is unknown, and a cap counts dollars: runs do not ask it."
    return Check(name="price", state="fails", problem=problem, mend=mend)


def _cached(usage: Usage | None) -> bool:
    return usage is not None and bool(usage.cached_tokens or usage.written_tokens)


def _failed(name: CheckName, role: ModelRole, asked: Asked, given: Given) -> Check:
    mend = _mend(asked.code, role, given.entry)
    if asked.other_rung not in ("", "none"):
        mend = f'structured = "{asked.other_rung}" under [models.{given.entry.name}]'
    return Check(name=name, state="fails", problem=asked.message, mend=mend)


def _mend(code: str, role: ModelRole, entry: ModelEntry) -> str:
    return _MENDS.get(code, "{other}").format(
        model=f"[models.{entry.name}]",
        profile=f"[profiles.{role.name}]",
        other=f'{role.name} = "another model" under [roles]',
    )
