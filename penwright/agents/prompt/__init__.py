"""Prompt of a model in a given state: sections, parameters, overrides and tool offers."""
