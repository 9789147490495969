"""A training as it goes on: backward passes, steps of optimizers, and modules that change between training and evaluation.

Notes rest on what has happened, not on what is likely: a step counts as lost only after another one before
it, a mode as forgotten only if the model was trained in the other one and has been evaluated since. Each kind of event is
looked at a few times in a statement; then the engine has its own functions back.
"""

from functools import partial

from tensh.cli.session.failure import is_users, users_frame
from tensh.cli.session.training.losses import Losses
from tensh.cli.session.training.modes import Modes
from tensh.cli.session.training.replacements import Replacements
from tensh.cli.session.training.steps import Steps


class Training:
    """Watch a training; ``teacher`` tells what is found.

    ``losses``, ``steps`` and ``modes`` each watch one kind of event, and ask one another for what has happened before.
    """

    def __init__(self, teacher):
        self.teacher = teacher
        self.replacements = Replacements()
        self.losses, self.steps, self.modes = Losses(self), Steps(self), Modes(self)

    def begin_again(self):
        """Watch the passes and steps of another statement."""
        for each in (self.losses, self.steps):
            if each.has_begun:
                each.begin()

    def close(self):
        """Watch no more."""
        for each in (self.losses, self.steps, self.modes):
            each.left = 0
        self.replacements.undo()
        self.losses.stop_listening()

    def is_told(self, about):
        return about in self.teacher.told

    def frames(self):
        """The user's frames that run, innermost first."""
        frame = users_frame()
        while frame is not None:
            if self.is_users(frame):
                yield frame
            frame = frame.f_back

    def is_users(self, frame):
        return is_users(frame.f_code.co_filename, self.teacher.session.sources)

    def say(self, about, *facts, frame=None):
        """Tell a note on the user's frame, once, if the words of ``about`` find that it holds."""
        frame = frame or users_frame()
        if not self.is_told(about) and self.is_users(frame):
            from tensh.cli.session.training.remarks import REMARKS

            self.teacher.say(about, frame, partial(REMARKS[about], *facts))
