"""Choose a configured model, by role or by its own name, and ask it as the profile of the role says."""

from collections.abc import Iterable

from penwright.domain.text.nearest import meant
from penwright.errors import ModelFinal
from penwright.masking import masked
from schemas.model import ModelRequest
from schemas.model_catalog import ModelCatalog, ModelEntry, Profile

NAMED = "model:"
"""Prefix of a role that names a model directly: the rest is the model's name."""
_BY = "@"
MANUSCRIPT = "manuscript"
"""The group of all agents of manuscripts and their citations."""
IMAGES = "images"
"""The role whose model makes pictures."""
SCENE = "scene"
"""The group of all roles of scenes."""
_SCENE_ROLES = frozenset(
    {"director", "character", "narrator", "summariser", "world-agent", "creator", "visual"}
)
SET_IMAGES = (
    'set one up under [models.NAME] in penwright.toml, and write `images = "NAME"` under [roles]; the '
    "prompt alone needs none"
)
_MANUSCRIPT_ROLES = (
    *("manager", "formatter", "planner", "writer", "critic", "reviser"),
    *("citation-orchestrator", "citation-generator"),
)
ROLES = frozenset(
    {
        *("writer", "writer-editor", "clerk", "agent", IMAGES, "embeddings", MANUSCRIPT, SCENE),
        *(f"{MANUSCRIPT}-{name}" for name in _MANUSCRIPT_ROLES),
        *_SCENE_ROLES,
    }
)
"""The roles, and groups of them, to which settings may give a model, besides those of agents."""
_PLAIN = Profile()


def entry_for(catalog: ModelCatalog, role: str) -> ModelEntry:
    """Return the model of ``role``, else of its group, else the default; or the model that it names.

    The group is ``scene`` for the roles of scenes, else what stands before the first hyphen: ``manuscript``
    of ``manuscript-critic``.

    Raises:
        ModelFinal: ``unknown-model``.
    """
    if role.startswith(NAMED):
        return entry_named(catalog, role.removeprefix(NAMED))
    role, _, model = role.partition(_BY)
    if model:
        return entry_named(catalog, model)
    of_group = catalog.roles.get(group_of(role), catalog.default)
    return entry_named(catalog, catalog.roles.get(role, of_group))


def asked_of(role: str, model: str) -> str:
    """A role that is played by a model of its own, as calls name it; ``model`` empty: the role alone."""
    return f"{role}{_BY}{model}" if model else role


def role_of(asked: str) -> str:
    """The role without the model that plays it."""
    return asked if asked.startswith(NAMED) else asked.partition(_BY)[0]


def image_entry(catalog: ModelCatalog) -> ModelEntry:
    """Return the model that makes pictures.

    Raises:
        ModelFinal: ``no-image-model``: none is set; the default is a model for texts.
    """
    if IMAGES not in catalog.roles:
        raise ModelFinal(
            "no-image-model", "no model for images is set, so no picture can be made", hint=SET_IMAGES
        )
    return entry_named(catalog, catalog.roles[IMAGES])


def group_of(role: str) -> str:
    """The group whose model a role uses unless it has one of its own."""
    return SCENE if role in _SCENE_ROLES else role.partition("-")[0]


def profile_of(catalog: ModelCatalog, role: str) -> Profile:
    """Return the profile of ``role``, else of its group, else an empty one."""
    role = role_of(role)
    return catalog.profiles.get(role, catalog.profiles.get(group_of(role), _PLAIN))


def fallback_for(catalog: ModelCatalog, role: str) -> ModelEntry | None:
    """Return the model that answers where the role's own does not; None if there is none.

    Raises:
        ModelFinal: ``unknown-model``.
    """
    name = "" if role.startswith(NAMED) else profile_of(catalog, role).fallback
    return entry_named(catalog, name) if name and name != entry_for(catalog, role).name else None


def entry_named(catalog: ModelCatalog, name: str) -> ModelEntry:
    """Return the model called ``name``; raises ``ModelFinal("unknown-model")``."""
    for entry in catalog.models:
        if entry.name == name:
            return entry
    names = sorted(entry.name for entry in catalog.models)
    raise ModelFinal(
        "unknown-model",
        f"There is no model {name!r} in the settings{meant(name, names) or '.'} "
        f"Configured: {', '.join(names) or 'none'}.",
        hint="name one of these, or add it to penwright.toml; `penwright models list` shows them all",
    )


def answered_by(models: Iterable[str], instead_of: Iterable[str]) -> str:
    """The models that answered, and those in whose place: ``small, in place of large``."""
    replaced = ", ".join(filter(None, instead_of))
    return ", ".join(filter(None, models)) + (f", in place of {replaced}" if replaced else "")


def spelled(entry: ModelEntry) -> str:
    """Return the identity of a model across experiments: its alias, provider, provider's name and address."""
    address = "" if entry.file else masked(entry.api_base)  # of a file's server it is new at each start
    return " ".join(part for part in (entry.name, entry.provider, entry.as_set, address) if part)


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
