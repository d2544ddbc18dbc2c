"""``penwright operator codec-server``: histories in plain text, for a Temporal UI elsewhere."""

import sys
from typing import Annotated

import typer

from gateway.cli import output


def codec_server(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on 127.0.0.1.")] = 8081,
    ui: Annotated[str, typer.Option(help="Address of the Temporal UI that may ask.")] = "",
    json: output.JsonFlag = False,
) -> None:
    """Decrypt histories for a Temporal UI elsewhere.

    It runs until Ctrl-C. The embedded engine does this by itself. Enter the address that
    it prints as the codec endpoint in the UI's settings. It needs PENWRIGHT_ENCRYPTION_KEY.

    \b
    Examples:
      penwright operator codec-server --ui https://temporal.example
    """
    from workers.payloads import codec_server as codec
    from workers.settings import load

    out = output.Printer(json)
    server = codec.open_server(load().settings, port=port, ui=ui or None)

    def ready() -> None:
        out.result({"status": "serving", "endpoint": server.url}, f"codec endpoint {server.url}")
        sys.stdout.flush()

    codec.serve(server, ready)
