"""Showing the runs of a sweep: a table with the best first, a plot, CSV and JSON."""

import contextlib
import csv
import io
import math

import numpy as np

from tensh.cli.programs.options import UsageError
from tensh.cli.session.sources.parameters import shorten
from tensh.cli.sweeping import reading
from tensh.cli.sweeping.store import write_number
from tensh.show.drawing.table import Table
from tensh.show.pictures.curves import Curves, MissingLibrary
from tensh.support.escaping import dumps, shell_word
from tensh.support.language import _, count, list_names
from tensh.support.spelling import close

MOST = 40  # rows of a table
MOST_NAMES = 8  # listed in a message
LOGARITHMIC = 50  # ratio of the ends of an axis from which it is logarithmic


def show(console, facts, runs, sort=None, plot=None, as_csv=False, as_json=False):
    """Show runs in the way that was asked for."""
    value, descending = choose_value(runs, sort)
    runs = sorted(runs, key=lambda run: rank(run, value, descending))
    if as_csv or as_json:
        console.result([("plain", write_csv(runs) if as_csv else write_json(runs))])
    elif plot:
        draw(console, runs, plot, value)
    else:
        console.result([*make_table(runs).draw(console.page()), ("plain", "\n")])
        if runs and value in runs[0].values and facts.get("script"):
            console.result([("plain", f"{best_command(facts['script'], runs[0])}\n")])


def usual_sort(facts, runs):
    """Return the value of --sort that puts the best run first, by the number that stops runs early; None if there is none."""
    with contextlib.suppress(KeyError, TypeError, ValueError, RecursionError):
        options = reading.read_object(facts["options"])
        for option, sign in (("stop_below", "-"), ("stop_above", "")):
            tag = options.get(option)
            if type(tag) is str and any(tag in run.values for run in runs):
                return sign + tag
    return None


def choose_value(runs, sort):
    """Return (name, descending) of the value to sort by: the one that was asked for, or the first that was reported."""
    names = value_names(runs)
    if sort is None:
        return (names[0] if names else None), False
    name = sort.removeprefix("-")
    if sort not in names and name not in names:
        raise UsageError(_("--sort {name}: no run has reported it").format(name=shorten(name)) + suggest(name, names))
    return (sort, False) if sort in names else (name, True)


def suggest(name, names):
    """Return the end of a message about a name that is none of some: the nearest of them, or all."""
    meant = close(name, names)
    if meant:
        return _("; did you mean {meant}?").format(meant=meant)
    return _("; there are {names}").format(names=list_names(map(shorten, names), MOST_NAMES)) if names else ""


def rank(run, value, descending):
    """Return what to sort a run by: its value, with runs that have none, or nan, at the end."""
    found = run.values.get(value, math.nan)
    is_missing = math.isnan(found)
    return is_missing, 0 if is_missing else -found if descending else found, run.id


def value_names(runs):
    """Return the names of all reported values, as they first came."""
    return list(dict.fromkeys(name for run in runs for name in run.values))


def setting_names(runs):
    return list(dict.fromkeys(name for run in runs for name in run.settings))


def make_table(runs, most=MOST, title="", is_running=False):
    """Return the first runs as a table; the sweep of the others may still be running."""
    settings, values = setting_names(runs), value_names(runs)
    rows = [
        (
            run.id,
            *(shorten(run.settings.get(name, "")) for name in settings),
            run.seed,
            run.state,
            *(f"{run.values[name]:.6g}" if name in run.values else "" for name in values),
            "" if run.seconds is None else f"{run.seconds:.3g} s",
        )
        for run in runs[:most]
    ]
    notes = [_("{shown} of {runs}; all: --csv").format(shown=most, runs=len(runs))] if len(runs) > most else []
    failed = [run for run in runs if run.state == "failed"]
    if failed:
        notes.append(
            _("{count} failed: {error} (their full output: --json)").format(
                count=count(len(failed), "run"), error=shorten(failed[0].error.strip().partition("\n")[0])
            )
        )
    left = sum(run.state in ("waiting", "running") for run in runs)
    if left and not is_running:
        notes.append(_("{count} left: continue with --resume").format(count=count(left, "run")))
    names = (_("run"), *map(shorten, settings), _("seed"), _("state"), *map(shorten, values), _("time"))
    return Table(names, rows, title, notes) if rows else Table((_("run"),), [(_("no runs"),)], title)


def best_command(script, run):
    """Return the command that does a run again."""
    words = [f"--set {shell_word(f'{name}={text}')}" for name, text in run.settings.items()]
    return " ".join(["tensh", "run", shell_word(script), *words, f"--seed {run.seed}"])


def draw(console, runs, name, value):
    """Plot a value over a parameter."""
    if name not in setting_names(runs):
        raise UsageError(
            _("--plot {name}: the sweep has no such parameter").format(name=shorten(name))
            + suggest(name, setting_names(runs))
        )
    try:
        curves = plot(runs, name, value)
    except ValueError:
        raise UsageError(_("--plot {name}: its values are not numbers").format(name=shorten(name))) from None
    if curves is None:
        raise UsageError(_("--plot {name}: no run has reported a number").format(name=shorten(name)))
    try:
        console.result([*curves.draw(console.page()), ("plain", "\n")])
    except MissingLibrary as error:
        raise UsageError(str(error)) from None


def plot(runs, name, value):
    """Return the points of a value over a parameter, or None without any; raise ValueError where settings are not numbers."""
    points = [
        (float(run.settings[name]), float(run.values[value]))
        for run in runs
        if value in run.values and name in run.settings
    ]
    xs, ys = np.array([point for point in points if np.isfinite(point).all()]).reshape(-1, 2).T
    if not xs.size:
        return None
    is_log = bool(xs.min() > 0 and xs.max() / xs.min() >= LOGARITHMIC)
    return Curves([xs], [ys], lines=False, logx=is_log, name=shorten(f"{value} / {name}"))


def write_csv(runs):
    """Format runs as CSV."""
    settings, values = setting_names(runs), value_names(runs)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("id", *settings, "seed", "state", *values, "seconds"))
    for run in runs:
        told = [run.settings.get(name, "") for name in settings], [run.values.get(name, "") for name in values]
        writer.writerow((run.id, *told[0], run.seed, run.state, *told[1], "" if run.seconds is None else run.seconds))
    return file.getvalue()


def write_json(runs):
    """Format runs as lines of JSON."""
    rows = [run._asdict() | {"values": {name: write_number(each) for name, each in run.values.items()}} for run in runs]
    return "".join(dumps({name: value for name, value in row.items() if name != "curve"}) + "\n" for row in rows)
