"""What a tool is: arguments, result, effect, examples, and the resources its handler asks for."""
