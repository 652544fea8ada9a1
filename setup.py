"""Stops an installation that could only fail, before pip compiles for an hour, and packs CHANGELOG.md.

All else is in pyproject.toml. The page tells what is new (daemon/admin/news.py): data of a package has to lie in it,
and the changelog lies above it.
"""

import runpy
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithChangelog(build_py):  # type: ignore[misc]  # setuptools has no types here
    """Copies the changelog beside the modules of `daemon`."""

    def run(self) -> None:
        """Builds all else first."""
        super().run()
        if not self.editable_mode:
            self.copy_file("CHANGELOG.md", str(Path(self.build_lib) / "oche" / "app" / "daemon" / "CHANGELOG.md"))


complaint = runpy.run_path("daemon/admin/doctor/machine.py")["check_this_machine"]()
if complaint:
    sys.exit(complaint)
setup(cmdclass={"build_py": BuildWithChangelog})
