"""The model that wrote, by name; with the demo model, the lines that put a real one in its place."""

DEMO = "demo"

REAL_MODEL = (
    "[models.sonnet]",
    'model = "anthropic/claude-sonnet-4-5"',
    'key_env = "ANTHROPIC_API_KEY"',
    "",
    "[roles]",
    'writer = "sonnet"',
)
"""Lines of ``penwright.toml``: the one form in which settings of a model are shown."""


def model_lines(model: str, role: str = "writer") -> list[str]:
    """Name the model; none for an outside agent, whose model is unknown (``""``).

    ``role``: whose line of ``[roles]`` puts another model in the place of the demo model.
    """
    if not model:
        return []
    if model != DEMO:
        return [f"Written by {model}."]
    return [
        "Written by the demo model, which makes sentences without sense. A real model takes these lines in "
        "penwright.toml (`penwright config show` names the file), and its key in the environment:",
        *(f"  {line.replace('writer =', f'{role} =')}".rstrip() for line in REAL_MODEL),
    ]
