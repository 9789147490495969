"""Writing the file of a sweep: runs that come together are one transaction, so that a kill loses nothing."""

import contextlib
import json
import math
import os
import sqlite3

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping import journals, reading, table
from tensh.cli.sweeping.table import SCHEMA, SweptRun, distrust, require_schema
from tensh.support.language import _

PATIENCE = 60_000  # milliseconds that a running sweep waits for another program that reads its file
UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR")


class Store:
    """The open file. `facts` are what the sweep was begun with; a file of another sweep is refused."""

    def __init__(self, path, facts):
        self.path, self.connection = path, None
        self.lock = lock(path)
        try:
            self.open(facts)
        except BaseException:
            self.close()
            raise

    def open(self, facts):
        """Open the file, or make it."""
        is_new = not os.path.exists(self.path) or os.path.getsize(self.path) == 0
        if not is_new and not reading.is_table(self.path):
            raise UsageError(_("{path}: this file exists, and is not a sweep file").format(path=self.path))
        with describing(self.path):
            journals.require_own(self.path)
            self.connection = sqlite3.connect(self.path, isolation_level=None, timeout=5)
            distrust(self.connection)
            if is_new:
                self.create(facts)
            require_schema(self.connection)
            self.require_same(facts)
            self.connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")

    def create(self, facts):
        """Make the tables."""
        self.connection.execute("PRAGMA journal_mode = DELETE")
        with self.connection:
            self.connection.execute("BEGIN")
            for sql in SCHEMA.values():
                self.connection.execute(sql)
            self.connection.executemany(table.ADD_FACT, facts.items())

    def require_same(self, facts):
        """Raise UsageError unless the file belongs to this script, as it is now."""
        found = reading.read_facts(self.connection)
        if found.get("digest") != facts["digest"]:
            raise UsageError(
                _(
                    "{path}: it holds the runs of another script, or {script} has changed since: choose another file with -o"
                ).format(path=self.path, script=facts["script"])
            )

    def add(self, combinations, seeds):
        """Add runs, except existing ones; runs that were interrupted with their sweep wait again."""
        with describing(self.path), self.connection:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute(table.WAIT_AGAIN)
            known = {*self.connection.execute(table.KNOWN)}
            wanted = ((write_object(each), seed) for each in combinations for seed in seeds)
            self.connection.executemany(
                table.ADD,
                (each for each in wanted if each not in known),
            )

    def waiting(self):
        """Return the runs that are to be done."""
        with describing(self.path):
            rows = self.connection.execute(table.WAITING)
            return [SweptRun(number, reading.read_object(settings), seed) for number, settings, seed in rows]

    def begin(self, runs):
        """Note that runs have been handed out."""
        with describing(self.path), self.connection:
            self.connection.execute("BEGIN")
            self.connection.executemany(table.BEGIN, [(run.id,) for run in runs])

    def finish(self, runs):
        """Write what came of runs."""
        rows = [(run.state, write_values(run), run.output, run.error, run.seconds, run.id) for run in runs]
        with describing(self.path), self.connection:
            self.connection.execute("BEGIN")
            self.connection.executemany(table.FINISH, rows)

    def close(self):
        for each in (self.connection, self.lock):
            if each is not None:
                each.close()


@contextlib.contextmanager
def describing(path):
    """A context that raises UsageError where a file is not one of a sweep, or cannot be written."""
    try:
        yield
    except (sqlite3.Error, ValueError, RecursionError) as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            raise UsageError(_("{path}: another program is using this file").format(path=path)) from None
        if name.startswith(UNWRITABLE):
            raise UsageError(
                _("{path}: this file cannot be written ({reason}): choose another file with -o").format(
                    path=path, reason=error
                )
            ) from None
        raise UsageError(reading.describe(path, error)) from None


def recover(path):
    """Roll back a killed sweep's incomplete write. Raise UsageError if another sweep has the file, or it is not writable."""
    held = lock(path)
    try:
        with describing(path):
            journals.require_own(path)
            with contextlib.closing(sqlite3.connect(path, timeout=5)) as connection:
                distrust(connection)
                connection.execute(table.OBJECTS).fetchall()  # SQLite plays back a journal before it reads
    finally:
        if held is not None:
            held.close()


def lock(path):
    """Lock a file against other sweeps, until what is returned is closed; a system without such locks has None.

    The lock is not one of SQLite's, so that the file can be read meanwhile. It ends with the process. Raise UsageError where
    another sweep has it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    if os.path.exists(path) and not os.path.isfile(path):
        return None
    try:
        file = open(path, "ab")  # noqa: SIM115
    except (OSError, ValueError):  # SQLite says why
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UsageError(
            _("{path}: another sweep is writing this file: choose another file with -o").format(path=path)
        ) from None
    except OSError:  # a file system without locks
        file.close()
        return None
    return file


def write_object(fields):
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def write_values(run):
    return write_object({name: write_number(value) for name, value in run.values.items()})


def write_number(value):
    """Return a number for JSON: nan and the infinities as words."""
    return value if math.isfinite(value) else str(value)
