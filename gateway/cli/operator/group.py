"""``penwright operator``: its verbs."""

from gateway.cli.lazy import lazy_group

group = lazy_group(
    "Prepare and tend an installation.",
    {
        "setup": "gateway.cli.operator.setup:setup",
        "housekeeping": "gateway.cli.operator.housekeeping:housekeeping",
        "codec-server": "gateway.cli.operator.codec:codec_server",
        "key": "gateway.cli.operator.key:key",
    },
)
