"""What every body of a request is."""

from pydantic import BaseModel


class Order(BaseModel, extra="forbid"):
    """A body as a caller sends it; an unknown field is refused, so that no misspelt wish is lost."""
