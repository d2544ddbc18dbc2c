"""``penwright operator key``: a key for orders."""

from gateway.cli import output


def key(json: output.JsonFlag = False) -> None:
    """Print a new key with which orders are signed.

    For engines whose processes do not share a data directory: set it for every process, and for the
    commands, as PENWRIGHT_ORDERS_KEY, with PENWRIGHT_ENGINE__SHARED=true. What was started before the key
    was made goes on without signatures. `penwright up` makes a key by itself.

    \b
    Examples:
      penwright operator key >> /etc/penwright/env
    """
    from workers.orders.key_file import new_key, text_of

    text = text_of(new_key())
    output.Printer(json).result({"key": text}, f"PENWRIGHT_ORDERS_KEY={text}")
