"""``penwright operator``: its verbs."""

from gateway.cli.lazy import lazy_group

group = lazy_group(
    "Prepare and tend an installation.",
    {
        "setup": (
            "gateway.cli.operator.setup:setup",
            "Prepare your own Temporal and PostgreSQL.",
        ),
    },
)
