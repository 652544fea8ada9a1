"""The limit of a block: raised in the block and nowhere else, whatever the moment it falls on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time

import pytest

from daemon import overrun, rules
from daemon.overrun import Overrun, limited
from engine.games import GAMES


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overrun, "_TICK_S", 0.05)


def busy(seconds: float) -> None:
    ends_s = time.perf_counter() + seconds
    while time.perf_counter() < ends_s:
        pass


def test_a_limit_is_of_its_own_thread_and_leaves_nothing_behind() -> None:
    ended = []

    def work() -> None:
        try:
            with limited(0.1):
                busy(1000.0)
        except Overrun:
            ended.append("by the watcher")
        time.sleep(0.3)  # it must not come again
        ended.append("whole")

    thread = threading.Thread(target=work)
    thread.start()
    with limited(1000.0):
        thread.join()
    assert ended == ["by the watcher", "whole"]
    assert [each.name for each in threading.enumerate() if each.name == "overrun"] == []


def test_whatever_moment_it_falls_on_it_stays_in_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    real = signal.setitimer

    def early(which: int, first: float, again: float = 0.0) -> tuple[float, float]:
        return real(which, 0.0003 if first else 0.0, again)

    monkeypatch.setattr(signal, "setitimer", early)
    game, chance = GAMES["x01"], random.Random(5)
    fell = whole = 0
    ends_s = time.monotonic() + 2.0
    while time.monotonic() < ends_s:
        rules.readmit()
        kept: Exception | None = None
        try:
            # around the tick, so that it often falls on the end of the block
            with rules.asking(game, 0.0001):
                busy(0.00024 + chance.random() * 0.00006)
            whole += 1
        except rules.RulesFailed as error:
            kept, fell = error, fell + 1
        assert real(signal.ITIMER_REAL, 0.0) == (0.0, 0.0), f"it is left armed, {kept}"
    rules.readmit()
    assert fell, "it was always too late"
    assert whole, "it was always too early"


def test_a_process_that_was_frozen_is_not_blamed() -> None:
    freeze = f"kill -STOP {os.getpid()}; sleep 1.5; kill -CONT {os.getpid()}"
    # Nobody may wait for more than a second.
    with limited(0.2), subprocess.Popen(["sh", "-c", freeze]) as freezer:
        while freezer.poll() is None:
            time.sleep(0.02)


def test_who_waits_for_ever_is_interrupted() -> None:
    with pytest.raises(Overrun), limited(0.1):
        threading.Event().wait()


def test_a_block_within_a_block_sets_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = signal.setitimer
    with limited(1000.0):
        monkeypatch.setattr(signal, "setitimer", lambda *_: calls.append("setitimer"))
        monkeypatch.setattr(signal, "getsignal", lambda *_: calls.append("getsignal"))
        with rules.asking(GAMES["x01"]), limited(0.01):
            pass
        assert calls == []
        monkeypatch.setattr(signal, "setitimer", real)
    with limited(1000.0):
        pass
    assert calls == [], "the handler is looked up once"
