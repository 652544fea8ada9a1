"""How we and the broker prove to each other who we are: the password, and the files of TLS.

The password is never kept, so that a new one is used at the next connection; the same goes for certificates, which are
renewed while the daemon runs. There is no way to leave out the check of the broker's certificate.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from daemon import credential
from daemon.errors import UserError

if TYPE_CHECKING:
    from daemon.sections import Mqtt

CREDENTIAL = "mqtt-password"
VARIABLE = "OCHE_MQTT_PASSWORD"

Key = Literal["password_file", "ca_file", "cert_file", "key_file"]


class Unusable(UserError):
    """`key` of `[mqtt]` cannot be used; `str()` says why and what would be right."""

    def __init__(self, key: Key, sentence: str) -> None:
        super().__init__(sentence, 2)
        self.key = key


def check(mqtt: Mqtt) -> None:
    """Raises Unusable for a key that has no use, and for files of TLS that cannot be used."""
    if mqtt.password_file and mqtt.username is None:
        raise Unusable("password_file", "password_file has no use without a username: add one")
    if not mqtt.tls:
        keys: tuple[Key, ...] = ("ca_file", "cert_file", "key_file")
        for key in keys:
            if getattr(mqtt, key):
                raise Unusable(key, f"{key} has no use without TLS: add tls = true")
    tls_context(mqtt)


def password_place(mqtt: Mqtt) -> Path | None:
    """The file that has the password, from the safest place; None: the environment, or nowhere."""
    return credential.place(CREDENTIAL, mqtt.password_file)


def password(mqtt: Mqtt) -> str | None:
    """The broker's password, from the safest place that has one. Raises UserError."""
    place = password_place(mqtt)
    if place is None:
        return os.environ.get(VARIABLE)
    return credential.read(place, "the broker's password")


def tls_context(mqtt: Mqtt) -> ssl.SSLContext | None:
    """What the broker has to prove, and what proves who we are; None: TLS is off. Raises Unusable."""
    if not mqtt.tls:
        return None
    context = ssl.create_default_context()
    if mqtt.ca_file:
        _read("ca_file", mqtt.ca_file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # these authorities, and not the system's as well
        try:
            context.load_verify_locations(mqtt.ca_file)
        except ssl.SSLError:
            raise Unusable("ca_file", f"ca_file {mqtt.ca_file} holds no certificate in PEM form") from None
    context.sslsocket_class = _ClosingSocket
    if mqtt.key_file and not mqtt.cert_file:
        raise Unusable("key_file", "key_file has no use without the certificate it belongs to: add cert_file")
    if mqtt.cert_file:
        _load_own(context, mqtt.cert_file, mqtt.key_file)
    return context


def _load_own(context: ssl.SSLContext, cert_file: str, key_file: str | None) -> None:
    certificate = _read("cert_file", cert_file)
    if "-----BEGIN CERTIFICATE" not in certificate:
        raise Unusable("cert_file", f"cert_file {cert_file} holds no certificate in PEM form")
    owner: Key = "key_file" if key_file else "cert_file"
    secret = _read("key_file", key_file) if key_file else certificate
    if "PRIVATE KEY-----" not in secret:
        file = key_file or cert_file
        raise Unusable(owner, f"{owner} {file} holds no private key in PEM form: name the certificate's with key_file")
    if "ENCRYPTED" in secret:
        raise Unusable(owner, f"the private key in {key_file or cert_file} has a passphrase: store it without one")
    try:
        context.load_cert_chain(cert_file, key_file)
    except ssl.SSLError:
        sentence = f"the private key and the certificate {cert_file} do not belong together, or one is damaged"
        raise Unusable(owner, sentence) from None


def _read(key: Key, file: str) -> str:
    try:
        return Path(file).read_text(encoding="latin-1")
    except OSError as error:
        raise Unusable(key, f"cannot read {key} {file}: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


class _ClosingSocket(ssl.SSLSocket):
    """Closes itself when the greeting fails; the MQTT library would just forget it."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise
