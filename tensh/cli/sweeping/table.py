"""The file of a sweep: an SQLite database of two tables, and the runs that it holds."""

import sqlite3
from typing import NamedTuple

SCHEMA = {
    "sweep": "CREATE TABLE sweep (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "runs": (
        "CREATE TABLE runs (id INTEGER PRIMARY KEY, settings TEXT NOT NULL, seed INTEGER NOT NULL, "
        "state TEXT NOT NULL, reported TEXT, output TEXT, error TEXT, seconds REAL)"
    ),
}
# What is asked of them.
OBJECTS = "SELECT type, name, sql FROM sqlite_master LIMIT 9"
ADD_FACT = "INSERT INTO sweep VALUES (?, ?)"
FACTS = "SELECT name, value FROM sweep LIMIT 100"
ADD = "INSERT INTO runs (settings, seed, state) VALUES (?, ?, 'waiting')"
KNOWN = "SELECT settings, seed FROM runs"
ALL = "SELECT id, settings, seed, state, reported, output, error, seconds FROM runs ORDER BY id"
WAITING = "SELECT id, settings, seed FROM runs WHERE state = 'waiting' ORDER BY id"
BEGIN = "UPDATE runs SET state = 'running' WHERE id = ?"
WAIT_AGAIN = "UPDATE runs SET state = 'waiting' WHERE state = 'running'"
FINISH = "UPDATE runs SET state = ?, reported = ?, output = ?, error = ?, seconds = ? WHERE id = ?"

STATES = ("waiting", "running", "done", "failed", "stopped")
HEADER = b"SQLite format 3\0"
LONGEST = 2**20  # bytes of a text in the file
MOST_RUNS = 2_000_000


class SweptRun(NamedTuple):
    """A run: its settings (name -> text), its seed, and what came of it."""

    id: int
    settings: dict[str, str]
    seed: int
    state: str = "waiting"
    values: dict[str, float] = {}
    output: str = ""
    error: str = ""
    seconds: float | None = None
    curve: dict[int, float] = {}  # reported numbers by step, which are not stored


class DamagedTable(ValueError):
    """Raised for a file that is not one of `tensh sweep`; its argument names the part that is not."""


def distrust(connection):
    """Prevent a connection from running anything in the file, and from reading more than a sweep would have written."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1)


def require_schema(connection):
    """Raise DamagedTable unless the file has our two tables as we make them, and nothing else."""
    found = connection.execute(OBJECTS).fetchall()
    if sorted(found, key=repr) != sorted((("table", name, sql) for name, sql in SCHEMA.items()), key=repr):
        raise DamagedTable("sqlite_master")
