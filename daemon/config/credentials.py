"""Secrets that the owner gives, and the TLS files of `[mqtt]`: read each time they are needed, so that new ones count.

A secret is in a systemd credential, else in a file (the broker's password also in the environment); never in the
configuration itself. There is no way to leave out the check of the broker's certificate.
"""

from __future__ import annotations

import errno
import os
import ssl
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from daemon import files
from daemon.errors import UserError
from protocol.sentence import Sentence, advise, say

if TYPE_CHECKING:
    from daemon.config.sections import Mqtt

CREDENTIAL = "mqtt-password"
VARIABLE = "OCHE_MQTT_PASSWORD"

Key = Literal["password_file", "ca_file", "cert_file", "key_file"]


class BadCredential(UserError):
    """`key` of `[mqtt]` cannot be used; `said` is why, and what would be right."""

    def __init__(self, key: Key, said: Sentence) -> None:
        super().__init__(said, 2)
        self.key = key


def find_secret(name: str, file: str | None) -> Path | None:
    """Returns the file of a secret: the systemd credential of this name, else this file; None: there is neither."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if folder and os.path.lexists(credential := Path(folder) / name) and not _is_placeholder(credential):
        return credential
    return Path(file) if file else None


class SecretError(UserError):
    """A secret cannot be read; `said` has what is missing, and what to do. `is_denied`: others may be able to."""

    def __init__(self, failed: Sentence, why: str | Sentence, remedy: Sentence, *, is_denied: bool = False) -> None:
        super().__init__(advise(advise(failed, why), remedy))
        self.is_denied = is_denied


def read_secret(path: Path, what: Sentence) -> str:
    """Returns the secret in this file. Raises SecretError, which calls the secret `what`."""
    failed = say("secret.unread", "cannot read {what} from {path}", what=what, path=str(path))
    write = say(
        "secret.write",
        "write {what} into that file, and nothing else; the user that oche runs as must be able to read it",
        what=what,
    )
    try:
        found = files.read_bytes(path).decode().strip()
    except OSError as error:
        is_denied = error.errno in (errno.EACCES, errno.EPERM)
        let_read = say("secret.let_read", "let the user that oche runs as read that file and enter its folders")
        raise SecretError(
            failed, files.say_reason(error), let_read if is_denied else write, is_denied=is_denied
        ) from None
    except UnicodeDecodeError:
        raise SecretError(failed, say("secret.no_text", "it is not UTF-8 text"), write) from None
    if not found:
        raise SecretError(failed, say("secret.empty", "the file is empty"), write)
    return found


def _is_placeholder(credential: Path) -> bool:
    """Whether systemd has put it in the place of a missing file: see SetCredential in systemd/oche.service."""
    with suppress(OSError):
        return credential.read_bytes() == b"\n"
    return False


def check_credentials(mqtt: Mqtt) -> None:
    """Raises BadCredential for a key that has no use, and for TLS files that cannot be used."""
    if mqtt.password_file and mqtt.username is None:
        said = say("settings.no_user", "password_file has no effect without a username: add one")
        raise BadCredential("password_file", said)
    if not mqtt.tls:
        keys: tuple[Key, ...] = ("ca_file", "cert_file", "key_file")
        for key in keys:
            if getattr(mqtt, key):
                raise BadCredential(
                    key, say("settings.no_tls", "{name} has no effect without TLS: add tls = true", name=key)
                )
    make_tls_context(mqtt)


def find_password(mqtt: Mqtt) -> Path | None:
    """Returns the file of the broker's password; None: it is in the environment, or there is none."""
    return find_secret(CREDENTIAL, mqtt.password_file)


def read_password(mqtt: Mqtt) -> str | None:
    """Returns the broker's password: from its file, else from the environment. Raises UserError."""
    path = find_password(mqtt)
    return (
        os.environ.get(VARIABLE) if path is None else read_secret(path, say("secret.broker", "the broker's password"))
    )


def make_tls_context(mqtt: Mqtt) -> ssl.SSLContext | None:
    """Returns the context for connections to the broker; None: TLS is off. Raises BadCredential."""
    if not mqtt.tls:
        return None
    context = ssl.create_default_context()
    if mqtt.ca_file:
        _read("ca_file", mqtt.ca_file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # these authorities, and not the system's as well
        try:
            context.load_verify_locations(mqtt.ca_file)
        except ssl.SSLError:
            raise _say_no_certificate("ca_file", mqtt.ca_file) from None
    context.sslsocket_class = _ClosingSocket
    if mqtt.key_file and not mqtt.cert_file:
        said = say("settings.no_cert", "key_file has no effect without the certificate it belongs to: add cert_file")
        raise BadCredential("key_file", said)
    if mqtt.cert_file:
        _load_own(context, mqtt.cert_file, mqtt.key_file)
    return context


def _load_own(context: ssl.SSLContext, cert_file: str, key_file: str | None) -> None:
    certificate = _read("cert_file", cert_file)
    if "-----BEGIN CERTIFICATE" not in certificate:
        raise _say_no_certificate("cert_file", cert_file)
    owner: Key = "key_file" if key_file else "cert_file"
    secret = _read("key_file", key_file) if key_file else certificate
    if "PRIVATE KEY-----" not in secret:
        file = key_file or cert_file
        said = say(
            "settings.no_key",
            "{name} {given} contains no private key in PEM form: name the certificate's key with key_file",
            name=owner,
            given=file,
        )
        raise BadCredential(owner, said)
    if "ENCRYPTED" in secret:
        said = say(
            "settings.passphrase",
            "the private key in {given} has a passphrase: store it without one",
            given=key_file or cert_file,
        )
        raise BadCredential(owner, said)
    try:
        context.load_cert_chain(cert_file, key_file)
    except ssl.SSLError:
        said = say(
            "settings.no_pair",
            "the private key and the certificate {given} do not belong together, or one is damaged",
            given=cert_file,
        )
        raise BadCredential(owner, said) from None


def _say_no_certificate(key: Key, file: str) -> BadCredential:
    said = say("settings.no_certificate", "{name} {given} contains no certificate in PEM form", name=key, given=file)
    return BadCredential(key, said)


def _read(key: Key, file: str) -> str:
    try:
        return files.read_bytes(Path(file)).decode("latin-1")
    except OSError as error:
        said = say(
            "settings.unreadable",
            "cannot read {name} {given}: {why}",
            name=key,
            given=file,
            why=files.say_reason(error),
        )
        raise BadCredential(key, said) from None


class _ClosingSocket(ssl.SSLSocket):
    """Closes itself when the handshake fails; the MQTT library would leave it open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise
