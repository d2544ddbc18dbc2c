"""``penwright up``: the process that starts the engine, keeps it whole, and takes everything with it."""

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from types import FrameType

from penwright.errors import PenwrightError, PermanentError
from schemas.base import DISK_LOW
from workers.engine import local_models, postgres, processes, temporal
from workers.engine.children import Child
from workers.engine.health_server import HealthServer
from workers.engine.processes import Program
from workers.engine.server_probe import http_probe, postgres_probe, temporal_probe
from workers.engine.starting import Report, StartReport, complete, end_of_log
from workers.engine.stuck_detector import StuckDetector
from workers.home import free_space
from workers.home.folder import DrainReport, Home, Record
from workers.orders.key_file import prepare_key
from workers.settings import Loaded

POLL_STARTING_S = 0.02
POLL_READY_S = 2.0
POLL_STOPPING_S = 0.1
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
DEFAULT_PORT = 7233
DEFAULT_WEB_PORT = 7280
SERVERS = ("temporal", "postgres")
_RUN_ACTIVITIES = frozenset({"activities", "models"})
"""Processes that have something to finish or to hand back when they stop."""
STOP_SLACK_S = 5
"""Time a worker may take beyond its grace period; it ends itself sooner, see ``SETTLE_S``."""


class Supervisor:
    """One engine in one home. ``run`` must be called on the main thread."""

    def __init__(
        self, loaded: Loaded, report: Report, on_ready: Callable[[Record], None] = lambda record: None
    ) -> None:
        self._loaded = loaded
        self._settings = loaded.settings
        self._home = Home(loaded.settings.home)
        self._report = report
        self._on_ready = on_ready
        self._start_report: StartReport | None = StartReport(report)
        self._children: list[Child] = []
        self._stops = 0
        self._health_server: HealthServer | None = None
        self._written = b""
        self._last_trouble = ""
        before = self._home.read()
        files = local_models.files_of(loaded)
        self._llama = local_models.addresses(loaded, files) if files else {}
        """Variables of the processes that serve and ask models that are files."""
        self._record = Record(
            state="starting",
            pid=os.getpid(),
            started=processes.now(),
            version=version("penwright"),
            namespace=self._settings.engine.namespace,
            temporal_port=before.temporal_port if before else None,
            ui_port=before.ui_port if before else None,
            codec_port=before.codec_port if before else None,
            web_port=before.web_port if before else None,
        )

    def run(self) -> bool:
        """Run until asked to stop; False if another supervisor already holds this home.

        Raises:
            PenwrightError: the engine could not start or could not go on; everything has been stopped.
        """
        self._home.make()
        with self._home.hold() as held, self._listening(), ExitStack() as stack:
            if not held:
                return False
            try:
                self._open_health_server(stack)
                self._plan(stack)
                self._start()
                self._watch()
            except PenwrightError as error:
                self._stop()
                self._note(state="failed", reason=error.message)
                raise
            self._stop()
            self._note(state="stopped")
            return True

    def _open_health_server(self, stack: ExitStack) -> None:
        if self._settings.health.enabled:
            self._health_server = HealthServer(self._settings.health, self._home, lambda: self._record)
            stack.callback(self._health_server.close)
            self._note(health=self._health_server.url)

    def _plan(self, stack: ExitStack) -> None:
        """Decide what runs here: what the settings do not place elsewhere."""
        prepare_key(self._settings)
        if self._settings.embeds_temporal:
            self._plan_temporal(stack)
        if self._settings.embeds_postgres:
            self._plan_postgres()
        servers = [child for child in self._children if child.name in SERVERS]
        workers = [self._worker(kind, "--prepare") for kind in ("workflows", "activities")]
        workers.append(self._worker("models", essential=False))
        engine = self._settings.engine
        for child in workers:
            child.reports, child.waits_for = True, servers
        # It waits for the tables, too.
        workers[-1].waits_for = [*servers, *workers[:-1]]
        self._children += workers
        if self._llama:
            self._children.append(self._worker(local_models.NAME, essential=False))
        if self._settings.web.enabled:
            self._plan_web()
        for child in self._children:
            limit_s = engine.stuck_s if child.reports or child.probe else 0
            child.stuck_detector = StuckDetector(limit_s, engine.start_stall_s)
        self._note(step="")

    def _plan_temporal(self, stack: ExitStack) -> None:
        engine = self._settings.engine
        binary = temporal.binary(engine.temporal_cli, self._loaded.environ.get("PATH"))
        lock = stack.enter_context(temporal.hold_database(self._home.temporal_db))
        self._choose_ports()
        if self._settings.has_encryption_keys:
            codec = self._worker("codec", essential=False)
            codec.probe = http_probe(lambda: f"http://{temporal.HOST}:{self._record.codec_port}")
            self._children.append(codec)
        child = Child("temporal", lambda: self._temporal(child, str(binary), lock), self._answers)
        child.probe = temporal_probe(temporal.HOST, self._temporal_port)
        self._children.insert(0, child)

    def _plan_postgres(self) -> None:
        cluster = postgres.cluster(self._home.postgres)
        if not (cluster.data / "PG_VERSION").exists():
            self._note(step="making the database (first start only)")
        postgres.prepare(cluster)

        def make() -> Program:
            postgres.prepare(cluster)
            return postgres.program(cluster, log=self._home.log("postgres"), environ=self._loaded.environ)

        def is_ready(child: Child) -> bool:
            return child.pid is not None and postgres.ready(cluster, child.pid)

        probe = postgres_probe(cluster.socket, postgres.SUPERUSER)
        self._children.append(Child("postgres", make, is_ready, probe=probe))
        self._note(database_url=cluster.url)

    def _plan_web(self) -> None:
        self._choose_web_port()
        child = Child("web", lambda: self._web(child), Child.said_ready, essential=False, reports=True)
        self._children.append(child)

    def _web(self, child: Child) -> Program:
        # As with Temporal, another program may have taken the port after our check.
        if child.restarts >= 0 and not child.was_ready:
            self._choose_ui_port()
            self._choose_web_port()
        writing = child.listen()
        return Program(
            name="web",
            # By name: a worker imports nothing of the gateway.
            argv=(sys.executable, "-P", "-m", "gateway.web", "--ready-fd", str(writing)),
            environ=self._loaded.child_environment(),
            folder=self._home.root,
            log=self._home.log("web"),
            stop_s=5,
            inherits=(writing,),
            closes=(writing,),
        )

    def _choose_web_port(self) -> None:
        web, record = self._settings.web, self._record
        taken = tuple(filter(None, (record.temporal_port, record.ui_port, record.codec_port)))
        port = _port("web.port", web.port, record.web_port or DEFAULT_WEB_PORT, taken)
        scheme = "https" if web.tls_certificate else "http"
        host = temporal.HOST if web.host in ("0.0.0.0", "::", "localhost") else web.host
        self._note(web_port=port, web=f"{scheme}://{host}:{port}")

    def _temporal(self, child: Child, binary: str, lock: int) -> Program:
        # A server that never came up may have lost its port to a program that started after our check.
        if child.restarts >= 0 and not child.was_ready:
            self._choose_ports()
        record, engine = self._record, self._settings.engine
        assert record.temporal_port is not None
        ui = temporal.hidden_address() if record.ui else None
        self._note(ui_upstream=f"http://{ui[0]}:{ui[1]}" if ui else None)
        codec = f"http://{temporal.HOST}:{record.codec_port}" if self._settings.has_encryption_keys else None
        return Program(
            name="temporal",
            argv=(
                binary,
                *temporal.arguments(
                    self._home.temporal_db,
                    port=record.temporal_port,
                    ui=ui,
                    namespace=engine.namespace,
                    synchronous=engine.synchronous,
                    codec=codec,
                ),
            ),
            environ=temporal.environment(self._loaded.environ),
            folder=self._home.root,
            log=self._home.log("temporal"),
            stop_s=5,
            inherits=(lock,),
        )

    def _choose_ports(self) -> None:
        """Fixed ports or an error; otherwise those of last time if still free, else others."""
        record = self._record
        port = _port("engine.port", self._settings.engine.port, record.temporal_port or DEFAULT_PORT, ())
        self._note(temporal_port=port, temporal=f"{temporal.HOST}:{port}")
        self._choose_ui_port()
        assert self._record.ui_port is not None
        taken = (port, self._record.ui_port)
        self._note(codec_port=_port("", None, record.codec_port or port + 2000, taken))

    def _choose_ui_port(self) -> None:
        """The port of the guard in front of Temporal's pages, which the workspace's process serves."""
        record, fixed = self._record, self._settings.engine.ui_port
        assert record.temporal_port is not None
        preferred = record.ui_port or record.temporal_port + 1000
        port = _port("engine.ui_port", fixed, preferred, (record.temporal_port,))
        self._note(ui_port=port, ui=f"http://{temporal.HOST}:{port}" if self._settings.web.enabled else None)

    def _worker(self, kind: str, *flags: str, essential: bool = True) -> Child:
        # Only this child sees provider keys: no other code should be able to spend money.
        environ = self._loaded.child_environment(with_model_keys=kind == "models")
        if kind in ("models", local_models.NAME):
            environ |= self._llama
        if metrics := self._settings.telemetry.metrics_address_of(kind):
            environ |= {"PENWRIGHT_TELEMETRY__METRICS_ADDRESS": metrics}

        def make() -> Program:
            writing = child.listen()
            command = ("-P", "-m", "workers", kind, "--ready-fd", str(writing), *flags)
            return Program(
                name=kind,
                argv=(sys.executable, *command),
                environ=environ,
                folder=self._home.root,
                log=self._home.log(kind),
                stop_s=self._settings.worker.grace_s + STOP_SLACK_S,
                inherits=(writing,),
                closes=(writing,),
            )

        child = Child(kind, make, Child.said_ready, essential)
        return child

    def _temporal_port(self) -> int:
        port = self._record.temporal_port
        assert port is not None
        return port

    def _answers(self, child: Child) -> bool:
        port = self._temporal_port()
        with socket.socket() as probe:
            probe.settimeout(0.2)
            answered = probe.connect_ex((temporal.HOST, port)) == 0
        # Another engine that starts this very moment may have taken the port that both found free.
        return answered and child.pid is not None and processes.listens(child.pid, port)

    def _start(self) -> None:
        """Start all at once; the engine is ready once what it needs is."""
        needed = [child for child in self._children if child.essential]
        while not self._stops and not all(child.state == "ready" for child in needed):
            self._look_and_rest()
        if not self._stops:
            self._note(state="ready")

    def _watch(self) -> None:
        while not self._stops:
            if self._start_report and complete(self._record):
                self._start_report = None
                self._on_ready(self._record)
            self._look_and_rest()
            for child in self._children:
                processes.trim_log(self._home.log(child.name))

    def _look_and_rest(self) -> None:
        """Look, and rest for ten times as long: a slow machine's time is for those who start."""
        began = time.monotonic()
        self._look()
        took_s = time.monotonic() - began
        unsettled = any(child.state in ("starting", "waiting", "stuck") for child in self._children)
        self._wait(min(max(POLL_STARTING_S, 10 * took_s), POLL_READY_S) if unsettled else POLL_READY_S)

    def _look(self) -> None:
        self._home.beat()
        self._look_at_space()
        for child in self._children:
            before = child.state
            if self._record.lacks:
                child.forgive()
            try:
                child.look(processes.now())
            except OSError as error:
                child.postpone(processes.now())
                self._trouble(f"{child.name} cannot be started: {error}")
            if child.state == "stuck" and before != "stuck":
                self._report(self._stuck(child, child.stood_at if before == "starting" else ""))
            if child.state == "waiting" and before in ("starting", "ready", "stuck"):
                self._report(f"{child.name} ended and is started again")
            if child.state == "given up" and before != "given up":
                if child.essential:
                    raise self._lost(child)
                self._report(f"{child.name} ends as soon as it starts and was given up; see `penwright logs`")
        self._note()
        if self._start_report:
            self._start_report.look(self._record)

    def _stuck(self, child: Child, step: str) -> str:
        engine = self._settings.engine
        where = f" in its start ({step})" if step else ""
        limit_s = engine.start_stall_s if step else engine.stuck_s
        return (
            f"{child.name} (pid {child.pid}) showed no progress for {limit_s:.0f} s{where} "
            f"and is replaced; see `penwright logs {child.name}`"
        )

    def _lost(self, child: Child) -> PermanentError:
        said = end_of_log(self._loaded, child.name, since=child.log_before)
        return PermanentError(
            "engine-child-lost",
            f"{child.name} ends as soon as it starts; {said}",
            hint=f"correct what it names; `{self._loaded.command('doctor')}` checks the installation",
        )

    def _stop(self) -> None:
        """Workers first, so that running activities can finish; then the servers."""
        self._note(state="stopping", farewells={})
        servers = [child for child in self._children if child.name in (*SERVERS, local_models.NAME)]
        workers = [child for child in self._children if child not in servers]
        for group in (workers, servers):
            for child in group:
                child.ask_to_stop()
            self._await_stopped(group)

    def _await_stopped(self, group: list[Child]) -> None:
        """Wait for each to end as long as it may take; a second signal ends them all at once."""
        began = time.monotonic()
        while running := [child for child in group if not child.stopped()]:
            self._note_farewells(group)
            waited_s = time.monotonic() - began
            for child in running:
                if child.program and (self._stops > 1 or waited_s > child.program.stop_s):
                    child.kill()
            self._wait(POLL_STOPPING_S)
        self._note_farewells(group)

    def _note_farewells(self, group: list[Child]) -> None:
        farewells = {child.name: child.farewell() for child in group if child.name in _RUN_ACTIVITIES}
        self._note(farewells={**self._record.farewells, **farewells})

    def _note(self, **changes: str | int | dict[str, DrainReport] | None) -> None:
        """Bring the record up to date on disk, also if it was damaged."""
        children = {child.name: child.record() for child in self._children}
        self._record = self._record.model_copy(update={**changes, "children": children})
        text = (self._record.model_dump_json(indent=2) + "\n").encode()
        if text == self._written and self._home.read() is not None:
            return
        try:
            self._home.write(self._record)
        except OSError as error:
            # The engine goes on without its record; every later note tries again.
            self._trouble(f"{self._home.record_file.name} cannot be written: {error.strerror}")
        else:
            self._written = text

    def _trouble(self, what: str) -> None:
        """Report what goes wrong once, not at every look."""
        if what != self._last_trouble:
            self._last_trouble = what
            self._report(what)

    def _look_at_space(self) -> None:
        """Note that the disk is nearly full, and that it has space again."""
        lacks = "" if free_space.enough(self._settings) else DISK_LOW
        if lacks == self._record.lacks:
            return
        self._report(free_space.message(self._settings) if lacks else "the disk has space again")
        self._note(lacks=lacks)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Signals become bytes in a pipe that ``_wait`` sleeps on."""
        self._wake, writing = os.pipe()
        for descriptor in (self._wake, writing):
            os.set_blocking(descriptor, False)
        before = {number: signal.signal(number, self._on_stop) for number in STOP_SIGNALS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _on_child)
        previous = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(previous)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self._wake)
            os.close(writing)

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        self._stops += 1

    def _wait(self, seconds: float) -> None:
        starting = [child for child in self._children if child.state == "starting"]
        descriptors = [self._wake, *(child.hearing.descriptor for child in starting if child.hearing)]
        probes = [child.probe.descriptor for child in self._children if child.probe]
        descriptors += [each for each in probes if each is not None]
        if self._health_server:
            readable = self._health_server.wait(descriptors, seconds)
        else:
            readable = set(select.select(descriptors, [], [], seconds)[0])
        if self._wake in readable:
            os.read(self._wake, 512)


def _on_child(number: int, frame: FrameType | None) -> None:
    """Only there so that the death of a child wakes the supervisor."""


def _port(setting: str, fixed: int | None, preferred: int, taken: tuple[int, ...]) -> int:
    found = processes.free_port(fixed or preferred, taken=taken)
    if fixed is not None and found != fixed:
        raise PermanentError(
            "port-taken",
            f"port {fixed} of the setting {setting!r} is in use by another program; "
            "end that program, choose another port, or leave the setting out to have one found",
        )
    return found
