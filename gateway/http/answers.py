"""Answers that routes of several resources share."""

from pydantic import BaseModel


class StartedRun(BaseModel):
    """A run that was started; its events and its end are read under its id."""

    run_id: str
    session: str
