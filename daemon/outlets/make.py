"""The outlets put together: which parts there are for a configuration, each loaded only where it is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.config.outlets import Outlets
from daemon.outlets.dispatcher import Action, Dispatcher
from daemon.part import Part
from daemon.table.table import Table


def make_outlets(config: Outlets, tables: Mapping[str, Table], troubles: dict[str, str]) -> dict[str, Part]:
    """Returns the parts by their names in the log. They keep what fails in `troubles`, by the name of what fails."""
    parts: dict[str, Part] = {}
    actions: list[Action] = []
    if config.webhook:
        from daemon.outlets.webhooks import Webhooks  # noqa: PLC0415

        titles = {name: table.title for name, table in tables.items()}
        parts["the web hooks"] = webhooks = Webhooks(config.webhook, titles, troubles)
        actions.append(webhooks)
    if config.rule:
        layouts = {name: table.codebook.layout for name, table in tables.items()}
        parts["the rules of the outlets"] = Dispatcher(config.rule, layouts, actions)
    return parts
