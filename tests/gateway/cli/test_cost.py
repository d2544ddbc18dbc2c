"""``penwright cost``: what models have cost, by work, role, model or day."""

import json
from typing import Any

import pytest

from gateway.cli import cost as verb
from gateway.desk.operator.spending import Spent
from tests.support.gateway.payments import pay
from tests.support.gateway.services import Run, StageServices


def test_cost_is_shown_by_work_and_by_what_is_named(run: Run, services: StageServices) -> None:
    assert run("cost") == (0, "No model was asked yet.\n", "")
    for number, subject in enumerate(("tide", "ebb/-", "ebb/arrival", "scene/quay")):
        pay(services, number, subject, micros=2_000 + number)

    found: dict[str, Any] = {
        by: json.loads(run("cost", "--by", by, "--json")[1]) for by in ("subject", "role", "model", "day")
    }
    code, shown, _ = run("cost")

    names = {by: [each["name"] for each in told["items"]] for by, told in found.items()}
    assert names == {
        "subject": ["novel/ebb", "scene/quay", "book/tide"],
        "role": ["writer"],
        "model": ["quill-1"],
        "day": ["2026-02-22"],
    }
    assert {sum(each["cost_micros"] for each in told["items"]) for told in found.values()} == {8_006}
    assert code == 0
    assert [line.split()[0] for line in shown.splitlines()[1:]] == ["today", *names["subject"]]
    assert all(" 25 % " in line and " 40 % " in line for line in shown.splitlines()[1:])


@pytest.mark.parametrize(
    ("spent", "told"),
    [
        (Spent("tide", 2, 1, 1, 0, 0, 20_000, 0, 0), "$0.0200"),
        (Spent("tide", 2, 1, 1, 0, 0, 20_000, 1, 0), "$0.0200 and 1 call of unknown price"),
        (Spent("tide", 2, 1, 1, 0, 0, None, 2, 0), "unknown"),
        (
            Spent("tide", 2, 1, 1, 0, 0, 20_000, 0, 1),
            "$0.0200 and 1 answer that never came, which may be billed",
        ),
    ],
)
def test_unknown_prices_and_lost_answers_are_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, spent: Spent, told: str
) -> None:
    monkeypatch.setattr(verb, "spent", lambda *_, **__: (spent,))

    (line,) = [each for each in run("cost")[1].splitlines() if each.startswith("tide")]
    assert line.endswith(told)
