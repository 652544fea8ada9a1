"""`make recording`: a leg as its caller calls it, and the same leg as who plays by ear hears it, as two wav files.

The table is that of a daemon, on a clock that is set by hand. What it says goes through the queue of a loudspeaker.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from daemon.outlets.call_keys import find_recordings
from daemon.outlets.calls import Calls
from daemon.outlets.play_by_ear import tell, write_item
from daemon.outlets.speech_queue import SpeechItem, SpeechQueue
from protocol.facts import Event
from protocol.layouts import find_layout
from protocol.messages import State
from tests.daemon.desk import Desk

ROOT = Path(__file__).parents[1]
VOICE: dict[str, Any] = runpy.run_path(str(ROOT / "debian/release/voice.py"))
TEXTS: dict[str, str] = VOICE["list_texts"]("en")
PACK = {key: (Path(key),) for key in TEXTS}
LEG = "T20 T20 S20 next T19 S19 S3 next T20 S20 S1 next T20 T20 S20 next T20 S10 D5"
RATE = 16_000
DART_S, PULL_S, LISTEN_S, PAUSE_S = 2.0, 4.0, 1.0, 0.3

Record = Callable[[str], bytes]
Follow = Callable[[State | None, State, tuple[Event, ...]], Iterator[SpeechItem]]


class Loudspeaker:
    """Says what waits in its queue, one after the other. `samples` has what was heard until now."""

    def __init__(self, record: Record) -> None:
        self.queue = SpeechQueue[SpeechItem]()
        self.samples = bytearray()
        self._record = record

    def say_until(self, now: float) -> float:
        """Says what is due until then, in seconds; returns when the last sentence ends."""
        while (due := self.queue.deadline()) is not None and due <= now and (item := self.queue.take(due)) is not None:
            self.samples.extend(bytes(max(0, 2 * round(due * RATE) - len(self.samples))))
            self.samples.extend(self._record(item.text))
            self.queue.hold(self._end + PAUSE_S)
        return self._end

    @property
    def _end(self) -> float:
        return len(self.samples) / 2 / RATE


def play(follow: Follow, record: Record, *, listens: bool) -> bytes:
    """Returns what is heard of the leg. A player who `listens` throws when all was said."""
    desk, speaker, before = Desk(game="x01", options={"start": 301}), Loudspeaker(record), None
    begun = desk.now
    for word in (None, *LEG.split()):
        if word is not None:
            wait = LISTEN_S if listens else PULL_S if word == "next" else DART_S
            at = max(desk.now - begun, speaker.say_until(float("inf")) if listens else 0) + wait
            speaker.say_until(at)
            desk.hear(word, after_s=at - (desk.now - begun))
        events = tuple(event for each in desk.followed for event in each.events)
        desk.followed.clear()
        for item in follow(before, desk.state, events):
            speaker.queue.put(item, desk.now - begun)
        before = desk.state
    speaker.say_until(float("inf"))
    return bytes(speaker.samples)


def call(calls: Calls, before: State | None, state: State, events: tuple[Event, ...]) -> Iterator[SpeechItem]:
    """Yields what a loudspeaker with the voice in the box calls, as the keys of its recordings."""
    if before is None:
        events = (Event(event_type="match_started", session="", seq=1), *events)
    if any(event.event_type == "dart" for event in events):
        yield SpeechItem("dart", "", drops=True)
    for made in calls.make(events, state):
        if made.kind != "noise":
            found = find_recordings(made.ways, [PACK])
            yield SpeechItem(made.kind, " ".join(file.name for file in found), made.about)


def tell_ear(before: State | None, state: State, events: tuple[Event, ...]) -> Iterator[SpeechItem]:
    """Yields what who plays by ear is told."""
    for utterance in tell(before, state, events, find_layout("standard"), has_button=True):
        yield write_item(utterance, "en")


@cache
def play_recordings(keys: str) -> bytes:
    """Returns the samples of these recordings of the voice in the box, one after the other."""
    samples = b""
    with TemporaryDirectory() as work:
        for key in keys.split():
            VOICE["speak"]("en", TEXTS[key], Path(work, "spoken.mp3"))
            _run("lame", "--quiet", "--decode", f"{work}/spoken.mp3", f"{work}/spoken.wav")
            samples += _read(f"{work}/spoken.wav")
    return samples


@cache
def speak(text: str) -> bytes:
    """Returns the samples of this sentence, spoken by espeak-ng."""
    with TemporaryDirectory() as work:
        _run("espeak-ng", "-v", "en", "-s", "165", "-w", f"{work}/spoken.wav", text)
        return _read(f"{work}/spoken.wav")


def _read(file: str) -> bytes:
    return _run("sox", file, "-t", "raw", "-r", str(RATE), "-e", "signed-integer", "-b", "16", "-c", "1", "-")


def _run(*command: str) -> bytes:
    return subprocess.run(command, check=True, capture_output=True).stdout


def main() -> None:
    """Writes both into build, and prints where and how long they are."""
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    for name, follow, record, listens in (
        ("leg-called", partial(call, Calls(darts=False)), play_recordings, False),
        ("leg-by-ear", tell_ear, speak, True),
    ):
        samples = play(follow, record, listens=listens)
        with wave.open(str(file := folder / f"{name}.wav"), "wb") as out:
            out.setparams((1, 2, RATE, 0, "NONE", ""))
            out.writeframes(samples)
        sys.stdout.write(f"{file}: {len(samples) / 2 / RATE:.0f} s\n")


if __name__ == "__main__":
    main()
