"""A role finds its model: its own, its group's, or the default."""

import pytest

from penwright.domain.models.choice import (
    MANUSCRIPT,
    asked_of,
    entry_for,
    fallback_for,
    profile_of,
    role_of,
)
from penwright.errors import ModelFinal
from penwright.roles.manuscript.cast import ROLES
from schemas.manuscript_roles import ManuscriptRole
from schemas.model_catalog import DEMO, ModelCatalog, ModelEntry, Profile
from tests.support.each import for_each

LARGE = ModelEntry(name="large", provider="litellm", model="openrouter/vendor/large")
SMALL = ModelEntry(name="small", provider="litellm", model="openrouter/vendor/small")


def catalog(**roles: str) -> ModelCatalog:
    named = {role.replace("_", "-"): model for role, model in roles.items()}
    return ModelCatalog(models=(DEMO, LARGE, SMALL), roles=named)


@for_each("role", ROLES)
def test_one_line_chooses_the_model_of_every_manuscript_role(role: ManuscriptRole) -> None:
    asked = ROLES[role].model_role

    assert entry_for(catalog(**{MANUSCRIPT: "large"}), asked) == LARGE
    assert entry_for(catalog(writer="large"), asked) == DEMO


def test_a_role_of_its_own_comes_before_its_group() -> None:
    models = catalog(manuscript="large", manuscript_critic="small", critic="demo")

    assert entry_for(models, "manuscript-critic") == SMALL
    assert entry_for(models, "manuscript-citation-generator") == LARGE
    assert entry_for(models, "critic") == DEMO


def test_a_model_named_directly_comes_before_all() -> None:
    assert entry_for(catalog(manuscript="large"), "model:small") == SMALL


def test_a_role_that_a_model_of_its_own_plays_keeps_its_profile_and_fallback() -> None:
    profiles = {"character": Profile(fallback="small")}
    models = catalog(character="demo").model_copy(update={"profiles": profiles})
    asked = asked_of("character", "large")

    assert entry_for(models, asked) == LARGE
    assert profile_of(models, asked) == profiles["character"]
    assert fallback_for(models, asked) == SMALL
    assert (role_of(asked), asked_of("character", ""), role_of("model:a@b")) == (
        *("character", "character", "model:a@b"),
    )
    with pytest.raises(ModelFinal, match="did you mean 'large'"):
        entry_for(models, asked_of("character", "lage"))
