"""Questions of a game for the ear: whom they are for, what they ask, and their answers by number."""

from __future__ import annotations

from daemon.outlets.spoken_names import name_option
from protocol.messages import Prompt, State, Task
from protocol.sentence import Sentence, say


def find_question(state: State) -> Prompt | None:
    """Returns the question that numbers answer: the first that has to be answered, else the first; None if none is."""
    return next((prompt for prompt in state.prompts if prompt.blocking), next(iter(state.prompts), None))


def describe_question(state: State, prompt: Prompt, *, has_usual: bool) -> list[Sentence | Task]:
    """Returns the question and its answers by their numbers; with what the board's button answers if `has_usual`."""
    kind = prompt.id.partition("@")[0]
    own = say("ear.asked", "{name}", name=state.turn.player)
    parts: list[Sentence | Task] = [
        own if prompt.seat == state.turn.seat else say("ear.asked_other", "For another player"),
        Task(f"prompt.{state.game}_{kind}", {}, prompt.text),
    ]
    if prompt.options is None and prompt.numbers is not None:
        count, low, high = prompt.numbers.count, prompt.numbers.low, prompt.numbers.high
        parts.append(
            say(
                "ear.numbers",
                "Answer with numbers from {low} to {high}: {count} of them",
                count=count,
                low=low,
                high=high,
            )
        )
    elif prompt.options is None:
        parts.append(say("ear.own_page", "Answer on your own page"))
    for number, option in enumerate(prompt.options or (), 1):
        answer = name_option(option, prompt.options_are)
        worth = (prompt.values or {}).get(option)
        if worth is None:
            parts.append(say("ear.option", "{number}: {option}", number=number, option=answer))
        else:
            parts.append(
                say("ear.option_worth", "{number}: {option}, {worth}", number=number, option=answer, worth=worth)
            )
    if prompt.default is not None and prompt.blocking and has_usual:
        usual = name_option(prompt.default, prompt.options_are)
        parts.append(say("ear.usual", "The board's button means {option}", option=usual))
    if not prompt.blocking:
        parts.append(say("ear.or_throw", "Or go on"))
    if len(state.prompts) > 1:
        parts.append(say("ear.questions", "Open questions: {count}", count=len(state.prompts)))
    return parts
