"""How a request to this machine can be made."""

from __future__ import annotations

from types import UnionType
from typing import Literal

from msgspec import Struct


class Asked(Struct, frozen=True):
    """How a request can be made, and what it answers.

    * `role`: the right that a client of the page needs. To `organise` a tournament is that of the setup, or of its
      organiser's link; what has a `code` needs "look", the link, or the code to sign up.
    * `page`: the method and the path on the page; `mqtt`: the name in the topic of the bridge; `command`: the
      subcommand of `oche` for the same purpose, which needs no daemon. "": it cannot be made in this way.
    * `changes`: it changes what is stored or what runs; otherwise it only reads. Changes of players wait for each
      other, and so do those of the configuration, and those of sound packs; none waits for anything else.
    * `alone`: only one request with this mark runs at a time; a backup counts as running until it is sent.
    * `body`: what the body of a POST is. "json": all fields. Otherwise it is the content of the field of this name, and
      the other fields are in the address; a "file" can be large, and is received before the request is made.
    * `most_bytes`: how long a body can be that is no "file"; None: as that of any request.
    * `answer`: the type of the answer.
    """

    role: Literal["setup", "play", "look", "organise", "code"]
    page: str = ""
    mqtt: str = ""
    command: str = ""
    changes: bool = False
    alone: bool = False
    body: Literal["json", "content", "file"] = "json"
    most_bytes: int | None = None
    answer: type | UnionType = dict


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to this machine."""
