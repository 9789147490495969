"""The lessons beside the project."""

import importlib.util

from tests.support.project import SHARED

FOLDER = SHARED / "lessons"


LESSONS = sorted(FOLDER.glob("*.ipynb"))


def lessons_script():
    """The script beside the lessons, as a module."""
    spec = importlib.util.spec_from_file_location("run_lessons", FOLDER / "run_lessons.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
