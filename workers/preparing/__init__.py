"""What is prepared before the first run: namespaces, tables, schedules."""
