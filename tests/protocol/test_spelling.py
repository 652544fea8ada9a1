"""Complaints in a person's words, where no file of the project has the case: a text's form, the case of letters."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from protocol.spelling import nearest, readable


class Plate(msgspec.Struct):
    """A text of a certain form."""

    number: Annotated[str, msgspec.Meta(pattern="^[A-Z]{2} [0-9]+$")]


def test_a_text_that_does_not_match_says_what_it_must_look_like() -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert({"number": "x"}, Plate)
    assert readable(error.value, Plate) == ("this must be a text of the form ^[A-Z]{2} [0-9]+$", ("number",))


def test_the_nearest_spelling_may_differ_in_the_case_of_letters() -> None:
    assert nearest("BULL", ["bull", "T20"]) == "; did you mean 'bull'?"
    assert nearest("t20", ["20", "T20"]) == "; did you mean 'T20'?"
    assert nearest("x", ["bull", "T20"]) == "; possible here: T20, bull"
