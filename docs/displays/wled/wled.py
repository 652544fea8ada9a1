"""Lets an LED strip with WLED play along: the colour of whose turn it is, and an effect for what happens.

    python3 -m venv displays
    displays/bin/pip install 'aiomqtt>=2.3,<3'
    displays/bin/python wled.py --broker 192.168.1.10 --wled wled/darts

It knows MQTT and the contract, and nothing else of oche: copy it, change the table of effects, run it anywhere.
"""

import argparse
import asyncio
import json
import logging
import os
import signal
import ssl
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiomqtt

SIDES = ([255, 40, 0], [0, 80, 255], [0, 200, 60], [200, 0, 200])
"""Red, green, blue of each side; a fifth side has the first one's."""
EFFECTS = {
    "180": (6, {"on": True, "seg": {"fx": 90, "sx": 200, "pal": 11}}),  # exploding fireworks
    "award": (4, {"on": True, "seg": {"fx": 87, "pal": 11}}),  # glitter, for every other award
    "bust": (2, {"on": True, "seg": {"fx": 1, "sx": 230, "pal": 0, "col": [[255, 0, 0], [0, 0, 0]]}}),  # blinks
    "leg_won": (5, {"on": True, "seg": {"fx": 8, "pal": 0}}),  # colour loop
    "match_won": (12, {"on": True, "seg": {"fx": 9, "sx": 200, "pal": 0}}),  # rainbow
}
"""By award or event: for how many seconds, and what WLED is sent. A preset of yours instead: (6, {"ps": 3})."""
OFF = {"on": False}
NO_BOARD = {"on": True, "seg": {"fx": 2, "pal": 0, "col": [[255, 120, 0]]}}  # breathes in amber
RETRY_S = 1


log = logging.getLogger("wled")


class Strip:
    """What the strip should show, from what the broker said."""

    def __init__(self, options: argparse.Namespace) -> None:
        table, device = f"{options.base}/table/{options.table}", options.wled
        self.api = f"{device}/api"
        self.listeners = {
            f"{table}/state": self.hear_state,
            f"{table}/event": self.hear_event,
            f"{table}/board/state": self.hear_board,
            f"{options.base}/bridge/{options.bridge}/state": self.hear_bridge,
            f"{options.base}/bridge/{options.bridge}/health": self.hear_health,
            f"{device}/status": self.hear_strip,
        }
        self.effect: dict[str, Any] = OFF
        self.effect_ends = 0.0
        self.last_event = ("", 0)
        self.state: dict[str, Any] | None = None
        self.restart()

    def restart(self) -> None:
        """A new connection: what the strip shows now is not known, nor whether the daemon is still there."""
        self.is_online: bool | None = None
        self.good_until: datetime | None = None
        self.has_board = True
        self.is_strip_up = False
        self.shown: dict[str, Any] | None = None

    def hear_state(self, text: str) -> None:
        """The whole match; an empty one says only that it was taken off the broker."""
        if text:
            self.state = json.loads(text)

    def hear_board(self, text: str) -> None:
        """Whether the board is plugged in and awake."""
        self.has_board = text == "online"

    def hear_bridge(self, text: str) -> None:
        """Whether the daemon runs; the broker says so in its stead when it has died."""
        self.is_online = text == "online"

    def hear_health(self, text: str) -> None:
        """Until when `online` holds: told only where the broker speaks MQTT 3.1.1, and keeps it for ever."""
        until = json.loads(text).get("good_until") if text else None
        self.good_until = datetime.fromisoformat(until) if until else None

    def hear_event(self, text: str) -> None:
        """Starts an effect, once: a message that comes twice has the same session and number."""
        event = json.loads(text)
        session, number = event["session"], event["seq"]
        if session == self.last_event[0] and number <= self.last_event[1]:
            return
        self.last_event = (session, number)
        effect = EFFECTS.get(event.get("award", "")) or EFFECTS.get(event["event_type"])  # what is new to us: none
        if effect:
            self.effect_ends, self.effect = time.monotonic() + effect[0], effect[1]
        elif event["event_type"] in ("undone", "corrected"):
            self.effect_ends = 0

    def hear_strip(self, text: str) -> None:
        """WLED says `online` after every change; only one that was away has forgotten what to show."""
        if text == "online" and not self.is_strip_up:
            self.shown = None
        self.is_strip_up = text == "online"

    def look(self) -> dict[str, Any] | None:
        """What to show now; None while we do not know."""
        if self.is_online is None or self.state is None:
            return None
        if not self.is_online or (self.good_until and datetime.now(UTC) > self.good_until):
            return OFF
        if time.monotonic() < self.effect_ends:
            return self.effect
        if not self.has_board:
            return NO_BOARD
        is_over = self.state["phase"] == "over"
        sides = self.state["winners"] if is_over else [self.state["turn"]["side"]]
        colour = SIDES[sides[0] % len(SIDES)] if sides else [255, 255, 255]
        return {"on": True, "seg": {"fx": 2 if is_over else 0, "pal": 0, "col": [colour]}}


def ignore(text: str) -> None:
    """Some brokers send what was not subscribed to."""


async def play(client: aiomqtt.Client, strip: Strip) -> None:
    """One connection, until it is lost."""
    for topic in strip.listeners:
        await client.subscribe(topic)

    async def paint() -> None:
        look = strip.look()
        if look is not None and look != strip.shown:
            strip.shown = look
            await client.publish(strip.api, json.dumps(look))  # not retained: WLED would obey it again at boot

    async def end_effects() -> None:
        while True:
            await asyncio.sleep(0.2)
            await paint()

    async with asyncio.TaskGroup() as both:
        both.create_task(end_effects())
        async for message in client.messages:
            strip.listeners.get(str(message.topic), ignore)(bytes(message.payload).decode())
            await paint()


def make_tls_context(options: argparse.Namespace) -> ssl.SSLContext | None:
    """With a file its authorities alone, also those without key usage, which Python 3.13 refuses by default."""
    if not options.ca_file:
        return ssl.create_default_context() if options.tls else None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(options.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise SystemExit(f"--ca-file {options.ca_file} has no certificate that can be read: {error}") from None
    return context


async def run(options: argparse.Namespace, password: str | None) -> None:
    """Connects again and again, and says once why it cannot."""
    strip, said = Strip(options), ""
    will = aiomqtt.Will(strip.api, json.dumps(OFF))  # whatever ends us, no stale colour stays
    tls = make_tls_context(options)
    while True:
        strip.restart()
        client = aiomqtt.Client(
            options.broker,
            options.port,
            username=options.username,
            password=password,
            will=will,
            keepalive=20,
            tls_context=tls,
        )
        try:
            async with client:
                log.info("connected to %s", options.broker)
                said = ""
                await play(client, strip)
        except* aiomqtt.MqttError as errors:
            if str(errors.exceptions[0]) != said:
                said = str(errors.exceptions[0])
                log.warning("no connection to %s, trying again: %s", options.broker, said)
        await asyncio.sleep(RETRY_S)


def main() -> None:
    """Reads the command line and plays along until it is ended."""
    parser = argparse.ArgumentParser(description="Shows a game of darts on an LED strip with WLED.")
    parser.add_argument("--broker", required=True, help="its host name or address")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--tls", action="store_true", help="encrypt the connection; mostly with --port 8883")
    parser.add_argument("--ca-file", type=Path, help="the authority (PEM) to trust in place of the system's; encrypts")
    parser.add_argument("--username")
    parser.add_argument("--password-file", type=Path, help="else the environment variable MQTT_PASSWORD")
    parser.add_argument("--wled", required=True, help="the strip's device topic, e.g. wled/darts")
    parser.add_argument("--base", default="oche", help="mqtt.base of the daemon's configuration")
    parser.add_argument("--bridge", default="oche", help="its bridge.name")
    parser.add_argument("--table", default="main")
    options = parser.parse_args()
    password = options.password_file.read_text().strip() if options.password_file else os.getenv("MQTT_PASSWORD")
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no DISCONNECT at Ctrl-C either, so that the broker sends the will
    asyncio.run(run(options, password))


if __name__ == "__main__":
    main()
