"""Base of every request's body."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationInfo, field_validator


class Order(BaseModel, extra="forbid"):
    """A body as a caller sends it; an unknown field is refused, so that no misspelt wish is lost."""

    @field_validator("*", mode="before")
    @classmethod
    def _no_number(cls, value: Any, info: ValidationInfo) -> Any:  # Any: JSON
        """``true`` is no number, though Python counts with it."""
        if isinstance(value, bool) and info.field_name:
            told = cls.model_fields[info.field_name].annotation
            kinds = get_args(told) or (told,)
            if bool not in kinds and any(each in (int, float) for each in kinds):
                raise ValueError("a number is expected, not true or false")
        return value
