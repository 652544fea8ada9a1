"""`oche token`: makes the tokens of the page and of the setup, and shows them once."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.commands.shared import check_right, config_option, open_config, print_qr_code
from daemon.config.reader import write_command
from daemon.config.sections import Bridge, Web
from daemon.config.unconfigured import find_state_folder
from daemon.errors import UserError


@click.command()
@config_option()
@click.option("--new", is_flag=True, help="Make new tokens; the old ones stop working.")
@click.option("--setup", "only_setup", is_flag=True, help="Make only a new setup token, which can change settings.")
@click.option("--list", "is_list", is_flag=True, help="List the devices that have signed in.")
@click.option("--revoke", metavar="DEVICE", help="Sign out a device from that list.")
def command(config: Path, new: bool, only_setup: bool, is_list: bool, revoke: str | None) -> None:
    """Make and show the tokens that the page asks for: one to play, one to change settings.

    Only their hashes are stored.
    """
    from daemon.http.addresses import is_loopback
    from daemon.web.devices import Devices
    from daemon.web.public_url import PublicUrl
    from daemon.web.token import locate_setup_hash, locate_token_hash, make_setup_token, make_token

    opened = open_config(config)
    bridge, web = (
        (opened.config.bridge, opened.config.web) if opened else (Bridge(state_dir=str(find_state_folder())), Web())
    )
    folder = Path(bridge.state_dir)
    check_right(folder)
    if is_list or revoke is not None:
        devices = Devices(folder)
        if revoke is not None:
            devices.revoke(revoke)
        for number in sorted(devices.list()):
            if (device := devices.read(number)) is not None:
                print(f"{number}  {device.since}  {device.agent}")
        return
    page = PublicUrl(web.host, web.port, web.names)
    has_page, has_setup = locate_token_hash(folder).exists(), locate_setup_hash(folder).exists()
    if not only_setup:
        _check_is_ours(config, web)
        if has_page and has_setup and not new:
            raise UserError(_say_shown(config, folder, is_configured=opened is not None))
    if not only_setup and (new or not has_page):
        token = make_token(folder)
        address = page.with_token(token)
        print(f"Token    {token}\nAddress  {address}\n")
        print_qr_code(address)
        print(
            "Write it down: it is not shown again. Open the address once on each display, or enter the token there.\n"
        )
    if only_setup or new or not has_setup:
        token = make_setup_token(folder)
        print(f"Setup    {token}\nAddress  {page.with_token(token)}\n")
        print("Keep it to yourself: anyone who enters it can also change the settings.")
    _print_place(config, folder, is_configured=opened is not None)
    if is_loopback(web.host):
        place = config.absolute() if opened else "a file with the lines that oche run prints"
        print(f'The page asks for a token as soon as others can reach it: with host = "0.0.0.0" in [web] of {place}.')


def _say_shown(config: Path, folder: Path, *, is_configured: bool) -> str:
    """Returns that there is a token, and the command for another one, as it is to be typed here."""
    line = write_command("token", config if is_configured else None)
    of = f"of {config.absolute()}" if is_configured else f"in {folder}"
    return f"there already is a token {of}, and it was shown once: to make a new one, run {line} --new"


def _print_place(config: Path, folder: Path, *, is_configured: bool) -> None:
    """Prints which daemon the tokens are for: a machine may have several files."""
    daemon = f"with {config.absolute()}" if is_configured else f"without a configuration, with its state in {folder}"
    print(f"It is for the daemon that runs {daemon}. For another daemon run oche token --config FILE")


def _check_is_ours(config: Path, web: Web) -> None:
    """Raises UserError where the token of the page is the owner's own."""
    from daemon.config.credentials import find_secret
    from daemon.web.token import CREDENTIAL, OF_SERVICE

    service = config.absolute().with_name(OF_SERVICE.name)
    if _has_text(service):  # the service's credential, which is not in our environment
        restart = "and restart the service (sudo systemctl restart oche)"
        raise UserError(f"the token is the one in {service}: change it there, {restart}")
    own = find_secret(CREDENTIAL, web.token_file)
    if own is not None:
        raise UserError(f"the token is the one in {own}: change it there")


def _has_text(file: Path) -> bool:
    """Whether the file has more than a line end, which stands for no token. It need not be readable."""
    try:
        return file.stat().st_size > 1
    except OSError:
        return False
