"""The model that wrote, by name; with the demo model, the lines that put a real one in its place."""

DEMO = "demo"

REAL_MODEL = (
    "[roles]",
    'writer = "sonnet"',
    "[models]",
    'sonnet = { model = "anthropic/claude-sonnet-4-5", key_env = "ANTHROPIC_API_KEY" }',
)
"""Four lines of ``penwright.toml``, which may stand anywhere in it."""


def model_lines(model: str, role: str = "writer") -> list[str]:
    """Name the model; none for an outside agent, whose model is unknown (``""``).

    ``role``: whose line of ``[roles]`` puts another model in the place of the demo model.
    """
    if not model:
        return []
    if model != DEMO:
        return [f"Written by {model}."]
    return [
        "Written by the demo model, which makes sentences without sense. A real model takes four lines in "
        "penwright.toml (`penwright config show` names the file), and its key in the environment:",
        *(f"  {line.replace('writer =', f'{role} =')}" for line in REAL_MODEL),
    ]
