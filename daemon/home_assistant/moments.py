"""The event entity *Moment*: the template by which Home Assistant finds in an event the moment that it makes.

The visual editor of Home Assistant filters an event entity by type alone; what an event carries is out of its reach. So
each moment of protocol/moments.py is a type of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from protocol.moments import MOMENTS, Moment


def _make_template() -> str:
    """Returns Jinja: the event as a moment; nothing for one that makes none.

    Facts and awards that are moments under their own names are listed together, for the template is in every message.
    """
    named = [moment.name for moment in MOMENTS.values() if moment.name == moment.fact]
    awards = [moment.name for moment in MOMENTS.values() if moment.equal == {"award": moment.name}]
    branches = [
        f"'{each.name}' if {' and '.join(_list_conditions(each))} else "
        for each in MOMENTS.values()
        if each.name not in (*named, *awards)
    ]
    return (
        "{% set e = value_json %}{% set t = e.event_type %}{% set m = "
        + "".join(branches)
        + f"e.award if t == 'award' and e.award in {awards} else t if t in {named} else '' %}}"
        + "{{ dict(e, event_type=m) | tojson if m else '' }}"
    )


def _list_conditions(moment: Moment) -> Iterator[str]:
    yield f"t == '{moment.fact}'"
    for field, value in moment.equal.items():
        yield f"e.{field} is defined" if value is True else f"e.{field} == {value!r}"
    if moment.least is not None:
        yield f"{moment.least} <= e.points" + ("" if moment.most is None else f" <= {moment.most}")


TEMPLATE = _make_template()
