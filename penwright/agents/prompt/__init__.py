"""What a model reads in a given state: sections, parameters, overrides and tool offers."""
