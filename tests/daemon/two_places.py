"""A match in two places in virtual time: both tables with their disks, and a network that loses, repeats and overtakes.

The tables are the real scorers. A disk is a list that outlives them; a restart makes a new scorer from it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import partial
from itertools import count
from random import Random
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.config.sections import TableConfig
from daemon.journal.lines import Begin, Line, StoredMatch
from daemon.snapshot import make_states
from daemon.table.effects import Away, Effects
from daemon.table.lent_inputs import EarlyInputs, LentInput, LentInputs
from daemon.table.matches import begin, resume
from daemon.table.places import PlaceSender, name_here
from daemon.table.scorer import Scorer
from protocol.commands import Command, CommandError, Join, decode_line
from protocol.events import Button, Hit
from protocol.league_messages import LeagueInput, LeagueInputTaken
from protocol.match_spec import read_header, write_header
from protocol.messages import State
from tests.daemon.desk import SENSOR
from tests.plain_guard import PlainGuard

MS = 1_000_000
GUARD = PlainGuard()
HEADER = {"oche": 1, "game": "x01", "options": {"start": 301}, "players": ["Ann", "Bo"], "seed": "a"}
Place = Literal["north", "south"]


class Network(Struct):
    """How messages travel: each with its own delay in ms, some lost, some twice. While it is cut, none."""

    random: Random
    delays_ms: tuple[int, int] = (25, 150)
    loss: float = 0.0
    twice: float = 0.0
    is_cut: bool = False
    deaf: str = ""
    """The table that nothing reaches; "": none."""


def make_config(takeout: str = "timer") -> dict[str, TableConfig]:
    kinds: Any = takeout
    return {name: TableConfig(name=name, board="serial:x", takeout=kinds, takeout_s=3.0) for name in ("north", "south")}


class TwoPlaces:
    """The match is at `north`; Bo throws at `south`. `now` is the time in ns of all."""

    def __init__(self, network: Network, takeout: str = "timer", header: dict[str, Any] | None = None) -> None:
        self.network = network
        self.now = 1_000 * MS
        self._config = make_config(takeout)
        self._order = count()
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._lives = {"north": 0, "south": 0}
        """How often each was started: a message to an earlier run is lost."""
        spec = read_header({**(header or HEADER), "places": ["north", "south"]})
        opened = begin(name_here(spec, "north"), SENSOR.layout, lambda _: "m1", GUARD)
        self.header = write_header(opened.match.header)
        self.lines: list[Line] = []
        """The journal of north."""
        self.kept: list[LentInput] = []
        """The file of south."""
        self.taken = 0
        """How far it says that they are taken."""
        self.decisions: list[tuple[int, str]] = []
        """What north has decided of the inputs of south: their numbers, and "counted" or why not."""
        self.heard_refused: dict[int, str] = {}
        """The refusals that south has heard of."""
        self.asked: dict[Place, list[str]] = {"north": [], "south": []}
        self.start_north()
        self.start_south(is_first=True)

    # The two tables

    def start_north(self) -> None:
        """From its disk."""
        self._lives["north"] += 1
        stored = StoredMatch("m1", self.header, self.lines)
        self.north = Scorer(resume(stored, SENSOR.layout, GUARD), self._config["north"], SENSOR, lambda _: "m2", GUARD)
        self.north.resume(self.north.sheet.opened, self.now)
        self.north.note_away("south", Away(True, None))
        self._refused: dict[int, str] = {}
        self._early = EarlyInputs()
        self._publish()

    def start_south(self, *, is_first: bool = False) -> None:
        """From its disk."""
        self._lives["south"] += 1
        spec = read_header({"oche": 1, "game": "x01", "players": ["X", "Y"], "seed": "b"})
        opened = begin(spec, SENSOR.layout, lambda _: "own", GUARD)
        self.south = Scorer(opened, self._config["south"], SENSOR, lambda _: "own", GUARD)
        self.inputs = LentInputs("north", "m1", "aaaaaaaa", self.kept, self.taken)
        self.south.lend(self.inputs)
        if is_first:
            self.inputs.add({"join": True}, self.now)
        self._write()
        self.connect_south()

    def connect_south(self) -> None:
        """It is connected (again): the broker has the last state, and what waits is said at once."""
        self.inputs.hurry(self.now)
        state = self.state
        self._send("south", lambda: self._see(state))
        self._say()

    def cut(self) -> None:
        """No message arrives from now on."""
        self.network.is_cut = True

    def heal(self) -> None:
        """Messages arrive again."""
        self.network.is_cut = False
        self.connect_south()

    def tell(self, place: Place, command: Command) -> str:
        """A command at one of the tables; returns "ok", or why not."""
        self.run_until(self.now)
        if place == "north":
            effects = self.north.obey(command, "page", self.now)
            self._commit(effects)
        else:
            effects = self.south.obey(command, "page", self.now)
            self._write()
        return "ok" if not isinstance(effects.reply, CommandError) else str(effects.reply)

    def hit(self, place: Place, bed: str) -> None:
        """A dart at one of the tables."""
        self.run_until(self.now)
        item = Hit(segment=SENSOR.layout[bed], time_ns=self.now)
        if place == "north":
            self._commit(self.north.feed(item, self.now))
        else:
            self.south.feed(item, self.now)
            self._write()

    def press(self, button: str) -> None:
        """A button of the board at south."""
        self.run_until(self.now)
        self.south.feed(Button(name=button, time_ns=self.now), self.now)
        self._write()

    # What happens by itself

    def wait(self, ms: int) -> None:
        """Time passes."""
        self.run_until(self.now + ms * MS)

    def run_until(self, end: int) -> None:
        """Does all that is due, in its order."""
        while True:
            due = [(time, who) for who, time in self._list_deadlines() if time is not None]
            event_ns = self._events[0][0] if self._events else None
            first = min([time for time, _ in due] + [event_ns or end + 1])
            if first > end:
                break
            self.now = max(self.now, first)
            if event_ns is not None and event_ns <= first:
                heapq.heappop(self._events)[2]()
            else:
                min(due, key=lambda each: each[0])[1]()
        self.now = max(self.now, end)

    def settle(self) -> None:
        """Runs with a whole network until all is said."""
        self.network = Network(self.network.random)
        self.heal()
        for _ in range(100):
            self.wait(500)
            if not self.inputs.waiting:
                break
        self.wait(4000)

    def _list_deadlines(self) -> list[tuple[Callable[[], None], int | None]]:
        return [
            (self._tick_north, self.north.deadline()),
            (self._tick_south, self.south.deadline()),
            (self._say, self.inputs.deadline),
        ]

    def _tick_north(self) -> None:
        self._commit(self.north.tick(self.now))

    def _tick_south(self) -> None:
        self.south.tick(self.now)
        self._write()

    # South's end

    def _write(self) -> None:
        """Its disk takes 5 ms."""
        if new := self.inputs.unwritten:
            self._later(5, lambda: self._note_written(new), "south")

    def _note_written(self, new: list[LentInput]) -> None:
        known = {each.seq for each in self.kept}
        self.kept += [each for each in new if each.seq not in known]
        self.inputs.note_written(new[-1].seq)
        self._say()

    def _say(self) -> None:
        for said in self.inputs.say(self.now):
            self._send("north", partial(self.decide, msgspec.json.encode(said)))

    def _see(self, state: State) -> None:
        assert self.south.lent is not None
        self.south.lent.see(state, self.now)

    def _hear(self, taken: LeagueInputTaken) -> None:
        assert self.south.lent is not None
        for each in self.inputs.take(taken, self.now):
            why = taken.refused.get(str(each.seq))
            if why is not None:
                self.heard_refused[each.seq] = why
                self.south.lent.forget(each, self.now)
        self.taken = max(self.taken, self.inputs.taken)

    # North's end

    def decide(self, text: bytes) -> None:
        """Takes a LeagueInput of south."""
        said = msgspec.json.decode(text, type=LeagueInput)
        command: Command = Join() if "join" in said.input else decode_line(said.input)
        visit = None if said.visit is msgspec.UNSET else said.visit
        sender = PlaceSender("south", said.session, said.seq, said.first, visit, said.timer)
        effects = self.north.obey(command, sender, self.now)
        reply = effects.reply
        if not isinstance(reply, CommandError):
            self.decisions.append((said.seq, "counted"))
        elif reply.code != "stale":
            self.decisions.append((said.seq, str(reply)))
            self._refused[said.seq] = str(reply)
        self._commit(effects)
        place = self._place
        if isinstance(reply, CommandError) and reply.code == "stale":
            self._early.keep(said, place.seq if place.session == said.session else 0)
        elif (following := self._early.take_next(said.session, place.seq)) is not None:
            self.decide(msgspec.json.encode(following))
        if place.session == said.session:
            refused = {str(seq): why for seq, why in self._refused.items()}
            taken = LeagueInputTaken(1, "m1", said.session, place.seq, refused)
            self._send("south", lambda: self._hear(taken))

    def _commit(self, effects: Effects) -> None:
        for line in effects.lines:
            assert not isinstance(line, Begin)
            if isinstance(line, Line):
                self.lines.append(line)
        if effects.lines or effects.is_state_changed:
            self._publish()

    def _publish(self) -> None:
        state = self.north.show(self.north.sheet.states.public)
        self.state = state = replace(state, session=str(self._lives["north"]), seq=next(self._order) + 1)
        self._send("south", lambda: self._see(state))

    @property
    def _place(self) -> Any:
        return next(each for each in self.state.places if each.table == "south")  # type: ignore[union-attr]

    # The network

    def _send(self, to: Place, take: Callable[[], None]) -> None:
        for _ in range(1 + (self.network.random.random() < self.network.twice)):
            is_lost = self.network.is_cut or to == self.network.deaf or self.network.random.random() < self.network.loss
            if not is_lost:
                self._later(self.network.random.randint(*self.network.delays_ms), take, to)

    def _later(self, ms: int, do: Callable[[], None], at: Place) -> None:
        life = self._lives[at]

        def act() -> None:
            if self._lives[at] == life:
                do()

        heapq.heappush(self._events, (self.now + ms * MS, next(self._order), act))

    # What must hold

    def check(self) -> None:
        """The laws, once all is settled."""
        assert not self.inputs.waiting, "an input still waits"
        stored = StoredMatch("m1", self.header, self.lines)
        again = resume(stored, SENSOR.layout, GUARD)
        assert make_states(again.match, "m1") == self.north.sheet.states, "the record does not replay"
        self._check_once()
        self._check_places()

    def _check_once(self) -> None:
        numbers = [int(line.source.split(" ")[3]) for line in self.lines if line.source.startswith("table ")]
        assert numbers == sorted(numbers), "darts were counted in another order"
        thrown = {each.seq for each in self.kept if _is_dart(each.input)}
        counted = [
            int(line.source.split(" ")[3])
            for line in self.lines
            if line.source.startswith("table ") and _is_dart(line.input)
        ]
        counted = [seq for seq in counted if seq in thrown]  # not the misses that a next has filled in
        assert len(counted) == len(set(counted)), "a dart was counted twice"
        refused = {seq for seq, why in self.decisions if why != "counted"}
        assert thrown <= {*counted} | refused, "a dart was lost"

    def _check_places(self) -> None:
        match = resume(StoredMatch("m1", self.header, []), SENSOR.layout, GUARD).match
        for line in self.lines:
            own, side = line.source.startswith("table "), match.position.visit.side
            given = decode_line(line.input)
            if {"throw", "total", "next"} & line.input.keys() and "amend" not in line.input:
                assert own == (side == 1), f"line {line.number} is of the other place"
            if "undo" in line.input and (target := match.find_undone()) is not None:
                is_dart = {"throw", "next"} & {*type(target.input).__name__.lower().split()}
                assert not is_dart or own == (target.visit[1] == 1), f"line {line.number} takes back the other's"
            assert match.apply(line.number, given).accepted


def _is_dart(given: dict[str, Any]) -> bool:
    return "throw" in given and "amend" not in given
