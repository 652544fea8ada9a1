"""The pictures of the docs are those that `make pictures` takes, and small."""

from __future__ import annotations

import re

from tests.page import setup_pictures, take_home_pictures, tournament_pictures
from tests.page.pictures import MOST_BYTES, PICTURES, SCENES
from tests.pages import PAGES


def test_each_picture_is_taken_and_shown_and_small() -> None:
    files = {file.stem: file.stat().st_size for file in PICTURES.glob("*")}
    every = (*SCENES, *setup_pictures.SCENES, *take_home_pictures.SCENES, *tournament_pictures.SCENES)
    assert files.keys() == {picture.name for picture in every}
    assert [name for name, size in files.items() if size > MOST_BYTES] == []
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert files.keys() - set(re.findall(r"pictures/([\w-]+)\.png", text)) == set()
