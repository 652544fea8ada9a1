"""TLS with an authority of one's own: what is wrong is told apart, in one sentence, by the daemon and by the doctor."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from msgspec import convert

from daemon.admin.doctor.broker import check_running
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import BrokerAddress, Mqtt
from daemon.errors import UserError
from daemon.mqtt.client import Connection, Login
from daemon.mqtt.message import OutgoingMessage
from daemon.mqtt.probe import refuses_anonymous
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import PATIENCE_S, configure, eventually
from tests.daemon.relay import read_packet


def make_certificates(folder: Path, name: str = "localhost", address: str = "") -> None:
    """An authority, and a certificate for this name: ca.crt, server.crt and server.key in the folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run([SHIPPED / "make-certificates", folder, name, *address.split()], check=True)


def let_expire(folder: Path) -> None:
    """The same certificate again, from the same authority, good until yesterday."""
    authority = x509.load_pem_x509_certificate((folder / "ca.crt").read_bytes())
    old = x509.load_pem_x509_certificate((folder / "server.crt").read_bytes())
    key = serialization.load_pem_private_key((folder / "ca.key").read_bytes(), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    now = datetime.now(UTC)
    new = (
        x509.CertificateBuilder()
        .subject_name(old.subject)
        .issuer_name(authority.subject)
        .public_key(old.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now - timedelta(days=1))
    )
    for extension in old.extensions:
        new = new.add_extension(extension.value, extension.critical)
    signed = new.sign(key, hashes.SHA256())
    (folder / "server.crt").write_bytes(signed.public_bytes(serialization.Encoding.PEM))


OURS = 'cert_file = "{folder}/server.crt"\nkey_file = "{folder}/server.key"'
CA = 'ca_file = "{folder}/ca.crt"'


@pytest.fixture(scope="module")
def certificates(openssl_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    make_certificates(folder, "localhost")
    return folder


@pytest.mark.parametrize(
    ("mqtt", "more", "host", "sentence"),
    [
        ("tls = true", "", "localhost", "is from an unknown authority: name its authority's file with"),
        (f"tls = true\n{CA}", "", "127.0.0.1", "is for another host: set mqtt.host to a name in the certificate"),
        (f"tls = true\n{CA}", "expired", "localhost", "has expired, or is not valid yet: renew it, and check the"),
        (
            f"tls = true\n{CA}",
            "require_certificate true",
            "localhost",
            "only admits clients with a certificate that it knows: set mqtt.cert_file and mqtt.key_file",
        ),
        (f"tls = true\n{CA}\n{OURS}", "require_certificate true", "localhost", ""),
        ("", "", "localhost", "speaks TLS on this port: write tls = true below [mqtt]"),
        (f"tls = true\n{CA}", "plain", "localhost", "does not speak TLS: set mqtt.port to the broker's TLS port"),
    ],
)
async def test_what_is_wrong_with_tls(
    tmp_path: Path,
    mosquitto_path: Path,
    certificates: Path,
    unused_tcp_port: int,
    mqtt: str,
    more: str,
    host: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.admin.doctor.broker._PATIENCE_S", PATIENCE_S)  # a busy machine is no silent broker
    folder = tmp_path / "mosquitto"
    shutil.copytree(certificates, folder)
    if more == "expired":
        let_expire(folder)
    tls = [f"{key} {folder}/{file}" for key, file in TLS.items()] if more != "plain" else []
    lines = [*tls, more] if more.startswith("require") else tls
    file = configure(tmp_path, unused_tcp_port, mqtt=mqtt.format(folder=folder))
    file.write_text(file.read_text().replace('host = "127.0.0.1"', f'host = "{host}"'), encoding="utf-8")
    async with Mosquitto(mosquitto_path, folder, unused_tcp_port, more=lines):
        setup = read_config(file)
        async with run_daemon(setup) as running:
            wanted = sentence or "connected"
            await eventually(lambda: wanted in running.mqtt.status.sentence)
        problems = [str(check) async for check in check_running(setup) if check.verdict == "problem"]
        assert len(problems) == bool(sentence), problems
        assert sentence in "".join(problems)


async def test_a_stranger_has_no_certificate_of_ours(
    tmp_path: Path, mosquitto_path: Path, certificates: Path, unused_tcp_port: int
) -> None:
    """That the broker wants one keeps strangers out, though it wants nothing else."""
    folder = tmp_path / "mosquitto"
    shutil.copytree(certificates, folder)
    lines = [f"{key} {folder}/{file}" for key, file in TLS.items()]
    own = {key: f"{folder}/{file}" for key, file in OWN.items()}
    ours = convert({"host": "localhost", "tls": True, **own}, Mqtt)
    for more, refuses in ((["require_certificate true"], True), ([], False)):
        async with Mosquitto(mosquitto_path, folder, unused_tcp_port, more=[*lines, *more]):
            where = BrokerAddress("localhost", unused_tcp_port)
            assert await refuses_anonymous(where, ours, "oche-oche", "5") is refuses


async def test_all_that_comes_in_one_record_is_taken(certificates: Path) -> None:
    """Nothing wakes the event loop for what stays in it."""
    count, why = 16, 900
    done: list[bool] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_packet(reader)
        writer.write(b"\x20\x03\x00\x00\x00")
        words = b""
        for _ in range(count):
            number = (await read_packet(reader))[5:7]  # behind a topic of one character
            reason = b"\x1f" + why.to_bytes(2, "big") + b"x" * why
            body = number + b"\x87" + bytes([len(reason) & 127 | 128, len(reason) >> 7]) + reason
            words += b"\x40" + bytes([len(body) & 127 | 128, len(body) >> 7]) + body
        writer.write(words)
        await reader.read()
        writer.close()

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
    server = await asyncio.start_server(answer, "127.0.0.1", ssl=context)
    async with server:
        where = BrokerAddress("localhost", server.sockets[0].getsockname()[1])
        config = Mqtt(*where, tls=True, ca_file=str(certificates / "ca.crt"))
        async with Connection(where, config, Login("test"), timeout_s=PATIENCE_S) as link:
            for _ in range(count):
                link.send(OutgoingMessage("a", b"", retain=False, qos=1), done.append)
            link.flush()
            await eventually(lambda: len(done) == count)
    assert done == [False] * count


OWN = {"ca_file": "ca.crt", "cert_file": "server.crt", "key_file": "server.key"}
TLS = {"cafile": "ca.crt", "certfile": "server.crt", "keyfile": "server.key"}


def damage(file: str, text: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / file).write_text(text, encoding="utf-8")

    return spoil


def swap_key(folder: Path) -> None:
    shutil.copy(folder / "ca.key", folder / "server.key")


@pytest.mark.parametrize(
    ("mqtt", "spoil", "sentence"),
    [
        (CA, None, "ca_file has no effect without TLS: add tls = true"),
        ('password_file = "x"', None, "password_file has no effect without a username: add one"),
        ('tls = true\nca_file = "{folder}/none"', None, "cannot read ca_file {folder}/none: no such file or directory"),
        (f"tls = true\n{CA}", damage("ca.crt", "no"), "ca_file {folder}/ca.crt contains no certificate in PEM form"),
        ('tls = true\nkey_file = "{folder}/server.key"', None, "key_file has no effect without the certificate it"),
        ('tls = true\ncert_file = "{folder}/server.crt"', None, "server.crt contains no private key in PEM form: name"),
        (f"tls = true\n{OURS}", damage("server.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----"), "has a passphrase"),
        (f"tls = true\n{OURS}", swap_key, "do not belong together, or one is damaged"),
    ],
)
def test_files_that_cannot_be_used(
    tmp_path: Path, certificates: Path, mqtt: str, spoil: Callable[[Path], None] | None, sentence: str
) -> None:
    folder = tmp_path / "files"
    shutil.copytree(certificates, folder)
    if spoil:
        spoil(folder)
    file = configure(tmp_path, 1883, mqtt=mqtt.format(folder=folder))
    with pytest.raises(UserError) as caught:
        read_config(file)
    told = str(caught.value)
    assert told.startswith(f"{file}, line ")
    assert sentence.format(folder=folder) in told
