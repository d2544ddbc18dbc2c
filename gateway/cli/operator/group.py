"""``penwright operator``: its verbs."""

from gateway.cli.lazy import lazy_group

group = lazy_group(
    "Prepare and tend an installation.",
    {
        "setup": (
            "gateway.cli.operator.setup:setup",
            "Prepare your own Temporal and PostgreSQL.",
        ),
        "housekeeping": (
            "gateway.cli.operator.housekeeping:housekeeping",
            "Delete what is old from the store, and pack repositories.",
        ),
        "codec-server": (
            "gateway.cli.operator.codec:codec_server",
            "Decrypt histories for a Temporal UI elsewhere.",
        ),
        "key": ("gateway.cli.operator.key:key", "Print a new key with which orders are signed."),
    },
)
