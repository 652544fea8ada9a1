"""`oche token`: the token of the page, shown once, where others can reach the page."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from daemon.config import DEFAULT_FILE, read_config
from daemon.errors import UserError


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
@click.option("--new", is_flag=True, help="Make another one; whoever has entered with the old one is out.")
def command(file: Path, new: bool) -> None:
    """Make the token that the page asks for, and show it with the address to open. It is kept nowhere."""
    from daemon import credential
    from daemon.access import CREDENTIAL, OF_SERVICE, is_loopback, kept_in, new_token
    from daemon.whereabouts import Whereabouts

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
    web = config.web
    address = f"http://{Whereabouts(web.host, web.port, web.names).authority}/#token={token}"
    print(f"Token    {token}\nAddress  {address}\n")
    if sys.stdout.isatty():
        import segno

        segno.make(address, error="m", micro=False).terminal(compact=True)
    print("Keep it: it is not shown again. Open the address once on each display, or enter the token there.")
    if is_loopback(web.host):
        print(f'The page asks for it as soon as others can reach it: with host = "0.0.0.0" in [web] of {file}.')


def _has_text(file: Path) -> bool:
    """Is there more in it than a line end, which means that it is left out? It need not be ours to read."""
    try:
        return file.stat().st_size > 1
    except OSError:
        return False
