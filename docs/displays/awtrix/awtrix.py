"""Shows the match on a pixel clock with AWTRIX 3: whose turn it is and the score, and a notice for what happens.

    python3 -m venv displays
    displays/bin/pip install 'aiomqtt>=2.3,<3'
    displays/bin/python awtrix.py --broker 192.168.1.10 --awtrix awtrix_a1b2c3

It knows MQTT and the contract, and nothing else of oche: copy it, change the notices, run it anywhere.
"""

import argparse
import asyncio
import json
import logging
import os
import signal
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiomqtt

APP = "darts"
PIXELS = 32
WIDTHS = {"M": 6, "W": 6, "N": 5, "Q": 5, "I": 2, " ": 2}
"""Of a capital with the gap after it, in AWTRIX's font; all others have 4."""
SIDES = ("#FF5030", "#40A0FF", "#40E060", "#FF60FF")
"""The colour of each side; a fifth side has the first one's."""
NOTICES: dict[str, dict[str, Any]] = {
    "180": {"text": "180!", "rainbow": True},
    "low_ton": {"text": "{points}!", "rainbow": True},  # 100 to 150
    "high_ton": {"text": "{points}!", "rainbow": True},
    "big_fish": {"text": "{points}!", "rainbow": True},
    "nine_darter": {"text": "PERFECT LEG", "rainbow": True},  # in nine darts from 501, in six from 301
    "bust": {"text": "BUST", "color": "#FF0000"},
    "leg_won": {"text": "LEG", "color": "#40E060"},
    "match_won": {"text": "{winner} WINS", "rainbow": True},
}
"""By award or event; any other award is shown by its name. {points}: what the visit scored."""
NOTICE = {"duration": 4, "stack": False, "wakeup": True}
"""What all notices have: seconds, and that a new one replaces the old one and wakes the clock up."""
REFRESH_S = 30
LIFETIME = {"lifetime": 3 * REFRESH_S}
"""The clock removes the page by itself when it is not refreshed."""
RETRY_S = 1


log = logging.getLogger("awtrix")


class Clock:
    """What the clock should show, from what the broker said."""

    def __init__(self, options: argparse.Namespace) -> None:
        table = f"{options.base}/table/{options.table}"
        self.prefix = options.awtrix
        self.listeners = {
            f"{table}/state": self.hear_state,
            f"{table}/event": self.hear_event,
            f"{options.base}/bridge/{options.bridge}/state": self.hear_bridge,
            f"{options.base}/bridge/{options.bridge}/health": self.hear_health,
        }
        self.notices: list[str] = []
        self.last_event = ("", 0)
        self.points = 0
        self.state: dict[str, Any] | None = None
        self.restart()

    def restart(self) -> None:
        """A new connection: what the clock shows now is not known, nor whether the daemon is still there."""
        self.is_online: bool | None = None
        self.good_until: datetime | None = None
        self.shown: str | None = None

    def hear_state(self, text: str) -> None:
        """The whole match; an empty one says only that it was taken off the broker."""
        if text:
            self.state = json.loads(text)

    def hear_bridge(self, text: str) -> None:
        """Whether the daemon runs; the broker says so in its stead when it has died."""
        self.is_online = text == "online"

    def hear_health(self, text: str) -> None:
        """Until when `online` holds: told only where the broker speaks MQTT 3.1.1, and keeps it for ever."""
        until = json.loads(text).get("good_until") if text else None
        self.good_until = datetime.fromisoformat(until) if until else None

    def hear_event(self, text: str) -> None:
        """Notes what to flash up, once: a message that comes twice has the same session and number."""
        event = json.loads(text)
        session, number = event["session"], event["seq"]
        if session == self.last_event[0] and number <= self.last_event[1]:
            return
        self.last_event = (session, number)
        if event["event_type"] == "visit":  # the award for it comes after it
            self.points = event["points"]
        award = event.get("award", "")
        notice = NOTICES.get(award) or NOTICES.get(event["event_type"])  # what is new to us: none
        if notice is None and award:
            notice = {"text": award.replace("_", " "), "rainbow": True}
        if notice is not None:
            words = notice["text"].replace("{winner}", self.winner()).replace("{points}", str(self.points))
            self.notices.append(json.dumps({**notice, "text": words, **NOTICE}))

    def page(self) -> str | None:
        """What our page is to hold now: empty takes it off the clock, None while we do not know."""
        if self.is_online is None or self.state is None:
            return None
        if not self.is_online or (self.good_until and datetime.now(UTC) > self.good_until):
            return ""
        turn, sides = self.state["turn"], self.state["sides"]
        if self.state["phase"] == "over":
            return json.dumps({"text": cut(self.winner(), PIXELS), "rainbow": True, "noScroll": True, **LIFETIME})
        score = str(sides[turn["side"]]["score"])
        name = cut(plain(turn["player"]), PIXELS - width(f" {score}"))
        darts = len(turn["darts"]) + turn["darts_left"]
        look = {
            "text": f"{name} {score}",
            "color": SIDES[turn["side"] % len(SIDES)],
            "progress": round(100 * turn["darts_left"] / max(1, darts)),  # a bar at the bottom: darts in hand
            "noScroll": True,
        }
        return json.dumps(look | LIFETIME)

    def winner(self) -> str:
        """By name; empty without a winner."""
        state = self.state or {"winners": []}
        return plain(state["sides"][state["winners"][0]]["name"]) if state["winners"] else ""


def width(text: str) -> int:
    """In pixels."""
    return sum(WIDTHS.get(letter, 4) for letter in text.upper())


def cut(name: str, room: int) -> str:
    """As many of its letters as have room, so that the score after it need not scroll."""
    while width(name) > room + 1:  # no gap after the last letter of all
        name = name[:-1]
    return name.strip()


def plain(name: str) -> str:
    """A name without the braces by which AWTRIX would subscribe to a topic, and whatever else is no letter."""
    return "".join(letter for letter in name if letter.isalnum() or letter == " ")


def ignore(text: str) -> None:
    """Some brokers send what was not subscribed to."""


async def play(client: aiomqtt.Client, clock: Clock) -> None:
    """One connection, until it is lost."""
    for topic in clock.listeners:
        await client.subscribe(topic)

    async def show() -> None:
        page = clock.page()
        if page is not None and page != clock.shown:
            clock.shown = page
            await client.publish(f"{clock.prefix}/custom/{APP}", page)
            if "progress" in page:  # a player is to throw: stay on our page
                await client.publish(f"{clock.prefix}/switch", json.dumps({"name": APP}))
        while clock.notices:
            await client.publish(f"{clock.prefix}/notify", clock.notices.pop(0))

    async def refresh() -> None:
        while True:
            await asyncio.sleep(REFRESH_S)
            await show()
            if clock.shown is not None:
                await client.publish(f"{clock.prefix}/custom/{APP}", clock.shown)

    async with asyncio.TaskGroup() as both:
        both.create_task(refresh())
        async for message in client.messages:
            clock.listeners.get(str(message.topic), ignore)(bytes(message.payload).decode())
            await show()


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
    clock, said = Clock(options), ""
    will = aiomqtt.Will(f"{clock.prefix}/custom/{APP}", "")  # whatever ends us, no stale score stays
    tls = make_tls_context(options)
    while True:
        clock.restart()
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
                await play(client, clock)
        except* aiomqtt.MqttError as errors:
            if str(errors.exceptions[0]) != said:
                said = str(errors.exceptions[0])
                log.warning("no connection to %s, trying again: %s", options.broker, said)
        await asyncio.sleep(RETRY_S)


def main() -> None:
    """Reads the command line and shows the match until it is ended."""
    parser = argparse.ArgumentParser(description="Shows a game of darts on a pixel clock with AWTRIX 3.")
    parser.add_argument("--broker", required=True, help="its host name or address")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--tls", action="store_true", help="encrypt the connection; mostly with --port 8883")
    parser.add_argument("--ca-file", type=Path, help="the authority (PEM) to trust in place of the system's; encrypts")
    parser.add_argument("--username")
    parser.add_argument("--password-file", type=Path, help="else the environment variable MQTT_PASSWORD")
    parser.add_argument("--awtrix", required=True, help="the clock's MQTT prefix, e.g. awtrix_a1b2c3")
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
