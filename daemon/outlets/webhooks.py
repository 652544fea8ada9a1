"""Web hooks: what has happened, as JSON to web addresses of the owner.

Each address has a queue and a task of its own, so that a slow one holds up no other. A request that fails because the
server is away or busy is sent again after 1, 5 and 30 s; then it is given up, which the health report says. What has
waited for two minutes is not sent any more: it is no news.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec
from msgspec import to_builtins

from daemon.config.credentials import read_secret
from daemon.config.outlets import PLACEHOLDER, Rule, Webhook
from daemon.errors import UserError
from daemon.http.client import RequestError, send_request
from daemon.outlets.backlog import Backlog
from daemon.outlets.rules import Happening
from daemon.part import Part
from protocol.moments import find_moment
from protocol.sentence import say

log = logging.getLogger("oche.outlets")

TIMEOUT_S = 5.0
PAUSES_S = (1.0, 5.0, 30.0)
"""Before each further try."""
_NEWS_S = 120.0
_BUSY = 429


class Webhooks(Part):
    """Sends these. A Part, and an action of the outlets. `troubles` has what is wrong, by the name of what fails."""

    def __init__(self, webhooks: Sequence[Webhook], titles: Mapping[str, str], troubles: dict[str, str]) -> None:
        self._webhooks = {webhook.name: webhook for webhook in webhooks}
        self._titles = titles
        self._troubles = troubles
        self._waiting = {name: Backlog[tuple[float, bytes]](f"the web hook {name}") for name in self._webhooks}

    def take(self, rule: Rule, given: Happening) -> None:
        """Notes what is to be sent; `run` sends it. Of a match in two places only the table that has it tells."""
        name = rule.then.webhook
        if name is None or given.is_lent:
            return
        values = list_values(given, self._titles[given.table])
        template = self._webhooks[name].json
        body = msgspec.json.encode(fill_template(template, values) if template else values)
        self._waiting[name].put((time.monotonic(), body))

    async def run(self) -> None:
        """Sends until cancelled."""
        async with asyncio.TaskGroup() as group:
            for webhook in self._webhooks.values():
                group.create_task(self._send_all(webhook))

    async def _send_all(self, webhook: Webhook) -> None:
        while True:
            since, body = await self._waiting[webhook.name].take()
            if time.monotonic() - since < _NEWS_S:
                self._note(webhook, await _send(webhook, body))

    def _note(self, webhook: Webhook, trouble: str | None) -> None:
        """Notes what is wrong, for the health report, and logs it where it is something else than before."""
        name = f"webhook {webhook.name}"
        if trouble is None:
            if self._troubles.pop(name, None) is not None:
                log.info("the web hook %s works again", webhook.name)
        elif self._troubles.get(name) != trouble:
            self._troubles[name] = trouble
            log.warning("the web hook %s: %s (%s)", webhook.name, trouble, urlsplit(webhook.url).hostname)


async def _send(webhook: Webhook, body: bytes) -> str | None:
    """Sends this body, and again where that may help; returns why it was given up, None when it has arrived."""
    message = uuid4().hex
    for pause_s in (*PAUSES_S, None):
        trouble, may_pass = await _try(webhook, body, message)
        if trouble is None or not may_pass or pause_s is None:
            return trouble
        await asyncio.sleep(pause_s)
    raise AssertionError


async def _try(webhook: Webhook, body: bytes, message: str) -> tuple[str | None, bool]:
    """Sends this body once; returns why it has not arrived, and whether that may pass by itself."""
    try:
        headers = {"Content-Type": "application/json", **webhook.headers, "Oche-Id": message, **_sign(webhook, body)}
        reply = await send_request("POST", webhook.url, body, headers, timeout_s=TIMEOUT_S)
    except UserError as error:
        return str(error), False
    except RequestError as error:
        return str(error), True
    if 200 <= reply.status < 300:
        return None, False
    return f"it answered with status {reply.status}", reply.status >= 500 or reply.status == _BUSY


def _sign(webhook: Webhook, body: bytes) -> dict[str, str]:
    """Returns the headers that prove who has sent it, and when. Raises UserError when the secret cannot be read."""
    if webhook.secret_file is None:
        return {}
    secret = read_secret(Path(webhook.secret_file), say("secret.webhook", "the secret of the web hook"))
    sent = str(int(time.time()))
    digest = hmac.new(secret.encode(), f"{sent}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Oche-Time": sent, "Oche-Signature": f"sha256={digest}"}


def list_values(given: Happening, title: str) -> dict[str, Any]:  # Any: JSON
    """Returns what a template may name: the fields of the event, and what is known beside it."""
    moment = find_moment(given.event)
    beside = {
        "table": given.table,
        "title": title,
        "moment": given.event.event_type if moment is None else moment.name,
        "game": None if given.state is None else given.state.title,
        "score": given.score,
        "player": " & ".join(given.players) or None,
    }
    own: dict[str, Any] = to_builtins(given.event)  # Any: as above
    return {**{key: value for key, value in beside.items() if value is not None}, **own}


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:  # Any: JSON
    """Returns the template with values in the place of their names: whole where a text is one placeholder.

    A value never becomes JSON of its own kind: a name with quotes in it stays one text. What the event does not have is
    null, or nothing within a text.
    """
    if isinstance(template, dict):
        return {key: fill_template(inner, values) for key, inner in template.items()}
    if isinstance(template, list):
        return [fill_template(inner, values) for inner in template]
    if not isinstance(template, str):
        return template
    if whole := PLACEHOLDER.fullmatch(template):
        return values.get(whole[1])
    return PLACEHOLDER.sub(lambda found: str(values.get(found[1], "")), template)
