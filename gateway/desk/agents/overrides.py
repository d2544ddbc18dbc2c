"""Sets of overrides: made of an agent's present texts, and amended text by text."""

from gateway.desk.services import Services
from penwright.agents.prompt.overridable import descriptor
from penwright.agents.prompt.overrides import amended, seeded, unknown_tag
from penwright.errors import Refused
from penwright.roles.catalogue import find
from schemas.overrides import Override, OverrideField, OverrideSet


def seed(services: Services, name: str, tag: str) -> OverrideSet:
    """Store the present texts of an agent as a set, for a person to change.

    Raises:
        Refused: ``overrides-exist``: the tag has a set already.
    """
    services.register_agents()
    definition = find(name).definition
    files = services.overrides()
    if files.read(definition.namespace, definition.key, tag) is not None:
        raise Refused(
            "overrides-exist",
            f"{definition.name} has overrides {tag!r} already; nothing was changed",
            hint=f"`penwright agent amend {definition.name} --tag {tag} --path PATH --from FILE` "
            "changes one text",
        )
    return files.keep(seeded(definition, tag))


def amend(
    services: Services, name: str, tag: str, path: str, field: OverrideField, text: str, *, expected: str = ""
) -> OverrideSet:
    """Put one text into a set.

    Args:
        expected: digest of the text that it replaces in the agent; empty: the present one.

    Raises:
        NotFound: no set of that tag, or ``override-unknown``.
        UsageMistake: ``override-stale`` or ``bad-override``.
    """
    services.register_agents()
    definition = find(name).definition
    files = services.overrides()
    before = files.read(definition.namespace, definition.key, tag)
    if before is None:
        raise unknown_tag(definition, tag, files.tags(definition.namespace, definition.key))
    present = descriptor(definition).get((path, field))
    expected = expected or (present.digest if present else "")
    after = amended(definition, before, Override(path=path, field=field, expected=expected, text=text))
    files.replace(before, after)
    return after
