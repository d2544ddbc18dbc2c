"""Forms: what a person sees of a thing, and what comes of what they typed."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.desk.worlds.forms.filling import assigned, filled
from gateway.desk.worlds.forms.writing import difference, read_form, written
from gateway.desk.worlds.forms.yaml_reading import read_yaml
from gateway.desk.worlds.forms.yaml_writing import entry_lines
from gateway.desk.worlds.kinds import CAMPAIGN, CHARACTER, ENTRY, LOREBOOK, PERSONA, SCENE, WORLD, EntityKind
from penwright.errors import UsageMistake
from schemas.lore import Lorebook, LoreEntry
from schemas.worlds import Campaign, Character, Notes, Persona, Scene, SceneNotes, World
from tests.support.each import for_each

MARA = Character(
    id="mara",
    name="Mara",
    description="Keeps the light.\nSays little.",
    tags=("sailor", "true", "#1"),
    alternate_greetings=("Who goes there?\n\nSpeak.", ""),
    extensions={"other": {"depth": 4}},
    version=3,
)
_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
_ROUGH = st.text(st.sampled_from(" \n\t#:-|>'\"\\&*!%@`{}[],?~x0é\u2028\ufeff\x85\x07"), max_size=12)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT
    | _ROUGH,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT | _ROUGH, inner, max_size=3),
    max_leaves=5,
)


# Any: things of different kinds.
def with_words(kind: EntityKind[Any], thing: Any, words: tuple[str, ...]) -> Any:
    """The thing with every ``field=value`` of ``--set``."""
    return filled(kind, thing, assigned(kind, words))


def mistake(call: Callable[[], object]) -> UsageMistake:
    with pytest.raises(UsageMistake) as caught:
        call()
    return caught.value


@given(_JSON, st.booleans())
def test_reading_what_was_written_gives_the_value_back(value: Any, long: bool) -> None:
    text = "\n".join(["# note", *entry_lines("field", value, long=long), "", "# note", "after: 1", ""])

    assert read_yaml(text).values == {"field": value, "after": 1}


@given(_TEXT | _ROUGH, _TEXT | _ROUGH, st.lists(_TEXT | _ROUGH, max_size=3), st.integers(0, 100))
def test_a_form_that_is_not_touched_changes_nothing(
    description: str, secrets: str, greetings: list[str], talkative: int
) -> None:
    changes = {"description": description, "secrets": secrets, "talkative": talkative}
    thing = MARA.model_copy(update={**changes, "alternate_greetings": tuple(greetings)})

    again, version = read_form(
        CHARACTER, thing, written(CHARACTER, thing, head="Mara", version=thing.version)
    )

    assert (again, version) == (thing, 3)
    assert difference(CHARACTER, thing, again) == []


@for_each(
    "kind, thing",
    [
        (WORLD, World(id="harbour", name="Harbour", notes=Notes(plot="The light is out."))),
        (CAMPAIGN, Campaign(id="fog", world="harbour", name="Fog")),
        (
            SCENE,
            Scene(id="pier", arc="one", title="The pier", notes=SceneNotes(location="Pier 4", goals="Leave")),
        ),
        (PERSONA, Persona(id="me", name="I", description="A stranger.")),
        (
            LOREBOOK,
            Lorebook(id="tides", name="Tides", entries=(LoreEntry(uid="1", content="x"),), extra={"a": 1}),
        ),
        (ENTRY, LoreEntry(uid="1", content="The tide.", keys=("tide", "/eb+/i"), case_sensitive=None)),
    ],
)
def test_every_kind_has_a_form_that_gives_the_thing_back(kind: Any, thing: Any) -> None:
    form = written(kind, thing, head="First line.\nSecond line.")
    again, version = read_form(kind, thing, form)

    assert (again, version) == (thing, None)
    assert form.startswith("# First line.\n# Second line.\n# ")
    assert max(map(len, form.splitlines())) <= 100


def test_long_text_is_a_block_that_a_person_can_go_on_below() -> None:
    form = written(CHARACTER, MARA)

    assert "description: |-\n  Keeps the light.\n  Says little.\n" in form
    assert "goals: |-\n" in form
    assert 'tags:\n  - sailor\n  - "true"\n  - "#1"\n' in form


def test_fields_that_a_form_leaves_out_stay_and_empty_ones_are_emptied() -> None:
    changed, _ = read_form(CHARACTER, MARA, "nickname: Light\ndescription:\ntags:\n")

    assert changed == MARA.model_copy(update={"nickname": "Light", "description": "", "tags": ()})


def test_a_difference_shows_the_lines_that_change() -> None:
    changed, _ = read_form(CHARACTER, MARA, "description: |-\n  Keeps the light.\n  -- Sings.\n")

    lines = difference(CHARACTER, MARA, changed)

    assert "-  Says little." in lines
    assert "+  -- Sings." in lines
    assert len([line for line in lines if line[0] in "+-"]) == 2


@for_each(
    "text, code, said",
    [
        ("name: Mara\nmood: sad\n", "unknown-field", "line 2"),
        ("descripton: x\n", "unknown-field", "did you mean 'description'?"),
        ("name: 7\n", "bad-value", "line 1: 'name' must be text"),
        ("talkative: 120\n", "bad-value", "must be from 0 to 100, not 120"),
        ("talkative: often\n", "bad-value", "must be a whole number, not 'often'"),
        ("tags: {a: 1}\n", "bad-value", "must be a list"),
        ("name: ''\n", "bad-name", "line 1"),
        ('name: "a\\nb"\n', "bad-name", "one line"),
        ("name: a\nname: b\n", "form-duplicate-key", "line 2"),
        ("goals: to: leave\n", "form-broken", "line 1"),
        ("goals: [a\n", "form-broken", "line"),
        ("- Mara\n", "form-broken", "expected lines of the form"),
        ("goals: &a [x]\ntags: *a\n", "form-broken", "line 2: invalid YAML: references"),
        ('goals: "a\\0b"\n', "bad-text", "NUL"),
        ("goals: !!python/object:os.system x\n", "bad-value", "goals"),
        ("born: 2026-01-01\n", "unknown-field", "born"),
        ("nickname: 2026-01-01\n", "bad-value", "must be text"),
        ("[" * 5_000, "form-broken", "line"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, code: str, said: str) -> None:
    error = mistake(lambda: read_form(CHARACTER, MARA, text))

    assert error.code == code
    assert said in error.message
    assert error.details["hint"]


def test_a_form_that_is_too_large_is_refused_before_it_is_parsed() -> None:
    error = mistake(lambda: read_form(CHARACTER, MARA, "# " + "x" * 5_000_000))

    assert error.code == "form-too-large"


def test_settings_within_a_field_are_set_by_their_path_and_their_siblings_stay() -> None:
    scene = Scene(id="pier", arc="one", title="The pier")

    changed = with_words(
        SCENE, scene, ("settings.shares.lore=20", "settings.world_agent=true", "goals=a=b: c")
    )

    assert (changed.settings.shares.lore, changed.settings.shares.history) == (20, 30)
    assert changed.settings.world_agent
    assert changed.notes.goals == "a=b: c"


def test_a_list_is_set_from_one_word_or_from_yaml() -> None:
    assert with_words(CHARACTER, MARA, ("tags=keeper",)).tags == ("keeper",)
    assert with_words(CHARACTER, MARA, ("tags=[keeper, '7']",)).tags == ("keeper", "7")
    assert with_words(CHARACTER, MARA, ("name=7",)).name == "7"
    assert with_words(ENTRY, LoreEntry(uid="1", content="x"), ("case-sensitive=null",)).case_sensitive is None


@for_each(
    "word, code",
    [
        ("name", "bad-set"),
        ("=x", "bad-set"),
        ("settings..lore=1", "bad-set"),
        ("mood=sad", "unknown-field"),
        ("settings.shares.lore=many", "bad-value"),
        ("settings.shares.lore=101", "bad-value"),
        ("settings=4", "bad-value"),
        ("title=", "bad-name"),
    ],
)
def test_a_wrong_assignment_is_refused_by_name(word: str, code: str) -> None:
    scene = Scene(id="pier", arc="one", title="The pier")

    assert mistake(lambda: with_words(SCENE, scene, (word,))).code == code


def test_an_unknown_setting_within_a_field_is_refused() -> None:
    scene = Scene(id="pier", arc="one", title="The pier")

    error = mistake(lambda: with_words(SCENE, scene, ("settings.shares.lor=20",)))

    assert error.code == "unknown-field"
    assert "did you mean 'lore'?" in error.message
