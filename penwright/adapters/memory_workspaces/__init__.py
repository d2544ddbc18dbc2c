"""Workspaces in memory: the same rules as over git, for tests of everything above them."""

from penwright.adapters.memory_workspaces.adapter import MemoryWorkspaces as MemoryWorkspaces
