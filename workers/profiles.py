"""Profiles of roles in the settings: how each asks its model; checked when the settings are loaded."""

import json
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from schemas.model_catalog import FallbackReason, Profile, Reasoning, Sampler, Temperature

_SAMPLER = tuple(Sampler.model_fields)


class ProfileSettings(BaseModel):
    """Model and parameters of one role, or a group of roles."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = ""
    """As in ``[roles]``; either place will do."""
    fallback: str = ""
    """Model that answers where that one does not."""
    fallback_on: tuple[FallbackReason, ...] = Field(default=("outage", "refusal"), min_length=1)
    """When it is asked: while the other is unavailable, and when it refuses."""
    expects_json: bool | None = None
    """Whether the model is asked for JSON; as the role has it when unset."""
    json_mode: Literal["object", "schema"] = "schema"
    json_schema: dict[str, Any] | None = None
    """A JSON schema, as a table or as text."""
    json_example: str = ""
    """An answer in JSON, shown to the model."""
    temperature: Temperature | None = None
    """Comes before the model's."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    seed: int | None = None
    stop: tuple[str, ...] = Field(default=(), max_length=8)
    context_tokens: int | None = Field(default=None, ge=512)
    """Size of a prompt with its answer."""
    max_output_tokens: int | None = Field(default=None, gt=0)
    reasoning: Reasoning | None = None
    """Comes before the model's."""
    overrides: str = Field(default="", max_length=64)
    """Tag of an override set of the role's agent; of the role itself, not of a group."""

    @field_validator("json_schema", mode="before")
    @classmethod
    def _schema_may_be_text(cls, value: Any) -> Any:  # whatever stands in the file
        return _parsed(value, "profile-bad-schema", "schema") if isinstance(value, str) else value

    @field_validator("json_schema")
    @classmethod
    def _describes_an_object(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is None:
            return value
        fields = value.get("properties")
        if value.get("type") != "object" or not isinstance(fields, Mapping) or not fields:
            raise _named("profile-bad-schema", 'the schema needs "type": "object" and at least one property')
        if any(not isinstance(each, Mapping | bool) for each in fields.values()):
            raise _named("profile-bad-schema", "each property of the schema must be a schema itself")
        return value

    @field_validator("json_example")
    @classmethod
    def _is_an_object(cls, value: str) -> str:
        if value and not isinstance(_parsed(value, "profile-bad-example", "example"), dict):
            raise _named("profile-bad-example", "the example is JSON, but no object")
        return value

    @model_validator(mode="after")
    def _json_only_where_it_is_wanted(self) -> Self:
        unused = {"json_mode", "json_schema", "json_example"} & self.model_fields_set
        if self.expects_json is False and unused:
            raise _named(
                "profile-json-unwanted",
                f"it sets {', '.join(sorted(unused))} and says that no JSON is expected; remove one of both",
            )
        if self.fallback and self.fallback == self.model:
            raise _named("profile-own-fallback", "its fallback is its own model; choose another one")
        if "fallback_on" in self.model_fields_set and not self.fallback:
            raise _named("profile-no-fallback", "it sets fallback_on and no fallback; set both, or none")
        return self

    @property
    def profile(self) -> Profile:
        """The profile as the model port wants it."""
        chosen = self.model_dump(exclude={"model", *_SAMPLER})
        return Profile(**chosen, sampler=Sampler(**{name: getattr(self, name) for name in _SAMPLER}))


def check_profiles(
    profiles: Mapping[str, ProfileSettings], roles: Mapping[str, str], models: frozenset[str]
) -> None:
    """Raise for a profile with an unknown model, another one than ``roles`` has, or unfit for its role."""
    for role, profile in profiles.items():
        for name in filter(None, (profile.model, profile.fallback)):
            if name not in models:
                known = ", ".join(sorted(models))
                raise _named(
                    "profile-unknown-model",
                    f"the profile of {role!r} uses the model {name!r}, which is not set up; "
                    f"add [models.{name}] or choose one of: {known}",
                    f"profiles.{role}",
                )
        if profile.model and roles.get(role, profile.model) != profile.model:
            raise _named(
                "profile-two-models",
                f"[roles] gives {role!r} the model {roles[role]!r}, its profile {profile.model!r}; keep one",
                f"profiles.{role}.model",
            )
        _check_role(role, profile)


def _check_role(role: str, profile: ProfileSettings) -> None:
    """Check a profile against what its role answers with."""
    if not profile.expects_json and not profile.json_example:
        return
    # Imported for those who need it: the roles are slow to import for a command that only shows help.
    from penwright.roles.scene.cast import ROLES
    from penwright.roles.trying import mistake_in

    definition = next((each for name, each in ROLES.items() if name == role), None)
    if definition is None:
        return
    if definition.wanted is None:
        raise _named(
            "profile-prose-role",
            f"the role {role!r} answers in prose; remove its expects_json and json_example",
            f"profiles.{role}",
        )
    if profile.json_example and (found := mistake_in(definition, profile.json_example)):
        raise _named(
            "profile-example-misfit",
            f"the example of {role!r} is no answer of that role: {found.message}",
            f"profiles.{role}.json_example",
        )


def _parsed(text: str, code: str, what: str) -> JsonValue:
    try:
        found: JsonValue = json.loads(text)
    except ValueError as error:
        raise _named(code, f"the {what} is no JSON: {error}") from None
    return found


def _named(code: str, message: str, path: str = "") -> PydanticCustomError:
    """An error with a code of its own.

    Args:
        path: of the setting, where the library does not know it.
    """
    # Braces in the message would be placeholders of the library's template.
    return PydanticCustomError(code, "{said}", {"said": message, "path": path})
