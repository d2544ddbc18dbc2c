"""Settings as an operator sees them: without secrets."""

import re
from typing import Any

from penwright.masking import masked
from workers.settings.values import Settings


def effective(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON values; secrets are masked, including those in addresses."""
    shown: dict[str, Any] = _masked(settings.model_dump(mode="json"))
    if settings.database_url is not None:
        shown["database_url"] = mask_url(settings.database_url.get_secret_value())
    return shown


def _masked(value: Any) -> Any:
    """``value`` with the secrets in its addresses masked."""
    match value:
        case str():
            return masked(value)
        case dict():
            return {key: _masked(each) for key, each in value.items()}
        case list():
            return [_masked(each) for each in value]
    return value


def mask_url(url: str) -> str:
    """Mask the password of ``url``, in the authority and in the query."""
    url = re.sub(r"(?<=://)([^/@:]*):[^@]*@", r"\1:***@", url)
    return re.sub(r"((?:^|[?&])password=)[^&]*", r"\1***", url)
