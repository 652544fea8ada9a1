"""The settings on the page, tokens, and devices."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import msgspec

from daemon.admin.settings.settings_history import Pending
from daemon.web.token import make_setup_token, make_token
from tests.crash.operations.operation import JSON, TAKEN_BACK, Operation, Outcome, do_before, post, wait_for_start
from tests.crash.world import Gone, World


def _change(*changes: tuple[list[str | int], JSON], password: str | None = None) -> Callable[[World], Outcome]:
    def act(world: World) -> Outcome:
        try:
            version = world.get("/api/settings")["version"]
        except Gone:
            return None
        body = {"version": version, "changes": [{"path": path, "value": value} for path, value in changes]}
        return world.post("/api/settings", body if password is None else {**body, "password": password})

    return act


def _revert(world: World) -> Outcome:
    try:
        version = world.get("/api/settings")["version"]
    except Gone:
        return None
    return world.post("/api/settings/revert", {"version": version})


def list_settings(world: World) -> dict[str, JSON]:
    return {"can_revert": world.get("/api/settings")["can_revert"]}


_TITLE = _change((["table", 0, "title"], "The Oak"))
_PASSWORD = _change((["mqtt", "username"], "ann"), password="hunter2")


def _with_title(world: World) -> None:
    do_before(_TITLE, restarts=True)(world)


def _passwords(world: World) -> dict[str, JSON]:
    """What is kept as the broker's password, and whether the configuration names it."""
    found = [*world.state.glob("mqtt-password-*"), *world.state.glob("mqtt.password*")]
    text = world.file.read_text("utf-8")
    return {
        **list_settings(world),
        "passwords": sorted((each.read_text("utf-8"), each.name in text) for each in found),
    }


def _open_to_others(world: World) -> None:
    text = world.file.read_text("utf-8")
    world.file.write_text(text.replace("[web]\n", '[web]\nhost = "0.0.0.0"\n'), encoding="utf-8")
    (world.beside / "page").write_text(make_token(world.state), encoding="ascii")
    (world.beside / "setup").write_text(make_setup_token(world.state), encoding="ascii")
    for name in ("web.token", "web.setup"):
        shutil.copy(world.state / name, world.beside / name)


def _list_tokens(world: World) -> dict[str, JSON]:
    """Which token there is: none, the one from before, or another."""
    found = {}
    for path in (world.state / "web.token", world.state / "web.setup"):
        former = world.beside / path.name
        is_former = former.exists() and path.exists() and former.read_bytes() == path.read_bytes()
        found[path.name] = "former" if is_former else "another" if path.exists() else "none"
    return found


def _list_devices(world: World) -> dict[str, JSON]:
    return {"devices": len([*(world.state / "web.devices").glob("?" * 8)])}


def _enter(world: World) -> Outcome:
    return world.post("/api/enter", {"token": (world.beside / "page").read_text("ascii")})


def _revoke(world: World) -> Outcome:
    number = next((each.name for each in (world.state / "web.devices").iterdir() if len(each.name) == 8), None)
    return True if number is None else world.command("token", "--revoke", number)


def _use_token(role: str) -> Callable[[World], None]:
    """The page is open to others, and we have this token of it."""

    def prepare(world: World) -> None:
        _open_to_others(world)
        world.headers["Authorization"] = f"Bearer {(world.beside / role).read_text('ascii')}"

    return prepare


def _use_device(world: World) -> None:
    _use_token("setup")(world)
    do_before(_enter)(world)


def _open(world: World) -> Outcome:
    """The page is opened to others, which makes the tokens it needs."""
    return _change((["web", "host"], "0.0.0.0"))(world)


def _tear(world: World) -> None:
    """The power failed while the service wrote a change in place."""
    world.environment["STATE_DIRECTORY"] = str(world.state)
    before = world.file.read_text("utf-8")
    after = before.replace("The house", "The mouse")
    (world.state / "settings").mkdir()
    pending = Pending(str(world.file), before, after)
    (world.state / "settings" / "pending.json").write_bytes(msgspec.json.encode(pending))
    world.file.write_text(after[:7] + "\0" * 3 + before[10:], encoding="utf-8")


OPERATIONS = (
    Operation("a torn configuration is mended", lambda world: world.start(), _tear, "start", told=TAKEN_BACK),
    Operation("a change of the settings", _TITLE, more=list_settings, settle=wait_for_start),
    Operation(
        "a change taken back", _revert, do_before(_TITLE, restarts=True), more=list_settings, settle=wait_for_start
    ),
    Operation("the broker's password", _PASSWORD, more=_passwords, settle=wait_for_start),
    Operation(
        "another token on the page",
        post("/api/settings/token", {"role": "play"}),
        _use_token("setup"),
        more=_list_tokens,
    ),
    Operation(
        "another token of the setup",
        lambda world: world.command("token", "--setup"),
        _use_token("page"),
        "command",
        _list_tokens,
    ),
    Operation(
        "the first tokens",  # the first is shown before the second is made
        lambda world: world.command("token"),
        runs="command",
        more=_list_tokens,
        may_be_half=True,
    ),
    Operation("a device enters", _enter, _use_token("setup"), more=_list_devices, may_be_lost=True),
    Operation("a device is revoked", _revoke, _use_device, "command", _list_devices),
)
