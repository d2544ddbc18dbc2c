"""The encryption keys of the settings."""

from penwright.adapters.sealing import Keys, read_keys
from workers.settings import Settings


def keys(settings: Settings) -> Keys | None:
    """Return the keys of the settings; None without one.

    Raises:
        UsageMistake: a key is not 32 bytes in base64.
    """
    if settings.encryption_key is None:
        return None
    old = [key.get_secret_value() for key in settings.encryption_old_keys]
    return Keys(list(read_keys([settings.encryption_key.get_secret_value(), *old])))
