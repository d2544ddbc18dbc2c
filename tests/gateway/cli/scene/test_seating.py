"""``penwright scene invite``, ``seats`` and ``take-away``."""

import json

import pytest

from gateway.desk.scene.table.seats import seat_of
from penwright.errors import PenwrightError
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import Run, StageServices


@pytest.fixture
def scene(services: StageServices) -> str:
    return a_scene(services, a_world(services))


def test_an_invitation_prints_a_link_once_and_its_seat_is_listed_without_it(
    run: Run, scene: str, services: StageServices
) -> None:
    code, link, err = run("scene", "invite", scene, "--as", "Ann", "--for", "2h")
    assert code == 0
    assert link.startswith("http://127.0.0.1:7280/seat#pws_")
    assert "the link is not shown again" in err
    secret = link.strip().partition("#")[2]

    _, listed, _ = run("scene", "seats", scene)
    assert "ann" in listed
    assert "not seen yet" in listed
    assert secret not in listed
    assert seat_of(services, secret).name == "Ann"
    _, told, _ = run("scene", "seats", scene, "--json")
    assert [(each["name"], each["present"]) for each in json.loads(told)["seats"]] == [("Ann", True)]


def test_a_seat_is_taken_away_and_its_link_opens_nothing(
    run: Run, scene: str, services: StageServices
) -> None:
    _, told, _ = run("scene", "invite", scene, "--as", "Ann", "--json")
    secret = json.loads(told)["link"].partition("#")[2]

    code, out, _ = run("scene", "take-away", scene, "Ann")

    assert (code, out.strip()) == (0, "Ann is the model's again")
    with pytest.raises(PenwrightError, match="this seat was taken away"):
        seat_of(services, secret)


def test_who_invites_one_that_is_elsewhere_is_told_how_to_bring_them_in(run: Run, scene: str) -> None:
    _, _, err = run("scene", "invite", scene, "--as", "Cleo")

    assert f"`penwright scene cast {scene} --add cleo`" in " ".join(err.split())


@pytest.mark.parametrize("lasts", ["0", "soon", "367d"])
def test_a_length_of_time_that_is_none_makes_no_seat(run: Run, scene: str, lasts: str) -> None:
    code, _, _ = run("scene", "invite", scene, "--as", "Ann", "--for", lasts)

    assert code == 2
    assert "nobody" in run("scene", "seats", scene)[1]
