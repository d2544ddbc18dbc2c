"""The encryption keys of the settings."""

from penwright.adapters.sealing import Keys, read_keys
from workers.settings import Settings


def keys(settings: Settings) -> Keys | None:
    """Return the keys of the settings; None without one.

    With old keys alone nothing is encrypted any more, and what was is still read.

    Raises:
        UsageMistake: a key is not 32 bytes in base64.
    """
    current = [settings.encryption_key] if settings.encryption_key is not None else []
    texts = [key.get_secret_value() for key in (*current, *settings.encryption_old_keys)]
    return Keys(list(read_keys(texts)), only_decrypt=not current) if texts else None
