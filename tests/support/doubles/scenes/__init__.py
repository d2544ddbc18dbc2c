"""In-memory double of the store of scenes, for one process."""

from tests.support.doubles.scenes.memories import MemoryMemories
from tests.support.doubles.scenes.scenes import MemoryScenes
from tests.support.doubles.scenes.shelf import Shelf
from tests.support.doubles.scenes.worlds import MemoryWorlds

__all__ = ["MemoryMemories", "MemoryScenes", "MemoryWorlds", "Shelf"]
