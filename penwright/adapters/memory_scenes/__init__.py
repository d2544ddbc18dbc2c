"""In-memory double of the store of scenes, for one process."""

from penwright.adapters.memory_scenes.memories import MemoryMemories
from penwright.adapters.memory_scenes.scenes import MemoryScenes
from penwright.adapters.memory_scenes.shelf import Shelf
from penwright.adapters.memory_scenes.worlds import MemoryWorlds

__all__ = ["MemoryMemories", "MemoryScenes", "MemoryWorlds", "Shelf"]
