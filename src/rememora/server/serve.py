"""Runs the server: first-run setup, one or several worker processes, and a graceful shutdown."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from ipaddress import ip_address
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from types import FrameType

import msgspec
import uvicorn

from rememora import engines, telemetry
from rememora.app import Rememora
from rememora.errors import Conflict, SettingsError, UsageError
from rememora.server import supervise
from rememora.server.app import create_app
from rememora.server.connections import protocol_of
from rememora.server.heap import freeze_loaded
from rememora.settings import Settings, hand_down

logger = logging.getLogger(__name__)
BACKLOG = 2048
ORPHAN_SECONDS = 1.0
SHARED_METRICS = "PROMETHEUS_MULTIPROC_DIR"
FIRST_TENANT, FIRST_USER = "home", "me"


class FirstRun(msgspec.Struct, frozen=True, kw_only=True):
    """First credentials of a store; the secrets are shown once. `new` if nothing was stored before."""

    new: bool
    tenant: str
    service_key: str
    admin_key: str
    operator_key: str
    user: str
    link: str


class StartupReport(msgspec.Struct, frozen=True, kw_only=True):
    """List what the start prints: the first credentials, and the invitation of the owner if there is none."""

    first: FirstRun | None = None
    owner: str = ""


class GracefulServer(uvicorn.Server):
    """A server that ends its streams before it waits for them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests in progress end, and tell streams to end."""
        state = getattr(self.config.app, "state", None)
        if (dispatcher := getattr(state, "dispatcher", None)) is not None:
            dispatcher.closing.set()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ignore them: signals are handled earlier, and uvicorn would kill the process with the signal."""
        yield


class StopSignals:
    """Signals to stop, handled from before the store is opened, so that an early one is not lost.

    They are recorded and not raised: an interrupt raised inside a destructor would be lost.
    """

    def __init__(self) -> None:
        self._server: GracefulServer | None = None
        self._asked: list[int] = []

    @contextmanager
    def caught(self) -> Iterator[StopSignals]:
        """Handle signals inside the block."""
        before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for signal_number, old in before.items():
                signal.signal(signal_number, old)

    @property
    def signals(self) -> int:
        """Return the number of signals received."""
        return len(self._asked)

    def tell(self, server: GracefulServer) -> None:
        """Set the server that is to stop; at once if a signal has already arrived."""
        self._server = server
        for number in self._asked:
            server.handle_exit(number, None)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._asked.append(number)
        if self._server is not None:
            self._server.handle_exit(number, frame)


async def first_run(rememora: Rememora, *, tenant: str = FIRST_TENANT, user: str = FIRST_USER) -> FirstRun | None:
    """Create the first account with a key per kind of use and a link; None if there is an account already.

    Tenants that the library wrote for get their accounts; the keys of the first of them are shown.
    """
    operator = rememora.operator(acting="first-run")
    adopted = await operator.tenants.adopt()
    if adopted and not await _has_keys(rememora):
        tenant, user = adopted[0], await operator.tenants.first_user(adopted[0]) or user
    elif (await operator.tenants.list(limit=1)).items:
        return None
    else:
        try:
            await operator.tenants.create(tenant)
        except Conflict:
            # Another process was faster.
            return None
    access = rememora.tenant(tenant, acting="first-run").access
    return FirstRun(
        new=not adopted,
        tenant=tenant,
        service_key=(await access.issue_key("service", label="first run")).secret,
        admin_key=(await access.issue_key("admin", label="first run")).secret,
        operator_key=(await operator.access.issue_key("operator", label="first run")).secret,
        user=user,
        link=(await access.link(user)).token,
    )


async def _has_keys(rememora: Rememora) -> bool:
    """Tell whether anybody has a key to this store."""
    operator = rememora.operator(acting="first-run")
    tenants = [account.id for account in (await operator.tenants.list(limit=1000)).items]
    accesses = [operator.access, *(rememora.tenant(tenant, acting="first-run").access for tenant in tenants)]
    return any([bool(await access.keys()) for access in accesses])


def listen(settings: Settings) -> socket.socket:
    """Open the socket that every worker process accepts from."""
    server = settings.server
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    # The protocol is named, and not left at 0: asyncio sends small answers at once only where it knows that this
    # is TCP. Otherwise each answer on a kept-alive connection waits 40 ms for the client's acknowledgement.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((server.host, server.port))
    except OSError as error:
        bound.close()
        trouble = f"cannot listen on {server.host}:{server.port}: {error.strerror}"
        raise UsageError(
            f"{trouble}; choose another with --port or REMEMORA_SERVER_PORT (0 takes a free one)"
        ) from None
    bound.listen(BACKLOG)
    bound.set_inheritable(True)
    return bound


def serve(
    settings: Settings,
    *,
    announce: Callable[[str, StartupReport], None],
    warn: Callable[[str], None] = logger.warning,
) -> None:
    """Serve until stopped; `announce` gets the address, and the credentials that are shown once."""
    # One process holds the lock of a DuckDB file, so the others could not search.
    if settings.server.processes > 1 and settings.recall.vectors.startswith(engines.DUCKDB):
        raise SettingsError(
            "server.processes", settings.server.processes, "1 where recall.vectors is a DuckDB file"
        )
    for text in cautions(settings):
        warn(text)
    # Bound before anything is opened: a port in use is reported at once, and workers inherit the socket.
    bound = listen(settings)
    host, port = bound.getsockname()[:2]
    place = f"[{host}]" if ":" in host else host
    with StopSignals().caught() as ending:
        announce(f"http://{place}:{port}", asyncio.run(_prepare(settings)))
        if settings.server.processes > 1:
            _supervise(settings, bound, ending)
        else:
            _work(settings, bound, ending)


def cautions(settings: Settings) -> list[str]:
    """Return warnings about a server with these settings."""
    warnings: list[str] = []
    host = settings.server.host
    if not is_loopback(host):
        warnings.append(
            f"{host} can be reached from other machines, and this server speaks plain HTTP: "
            "keys and memories go over the network as they are. Put a proxy with TLS before it."
        )
    elsewhere = "://" in settings.store.url.removeprefix("sqlite://")
    if elsewhere and not settings.store.key_folder and (folder := engines.key_folder(settings)):
        warnings.append(
            f"the key that signs receipts and the audit chain is looked for in {folder.absolute()}, "
            "from where this process stands. Set store.key_folder to one folder that every process has."
        )
    return warnings


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address; a name other than `localhost` could be any."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _prepare(settings: Settings) -> StartupReport:
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.health.check_signing_key()
        first = await first_run(rememora)
        invited = await rememora.operator(acting="first-run").invite_owner()
        return StartupReport(first=first, owner="" if invited is None else invited.token)


def _work_beside(settings: Settings, bound: socket.socket) -> None:
    """Run one of several worker processes."""
    with StopSignals().caught() as ending:
        _work(settings, bound, ending, shared=True)


def _work(settings: Settings, bound: socket.socket, ending: StopSignals, *, shared: bool = False) -> None:
    """Run one worker process: an open store, its loops, and the server."""
    watch(settings, shared=shared)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, bound, ending))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the faster event loop if it is installed."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    if find_spec("uvloop") is not None:
        factory = import_module("uvloop").new_event_loop
    return factory


async def _serve(settings: Settings, bound: socket.socket, ending: StopSignals) -> None:
    async with Rememora.open(settings=settings) as rememora:
        server = GracefulServer(config_of(rememora))
        ending.tell(server)
        tasks = [
            asyncio.create_task(_end_when_orphaned(server)),
            asyncio.create_task(_freeze_when_warm(rememora)),
        ]
        try:
            await server.serve(sockets=[bound])
        finally:
            for task in tasks:
                task.cancel()


async def _freeze_when_warm(rememora: Rememora) -> None:
    """Freeze the heap once the process has loaded what turns need."""
    await rememora.warm()
    freeze_loaded()


async def _end_when_orphaned(server: GracefulServer) -> None:
    """Stop a worker whose supervisor was killed; one without a supervisor outlives its parent."""
    supervisor = parent_process()
    while supervisor is not None and not server.should_exit:
        await asyncio.sleep(ORPHAN_SECONDS)
        server.should_exit |= os.getppid() != supervisor.pid


def watch(settings: Settings, *, shared: bool = False) -> None:
    """Start logs and metrics as configured; `shared` if other processes count too."""
    options = settings.telemetry
    telemetry.log_to(sys.stderr, form=options.log_form, level=options.log_level)
    if options.metrics:
        telemetry.switch_on(content=options.content, shared=shared)


def config_of(rememora: Rememora) -> uvicorn.Config:
    """Return uvicorn's configuration for the application."""
    return uvicorn.Config(
        create_app(rememora),
        http=protocol_of(rememora.settings.server.header_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=max(1, round(rememora.settings.server.shutdown_seconds)),
    )


def _supervise(settings: Settings, bound: socket.socket, ending: StopSignals) -> None:
    """Keep a number of worker processes, which all accept from one socket."""
    context = get_context("spawn")

    def begin() -> BaseProcess:
        process = context.Process(target=_work_beside, args=(settings, bound))
        process.start()
        return process

    with tempfile.TemporaryDirectory(prefix="rememora-metrics-") as folder:
        # Where every worker counts, so that any of them can tell the sum; workers inherit the name of it.
        hand_down(SHARED_METRICS, folder)
        supervise.keep(begin, settings.server.processes, on_exit=_uncount, stop_requests=lambda: ending.signals)


def _uncount(worker: BaseProcess) -> None:
    """Keep a dead worker's counters, and drop its gauges of work in progress."""
    if find_spec("prometheus_client") is not None:
        import_module("prometheus_client.multiprocess").mark_process_dead(worker.pid)
