"""Health of a worker process: readiness checks, liveness reports and the endpoint that answers for them."""
