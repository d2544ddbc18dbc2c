"""The deployment files start every process there is, with settings that there are."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from gateway.cli.program import app
from workers.__main__ import _arguments
from workers.settings import load

DEPLOY = Path(__file__).parents[2] / "deploy"
CODEC = "operator codec-server --port 8086"
PROCESSES = {
    "workflows": "WORKFLOWS_PORT",
    "activities": "ACTIVITIES_PORT",
    "models": "MODELS_PORT",
    "gateway.web": "WEB_PORT",
}


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
    return {
        " ".join(each.get("args") or each["command"][2:]).removeprefix("gateway "): ports
        for each in containers(documents)
    }


# Any: YAML.
def containers(documents: list[Any]) -> list[Any]:
    pods = [each["spec"]["template"]["spec"] for each in documents if "template" in each.get("spec", ())]
    return [each for pod in pods for each in pod["containers"]]


def systemd() -> Mapping[str, set[str]]:
    units = [file.read_text("utf-8") for file in sorted((DEPLOY / "systemd").glob("*.service"))]
    started = {re.findall(r"^ExecStart=\S+ (.+)$", unit, re.MULTILINE)[0]: unit for unit in units}
    return {
        words.removeprefix("-m workers ").removeprefix("-m "): {
            *re.findall(r"^Environment=(\w+)=", unit, re.MULTILINE)
        }
        for words, unit in started.items()
    }


@pytest.mark.parametrize(
    ("target", "others"),
    [(compose, {"operator setup", CODEC}), (kubernetes, {"operator setup", CODEC}), (systemd, {"up", CODEC})],
)
def test_each_target_starts_all_processes_with_a_health_port(target: Any, others: set[str]) -> None:
    found = target()

    assert found.keys() - others == PROCESSES.keys()
    assert {name for name in PROCESSES if f"PENWRIGHT_HEALTH__{PROCESSES[name]}" not in found[name]} == set()


def test_every_command_line_of_the_deployment_files_is_understood() -> None:
    lines = {line for target in (compose, kubernetes, systemd) for line in target()} - {"gateway.web"}
    of_gateway = [line.split() for line in sorted(lines) if line not in PROCESSES]

    assert [_arguments().parse_args([line]).process for line in lines & PROCESSES.keys()]
    assert [words for words in of_gateway if CliRunner().invoke(app, [*words, "--help"]).exit_code] == []


def test_every_container_of_kubernetes_is_confined() -> None:
    found = containers(_yaml("kubernetes/penwright.yaml"))

    confined = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert [each["name"] for each in found if each.get("securityContext") != confined] == []
    assert [each["name"] for each in found if "/tmp" not in str(each.get("volumeMounts"))] == []


def test_every_unit_is_confined() -> None:
    units = {file.name: file.read_text("utf-8") for file in (DEPLOY / "systemd").glob("*.service")}

    kept = ("NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateTmp=yes", "StateDirectory=")
    assert {name for name, unit in units.items() for line in kept if f"\n{line}" not in unit} == set()


def test_no_password_is_shipped() -> None:
    files = [file for file in DEPLOY.rglob("*") if file.is_file()]

    assert [file.name for file in files if "change-me" in file.read_text("utf-8")] == []


def variables() -> Iterator[tuple[str, str]]:
    """Variables of ours and their values in the deployment files, those commented out too."""
    for file in sorted(DEPLOY.rglob("*")):
        if file.suffix in (".yaml", ".service", ".sample"):
            yield from re.findall(
                r"""((?:PENWRIGHT|TEMPORAL)_\w+)(?:=|: )"?(\{.*\}$|[\w.:/@-]*)""",
                file.read_text("utf-8"),
                re.MULTILINE,
            )


def test_every_variable_of_the_deployment_files_is_a_setting_with_a_valid_value() -> None:
    found = dict(variables())

    settings = load({**found, "PENWRIGHT_CONFIG": ""})

    assert {"PENWRIGHT_WORKER__BUILD_ID", "PENWRIGHT_HEALTH__ACTIVITIES_PORT"} <= found.keys()
    assert settings.settings.models["sonnet"].model == "anthropic/claude-sonnet-4-5"
    named = {source.where for source in settings.origins.values()}
    assert {name for name, value in found.items() if value and name not in named} <= {
        "TEMPORAL_API_KEY",
        "PENWRIGHT_CONFIG",
        "PENWRIGHT_MODELS__SONNET",
    }


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
