"""What is said after a run was paused, resumed, stopped or killed."""

import inspect
import json

import pytest

from gateway.cli.acknowledgement import print_acknowledgement
from gateway.cli.book import session
from gateway.cli.cite import steering as of_scans
from gateway.cli.manuscript import steering as of_manuscripts
from gateway.cli.output import Printer
from gateway.cli.scene import steering as of_rounds
from schemas.control import KillRequest


def test_people_and_programs_are_told_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in (False, True):
        print_acknowledgement(Printer(as_json), "The round of quay", "resume", "goes on", {"scene": "quay"})

    said, _, data = capsys.readouterr().out.partition("\n")
    assert said == "The round of quay has heard it and goes on."
    told = {"status": "acknowledged", "message": "resume", "means": "goes on", "scene": "quay"}
    assert json.loads(data).items() >= told.items()


def test_a_kill_is_told_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    print_acknowledgement(Printer(True), "It", KillRequest(who="ann", reason="enough"), "ends", {})

    assert json.loads(capsys.readouterr().out)["message"] == "kill"


@pytest.mark.parametrize(
    "verbs", [session, of_rounds, of_manuscripts, of_scans], ids=lambda each: each.__name__
)
def test_the_verbs_of_every_pipeline_say_it_so(verbs: object) -> None:
    assert "print_acknowledgement(" in inspect.getsource(verbs)  # type: ignore[arg-type]
    assert '"acknowledged"' not in inspect.getsource(verbs)  # type: ignore[arg-type]
