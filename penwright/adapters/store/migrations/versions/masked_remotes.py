"""Addresses of remotes without the tokens that stood in them."""

from alembic import op

revision = "0012"
down_revision = "0011"

_MASK = "update books set remote_url = regexp_replace(remote_url, '{pattern}', '{shown}', 'i')"


def upgrade() -> None:
    """As ``penwright.masking`` does with new ones."""
    op.execute(_MASK.format(pattern=r"^(https?://)[^/]+@", shown=r"\1***@"))
    op.execute(_MASK.format(pattern=r"^(\w[\w+.-]*://[^/:@]*):[^/]*@", shown=r"\1:***@"))
