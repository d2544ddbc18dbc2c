"""``penwright models add``: write a model into the settings file, test it, and give it roles."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli import output
from gateway.cli.asking import answer_to, on_terminal
from gateway.cli.models.verbs import loaded_settings, trial_lines
from gateway.cli.tables import block
from gateway.desk import model_adding
from gateway.desk import models as desk
from gateway.desk.model_adding import Written
from penwright.adapters.models.gguf import check_file
from penwright.adapters.models.vendors import VENDORS, Vendor, is_loopback, listed_models, vendor_named
from penwright.errors import UsageMistake
from schemas.model_catalog import GGUF
from schemas.model_trial import ProbeReport

_VENDORS = ", ".join(each.name for each in VENDORS)


def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What to call it in the settings, such as `sonnet`.")],
    vendor: Annotated[str, typer.Option("--vendor", help=f"One of: {_VENDORS}.")] = "",
    model: Annotated[str, typer.Option("--model", help="The vendor's name for it, or a file's path.")] = "",
    key_env: Annotated[
        str | None, typer.Option("--key-env", help="Variable of the key. Default: the vendor's usual one.")
    ] = None,
    api_base: Annotated[str, typer.Option("--api-base", help="Address of a server of your own.")] = "",
    context_tokens: Annotated[
        int | None, typer.Option("--context-tokens", min=512, help="Size of its window, if no list has it.")
    ] = None,
    input_usd: Annotated[
        float | None, typer.Option("--input-usd", min=0, help="Dollars a million tokens that it reads.")
    ] = None,
    output_usd: Annotated[
        float | None, typer.Option("--output-usd", min=0, help="Dollars a million tokens that it writes.")
    ] = None,
    roles: Annotated[
        list[str] | None, typer.Option("--role", help="Give it this role; may be repeated.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write over a model of that name.")] = False,
    test: Annotated[bool, typer.Option("--test/--no-test", help="Ask it what its roles will ask.")] = True,
    json: output.JsonFlag = False,
) -> None:
    """Write a model into the settings file, test it, and give it roles.

    On a terminal it asks for what the options leave open. Other lines and comments of the file stay. A role
    that the test finds not served is not given. Exit code 1: so it is with one of them, or the test failed.

    \b
    Examples:
        penwright models add sonnet --vendor anthropic --model claude-sonnet-4-5 --role writer
        penwright models add home --vendor ollama --model qwen3 --context-tokens 16384 --no-test
        penwright models add small --vendor gguf --model ~/models/small.gguf --role writer
    """
    loaded, out = loaded_settings(context), output.Printer(json)
    model_adding.check_name(loaded, name, replace=replace)
    found = _vendor(vendor)
    address = api_base or found.api_base or _asked_address(found)
    values: dict[str, Any] = {
        "model": _spelled(found, name, model or _asked_model(found, address), checked=test),
        "key_env": _key(found, address) if key_env is None else key_env,
        "api_base": address,
        "local": is_loopback(address),
        "context_tokens": context_tokens or _asked_window(address),
        "input_usd_per_million": input_usd,
        "output_usd_per_million": output_usd,
    }
    told = {key: value for key, value in values.items() if value not in (None, "", False)}
    written = model_adding.write_model(loaded, name, told)
    for line in _written_lines(written):
        out.note(line)
    report = None
    if test:
        trial = desk.tried(written.loaded, name, timeout_s=None, roles=roles or (), say=out.note)
        report = asyncio.run(trial)
        out.note("\n".join(trial_lines(report)))
    given, refused = _parted(report, _wanted(roles, report))
    model_adding.give_roles(written.loaded, name, given)
    data = {"name": name, "file": str(written.loaded.file), "roles": given, "not_served": refused}
    trial_data = report.model_dump(mode="json") if report else None
    out.result(data | {"trial": trial_data}, _ending_lines(written, name, given, refused))
    if refused:
        raise typer.Exit(output.EXIT_FAILED)


def _spelled(vendor: Vendor, name: str, model: str, *, checked: bool) -> str:
    """The model as settings have it; a file by its whole path, and looked for if it is to be tested."""
    spelled = vendor.spelled(model)
    if not spelled.startswith(GGUF):
        return spelled
    file = Path(spelled.removeprefix(GGUF)).expanduser().resolve()
    if checked:
        check_file(name, file)
    return f"{GGUF}{file}"


def _vendor(given: str) -> Vendor:
    return vendor_named(given or _asked(f"Vendor ({_VENDORS})", "--vendor"))


def _asked_address(vendor: Vendor) -> str:
    return _asked("Its address, such as http://127.0.0.1:8080/v1", "--api-base") if vendor.has_address else ""


def _asked_model(vendor: Vendor, address: str) -> str:
    if not on_terminal():
        return _asked("Model", "--model")
    listed = listed_models(vendor, address)
    there = f" (there: {', '.join(listed)})" if listed else ""
    what = "The path of its file" if vendor.prefix == GGUF else "The vendor's name of the model"
    return answer_to(f"{what}{there}", usual=listed[0] if listed else None)


def _key(vendor: Vendor, address: str) -> str:
    """The vendor's usual variable; on a terminal another may be named."""
    if is_loopback(address) or not on_terminal():
        return vendor.key_env
    return answer_to("Variable of the key, in the environment (Enter: none)", usual=vendor.key_env)


def _asked_window(address: str) -> int | None:
    """The window of a server of one's own, which no list knows."""
    if not address or not on_terminal():
        return None
    said = answer_to("Tokens that its server was started with, context_tokens (Enter: unknown)", usual="")
    if said and not said.isdecimal():
        raise UsageMistake("not-a-number", f"{said!r} is no number of tokens; write one such as 16384")
    return int(said) if said else None


def _asked(question: str, option: str) -> str:
    """The answer of a person; without a terminal, the option is needed."""
    if not on_terminal():
        raise UsageMistake(
            "option-missing", f"cannot ask: stdin is not a terminal; give {option}", hint=f"add {option} …"
        )
    return answer_to(question)


def _wanted(roles: Sequence[str] | None, report: ProbeReport | None) -> Sequence[str]:
    """The roles of the options, else those that a person chooses among the served ones."""
    if roles is not None or not on_terminal():
        return roles or ()
    served = [each.role for each in report.roles if each.works] if report else []
    said = answer_to(f"Roles to give it, of {', '.join(served) or 'any'} (Enter: none)", usual="")
    return said.replace(",", " ").split()


def _parted(report: ProbeReport | None, wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """The roles to give, and those that the test found not served."""
    failing = {each.role for each in report.roles if not each.works} if report else set()
    return [each for each in wanted if each not in failing], [each for each in wanted if each in failing]


def _written_lines(written: Written) -> list[str]:
    return [f"Written to {written.loaded.file}:", *block(written.lines)]


def _ending_lines(written: Written, name: str, given: Sequence[str], refused: Sequence[str]) -> list[str]:
    undone = [f"To undo it, put these lines in the place of [models.{name}]:", *block(written.before)]
    return [
        f"{name} answers for: {', '.join(given)}." if given else f"{name} has no new role.",
        *([f"Not given, as the test says: {', '.join(refused)}."] if refused else []),
        *(undone if written.before else [f"To undo it, take [models.{name}] and its roles out of the file."]),
        "An engine that runs takes it up when it is started again.",
    ]
