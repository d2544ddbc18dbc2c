"""A socket with a certificate: a browser that trusts it signs in, and nothing is told without encryption."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from socket import socket

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from gateway.desk.access import Access
from gateway.http.app import http_app
from gateway.http.guard import Guard
from gateway.http.site import site_of
from gateway.web import WebServer, configured
from tests.support.gateway.services import StageServices
from workers.http_server import listen
from workers.settings import Settings, load


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a certificate for 127.0.0.1, which its own issuer signed."""
    made = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, made.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(made, hashes.SHA256())
    )
    file, key = tmp_path / "web.pem", tmp_path / "web.key"
    file.write_bytes(certificate.public_bytes(Encoding.PEM))
    key.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return load(
        {
            "PENWRIGHT_HOME": str(tmp_path / "home"),
            "PENWRIGHT_CONFIG": "",
            "PENWRIGHT_WEB__TLS_CERTIFICATE": str(file),
            "PENWRIGHT_WEB__TLS_KEY": str(key),
        }
    ).settings


@pytest.fixture
def listening() -> Iterator[socket]:
    with closing(listen("127.0.0.1", 0)) as made:
        yield made


async def test_a_browser_signs_in_over_tls_and_nothing_is_told_without_it(
    services: StageServices, settings: Settings, listening: socket
) -> None:
    port = listening.getsockname()[1]
    access, site, ready = Access(services), site_of(settings, port), asyncio.Event()
    app = Guard(http_app(services, access, site), access, site)

    async def on_ready() -> None:
        ready.set()

    server = WebServer(configured(app, settings), on_ready)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    trusting = ssl.create_default_context(cafile=str(settings.web.tls_certificate))
    place = f"https://127.0.0.1:{port}"
    try:
        await asyncio.wait_for(ready.wait(), 20)
        async with httpx.AsyncClient(verify=trusting, base_url=f"{place}/api/v1") as browser:
            code = {"code": access.new_code()}
            signed = await browser.post("/session", json=code, headers={"origin": place})
            me = await browser.get("/me")
            with pytest.raises(httpx.TransportError):
                await browser.get(f"http://127.0.0.1:{port}/healthz")
        async with httpx.AsyncClient() as stranger:
            with pytest.raises(httpx.ConnectError):
                await stranger.get(f"{place}/healthz")
    finally:
        server.should_exit = True
        await serving

    assert signed.headers["set-cookie"].startswith("__Host-penwright_")
    assert (me.status_code, me.json()["kind"]) == (200, "session")
