"""Stops an installation that could only fail, before pip compiles for an hour; all else is in pyproject.toml."""

import runpy
import sys

from setuptools import setup

complaint = runpy.run_path("daemon/doctor/machine.py")["check_this_machine"]()
if complaint:
    sys.exit(complaint)
setup()
