"""The file of a sweep: written, shown, and refused if tensh did not write it."""

import contextlib
import csv
import functools
import io
import json
import math
import os
import sqlite3
import struct

import pytest

from tensh.cli.programs.options import UsageError
from tensh.cli.sweeping.journals import MAGIC
from tensh.cli.sweeping.reading import read
from tensh.cli.sweeping.store import Store, recover
from tensh.cli.sweeping.table import SCHEMA

BAD = "a\x1b[2J\u202e"
FACTS = {"script": "my train.tsh", "digest": "ab", "options": "{}"}
DONE = [  # settings, values
    ({"rate": "0.1", "name": "x"}, {"loss": 0.5, "right": 3}),
    ({"rate": "0.01", "name": BAD}, {"loss": 0.25, "right": 2}),
    ({"rate": "10", "name": "y"}, {"loss": math.nan, "right": 4}),
]


@pytest.fixture
def path(tmp_path):
    """A file with three runs that are done, one that has failed, and one that waits."""
    file = str(tmp_path / "runs.sqlite")
    store = Store(file, FACTS)
    store.add([settings for settings, _ in DONE] + [{"rate": "2"}, {"rate": "3"}], [7])
    runs = store.waiting()
    store.begin(runs[:4])
    store.finish(
        [run._replace(state="done", values=values, seconds=1.0) for run, (_, values) in zip(runs, DONE, strict=False)]
    )
    store.finish([runs[3]._replace(state="failed", output="w\n", error=f"s.tsh:1: {BAD}\n  more", seconds=0.5)])
    store.close()
    return file


def test_a_table_with_the_best_first(path, tensh):
    status, shown, said = tensh("sweep", path)
    assert (status, said) == (0, "")
    rows = [line.split()[0] for line in shown.splitlines()]
    assert rows[:6] == ["run", "2", "1", "3", "4", "5"]
    assert "1 run failed: s.tsh:1: a\\x1b[2J\\u202e (" in shown and "1 run left" in shown and "\x1b" not in shown
    assert shown.splitlines()[-1] == (
        "tensh run 'my train.tsh' --set rate=0.01 --set $'name=a\\x1b[2J\\u202e' --seed 7"
    )


@pytest.mark.parametrize(
    ("sort", "order"), [("loss", [2, 1, 3, 4, 5]), ("-loss", [1, 2, 3, 4, 5]), ("-right", [3, 1, 2, 4, 5])]
)
def test_sorting_puts_what_has_no_number_last(path, tensh, sort, order):
    _, shown, _ = tensh("sweep", path, "--sort", sort, "--json")
    assert [json.loads(line)["id"] for line in shown.splitlines()] == order


def test_csv_and_json_have_all(path, tensh):
    rows = [*csv.DictReader(io.StringIO(tensh("sweep", path, "--csv")[1].replace("\r", "")))]
    assert (rows[0]["rate"], rows[0]["loss"], rows[0]["seed"]) == ("0.01", "0.25", "7")
    assert (rows[-1]["state"], rows[-1]["loss"]) == ("waiting", "")
    records = {record["id"]: record for record in map(json.loads, tensh("sweep", path, "--json")[1].splitlines())}
    assert records[3]["values"] == {"loss": "nan", "right": 4}
    assert records[4]["output"] == "w\n" and records[4]["error"].startswith("s.tsh:1: a\x1b")


def test_a_plot(path, tensh):
    status, shown, _ = tensh("sweep", path, "--plot", "rate")
    assert status == 0 and "loss / rate" in shown and "2 points" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plot", "rte"], "did you mean rate?"),
        (["--plot", "name"], "its values are not numbers"),
        (["--sort", "los"], "did you mean loss?"),
    ],
)
def test_what_cannot_be_shown(path, tensh, options, said):
    status, _, error = tensh("sweep", path, *options)
    assert status == 2 and said in error and error.count("\n") == 1


def test_a_file_that_another_program_uses(path, tensh, monkeypatch):
    monkeypatch.setattr(
        "sqlite3.connect",
        functools.partial(lambda connect, *a, **o: connect(*a, **o | {"timeout": 0.1}), sqlite3.connect),
    )
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        errors = []  # which keep alive what was being opened
        for work in (lambda: Store(path, FACTS), lambda: recover(path)):
            with pytest.raises(UsageError, match="another program is using this file") as raised:
                work()
            errors.append(raised)
    Store(path, FACTS).close()


def test_names_of_settings_stay_in_a_line(tmp_path, tensh):
    store = Store(file := str(tmp_path / "runs.sqlite"), FACTS)
    store.add([{"a\nb": "1"}], [0])
    store.close()
    assert tensh("sweep", file)[1].splitlines()[0] == "run  a\\nb  seed  state    time"


def test_damaged_options_name_their_file(path, tensh):
    for value in ("{}", "nonsense", "[]", '{"report":5,"time_limit":1,"memory_limit":1}'):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE sweep SET value = ? WHERE name = 'options'", [value])
        connection.close()
        status, _, said = tensh("sweep", path, "--resume")
        assert status == 2 and said.startswith(f"{path}: not a sweep file, or damaged ("), said


def test_a_store_goes_on(path):
    store = Store(path, FACTS)
    store.add([{"rate": "3"}, {"rate": "4"}], [7])
    first, second = store.waiting()
    assert (first.id, first.settings, second.settings) == (5, {"rate": "3"}, {"rate": "4"})
    store.begin([first])
    store.add([{"rate": "3"}], [7])  # as after a kill
    assert len(store.waiting()) == 2
    store.close()
    with pytest.raises(UsageError, match="has changed since"):
        Store(path, FACTS | {"digest": "cd"})


def run_sql(*lines):
    def damage(path):
        with sqlite3.connect(path) as connection:
            for line in lines:
                connection.execute(line)
        connection.close()

    return damage


def rebuild(old, new):
    """Make the tables again with another text."""

    def damage(path):
        os.remove(path)
        run_sql(*(sql.replace(old, new) for sql in SCHEMA.values()))(path)

    return damage


def set_value(field, value):
    return run_sql(f"UPDATE runs SET {field} = {value} WHERE id = 1")


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2)


DAMAGE = {
    "a view": run_sql("CREATE VIEW v AS SELECT 1"),
    "a trigger": run_sql("CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM runs; END"),
    "a view as the table": run_sql(
        "ALTER TABLE runs RENAME TO r", "CREATE VIEW runs AS SELECT * FROM r", "DELETE FROM sweep"
    ),
    "an index": run_sql("CREATE INDEX i ON runs (abs(seed))"),
    "another column": rebuild("reported TEXT", "reported TEXT GENERATED ALWAYS AS (hex(seed))"),
    "no table": run_sql("DROP TABLE sweep"),
    "a state": set_value("state", "'gone'"),
    "bytes": set_value("settings", "x'00ff'"),
    "no JSON": set_value("settings", "'{'"),
    "a list": set_value("settings", "'[]'"),
    "deep JSON": set_value("settings", "'" + '{"a":' * 900 + "1" + "}" * 900 + "'"),
    "a number as a setting": set_value("settings", "'{\"rate\": 1}'"),
    "a text as a value": set_value("reported", '\'{"loss": "x"}\''),
    "a huge number": set_value("reported", '\'{"loss": 1' + "0" * 400 + "}'"),
    "no time": set_value("seconds", "-1"),
    "no seed": set_value("seed", "'x'"),
    "a huge text": set_value("output", "printf('%.*c', 2000000, 'x')"),
    "a huge blob": set_value("error", "zeroblob(90000000)"),
    "no UTF-8": set_value("output", "CAST(x'ff' AS TEXT)"),
    "a log": run_sql("PRAGMA journal_mode = WAL"),
    "half of it": cut,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_file_that_tensh_has_not_written_is_refused(name, path, tensh, tmp_path):
    DAMAGE[name](path)
    with open(path, "rb") as file:
        before = file.read()
    status, shown, said = tensh("sweep", path)
    assert (status, shown) == (2, "") and said.startswith(path) and said.count("\n") == 1
    assert "not a sweep file" in said
    with open(path, "rb") as file:
        assert file.read() == before
    assert os.listdir(tmp_path) == ["runs.sqlite"]


OPTIONS = ["", "[]", "{}", '{"report": 1, "time_limit": null, "memory_limit": null}', "[" * 10**5,
           '{"report": [], "time_limit": -1, "memory_limit": null}', '{"report": [[]], "time_limit": 1, "memory_limit": 1}']  # fmt: skip


@pytest.mark.parametrize("text", OPTIONS)
def test_options_that_tensh_has_not_written_are_refused(text, path, tensh):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sweep SET value = ? WHERE name = 'options'", (text,))
    connection.close()
    status, shown, said = tensh("sweep", path, "--resume")
    assert (status, shown) == (2, "") and "not a sweep file" in said and said.count("\n") == 1


def leave_journal(path):
    """Leave a file as a kill in the middle of a transaction does: with a journal, which a reader may not play back."""
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE runs SET output = printf('%.*c', 900000, 'x')")
        with open(path + "-journal", "rb") as file:
            journal = file.read()
        with open(path, "rb") as file:
            data = file.read()
        connection.execute("ROLLBACK")
    connection.close()
    for name, content in (path, data), (path + "-journal", journal):
        with open(name, "wb") as file:
            file.write(content)


def test_a_file_that_was_being_written_says_how_to_go_on(path, tensh):
    leave_journal(path)
    status, _, said = tensh("sweep", path)
    assert status == 2 and "--resume" in said
    store = Store(path, FACTS)
    assert [run.id for run in store.waiting()] == [5]
    store.close()
    assert len(read(path)[1]) == 5


def test_resuming_plays_back_the_journal_of_a_killed_sweep(path):
    leave_journal(path)
    recover(path)
    assert os.listdir(os.path.dirname(path)) == ["runs.sqlite"] and len(read(path)[1]) == 5


@pytest.mark.parametrize("through_link", [False, True])
@pytest.mark.parametrize("open_file", [recover, lambda path: Store(path, FACTS)])
def test_a_journal_that_names_another_file_is_refused(open_file, through_link, path, tmp_path):
    """SQLite would delete the file that it names."""
    other = tmp_path / "other.txt"
    other.write_text("mine")
    leave_journal(path)
    name, checksum = os.fsencode(other), sum(os.fsencode(other))
    with open(path + "-journal", "ab") as file:
        file.write(struct.pack(">I", 2**30 // 4096 + 1) + name + struct.pack(">II", len(name), checksum) + MAGIC)
    if through_link:
        os.symlink(path, tmp_path / "link.sqlite")
        path = str(tmp_path / "link.sqlite")
    with pytest.raises(UsageError, match="not a sweep file"):
        open_file(path)
    assert other.read_text() == "mine"


@pytest.mark.parametrize("pages", [2**32 - 1, 2**20, 100])
@pytest.mark.parametrize("page", [4096, 512, 0])
def test_a_journal_that_enlarges_the_file_is_refused(pages, page, path):
    with open(path + "-journal", "wb") as file:
        file.write(MAGIC + struct.pack(">IIIII", 0, 7, pages, 512, page) + bytes(1000))
    before = os.path.getsize(path)
    for open_file in recover, lambda path: Store(path, FACTS):
        with pytest.raises(UsageError, match="journal"):
            open_file(path)
    assert os.path.getsize(path) == before


BESIDE = {
    "a pipe": (getattr(os, "mkfifo", None), "-journal"),
    "a folder": (os.mkdir, "-journal"),
    "a link": (lambda path: os.symlink(__file__, path), "-journal"),
    "a link to nothing": (lambda path: os.symlink("nothing", path), "-journal"),
    "a log": (lambda path: open(path, "w").close(), "-wal"),
    "a log that is a pipe": (getattr(os, "mkfifo", None), "-wal"),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("kind", BESIDE)
def test_what_no_sweep_leaves_beside_its_file_is_refused(kind, path):
    make, ending = BESIDE[kind]
    make(path + ending)
    for open_file in read, recover, lambda path: Store(path, FACTS):
        with pytest.raises(UsageError, match="journal|log"):
            open_file(path)


def test_a_full_disk_is_an_error_in_one_line(path):
    store = Store(path, FACTS)
    [run] = store.waiting()
    store.connection.execute("PRAGMA max_page_count = 1")
    for fill in (
        lambda: store.add([{"rate": str(number)} for number in range(10_000)], [7]),
        lambda: store.finish([run._replace(state="done", output="x" * 100_000)]),
    ):
        with pytest.raises(UsageError, match="full"):
            fill()
    assert store.waiting() == [run]
    store.close()


def test_another_file_is_not_overwritten(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(UsageError, match="not a sweep file"):
        Store(str(path), FACTS)
    assert path.read_text() == "mine"
