"""`oche token`: makes the token of the page, and shows it once."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.commands.shared import config_option, open_config, print_qr_code
from daemon.config.sections import Bridge, Web
from daemon.config.unconfigured import find_state_folder
from daemon.errors import UserError


@click.command()
@config_option()
@click.option("--new", is_flag=True, help="Make another one; the old one no longer counts.")
@click.option("--list", "is_list", is_flag=True, help="List the devices that have entered it.")
@click.option("--revoke", metavar="DEVICE", help="Let a device of that list in no longer.")
def command(config: Path, new: bool, is_list: bool, revoke: str | None) -> None:
    """Make the token that the page asks for, and show it with the address to open. It is kept nowhere."""
    from daemon.config.credentials import find_secret
    from daemon.web.devices import Devices
    from daemon.web.public_url import PublicUrl, is_loopback
    from daemon.web.token import CREDENTIAL, OF_SERVICE, locate_token_hash, make_token

    setup = open_config(config)
    bridge, web = (
        (setup.config.bridge, setup.config.web) if setup else (Bridge(state_dir=str(find_state_folder())), Web())
    )
    if is_list or revoke is not None:
        devices = Devices(Path(bridge.state_dir))
        if revoke is not None:
            devices.revoke(revoke)
        for number in sorted(devices.list()):
            if (device := devices.read(number)) is not None:
                print(f"{number}  {device.since}  {device.agent}")
        return
    service = config.absolute().with_name(OF_SERVICE.name)
    if _has_text(service):  # the service's credential, which is not in our environment
        restart = "and restart the service (sudo systemctl restart oche)"
        raise UserError(f"the token is the one in {service}: change it there, {restart}")
    own = find_secret(CREDENTIAL, web.token_file)
    if own is not None:
        raise UserError(f"the token is the one in {own}: change it there")
    folder = Path(bridge.state_dir)
    if locate_token_hash(folder).exists() and not new:
        raise UserError("there is a token already, and it was shown once: oche token --new makes another one")
    token = make_token(folder)
    address = f"http://{PublicUrl(web.host, web.port, web.names).authority}/#token={token}"
    print(f"Token    {token}\nAddress  {address}\n")
    print_qr_code(address)
    print("Keep it: it is not shown again. Open the address once on each display, or enter the token there.")
    if is_loopback(web.host):
        place = config if setup else "a file with the lines that oche run prints"
        print(f'The page asks for it as soon as others can reach it: with host = "0.0.0.0" in [web] of {place}.')


def _has_text(file: Path) -> bool:
    """Whether the file has more than a line end, which stands for no token. It need not be readable."""
    try:
        return file.stat().st_size > 1
    except OSError:
        return False
