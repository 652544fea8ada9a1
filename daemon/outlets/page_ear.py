"""Play by ear for displays that speak by themselves: what the page's event stream sends, and where one stands."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.outlets.play_by_ear import Mode, tell, tell_question, tell_standing, write_item
from daemon.outlets.speech_queue import SpeechItem
from daemon.outlets.where_it_went import prepare_aims
from protocol.facts import Event
from protocol.messages import State
from protocol.segment import Layout


class PageEar:
    """Makes the sentences; has no state of its own."""

    async def prepare(self, layout: Layout) -> None:
        """Computes in a thread what sentences about darts on this layout need."""
        await prepare_aims(layout)

    def tell(
        self,
        before: State | None,
        state: State,
        events: Sequence[Event],
        layout: Layout,
        detail: Mode,
        language: str,
        side: int | None,
        *,
        has_button: bool,
    ) -> Sequence[SpeechItem]:
        """Returns what is to be said of an update, in order."""
        return [
            write_item(each, language)
            for each in tell(before, state, events, layout, detail, side, has_button=has_button)
        ]

    def describe(
        self, state: State, layout: Layout, language: str, side: int | None, prompt: str, *, has_button: bool
    ) -> SpeechItem:
        """Returns the question with this id; where one stands if none is open that has it."""
        asked = tell_question(state, prompt, layout, side, has_button=has_button)
        return write_item(asked or tell_standing(state, layout, side, has_button=has_button), language)
