"""Webhooks over https: told to a server whose certificate holds, and to no other."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.clock import SetClock
from tests.happening import happen

from rememora import Rememora, verify_webhook

SECRET = "whsec_" + "c2VncmVkbyBtdWl0byBiZW0gZ3VhcmRhZG8="
NOW = dt.datetime.now(dt.UTC)


class Authority:
    """Signs certificates; whoever trusts its file trusts them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority {folder.name}")])
        built = self._built(self._name, self._key.public_key())
        root = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file = folder / "authority.pem"
        self.file.write_bytes(self._signed(root).public_bytes(serialization.Encoding.PEM))

    def context(self, address: str) -> ssl.SSLContext:
        """What a server at an address shows."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook")])
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        shown = self._signed(self._built(subject, key.public_key()).add_extension(names, critical=False))
        file = self._folder / f"{address}.pem"
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        held = key.private_bytes(serialization.Encoding.PEM, *form)
        file.write_bytes(held + shown.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _built(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        begun = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key)
        dated = begun.not_valid_before(NOW - dt.timedelta(days=1)).not_valid_after(NOW + dt.timedelta(days=1))
        return dated.serial_number(x509.random_serial_number())

    def _signed(self, builder: x509.CertificateBuilder) -> x509.Certificate:
        return builder.sign(self._key, hashes.SHA256())


class Got:
    """A server over TLS that takes what it is told."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one POST."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = [line.partition(": ") for line in head.strip().split("\r\n")[1:]]
        headers = {name.lower(): value for name, _, value in lines}
        self.bodies.append(await reader.readexactly(int(headers["content-length"])))
        self.headers.append(headers)
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        writer.close()


@asynccontextmanager
async def listening(context: ssl.SSLContext) -> AsyncIterator[Got]:
    """A server on a free port."""
    got = Got()
    server = await asyncio.start_server(got.serve, "127.0.0.1", 0, ssl=context)
    got.url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/in"
    try:
        yield got
    finally:
        server.close()


@pytest.fixture
def overrides() -> dict[str, object]:
    """The loopback is allowed here; two attempts."""
    return {"events.private_addresses": True, "events.attempts": 2, "events.backoff_seconds": 1}


async def told(rememora: Rememora, clock: SetClock) -> None:
    """One event, offered as often as is tried."""
    await happen(rememora, "c1")
    for _ in range(3):
        await rememora.settle()
        clock.advance(5)


async def dead(rememora: Rememora) -> list[str | None]:
    """Why what was never taken was not."""
    return [letter.error for letter in await rememora.tenant("acme", acting="boss").events.dead_letters()]


async def test_an_event_arrives_over_tls(
    rememora: Rememora, clock: SetClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the authority is trusted the event arrives, whole and signed."""
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with listening(authority.context("127.0.0.1")) as got:
        await rememora.events.webhook("crm", got.url, secret=SECRET)
        began = clock()
        await told(rememora, clock)
    [event] = await rememora.tenant("acme", acting="boss").events.list()

    assert [event.id] == [json.loads(body)["id"] for body in got.bodies]
    assert verify_webhook(SECRET, got.headers[0], got.bodies[0], now=began)
    assert [] == await dead(rememora)


@pytest.mark.parametrize("shown", ["unknown authority", "another host"])
async def test_a_certificate_that_does_not_hold_is_told_nothing(
    rememora: Rememora, clock: SetClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:
    """An authority nobody trusts, a certificate of another host: not one byte of the event goes out."""
    (tmp_path / "other").mkdir()
    authority, other = Authority(tmp_path), Authority(tmp_path / "other")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    context = other.context("127.0.0.1") if shown == "unknown authority" else authority.context("127.0.0.2")
    async with listening(context) as got:
        await rememora.events.webhook("crm", got.url, secret=SECRET)
        await told(rememora, clock)

    assert [] == got.bodies
    assert ["SSLCertVerificationError"] == await dead(rememora)
