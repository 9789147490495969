"""A learner's progress: a small file for each lesson, in the state folder.

The file is rewritten after every answer, so that nothing is lost however the learner quits.
"""

import contextlib
import hashlib
import json
import os
from typing import Any, NamedTuple

from tensh.cli.files.writing import write
from tensh.cli.process.folders import folder
from tensh.support.bounded_json import loads

RIGHT, SHOWN, SKIPPED = "right", "shown", "skipped"
LARGEST = 2**18  # bytes read of such a file


class Progress(NamedTuple):
    """The next step, the results by number of the question, and the numbers of questions and steps."""

    at: int = 0
    results: dict[str, Any] = {}
    questions: int = 0
    steps: int = 0

    @property
    def is_done(self):
        return 0 < self.steps <= self.at

    @property
    def right(self):
        return sum(result == RIGHT for result in self.results.values())


class Keeper:
    """Reads and writes progress in the state folder named by `variables`. Unreadable progress counts as none."""

    def __init__(self, variables):
        self.folder = os.path.join(folder("state", variables), "lessons")
        self.complaint = ""

    def path(self, key):
        """Return the file of a lesson: by name for a built-in one, by a hash of its path for others."""
        name = key if key.isidentifier() else hashlib.blake2b(key.encode(errors="replace"), digest_size=12).hexdigest()
        return os.path.join(self.folder, f"{name}.json")

    def load(self, key, digest=None):
        """Load the progress in a lesson; none if its text has changed since."""
        try:
            with open(self.path(key), "rb") as file:
                kept = loads(file.read(LARGEST).decode())
        except (OSError, ValueError, RecursionError):
            return Progress()
        if not isinstance(kept, dict) or (digest and kept.get("digest") != digest):
            return Progress()
        at, results, questions, steps = (kept.get(name) for name in ("at", "results", "questions", "steps"))
        if not all(isinstance(each, int) and each >= 0 for each in (at, questions, steps)) or not isinstance(
            results, dict
        ):
            return Progress()
        return Progress(at, results, questions, steps)

    def save(self, lesson, progress):
        """Save the progress in a lesson."""
        kept = {"v": 1, "lesson": lesson.key, "digest": lesson.digest} | progress._asdict()
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            write(self.path(lesson.key), json.dumps(kept).encode())
        except OSError as error:
            self.complaint = self.complaint or f"{self.folder}: {error.strerror or error}"

    def forget(self, key):
        """Delete the progress in a lesson."""
        with contextlib.suppress(OSError):
            os.unlink(self.path(key))
