"""The demo works as described, with real servers and a worker that is killed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from gateway.cli import demo, output, program
from gateway.cli.demo import WISH, find_rework, plant_wish
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.delivery import read_delivery
from penwright.errors import ModelFinal
from tests.support.engine.demo_vendor import demo_vendor


def test_a_wish_is_added_after_a_paragraph_only(tmp_path: Path) -> None:
    review = tmp_path / "current.md"
    review.write_text("<!-- INK:NEW:START -->\n\nOne.\n\nTwo.\n\nThree.\n")

    assert plant_wish(review) == "Two."
    assert review.read_text() == f"<!-- INK:NEW:START -->\n\nOne.\n\nTwo. <!-- INK: {WISH} -->\n\nThree.\n"


def test_the_rework_is_the_new_text_alone() -> None:
    review = (
        "One.\n\n<!-- INK:REWORKED:START -->\n> **[Rework]** shorter\n\nNew.\n"
        "<!-- INK:ORIGINAL:START -->\nOld.\n<!-- INK:ORIGINAL:END -->\n<!-- INK:REWORKED:END -->\n"
    )

    assert find_rework(review) == "New."
    assert find_rework("One.") == ""


def test_a_model_of_ones_own_that_cannot_be_served_is_named_before_anything_is_started(
    tmp_path: Path,
) -> None:
    with pytest.raises(ModelFinal) as caught:
        demo.local_settings(tmp_path / "none.gguf")

    assert caught.value.code == "gguf-missing"


@pytest.mark.long
@pytest.mark.server
def test_the_demo_finishes_a_book_although_a_worker_is_killed(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "gateway", "demo", "--into", str(tmp_path / "demo"), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    facts = json.loads(ran.stdout)
    assert [session["outcome"] for session in facts["sessions"]] == ["closed", "closed", "completed"]
    assert facts["sessions"][1]["instructions_answered"] == 1
    assert 0 < len(facts["rework"]["after"]) < len(facts["rework"]["before"])
    assert facts["death"]["held_the_book"]
    assert facts["death"]["killed"] != facts["death"]["successor"]
    assert len(facts["tags"]) == len(set(facts["tags"])) == 3
    subjects = [commit["subject"].split(":")[0].split(" 2")[0] for commit in facts["commits"]]
    assert subjects.count("Open session") == subjects.count("Close session") == 3
    book = Path(facts["full_book"]).read_text()
    assert facts["rework"]["after"] in book
    assert facts["rework"]["before"] not in book
    assert "INK:" not in book


@pytest.mark.long
@pytest.mark.server
def test_the_demo_goes_from_one_line_to_accepted_citations(tmp_path: Path) -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "gateway",
            "demo",
            "manuscript",
            "--into",
            str(tmp_path / "demo"),
            "--json",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    facts = json.loads(ran.stdout)
    assert facts["written"]["outcome"] == "finished"
    assert facts["written"]["demo"]
    assert facts["written"]["calls"] == facts["calls"]
    assert facts["citations"]["applied"] == facts["citations"]["found"] > 0
    paper, works = Path(facts["paper"]).read_text(), Path(facts["bibliography"]).read_text()
    keys = re.findall(r"@([a-z]+\d{4}[a-z]+)\]", paper)
    assert len(set(keys)) > facts["citations"]["applied"], "the writer cites what its passages say"
    assert "[no source]" not in paper
    assert all(f"{{{key}," in works for key in keys)
    assert "[[@" not in paper


@pytest.mark.long
@pytest.mark.server
def test_the_demo_plays_three_rounds_with_lore_and_memories(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "gateway", "demo", "scene", "--into", str(tmp_path / "demo"), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    facts = json.loads(ran.stdout)
    assert [each["round"] for each in facts["rounds"]] == [1, 2, 3]
    assert {each["status"] for each in facts["rounds"]} == {"completed"}
    assert all(each["demo"] and each["replies"] for each in facts["rounds"])
    assert facts["lore"] == {"fired": ["lamp", "ferry"], "others": ["lighthouse"]}
    assert any("recalls round 1" in each for each in facts["recalled"])
    transcript = Path(facts["transcript"]).read_text()
    assert all(reply["text"] in transcript for each in facts["rounds"] for reply in each["replies"])


@pytest.mark.long
@pytest.mark.server
def test_the_demo_of_a_model_of_ones_own_shows_its_session_and_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with demo_vendor() as vendor:
        served = f'[models.local]\nmodel = "openai/tiny"\napi_base = "{vendor.address}"\nlocal = true\n\n'
        monkeypatch.setattr(demo, "local_settings", lambda file: f'{served}[roles]\nwriter = "local"\n\n')

        argv = ["demo", "--local", str(tmp_path / "any.gguf"), "--into", str(tmp_path / "demo")]
        code = output.run(get_command(program.app), "penwright", argv)

    told = capfd.readouterr()
    review = read_delivery((tmp_path / "demo" / "the-salt-road" / REVIEW).read_text("utf-8")).prose.strip()
    assert code == 0
    assert "[3/3] one session" in told.err
    assert told.out.rstrip().endswith(review)
    assert vendor.requests, "it was written by that model"
