"""Models and settings in effect: keys by name only, values with where they come from. It changes in place."""

import json
from dataclasses import dataclass

from gateway.desk.models import ConfiguredModel
from gateway.desk.operator import settings
from gateway.desk.operator.settings import ConfiguredModels, ShownSetting, ShownSettings
from gateway.desk.principals import Principal
from gateway.desk.services import Services
from gateway.ui.elements.html import box, sentence, text
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame, frame
from gateway.ui.live import live
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.plots.figures import facts
from gateway.ui.visit import Visit


@dataclass(frozen=True, slots=True)
class _InEffect:
    models: ConfiguredModels
    shown: ShownSettings | None
    """None to all but administrators."""
    file: str
    """From which settings would be read."""


async def page(visit: Visit) -> None:
    """``/settings``."""
    known = await live(
        visit,
        lambda: visit.ask(_read, visit.principal),
        subject=None,
        mark=lambda: visit.ask(lambda services: services.loaded().settings),
    )
    with frame("Settings", here="/settings") as made:
        text("h2", "Models")
        known.part(lambda now: now.models, lambda models: _models(visit, made, models))
        text("h2", "Settings in effect")
        known.part(lambda now: (now.shown, now.file), lambda now: _settings(*now))
        known.follow(made)


def _read(services: Services, principal: Principal) -> _InEffect:
    models = settings.configured_models(services, principal)
    if "admin" not in principal.scopes or principal.subjects is not None:
        return _InEffect(models, None, "")
    return _InEffect(models, settings.shown(services, principal), settings.written_in(services, principal))


def _models(visit: Visit, made: Frame, found: ConfiguredModels) -> None:
    with box("ul", classes="cards"):
        for each in found.models:
            _model(visit, made, each)


def _model(visit: Visit, made: Frame, each: ConfiguredModel) -> None:
    entry = each.entry
    with box("li", classes="card"):
        text("h3", entry.name)
        facts(
            {
                "Provider": entry.provider,
                "Model": entry.as_set,
                "Roles": ", ".join((*each.roles, *(["every other role"] if each.is_default else []))),
                "Key": f"{entry.key_env}, {each.key}" if entry.key_env else each.key,
                "Price": _price(each),
                **({"Learned": each.learned} if each.learned else {}),
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
        failing = [each.role for each in report.roles if not each.works]
        served = f"{len(report.roles) - len(failing)} of {len(report.roles)} roles are served"
        unserved = f", not {', '.join(failing)}: `penwright models test {name}` says why" if failing else ""
        later = "" if report.in_use else "; runs use it once the engine has been restarted"
        return f"{name} answered in {report.latency_ms:,} ms; {served}{unserved}{later}"

    return act


def _settings(shown: ShownSettings | None, file: str) -> None:
    if shown is None:
        text("p", "Settings are shown to administrators.", classes="empty")
        return
    sentence(
        f"From `{shown.file}`, the environment and the defaults."
        if shown.file
        else f"All comes from the environment and the defaults; a settings file would be read from `{file}`.",
        classes="soft",
    )
    chosen = [each for each in shown.settings if each.source.layer != "default"]
    usual = [each for each in shown.settings if each.source.layer == "default"]
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
