"""`oche token`: the token of the page, shown once, where others can reach the page."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import click

from daemon.config import DEFAULT_FILE, read_config
from daemon.errors import UserError
from daemon.sections import Web


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
@click.option("--new", is_flag=True, help="Make another one; whoever has entered with the old one is out.")
def command(file: Path, new: bool) -> None:
    """Make the token that the page asks for, and show it with the address to open. It is kept nowhere."""
    from daemon import credential
    from daemon.access import CREDENTIAL, OF_SERVICE, is_loopback, kept_in, new_token

    config = read_config(file).config
    service = file.absolute().with_name(OF_SERVICE.name)
    if _has_text(service):  # as the service will, and our environment says nothing of
        restart = "and restart the service (sudo systemctl restart oche)"
        raise UserError(f"the token is the one in {service}: change it there, {restart}")
    own = credential.place(CREDENTIAL, config.web.token_file)
    if own is not None:
        raise UserError(f"the token is the one in {own}: change it there")
    folder = Path(config.bridge.state_dir)
    if kept_in(folder).exists() and not new:
        raise UserError("there is a token already, and it was shown once: oche token --new makes another one")
    token = new_token(folder)
    address = f"http://{_authority(config.web)}/#token={token}"
    print(f"Token    {token}\nAddress  {address}\n")
    if sys.stdout.isatty():
        import segno

        segno.make(address, error="m", micro=False).terminal(compact=True)
    print("Keep it: it is not shown again. Open the address once on each display, or enter the token there.")
    if is_loopback(config.web.host):
        print(f'The page asks for it as soon as others can reach it: with host = "0.0.0.0" in [web] of {file}.')


def _has_text(file: Path) -> bool:
    """Is there more in it than a line end, which means that it is left out? It need not be ours to read."""
    try:
        return file.stat().st_size > 1
    except OSError:
        return False


def _authority(web: Web) -> str:
    """Where others find the page, as far as this machine knows."""
    from daemon.access import is_any

    if web.names:
        name = web.names[0]
    elif is_any(web.host):
        name = _own_address()
    else:
        name = f"[{web.host}]" if ":" in web.host else web.host
    return f"{name}:{web.port}"


def _own_address() -> str:
    """The address of this machine in its network, else its name. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's: asks the routes only
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
