"""``penwright scene play`` over a stage, as a process. Its argument names a file that gets a dot per tick."""

import asyncio
import os
import sys

from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.cli.scene.live_view import play
from gateway.cli.scene.live_view.keyboard import Keyboard
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from schemas.worlds import Character, World
from tests.support.gateway.services import StageServices


class Ticking(play.LiveView):
    """The view beside a ticker, which shows whether its loop runs."""

    async def play(self, keyboard: Keyboard) -> None:
        ticks = asyncio.ensure_future(_tick())
        try:
            await super().play(keyboard)
        finally:
            ticks.cancel()


async def _tick() -> None:
    ticks = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(ticks, b".")
        await asyncio.sleep(0.02)


def main() -> int:
    services = StageServices()
    services.store.worlds.create(World(id="", name="Skerrow"))
    services.store.worlds.create(Character(id="", name="Ann"))
    creating.create(services, NewScene(title="Quay", world="skerrow", cast=("Ann",)))
    play.LiveView = Ticking  # type: ignore[misc]
    return output.run(get_command(cli.app), "penwright", ["scene", "play", "quay"], obj=services)


if __name__ == "__main__":
    sys.exit(main())
