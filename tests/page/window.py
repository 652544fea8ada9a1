"""A window of a browser that speaks W3C's WebDriver, of either kind: what its keys and its pointer do, and waiting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tests.daemon.process import eventually

JSON = Any  # Any: JSON
ENTER = "\ue006"
"""As a key that is pressed."""


class Window(ABC):
    """What each browser does in its own way, and what follows from that."""

    @abstractmethod
    async def resize(self, width: int, height: int) -> None:
        """Gives the page so many pixels."""

    @abstractmethod
    async def goto(self, url: str) -> None:
        """Opens an address, and waits until the page is loaded."""

    @abstractmethod
    async def run(self, script: str) -> JSON:
        """Returns what this expression of the page comes to, as JSON. Raises AssertionError where it fails."""

    @abstractmethod
    async def perform(self, source: JSON) -> None:
        """Does what one source of input is to do: a source of actions as WebDriver has it."""

    @abstractmethod
    async def problems(self) -> list[str]:
        """The errors that the page has thrown, or written on its console."""

    async def until(self, script: str, wanted: JSON = True) -> None:
        """Waits until this expression comes to that. Raises AssertionError where it does not."""
        found = None

        async def has_come() -> bool:
            nonlocal found
            found = await self.run(script)
            return bool(found == wanted)

        try:
            await eventually(has_come)
        except TimeoutError:
            raise AssertionError(f"{script} is {found!r}") from None

    async def click(self, test: str) -> None:
        """Clicks the middle of the element of this name for tests, as soon as it can be seen; a pointer does it."""
        element = f"document.querySelector('[data-testid=\"{test}\"]')"
        await self.until(f"Boolean({element}?.checkVisibility() && !{element}.disabled)")
        await self.run(f"{element}.scrollIntoView({{ block: 'nearest', behavior: 'instant' }})")
        box = await self.run(f"{element}.getBoundingClientRect()")
        await self.click_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    async def click_at(self, x: float, y: float) -> None:
        """Clicks there, in pixels of the window."""
        steps = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        await self.perform({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps})

    async def press(self, keys: str) -> None:
        """Presses these keys, one after the other."""
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        await self.perform({"type": "key", "id": "keys", "actions": steps})
