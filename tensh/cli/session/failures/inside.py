"""The names inside a function that failed: local ones before those of its file and of the program.

They share one dictionary, since functions defined at a prompt see only global names. An assignment to a name of the
file also changes the file, so that its functions see it when called again; local names of the function stay here.
"""

from tensh.cli.session.events import RESULTS

NESTED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # code with a separate frame inside a function's
ABSENT = object()


class Inside:
    """The names in a frame. `frames` are the user's, outermost first; `program` is the program's namespace."""

    def __init__(self, frames, program):
        self.function = None  # its name; None for module-level code
        local = {}
        for frame, caller in zip(reversed(frames), [*reversed(frames[:-1]), None], strict=True):
            code = frame.f_code
            if code.co_name != "<module>":
                self.function = code.co_qualname
                local = {**frame.f_locals, **local}
            if code.co_name not in NESTED or caller is None or code not in caller.f_code.co_consts:
                break
        self.program = program
        self.file = frame.f_globals
        of_file = {name: value for name, value in self.file.items() if not name.startswith("__")}
        self.local = {name for name in local if name.isidentifier()}
        self.names = program | of_file | {name: local[name] for name in self.local}
        self.seen = {name: self.names[name] for name in self.list_shared()}

    @property
    def is_elsewhere(self):
        """True if the names differ from the program's."""
        return bool(self.local) or self.file is not self.program

    def list_shared(self):
        """Return the names shared with the file or the program."""
        found = {*self.names, *self.file, *self.program} - self.local
        return [name for name in found if not name.startswith("__") and name not in RESULTS]

    def settle(self):
        """Copy assignments between here and the file or program, in both directions."""
        for name in self.list_shared():
            owner = self.file if name in self.file or name not in self.program else self.program
            here, there, before = (names.get(name, ABSENT) for names in (self.names, owner, self.seen))
            if here is not before:
                put(owner, name, here)
            elif there is not before:
                put(self.names, name, there)
            put(self.seen, name, self.names.get(name, ABSENT))


def put(names, name, value):
    """Assign a name, or delete it for ABSENT."""
    if value is ABSENT:
        names.pop(name, None)
    else:
        names[name] = value
