"""Workspaces over real git: the single choke point for every change of text."""

from penwright.adapters.workspace.adapter import GitWorkspaces
from penwright.adapters.workspace.publishing import OpenGate

__all__ = ["GitWorkspaces", "OpenGate"]
