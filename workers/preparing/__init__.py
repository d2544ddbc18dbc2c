"""Preparation before the first run: namespaces, tables, schedules."""
