"""Words that pages show in place of names that only the program knows."""

from pathlib import Path
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User
from nicegui.testing.user_interaction import UserInteraction

from gateway.desk.engine.waits import quietly
from gateway.desk.operator import health, spending
from gateway.desk.operator.health import Finding, Health
from gateway.desk.operator.spending import Spent
from gateway.desk.scene import orders, rounds
from gateway.desk.scene.views import ShownEnvelope
from gateway.desk.works import books
from gateway.desk.worlds import lorebooks
from gateway.desk.worlds.kinds import ENTRY, LOREBOOK, EntityKind
from gateway.desk.worlds.lorebooks import Place
from gateway.ui.parts.scene.scene_tabs import best_recalled
from gateway.ui.parts.shared.fields import unset
from gateway.ui.parts.shared.words import WordsField
from penwright.errors import EngineUnavailable
from schemas.base import Effect
from schemas.director_round import DirectorRoundInput
from schemas.envelope import Envelope, Recalled, TokenBudget
from schemas.lore import Lorebook, LoreEntry
from schemas.records import RunRow
from schemas.scene import CloseRound, OpenRound, SceneState
from schemas.worlds import Character
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import NOW, Run, StageServices


@pytest.fixture
def scene(services: StageServices) -> str:
    return a_scene(services, a_world(services))


@pytest.mark.usefixtures("scene")
async def test_the_list_of_scenes_has_the_names_of_world_and_cast(user: User) -> None:
    await user.open("/scenes")

    await user.should_see("0 rounds in Skerrow, with Ann, Bob")


async def played(services: StageServices, scene: str) -> None:
    await rounds.play(services, scene, orders.RoundOptions(text="Who lit the lamp?"), wait=quietly)


async def test_the_round_of_a_scene_has_its_title_and_leads_to_the_scene(
    user: User, services: StageServices, scene: str
) -> None:
    run = RunRow(run=f"scene/{scene}#1", pipeline="director-round", subject=f"scene/{scene}", stage="ended")
    services.store.records.note(run, [])

    await user.open("/runs")
    await user.should_see("The Quay")
    await user.open(f"/runs/scene%2F{scene}%231")

    (found,) = user.find("Open The Quay").elements
    assert found.props["href"] == f"/ui/scenes/{scene}"


async def test_spending_names_a_work_by_its_title_and_leads_to_it(
    user: User, scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = Spent(f"scene/{scene}", 1, 10, 10, 0, 0, 0, 0, 0)
    monkeypatch.setattr(spending, "spent", lambda *_, **__: (spent,))

    await user.open("/spending")

    (found,) = user.find("The Quay").elements
    assert found.props["href"] == f"/ui/scenes/{scene}"


async def test_the_first_prompt_of_the_budget_is_open(
    user: User, services: StageServices, scene: str
) -> None:
    await played(services, scene)

    await user.open(f"/scenes/{scene}?tab=budget")

    assert user.client
    folded = [each for each in user.client.elements.values() if each.tag == "details"]
    prompts = [each.props.get("open", False) for each in folded if "variable" in each.classes]
    assert prompts == [True]


async def test_a_long_chat_shows_its_newest_messages_and_older_ones_on_demand(
    user: User, services: StageServices, scene: str
) -> None:
    for number in range(1, 71):
        effect = Effect(op_id=f"op-{number}", issued_at=NOW)
        opened = services.store.scenes.open_round(
            OpenRound(effect=effect, scene=scene, session=f"s{number}", text=f"Saying {number}.")
        )
        played = services.store.scenes.round(scene, opened.number)
        assert played
        ended = played.model_copy(update={"status": "completed"})
        close = CloseRound(
            effect=effect.model_copy(update={"op_id": f"end-{number}"}),
            scene=scene,
            round=ended,
            state=opened.state or SceneState(),
        )
        services.store.scenes.close_round(close)

    await user.open(f"/scenes/{scene}")
    assert user.client
    shown = [each for each in user.client.elements.values() if "message" in each.classes]
    assert len(shown) == 60
    await user.should_see("Saying 70.")
    await user.should_not_see("Saying 10.")
    user.find("Show earlier messages").click()

    await user.should_see("Saying 1.")
    await user.should_not_see("Show earlier messages")
    assert all(each.id in user.client.elements for each in shown)


async def test_a_round_that_a_cap_paused_says_so_and_can_be_resumed(
    user: User, services: StageServices, scene: str
) -> None:
    effect = Effect(op_id="op-1", issued_at=NOW)
    services.store.scenes.open_round(OpenRound(effect=effect, scene=scene, session="s1", text="Who?"))
    services.rounds.at_work[scene] = DirectorRoundInput(scene=scene, session="s1")
    await user.open(f"/scenes/{scene}")
    await user.should_see("writing")
    await user.should_not_see("Resume")

    services.rounds.paused = "the cap of the day is reached"

    await user.should_see("the cap of the day is reached", retries=100)
    await user.should_see("paused")
    user.find("Resume").click()
    await user.should_see("resumed")
    assert services.rounds.told == [(scene, "resume")]


async def test_words_while_a_round_runs_stay_and_are_sent_once_it_ends(
    user: User, services: StageServices, scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    effect = Effect(op_id="op-1", issued_at=NOW)
    services.store.scenes.open_round(OpenRound(effect=effect, scene=scene, session="s1", text="Who?"))
    services.rounds.at_work[scene] = DirectorRoundInput(scene=scene, session="s1")
    await user.open(f"/scenes/{scene}")
    (field,) = (each for each in user.find(WordsField).elements if each.props["label"] == "What you say")
    told: list[str] = []
    field.run_method = lambda name, *_, **__: told.append(name)  # type: ignore[method-assign,assignment]

    UserInteraction(user, {field}, None).trigger("sent", "And now?")

    await user.should_see("your words stay in the field")
    await user.should_not_see("--queue")
    assert "taken" not in told

    user.find(ui.checkbox).click()
    assert "send" not in told
    running = services.store.scenes.round(scene, 1)
    assert running
    services.store.scenes.close_round(
        CloseRound(
            effect=effect.model_copy(update={"op_id": "end-1"}),
            scene=scene,
            round=running.model_copy(update={"status": "completed"}),
            state=SceneState(),
        )
    )
    await user.should_not_see(ui.checkbox)
    assert "send" in told

    begun: list[tuple[str, bool]] = []

    async def begin(
        services: object, scene: str, wanted: orders.RoundOptions, *, queue: bool = False
    ) -> None:
        begun.append((wanted.text, queue))

    monkeypatch.setattr(rounds, "begin", begin)
    UserInteraction(user, {field}, None).trigger("sent", "And now?")
    await user.should_see("the round has begun")
    assert begun == [("And now?", True)]
    assert "taken" in told


async def test_an_entry_of_which_no_key_occurred_is_called_not_mentioned(
    user: User, services: StageServices, scene: str
) -> None:
    entries = (LoreEntry(uid="1", title="lighthouse", keys=("lighthouse",), content="It is dark."),)
    services.store.worlds.create(Lorebook(id="", name="The Shore", entries=entries))
    lorebooks.attach(services, "The Shore", Place("world", "skerrow"))
    await played(services, scene)

    await user.open(f"/scenes/{scene}?tab=lore")

    await user.should_see("not mentioned: ")
    await user.should_not_see("no-key")


async def test_the_current_chapter_is_not_shown_as_busy(
    user: User, services: StageServices, book: Path
) -> None:
    await user.open(f"/books/{books.find(services, str(book)).book_id}")

    await user.should_see("current")
    await user.should_not_see("autorenew")


@pytest.fixture
def written(run: Run, book: Path) -> None:
    """A session of the book has left prose to be reviewed."""
    assert run("book", "session", str(book))[0] == 0


async def test_prose_that_waits_is_shown_without_the_command(written: None, user: User) -> None:
    await user.open("/")

    await user.should_see("wait for your review")
    await user.should_not_see("penwright web")


async def test_a_lorebook_in_a_list_says_where_it_is_active_and_no_number_of_entries(
    user: User, services: StageServices, scene: str
) -> None:
    entries = (LoreEntry(uid="1", title="lamp", keys=("lamp",), content="It is out."),)
    services.store.worlds.create(Lorebook(id="", name="The Shore", entries=entries))

    await user.open("/worlds?kind=lorebooks")
    await user.should_see("active nowhere yet")
    lorebooks.attach(services, "The Shore", Place("world", "skerrow"))
    await user.open("/worlds?kind=lorebooks")

    await user.should_see("active in 1 place")
    await user.should_not_see("0 entries")


async def test_a_number_that_is_not_set_is_called_so_and_can_be_unset(
    user: User, services: StageServices
) -> None:
    book = services.store.worlds.create(Lorebook(id="", name="The Shore", token_budget=40))

    await user.open(f"/worlds/lorebooks/{book.id}")

    await user.should_see("scan depth")
    await user.should_see("not set")
    await user.should_not_see("null")


@pytest.mark.parametrize(
    ("kind", "name", "said", "taken"),
    [
        (LOREBOOK, "token_budget", " ", "null"),
        (LOREBOOK, "token_budget", "7", "7"),
        (LOREBOOK, "description", "", ""),
        (ENTRY, "whole_words", "", "null"),
    ],
)
def test_an_empty_field_unsets_what_may_be_unset(
    kind: EntityKind[Any], name: str, said: str, taken: str
) -> None:
    assert unset(kind, name, said) == taken


async def test_the_page_of_a_thing_names_others_of_its_name(user: User, services: StageServices) -> None:
    for _ in range(2):
        services.store.worlds.create(Character(id="", name="Mara"))

    await user.open("/worlds/characters/mara-2")

    await user.should_see("Others of this name")
    links = {each.props.get("href") for each in user.find("mara").elements}
    assert "/ui/worlds/characters/mara" in links


def test_a_memory_that_stands_in_two_prompts_is_shown_once_with_its_best_fit() -> None:
    def call(who: str, *memories: Recalled) -> ShownEnvelope:
        budget = TokenBudget(context=100, answer=10, fixed=10, counter="about")
        envelope = Envelope(request_type="user", scene="quay", round=2, budget=budget, memories=memories)
        return ShownEnvelope("quay", 2, "pass 1", who, envelope)

    def memory(character: str, score: float) -> Recalled:
        return Recalled(id="m", character=character, round=1, text="The lamp was lit.", score=score)

    calls = (call("director", memory("ann", 0.41), memory("bob", 0.5)), call("ann", memory("ann", 0.85)))

    assert [(who, each.score) for who, each in best_recalled(calls)] == [("ann", 0.85), ("bob", 0.5)]


async def test_what_a_person_hides_is_closed_by_a_button(
    user: User, services: StageServices, scene: str
) -> None:
    await user.open(f"/scenes/{scene}")
    user.find("Secrets").click()
    await user.should_see("hides")

    user.find("Close").click()

    assert user.client
    opened = [each for each in user.client.elements.values() if isinstance(each, ui.dialog) and each.value]
    assert opened == []


async def test_a_command_among_the_checks_is_shown_as_code(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = Finding("model", "warning", "none is set", "see `penwright models --help`")
    monkeypatch.setattr(health, "health", lambda *_: Health(True, (finding,), {}, {}))

    await user.open("/health")

    await user.should_see("penwright models --help")
    await user.should_not_see("`penwright models --help`")


async def test_a_command_in_what_is_wrong_is_shown_as_code(
    user: User, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_: StageServices) -> None:
        raise EngineUnavailable("engine-not-running", "no engine runs; start it with `penwright up`")

    monkeypatch.setattr(StageServices, "engine", down)

    await user.open("/books")

    await user.should_see("What runs now is not known: no engine runs; start it with ")
    await user.should_see("penwright up")
    await user.should_not_see("`penwright up`")
