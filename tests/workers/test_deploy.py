"""The deployment files start every process there is, with settings that there are."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from workers.settings import load

DEPLOY = Path(__file__).parents[2] / "deploy"
PROCESSES = {"workflows": "WORKFLOWS_PORT", "activities": "ACTIVITIES_PORT", "models": "MODELS_PORT"}


# Any: YAML.
def _yaml(file: str) -> list[Any]:
    return list(YAML(typ="safe").load_all((DEPLOY / file).read_text("utf-8")))


def compose() -> Mapping[str, set[str]]:
    """Words of the command of each service that runs our image -> variables of its health port."""
    (document,) = _yaml("compose/compose.yaml")
    services = document["services"].values()
    return {
        " ".join(each["command"]): {*each.get("environment", ())} for each in services if "command" in each
    }


def kubernetes() -> Mapping[str, set[str]]:
    documents = _yaml("kubernetes/penwright.yaml")
    ports = {*documents[0]["data"]}
    workloads = [each["spec"]["template"]["spec"]["containers"][0] for each in documents[1:]]
    return {
        " ".join(each.get("args") or each["command"][-2:]): ports if "args" in each else set()
        for each in workloads
    }


def systemd() -> Mapping[str, set[str]]:
    units = [file.read_text("utf-8") for file in sorted((DEPLOY / "systemd").glob("*.service"))]
    started = {re.findall(r"^ExecStart=\S+ (.+)$", unit, re.MULTILINE)[0]: unit for unit in units}
    return {
        words.removeprefix("-m workers "): {*re.findall(r"^Environment=(\w+)=", unit, re.MULTILINE)}
        for words, unit in started.items()
    }


@pytest.mark.parametrize(
    ("target", "others"), [(compose, {"operator setup"}), (kubernetes, {"operator setup"}), (systemd, {"up"})]
)
def test_each_target_starts_all_worker_processes_with_a_health_port(target: Any, others: set[str]) -> None:
    found = target()

    assert found.keys() - others == PROCESSES.keys()
    assert {name for name in PROCESSES if f"PENWRIGHT_HEALTH__{PROCESSES[name]}" not in found[name]} == set()


def variables() -> Iterator[tuple[str, str]]:
    """Variables of ours and their values in the deployment files, those commented out too."""
    for file in sorted(DEPLOY.rglob("*")):
        if file.suffix in (".yaml", ".service", ".sample"):
            yield from re.findall(
                r"""((?:PENWRIGHT|TEMPORAL)_\w+)(?:=|: )"?([\w.:/@-]*)""", file.read_text("utf-8")
            )


def test_every_variable_of_the_deployment_files_is_a_setting_with_a_valid_value() -> None:
    found = dict(variables())

    settings = load({"PENWRIGHT_CONFIG": "", **found})

    assert {"PENWRIGHT_WORKER__BUILD_ID", "PENWRIGHT_HEALTH__ACTIVITIES_PORT"} <= found.keys()
    named = {source.where for source in settings.origins.values()}
    assert {name for name, value in found.items() if value and name not in named} <= {"TEMPORAL_API_KEY"}


@pytest.mark.long
def test_set_up_compiles_most_of_what_the_demo_imports() -> None:
    kinds = "workers.processes.workflows, workers.processes.activities, workers.processes.models"
    shown = "print(*(getattr(each, '__file__', '') for each in sys.modules.values()))"
    program = f"import sys, {kinds}, gateway.cli.demo; {shown}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    files = re.findall(r"site-packages/([^/\s]+)/\S+\.py\b", ran.stdout)
    (listed,) = re.findall(r'^packages="([^"]+)"', (DEPLOY / "setup.sh").read_text("utf-8"), re.MULTILINE)

    left_out = [name for name in files if name not in listed.split()]

    assert len(left_out) < len(files) / 10, sorted(set(left_out))
