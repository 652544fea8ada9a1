"""Who may use the page where others can reach it: whoever has the token.

The token is shown once, by `oche token`; kept is its hash only, which is all it takes to know it again. A browser
changes it for a cookie that is made with that hash, so a tablet on the wall stays in when the daemon starts anew, and
everybody is out as soon as there is another token. Nothing else is remembered of anybody.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from ipaddress import ip_address
from pathlib import Path

from daemon import credential, files
from daemon.errors import UserError

log = logging.getLogger("oche.web")

CREDENTIAL = "web-token"
OF_SERVICE = Path("/etc/oche/web-token")
"""From where systemd/oche.service has it."""
LEAST = 16
"""Characters of a token that somebody made up: it must not be found by trying."""
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""None that is taken for another; one is five bits."""
_GROUPS, _LETTERS_EACH = 7, 4


class Access:
    """The token of the page at this host: `folder` is the state folder, `token_file` as in the configuration."""

    def __init__(self, host: str, token_file: str | None, folder: Path) -> None:
        self.is_needed = not is_loopback(host)
        self._own = credential.place(CREDENTIAL, token_file)
        self._path = self._own or kept_in(folder)
        self._is_of_service = self._own is not None and (token_file is None or self._own != Path(token_file))
        self._seen: tuple[int, int, int] | None = (0, 0, 0)
        self._hash: bytes | None = None
        self._trouble = ""
        if self.is_needed:
            self._look()

    @property
    def trouble(self) -> str:
        """Why nobody can enter, and what to do; "" when all is well."""
        self._look()
        return self._trouble

    @property
    def source(self) -> str:
        """Where the token that counts comes from, for who has shown another: the end of a sentence."""
        if self._own is None:
            return "sudo oche token --new makes another one"
        if self._is_of_service:
            return f"the one of the service counts, from its credential {CREDENTIAL} ({OF_SERVICE} as it is installed)"
        return f"the one in {self._own} counts"

    @property
    def cookie(self) -> str | None:
        """What a browser shows instead of the token. It says nothing of the token, and is another for each one."""
        self._look()
        return hmac.digest(self._hash, b"the page of oche", "sha256").hex() if self._hash else None

    def knows(self, token: str) -> bool:
        """Is this the token?"""
        self._look()
        return self._hash is not None and hmac.compare_digest(_hash(token.strip()), self._hash)

    def has_entered(self, cookie: str) -> bool:
        """Was this cookie given for the token that counts now?"""
        known = self.cookie
        return known is not None and hmac.compare_digest(cookie.encode("utf-8", "replace"), known.encode())

    def _look(self) -> None:
        """Reads it again when it was changed; to ask so costs some microseconds."""
        try:
            found = self._path.stat()
            seen = (found.st_mtime_ns, found.st_ino, found.st_size)
        except OSError:
            seen = None
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._hash, self._trouble = self._read(), ""
        except UserError as error:
            self._hash, self._trouble = None, str(error)
            log.warning("page: %s", error)

    def _read(self) -> bytes:
        if self._own is not None:
            token = credential.read(self._own, "the page's token")
            if len(token) < LEAST:
                raise UserError(f"the token in {self._own} is too short: it takes {LEAST} characters or more")
            return _hash(token)
        try:
            text = self._path.read_text("ascii").strip()
        except FileNotFoundError:
            raise UserError(
                "nobody can enter before there is a token: type  sudo oche token  on the machine that oche runs on"
            ) from None
        except (OSError, UnicodeDecodeError):
            text = ""
        if not re.fullmatch("[0-9a-f]{64}", text):
            raise UserError(f"{self._path} cannot be used: make another token with  sudo oche token --new")
        return bytes.fromhex(text)


def is_loopback(host: str) -> bool:
    """Is this address, or name, one that only this machine reaches?"""
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def is_any(host: str) -> bool:
    """Is this every address of this machine?"""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def kept_in(folder: Path) -> Path:
    """The file of the token's hash in the state folder."""
    return folder / "web.token"


def new_token(folder: Path) -> str:
    """Makes a token of 140 random bits, from now on the only one; it is kept nowhere. Raises UserError."""
    letters = [secrets.choice(_LETTERS) for _ in range(_GROUPS * _LETTERS_EACH)]
    token = "-".join("".join(letters[at : at + _LETTERS_EACH]) for at in range(0, len(letters), _LETTERS_EACH))
    path = kept_in(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files.write(path, f"{_hash(token).hex()}\n".encode(), mode=0o600, like=folder)
    except OSError as error:
        raise UserError(f"cannot write {path}: {files.reason(error)}; try it with sudo") from None
    return token


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
