"""Models and settings in effect: keys by name only, values with where they come from."""

import json

from gateway.desk.models import ConfiguredModel
from gateway.desk.operator import settings
from gateway.desk.operator.settings import ShownSetting
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.html import box, text, told
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.tables import Column, table
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/settings``."""
    models = await visit.ask(settings.configured_models, visit.principal)
    shown = None
    if "admin" in visit.principal.scopes and visit.principal.subjects is None:
        shown = await visit.ask(settings.shown, visit.principal)
    with frame("Settings", here="/settings") as made:
        text("h2", "Models")
        with box("ul", classes="cards"):
            for each in models.models:
                _model(visit, made, each)
        text("h2", "Settings in effect")
        if shown is None:
            text("p", "Settings are shown to administrators.", classes="empty")
            return
        told(
            f"From `{shown.file}`, the environment and the defaults."
            if shown.file
            else "All comes from the environment and the defaults; a settings file would be read from "
            f"`{await visit.ask(settings.written_in, visit.principal)}`.",
            classes="soft",
        )
        _settings(shown.settings)


def _model(visit: Visit, made: Frame, each: ConfiguredModel) -> None:
    entry = each.entry
    with box("li", classes="card"):
        text("h3", entry.name)
        facts(
            {
                "Provider": entry.provider,
                "Model": entry.model,
                "Roles": ", ".join((*each.roles, *(["every other role"] if each.is_default else []))),
                "Key": f"{entry.key_env}, {each.key}" if entry.key_env else each.key,
                "Price": _price(each),
            }
        )
        with box(classes="row-of"):
            action(made, "Try it", _tried(visit, entry.name), icon="network_ping", reload=False)


def _price(each: ConfiguredModel) -> str:
    if each.price is None:
        return "not known"
    dollars = (each.price.input_micros / 1_000_000, each.price.output_micros / 1_000_000)
    return f"${dollars[0]:,.2f} in, ${dollars[1]:,.2f} out, per million tokens"


def _tried(visit: Visit, name: str) -> Act:
    async def act() -> str:
        report = await visit.ask_engine(settings.try_model, visit.principal, name)
        rung = f"structured answers by {report.best_rung}" if report.best_rung else "no structured answers"
        later = "" if report.in_use else "; runs use it once the engine has been restarted"
        return f"{name} answered in {report.latency_ms:,} ms; {rung}{later}"

    return act


def _settings(found: tuple[ShownSetting, ...]) -> None:
    chosen = [each for each in found if each.source.layer != "default"]
    usual = [each for each in found if each.source.layer == "default"]
    if chosen:
        table(_COLUMNS, chosen, caption="Settings that were chosen; secrets are masked")
    with box("details"):
        text("summary", f"{len(usual)} settings have their defaults")
        table(_COLUMNS, usual, caption="Settings with their defaults")


def _value(each: ShownSetting) -> str:
    return "–" if each.value in (None, "", []) else json.dumps(each.value, ensure_ascii=False)


_COLUMNS: tuple[Column[ShownSetting], ...] = (
    Column("Setting", lambda each: each.key),
    Column("Value", _value),
    Column("From", lambda each: each.source.where or each.source.layer),
)
