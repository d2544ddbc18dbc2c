"""Workspaces in memory: the same rules as over git, for tests of everything above them."""

from tests.support.doubles.workspaces.adapter import MemoryWorkspaces as MemoryWorkspaces
