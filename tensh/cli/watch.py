"""`tensh run --watch FILE`: it runs, and again whenever it or a module of the user's that it imports is saved.

Files are looked at a few times a second, which works for every editor and file system. Nothing happens before two looks
in a row find the same: an editor may write a file in pieces, or take it away before it puts the new one there.
"""

import contextlib
import gc
import importlib
import linecache
import os
import sys
import time

from tensh.cli import program, reading, status
from tensh.cli.isolation import fresh_world, own_modules
from tensh.cli.options import UsageError
from tensh.cli.render.console import Console
from tensh.cli.runs import open_run
from tensh.escaping import visible_line
from tensh.language import _

BETWEEN = 0.2  # seconds from one look at the files to the next
CHANGED = object()  # the stamp of a file that was saved while it was read


class Watch:
    """Runs a file again and again. `pause` waits between two looks, and `clock` tells the time as `time.time` does."""

    def __init__(self, env, options, path, arguments=(), pause=time.sleep, clock=time.time):
        self.env = env
        self.options = options
        self.path = path
        self.file = reading.whole_name(path)
        self.arguments = arguments
        self.pause = pause
        self.clock = clock
        self.console = Console(env)
        self.stamps = {}  # file: what it was like when it was last read
        self.saved = []  # the files that the next run is for

    def run_all(self):
        """Run until ^C; the exit status."""
        try:
            with no_bytecode():
                found = self.run()
                while found != status.INTERRUPTED:
                    self.wait()
                    found = self.run_again()
        except KeyboardInterrupt:
            if self.env.is_terminal(self.env.stderr):  # it has shown ^C, on a separate line
                self.console.remark([("plain", "\n")])
        return status.INTERRUPTED

    def say(self, text):
        """A line that is not a result."""
        if not self.options.quiet:
            self.console.remark([("note", visible_line(text) + "\n")])

    # ── running ──────────────────────────────────────────────────────────────

    def run_again(self):
        """Run it once more. That it cannot be run as it is now is said, and no reason to stop."""
        try:
            return self.run()
        except UsageError as error:
            self.console.remark([("message", f"{error}\n")])
            return status.USAGE

    def run(self):
        """Run the program once, isolated; return the exit status."""
        self.stamps = {file: stamp(file) for file in {*self.stamps, self.file}}
        what = program.from_file(self.path, self.arguments)
        begun = self.clock()
        self.say(self.header(begun))
        importlib.invalidate_caches()
        linecache.checkcache()
        before = {*sys.modules}
        with fresh_world(self.options.engine or "tensh"), open_run(self.env, self.options, what) as run:
            found = run.run_all()
            files = files_of(own_modules(before)) | files_in(run.ended_by, what.folder)
        for file in files - {*self.stamps}:
            read = stamp(file)
            self.stamps[file] = CHANGED if read and read[0] >= begun * 1e9 else read
        del run
        gc.unfreeze()  # what the start has frozen; of the run nothing is to stay
        gc.collect()
        return found

    def header(self, now):
        """The time of the run, and the other file that caused it."""
        others = [
            _(", {name} was saved").format(name=os.path.basename(file)) for file in self.saved if file != self.file
        ]
        return time.strftime("[%H:%M:%S] ", time.localtime(now)) + self.path + "".join(others)

    # ── waiting ──────────────────────────────────────────────────────────────

    def wait(self):
        """Until a file was saved, and is there whole."""
        self.env.stdout.flush()
        now, has_said = self.stamps, False
        while now == self.stamps:
            now = self.look()
        self.saved = [file for file, found in now.items() if found != self.stamps[file]]
        while now != (now := self.look()) or now[self.file] is None:
            if now[self.file] is None and not has_said:
                self.say(_("{path} is gone: waiting for it").format(path=self.path))
                has_said = True

    def look(self):
        """The stamps of all files, after a while."""
        self.pause(BETWEEN)
        return {file: stamp(file) for file in self.stamps}


def stamp(file):
    """Return the facts about a file that change when it is saved; None if it does not exist."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def files_of(names):
    """The files of modules."""
    found = (getattr(sys.modules[name], "__file__", None) for name in names)
    return {os.path.abspath(file) for file in found if file}


def files_in(failure, folder):
    """The files that a failure has to do with: on the way to it, or where a module would have been found."""
    if failure is None:
        return set()
    found = {place.source.filename for place in failure.places if os.path.isfile(place.source.filename)}
    if isinstance(failure.error, ModuleNotFoundError) and failure.error.name:
        found.add(os.path.join(folder, *failure.error.name.split(".")) + ".py")
    return {os.path.abspath(file) for file in found}


@contextlib.contextmanager
def no_bytecode():
    """Within, no compiled code is kept: it would be taken for that of a file saved again in the same second."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
