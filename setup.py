"""Stops an installation that could only fail before pip compiles for an hour, packs CHANGELOG.md and cuts the typeface.

All else is in pyproject.toml. The page tells what is new (daemon/admin/news.py): data of a package has to lie in it,
and the changelog lies above it.
"""

import runpy
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithMadeFiles(build_py):  # type: ignore[misc]  # setuptools has no types here
    """Copies the changelog beside the modules of `daemon`, and puts the typeface to the files of the page."""

    def run(self) -> None:
        """Builds all else first. Without what makes the typeface the page is shown in the fonts of the system."""
        super().run()
        daemon = Path("daemon") if self.editable_mode else Path(self.build_lib) / "oche" / "app" / "daemon"
        if not self.editable_mode:
            self.copy_file("CHANGELOG.md", str(daemon / "CHANGELOG.md"))
        try:
            runpy.run_path("debian/release/typeface.py")["cut_typeface"](daemon / "web" / "page")
        except ImportError as problem:
            self.warn(f"the page will be shown in the fonts of the system, for its own could not be made: {problem}")


complaint = runpy.run_path("daemon/admin/doctor/machine.py")["check_this_machine"]()
if complaint:
    sys.exit(complaint)
setup(cmdclass={"build_py": BuildWithMadeFiles})
