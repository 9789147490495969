"""`tensh run --watch FILE`: run a file, and again whenever it or one of the user's modules that it imports is saved.

The files are polled a few times a second, which works with every editor and file system. A run starts only after two
equal looks in a row: an editor may write a file in pieces, or remove it before it puts the new one in place.
"""

import gc
import importlib
import linecache
import os
import sys
import time

from tensh.cli.files import reading
from tensh.cli.process import status
from tensh.cli.programs import program
from tensh.cli.programs.isolation import fresh_world, own_modules
from tensh.cli.programs.options import UsageError
from tensh.cli.programs.runs import open_run
from tensh.cli.render.console import Console
from tensh.support.escaping import visible_line
from tensh.support.language import _
from tensh.support.temporary import temporarily

BETWEEN = 0.2  # seconds between looks at the files
CHANGED = object()  # stamp of a file that was saved while it was read


class Watch:
    """Runs a file again and again. `pause` waits between two looks; `clock` returns the time like `time.time`."""

    def __init__(self, env, options, path, arguments=(), pause=time.sleep, clock=time.time):
        self.env = env
        self.options = options
        self.path = path
        self.file = reading.whole_name(path)
        self.arguments = arguments
        self.pause = pause
        self.clock = clock
        self.console = Console(env)
        self.stamps = {}  # file -> its stamp when it was last read
        self.saved = []  # files whose change caused the next run

    def run_all(self):
        """Run until ^C; return the exit status."""
        try:
            with without_bytecode():
                found = self.run()
                while found != status.INTERRUPTED:
                    self.wait()
                    found = self.run_again()
        except KeyboardInterrupt:
            if self.env.is_terminal(self.env.stderr):  # ^C was echoed on a line
                self.console.remark([("plain", "\n")])
        return status.INTERRUPTED

    def say(self, text):
        """Write a line that is not a result."""
        if not self.options.quiet:
            self.console.remark([("note", visible_line(text) + "\n")])

    # ── running ──────────────────────────────────────────────────────────────

    def run_again(self):
        """Run the program again. If it cannot be run, say so and go on waiting."""
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
        gc.unfreeze()  # undo the freezing at start-up, so that nothing of the run is kept
        gc.collect()
        return found

    def header(self, now):
        """Describe the run: its time, and the other files that caused it."""
        others = [
            _(", {name} was saved").format(name=os.path.basename(file)) for file in self.saved if file != self.file
        ]
        return time.strftime("[%H:%M:%S] ", time.localtime(now)) + self.path + "".join(others)

    # ── waiting ──────────────────────────────────────────────────────────────

    def wait(self):
        """Wait until a file was saved completely."""
        self.env.stdout.flush()
        now, has_said = self.stamps, False
        while now == self.stamps:
            now = self.look()
        self.saved = [file for file, found in now.items() if found != self.stamps[file]]
        while now != (now := self.look()) or now[self.file] is None:
            if now[self.file] is None and not has_said:
                self.say(_("{path} was removed: waiting for it").format(path=self.path))
                has_said = True

    def look(self):
        """Return the stamps of all files after a pause."""
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
    """Return the files of modules."""
    found = (getattr(sys.modules[name], "__file__", None) for name in names)
    return {os.path.abspath(file) for file in found if file}


def files_in(failure, folder):
    """Return the files involved in a failure: those of its frames, or where a missing module would be."""
    if failure is None:
        return set()
    found = {place.source.filename for place in failure.places if os.path.isfile(place.source.filename)}
    if isinstance(failure.error, ModuleNotFoundError) and failure.error.name:
        found.add(os.path.join(folder, *failure.error.name.split(".")) + ".py")
    return {os.path.abspath(file) for file in found}


def without_bytecode():
    """Return a context without bytecode caches: they would seem to be those of a file saved in the same second."""
    return temporarily(sys, dont_write_bytecode=True)
