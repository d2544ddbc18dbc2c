"""A role's task: its file, parameters and sections, and the fields of the reply."""
