"""Reading the file of a sweep, which may come from anybody: opened read-only, checked before anything is believed."""

import contextlib
import math
import os
import sqlite3
from urllib.parse import quote

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping import journals, table
from tensh.cli.sweeping.table import (
    HEADER,
    LONGEST,
    MOST_RUNS,
    STATES,
    DamagedTable,
    SweptRun,
    distrust,
    require_schema,
)
from tensh.support import bounded_json
from tensh.support.language import _

ROLLBACK = b"\1\1"  # bytes 18 and 19 of a file without a write-ahead log
STEPS = 1_000_000  # steps of SQLite's machine between looks at how long it has worked
MOST_STEPS = 1_000  # such looks, a minute or so
DEEPEST = 3  # containers in JSON, and one more
LONGEST_REASON = 100  # characters of what SQLite says, which may quote the file
MOST_PARTS = 1_000  # settings, or values, of one run
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # numbers that JSON lacks


def is_table(path):
    """Return True if a file begins as an SQLite database does."""
    try:
        if not os.path.isfile(path):  # opening a pipe would wait
            return False
        with open(path, "rb") as file:
            return file.read(len(HEADER)) == HEADER
    except (OSError, ValueError):
        return False


def read(path):
    """Return (facts of the sweep, its runs in order); raise UsageError for a file that is not one of a sweep."""
    try:
        with open(path, "rb") as file:
            begin = file.read(20)
        if begin[:16] != HEADER or begin[18:20] != ROLLBACK:
            raise DamagedTable("SQLite")
        journals.require_files(path)
        with contextlib.closing(connect(path)) as connection:
            distrust(connection)
            require_schema(connection)
            return read_facts(connection), read_runs(connection)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_READONLY", "SQLITE_BUSY", "SQLITE_CANTOPEN")):
            raise UsageError(
                _("{path}: a sweep is writing it, or was stopped while writing: continue with --resume").format(
                    path=path
                )
            ) from None
        raise UsageError(describe(path, error)) from None
    except (sqlite3.Error, DamagedTable, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(describe(path, error)) from None


def describe(path, error):
    """Say that a file is not one of a sweep."""
    reason = str(error) or type(error).__name__
    return _("{path}: not a sweep file, or damaged ({reason})").format(path=path, reason=reason[:LONGEST_REASON])


def connect(path):
    """Open a database without any right to change it."""
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=5)
    looks = iter(range(MOST_STEPS))
    connection.set_progress_handler(lambda: next(looks, None) is None, STEPS)
    return connection


def read_facts(connection):
    """Return what the sweep was begun with: name -> text."""
    rows = connection.execute(table.FACTS).fetchall()
    require(all(type(part) is str and len(part) <= LONGEST for row in rows for part in row), "sweep")
    return dict(rows)


def read_runs(connection):
    """Return the runs."""
    found = []
    for row in connection.execute(table.ALL):
        require(len(found) < MOST_RUNS, "runs")
        found.append(read_run(*row))
    return found


def read_run(number, settings, seed, state, values, output, error, seconds):
    """Check the fields of a run."""
    require(type(number) is int and type(seed) is int, "runs.seed")
    require(state in STATES, "runs.state")
    require(all(type(text) in (str, type(None)) for text in (values, output, error)), "runs.output")
    require(max(len(text or "") for text in (output, error)) <= LONGEST, "runs.output")
    require(seconds is None or type(seconds) is float and 0 <= seconds < 1e12, "runs.seconds")
    settings, values = read_object(settings), read_object(values or "{}")
    require(all(type(text) is str for text in settings.values()), "runs.settings")
    numbers = {name: read_number(value) for name, value in values.items()}
    return SweptRun(number, settings, seed, state, numbers, output or "", error or "", seconds)


def read_object(text):
    """Read a JSON object of a run."""
    require(type(text) is str and len(text) <= LONGEST, "JSON")
    found = bounded_json.loads(text, deepest=DEEPEST)
    require(type(found) is dict and len(found) <= MOST_PARTS, "JSON")
    return found


def read_number(value):
    """Return a number; infinities and nan, which JSON lacks, are words."""
    if type(value) is str:
        require(value in SPECIAL, "runs.reported")
        return SPECIAL[value]
    require(type(value) in (bool, int, float), "runs.reported")
    require(type(value) is not int or value.bit_length() <= 64, "runs.reported")
    return value


def require(is_so, part):
    """Raise DamagedTable, which names a part of the file, unless something is so."""
    if not is_so:
        raise DamagedTable(part)
