"""Certificates for the broker of a test: made by the script that oche ships, and some that are wrong."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from tests.daemon.mosquitto import SHIPPED


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
