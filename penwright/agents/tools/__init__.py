"""Definition of a tool: arguments, result, effect, examples, and the resources its handler asks for."""
