"""Observing a training: backward passes, optimizer steps, and switches between training and evaluation mode.

Notes rest on facts, not on likelihood: a step counts as lost only after an earlier one, a mode as forgotten only if the
model was trained in the other mode and evaluated since. Each kind of event is observed a few times per statement; then
the engine's own functions are restored.
"""

from functools import partial

from tensh.cli.session.failures.failure import is_users, users_frame
from tensh.cli.session.notes.training.losses import Losses
from tensh.cli.session.notes.training.modes import Modes
from tensh.cli.session.notes.training.nans import Nans
from tensh.cli.session.notes.training.replacements import Replacements
from tensh.cli.session.notes.training.steps import Steps
from tensh.cli.session.notes.training.tables import Tables


class Training:
    """Observes a training, and reports to ``teacher``.

    ``losses``, ``nans``, ``steps``, ``modes`` and ``tables`` each observe one kind of event, and share their history.
    """

    def __init__(self, teacher):
        self.teacher = teacher
        self.replacements = Replacements()
        self.nans = Nans(self)
        self.losses, self.steps, self.modes, self.tables = Losses(self), Steps(self), Modes(self), Tables(self)

    def begin_again(self):
        """Observe the passes and steps of another statement."""
        for each in (self.losses, self.steps):
            if each.has_begun:
                each.begin()

    def close(self):
        """Stop observing."""
        for each in (self.losses, self.steps, self.modes, self.tables):
            each.left = 0
        self.replacements.undo()
        self.losses.stop_listening()

    def is_told(self, about):
        return about in self.teacher.told

    def frames(self):
        """Yield the running frames of the user, innermost first."""
        frame = users_frame()
        while frame is not None:
            if self.is_users(frame):
                yield frame
            frame = frame.f_back

    def is_users(self, frame):
        return is_users(frame.f_code.co_filename, self.teacher.session.sources)

    def say(self, about, *facts, frame=None):
        """Give a note on the user's frame, once, if the check for ``about`` confirms it."""
        frame = frame or users_frame()
        if not self.is_told(about) and self.is_users(frame):
            from tensh.cli.session.notes.texts.table import NOTES

            self.teacher.say(about, frame, partial(NOTES[about], *facts))
