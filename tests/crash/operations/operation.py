"""Every operation of oche that writes, for the sweep: what there is before it, how it is done, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from tests.crash.world import Gone, World
from tests.daemon.evenings import Evening

Outcome = bool | None
"""Whether it was done, and said so; False: it was refused. None: it was killed before it has said anything."""
JSON = Any  # JSON

TAKEN_BACK = "taken back, because oche cannot start with it"
"""What the log and the page say where oche could not start with a change: all is as before."""
CONFIGURATION = """# The house.
[bridge]
state_dir = "{state}"

[mqtt]
on = false

[web]
port = 0

[[table]]
board = "none"
players = ["Ann", "Bo"]
"""


class Operation(NamedTuple):
    """`act` does it; `prepare` makes what there is before, beside a home with some matches.

    `runs`: "daemon": a daemon does it, which runs already; "start": it is the start of one; "command": a command.
    """

    name: str
    act: Callable[[World], Outcome]
    prepare: Callable[[World], None] = lambda _: None
    runs: Literal["daemon", "start", "command"] = "daemon"
    more: Callable[[World], dict[str, JSON]] = lambda _: {}
    """What is to be looked at besides."""
    settle: Callable[[World], object] = lambda _: None
    """Waits for what goes on after the answer."""
    may_be_half: bool = False
    """It changes several files, and is completed by doing it again."""
    may_be_lost: bool = False
    """Where the disk refuses it, it is done without, and the log says so."""
    told: str = ""
    """What the log says of what is not as it should be, and is kept elsewhere."""
    lost_with_kill: tuple[str, ...] = ()
    """Parts of what is seen that only the process had, because their file was deleted."""
    broker: bool = False
    """It takes mosquitto."""


def make_home(world: World) -> None:
    """A configuration, three matches that are over, and one that is going on."""
    world.home.mkdir()
    world.file.write_text(CONFIGURATION.format(state=world.state), encoding="utf-8")
    with Evening(world.state) as evening:
        for day, players in enumerate((["Ann", "Bo"], ["Ann", "Cyprian"], ["Anna", "Bo"])):
            evening.play("T20 S1 D20", day=day, players=players, options={"start": 101})
        evening.play("T20 S1", day=3, options={"start": 301})


def command(name: str, body: object) -> Callable[[World], Outcome]:
    return lambda world: world.post(f"/api/table/main/{name}", body)


def post(path: str, body: object) -> Callable[[World], Outcome]:
    return lambda world: world.post(path, body)


def do_before(act: Callable[[World], Outcome], *, restarts: bool = False) -> Callable[[World], None]:
    """What there is after this was done."""

    def prepare(world: World) -> None:
        world.start()
        assert act(world), world.said
        if restarts:
            wait_for_start(world)
        world.stop()

    return prepare


def wait_for_start(world: World) -> None:
    """Until it runs anew, where it is to."""
    runs = world.runs()
    with suppress(Gone, TimeoutError):
        world.until(lambda: world.runs() > runs, 5)


def need(outcome: Outcome) -> None:
    assert outcome
