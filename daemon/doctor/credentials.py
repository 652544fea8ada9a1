"""`oche doctor` on secrets: can they be read, and by whom else? What TLS needs was read with the configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from daemon.config import Setup
from daemon.doctor.checkup import Check
from daemon.errors import UserError
from daemon.mqtt.credentials import CREDENTIAL, VARIABLE, password, password_place


async def check_credentials(setup: Setup) -> AsyncIterator[Check]:
    """The password, where there is a login; and the private key, if there is one."""
    mqtt = setup.config.mqtt
    if mqtt.username is not None:
        place = password_place(mqtt)
        try:
            found = password(mqtt)
        except UserError as error:
            yield Check("password", "problem", str(error), "let the daemon's user read it, and doctor run as that user")
        else:
            if place is not None:
                yield _secret("password", place)
            elif found is not None:
                yield Check("password", "ok", f"from the environment ({VARIABLE})")
            else:
                remedy = f"name a password_file, or hand the credential {CREDENTIAL} to the service"
                yield Check("password", "warning", f"{mqtt.username} has none", remedy)
    if mqtt.tls and mqtt.cert_file:
        yield _secret("private key", Path(mqtt.key_file or mqtt.cert_file))


def _secret(name: str, file: Path) -> Check:
    if file.stat().st_mode & 0o004:
        return Check(name, "warning", f"everybody on this machine can read {file}", f"chmod o= {file}")
    return Check(name, "ok", f"in {file}")
