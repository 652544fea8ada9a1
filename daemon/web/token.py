"""The token of the page, which a client needs where other machines can reach the page.

The token is shown once, by `oche token`; only its hash is stored. A browser exchanges it for a cookie of its own
(daemon/web/devices.py), so a tablet on the wall stays logged in over a restart, and every client is logged out as soon
as there is another token.

Beside it there is the token of spectators, for reading alone. It is made of a key of this daemon and of the token of
the page: so it can be shown at any time, tells nothing of that one, and ends with it. And there is the token of the
setup, which changes settings too: one of its own, so that a guest who plays changes nothing in the house.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from daemon import files
from daemon.config.credentials import find_secret, read_secret
from daemon.errors import UserError
from daemon.http.addresses import is_loopback
from daemon.http.messages import Role
from daemon.web.devices import Device, Devices
from protocol.sentence import Sentence, advise, say

log = logging.getLogger("oche.web")

CREDENTIAL = "web-token"
OF_SERVICE = Path("/etc/oche/web-token")
"""The file that systemd/oche.service gives as this credential."""
LEAST = 16
"""Characters of a token that a person made up: it must not be found by trying."""
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Letters that are not easily confused; each is five bits."""
_GROUPS, _LETTERS_EACH = 7, 4
_OF_SETUP = "setup-"
"""How the token of the setup begins."""


class PageToken:
    """The tokens of the page at this host. `folder` is the state folder, `token_file` as in the configuration."""

    def __init__(self, host: str, token_file: str | None, folder: Path) -> None:
        self.is_needed = not is_loopback(host)
        self.folder = folder
        self.devices = Devices(folder)
        self._own = find_secret(CREDENTIAL, token_file)
        self._is_of_service = self._own is not None and (token_file is None or self._own != Path(token_file))
        self._page = _TokenHash(self._own or locate_token_hash(folder), self._read_page)
        self._setup = _TokenHash(locate_setup_hash(folder), self._read_setup)
        if self.is_needed:
            self._page.refresh()

    @property
    def trouble(self) -> str | Sentence:
        """Why no client can log in, and what to do; "" when all is well."""
        self._page.refresh()
        return self._page.trouble

    @property
    def source(self) -> str:
        """Where the valid token comes from: the end of a sentence to a client that has sent another one."""
        if self._own is None:
            return "sudo oche token --new makes another one"
        if self._is_of_service:
            return f"the valid token is in the service's credential {CREDENTIAL} ({OF_SERVICE} as it is installed)"
        return f"the valid token is the one in {self._own}"

    @property
    def own_source(self) -> str:
        """Where a token of the owner's comes from, as in `source`; "" where it is the one that oche makes."""
        return self.source if self._own is not None else ""

    @property
    def fingerprint(self) -> str | None:
        """What tells this token from others; None: there is no token. It lets no client in."""
        return self._page.fingerprint

    @property
    def setup_fingerprint(self) -> str | None:
        """The same of the token of the setup."""
        return self._setup.fingerprint

    def fingerprint_of(self, role: Role) -> str | None:
        """Returns the fingerprint of the token that this role comes from: that of spectators ends with the page's."""
        return self.setup_fingerprint if role == "setup" else self.fingerprint

    def find_role(self, token: str) -> Role | None:
        """Returns the role that this token gives; None: it is neither the page's nor the setup's."""
        if self._setup.matches(token):
            return "setup"
        return "play" if self._page.matches(token) else None

    def make_spectator(self, key: bytes) -> str:
        """Returns the token of spectators, made with this key of the daemon; "" where there is no token."""
        fingerprint = self.fingerprint
        return (
            f"look-{hmac.digest(key, f'spectators {fingerprint}'.encode(), 'sha256').hex()[:32]}" if fingerprint else ""
        )

    def _read_page(self, path: Path) -> bytes:
        if self._own is not None:
            token = read_secret(self._own, say("token.page", "the page's token"))
            if len(token) < LEAST:
                what = say("token.short", "the token in {path} is too short", path=str(self._own))
                raise UserError(advise(what, say("token.least", "it needs at least {least} characters", least=LEAST)))
            return hash_token(token)
        found = _read_hash(path, "--new")
        if found is None:
            make = say("token.make", "run  sudo oche token  on the machine that oche runs on")
            raise UserError(advise(say("token.none", "there is no token yet"), make)) from None
        return found

    def _read_setup(self, path: Path) -> bytes | None:
        return _read_hash(path, "--setup")


class _TokenHash:
    """The hash of a token in a file, which `read` reads: None where there is none. It raises UserError."""

    def __init__(self, path: Path, read: Callable[[Path], bytes | None]) -> None:
        self.trouble: str | Sentence = ""
        self._path = path
        self._read = read
        self._seen: tuple[int, int, int] | None = (0, 0, 0)
        self._hash: bytes | None = None

    @property
    def fingerprint(self) -> str | None:
        self.refresh()
        return _make_fingerprint(self._hash) if self._hash else None

    def matches(self, token: str) -> bool:
        self.refresh()
        return self._hash is not None and hmac.compare_digest(hash_token(token.strip()), self._hash)

    def refresh(self) -> None:
        """Reads the file again if it was changed, which takes some microseconds to find out."""
        try:
            found = self._path.stat()
            seen = (found.st_mtime_ns, found.st_ino, found.st_size)
        except OSError:
            seen = None
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._hash, self.trouble = self._read(self._path), ""
        except UserError as error:
            self._hash, self.trouble = None, error.said
            log.warning("page: %s", error)


def _read_hash(path: Path, option: str) -> bytes | None:
    """Returns the hash in this file; None: there is no file. Raises UserError; `option` makes a new token."""
    try:
        text = path.read_text("ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        text = ""
    if not re.fullmatch("[0-9a-f]{64}", text):
        what = say("token.unusable", "{path} cannot be used", path=str(path))
        raise UserError(
            advise(what, say("token.again", "make a new token with  sudo oche token {given}", given=option))
        )
    return bytes.fromhex(text)


def _make_fingerprint(token_hash: bytes) -> str:
    return hmac.digest(token_hash, b"the page of oche", "sha256").hex()


def locate_token_hash(folder: Path) -> Path:
    """Returns the file of the token's hash in the state folder."""
    return folder / "web.token"


def locate_setup_hash(folder: Path) -> Path:
    """Returns the file of the hash of the setup's token in the state folder."""
    return folder / "web.setup"


def make_token(folder: Path) -> str:
    """Returns a new token of 140 random bits and stores its hash; the former one is then invalid. Raises UserError."""
    token, of_setup = _draw_token(), _read_fingerprint(locate_setup_hash(folder))
    _store(token, locate_token_hash(folder), lambda device: device.token_fingerprint != of_setup)
    return token


def make_setup_token(folder: Path) -> str:
    """Returns a new token of the setup, as make_token does; devices that have entered the former one are out."""
    token, path = f"{_OF_SETUP}{_draw_token()}", locate_setup_hash(folder)
    former = _read_fingerprint(path)
    _store(token, path, lambda device: device.token_fingerprint == former)
    return token


def drop_token(folder: Path, role: Role) -> None:
    """Has the token of this role, that of the page or of the setup, count no more. It stays where the disk refuses."""
    with suppress(OSError):
        files.remove_file((locate_setup_hash if role == "setup" else locate_token_hash)(folder))


def _read_fingerprint(path: Path) -> str | None:
    try:
        found = _read_hash(path, "")
    except UserError:
        found = None
    return None if found is None else _make_fingerprint(found)


def _draw_token() -> str:
    letters = [secrets.choice(_LETTERS) for _ in range(_GROUPS * _LETTERS_EACH)]
    return "-".join("".join(letters[at : at + _LETTERS_EACH]) for at in range(0, len(letters), _LETTERS_EACH))


def _store(token: str, path: Path, is_out: Callable[[Device], bool]) -> None:
    """Stores the hash of a token; the devices of which `is_out` says so are out. Raises UserError."""
    with files.explain_errors(f"cannot write {path}", None):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace_file(path, f"{hash_token(token).hex()}\n".encode(), mode=0o600, like=path.parent)
    with suppress(OSError):  # a device of the former token is out already, for its file names that one
        Devices(path.parent).clear(is_out)


def hash_token(token: str) -> bytes:
    """Returns the SHA-256 of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
