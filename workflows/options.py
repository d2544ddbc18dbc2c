"""The only timeouts and retry policies, by kind of side effect."""

from datetime import timedelta

from temporalio.common import RetryPolicy
from temporalio.workflow import ActivityCancellationType, ActivityConfig

REPO_WRITE = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=5),
    heartbeat_timeout=timedelta(seconds=6),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        maximum_interval=timedelta(seconds=10),
        maximum_attempts=12,
    ),
)
"""One commit or none; safe to repeat, so a lost worker costs a heartbeat and no more."""

PROSE_WRITE: ActivityConfig = {
    **REPO_WRITE,
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=130,
    ),
}
"""A commit that carries prose: it waits an hour for a database or a lock before the prose is set aside."""

REMOTE = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=5),
    heartbeat_timeout=timedelta(seconds=6),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(seconds=15),
        maximum_attempts=4,
    ),
)
"""A push. Few attempts: what cannot be pushed now stays pending, and the next session settles it."""

MODEL_CALL = ActivityConfig(
    # A vendor's call ends itself sooner; a model at home may take hours, and is waited for while tokens come.
    start_to_close_timeout=timedelta(hours=6),
    heartbeat_timeout=timedelta(seconds=20),
    cancellation_type=ActivityCancellationType.TRY_CANCEL,
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=2),
        maximum_interval=timedelta(minutes=2),
        maximum_attempts=8,
    ),
)
"""Costs money; the ledger makes a repeat free once an answer has arrived."""

MODEL_TRIAL = ActivityConfig(
    schedule_to_start_timeout=timedelta(seconds=30),
    start_to_close_timeout=timedelta(minutes=15),
    retry_policy=RetryPolicy(maximum_attempts=1),
)
"""A dozen short questions that a user waits for. Each attempt is billed, so there is one."""

TOOL_CALL = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=5),
    heartbeat_timeout=timedelta(seconds=6),
    cancellation_type=ActivityCancellationType.TRY_CANCEL,
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        maximum_interval=timedelta(seconds=15),
        maximum_attempts=12,
    ),
)
"""A tool of an agent, repeated under one key while a store or a worker is away; after a minute or so the
agent gets an error instead. What the tool itself raises is no failure of the activity but its answer."""

EXTERNAL_CALL: ActivityConfig = {
    **TOOL_CALL,
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        maximum_interval=timedelta(seconds=15),
        maximum_attempts=12,
        non_retryable_error_types=["TemporalTimeout:Heartbeat", "TemporalTimeout:StartToClose"],
    ),
}
"""A tool whose effects are outside: repeated only after an error that its handler declares as passing. What a
lost worker did is not known, so its call is not made again."""

RECORD = ActivityConfig(
    start_to_close_timeout=timedelta(seconds=60),
    heartbeat_timeout=timedelta(seconds=6),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        maximum_interval=timedelta(seconds=10),
        maximum_attempts=20,
    ),
)
"""Rows, notices and schedules."""

REMEMBER = ActivityConfig(
    start_to_close_timeout=timedelta(seconds=30),
    schedule_to_close_timeout=timedelta(minutes=1),
    heartbeat_timeout=timedelta(seconds=6),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        maximum_interval=timedelta(seconds=5),
        maximum_attempts=6,
    ),
)
"""Memories of a closed round. They must not keep the next one waiting, so there are few attempts."""

NOTIFY = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=2),
    heartbeat_timeout=timedelta(seconds=6),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=1),
        backoff_coefficient=3,
        maximum_interval=timedelta(minutes=10),
        maximum_attempts=10,
    ),
)
"""A notification. Nothing waits for it, so it is tried for about forty minutes."""

LOOK_UP = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=5),
    heartbeat_timeout=timedelta(seconds=20),
    cancellation_type=ActivityCancellationType.TRY_CANCEL,
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=1),
        maximum_interval=timedelta(seconds=30),
        maximum_attempts=8,
    ),
)
"""Questions to scholarly registries, on ``scholarly_queue``. An outage of one is a result, not a failure."""

HOUSEKEEPING = ActivityConfig(
    schedule_to_start_timeout=timedelta(minutes=15),
    start_to_close_timeout=timedelta(hours=6),
    heartbeat_timeout=timedelta(seconds=20),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=10),
        maximum_interval=timedelta(minutes=10),
        maximum_attempts=6,
    ),
)
"""Deleting and packing by night: safe to repeat, and begun anew by the next night."""

TASK_TIMEOUT = timedelta(seconds=5)
"""Workflow task timeout: how long a lost worker can hold a step; replay stays far below it."""

AT_ONCE = timedelta()
"""The time for which a kill waits for the call in hand, unless a pipeline says otherwise."""

PASSAGE_PATIENCE = timedelta(minutes=1)
"""The time for which the kill of a reading waits for the passage in hand, which is paid."""

LOCK_PATIENCE = timedelta(seconds=2)
"""Between two attempts to take a document that another workflow holds."""

SAMPLE_SLACK = timedelta(hours=6)
"""Time that a sample of an eval has beyond its own, for queues and to end by itself."""


def seconds(number: float) -> timedelta:
    """A duration that a person chose."""
    return timedelta(seconds=number)


def notice_queue(queue: str) -> str:
    """The task queue that sends the notifications of the workflows on ``queue``."""
    return f"{queue}-notices"


def scholarly_queue(queue: str) -> str:
    """The task queue that asks scholarly registries for the workflows on ``queue``."""
    return f"{queue}-scholarly"


def briefs_queue(model_queue: str) -> str:
    """The task queue on which the model worker makes the prompts of scenes, beside its calls to models."""
    return f"{model_queue}-briefs"


def at(queue: str, kind: ActivityConfig) -> ActivityConfig:
    """``kind`` of side effect, on the task queue of the process that can do it; empty: the workflow's own."""
    return {**kind, "task_queue": queue} if queue else kind
