"""Inside a function that failed: its names, before those of its file and of the program.

They stand together in one dictionary, since functions that are defined at a prompt see nothing but the names of a
module. What is assigned there to a name of the file is the file's, so that its functions find it when they are called
again; what was a local name of the function is nobody else's.
"""

from tensh.cli.session.events import RESULTS

NESTED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # code with a separate frame, inside a function's
ABSENT = object()


class Inside:
    """The names in a frame. `frames` are the user's, outermost first; `program` is the namespace of the program."""

    def __init__(self, frames, program):
        self.function = None  # what it is called; None of a file's own code
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
        """True if there are names that the program does not have by itself."""
        return bool(self.local) or self.file is not self.program

    def list_shared(self):
        """The names that the file or the program has, too."""
        found = {*self.names, *self.file, *self.program} - self.local
        return [name for name in found if not name.startswith("__") and name not in RESULTS]

    def settle(self):
        """Copy assignments made here to the frame, and assignments made by functions there to here."""
        for name in self.list_shared():
            owner = self.file if name in self.file or name not in self.program else self.program
            here, there, before = (names.get(name, ABSENT) for names in (self.names, owner, self.seen))
            if here is not before:
                put(owner, name, here)
            elif there is not before:
                put(self.names, name, there)
            put(self.seen, name, self.names.get(name, ABSENT))


def put(names, name, value):
    """Give a name a value, or take it away."""
    if value is ABSENT:
        names.pop(name, None)
    else:
        names[name] = value
