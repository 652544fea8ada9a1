"""Puts the folder in which oche keeps its rooms on the import path, as oche itself does when it starts."""

import importlib.util
import sys

if importlib.util.find_spec("engine") is None:
    rooms = importlib.util.find_spec("oche.app")
    assert rooms is not None, "install oche first"
    assert rooms.submodule_search_locations is not None
    sys.path.insert(0, next(iter(rooms.submodule_search_locations)))
