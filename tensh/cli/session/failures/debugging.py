"""Post-mortem inspection: the frames of the user's code, and the names in one of them."""

from tensh.cli.session.failures.failure import place_of_step, steps_to, users_steps
from tensh.cli.session.failures.inside import Inside
from tensh.show.reading.reprs import safe_str
from tensh.support.language import _


class FailureFrames:
    """The frames of a failure, outermost first, and the one whose names the session uses."""

    def __init__(self, session, error):
        self.session = session
        self.error = error
        self.steps = users_steps(steps_to(error), session.sources)
        self.program = session.inside.program if session.inside else session.namespace
        self.at = len(self.steps) - 1

    def title(self):
        """Return the failure in one line."""
        text = safe_str(self.error).partition("\n")[0]
        return f"{type(self.error).__name__}: {text}" if text else type(self.error).__name__

    @property
    def frames(self):
        return [step[0] for step in self.steps]

    def go(self, at):
        """Switch the session to the names of a frame, numbered from 0; raise IndexError if there is none."""
        if not 0 <= at < len(self.steps):
            raise IndexError(at)
        self.at = at
        found = Inside(self.frames[: at + 1], self.program)
        session = self.session
        session.inside, session.namespace = (found, found.names) if found.is_elsewhere else (None, self.program)

    def leave(self):
        """Switch the session back to its own names."""
        self.session.inside, self.session.namespace = None, self.program

    def rows(self):
        """Yield (mark and number, function, place, code) for each frame, outermost first."""
        for number, step in enumerate(self.steps):
            place = place_of_step(step, self.session.sources)
            code = step[0].f_code
            function = _("the program") if code.co_name == "<module>" else code.co_qualname
            where = place.source.place(place.line) or _("line {number}").format(number=place.line)
            yield (f"{'>' if number == self.at else ' '} {number + 1}", function, where, place.text.strip())

    def local_names(self):
        """Return the local names of the frame, without those of its file and the program."""
        inside = self.session.inside
        names = inside.names if inside else self.program
        wanted = inside.local if inside else ()
        return {name: names[name] for name in names if name in wanted}
