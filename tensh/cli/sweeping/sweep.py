"""`tensh sweep`: begin or resume a sweep, or show the file of one."""

import contextlib
import hashlib
import pickle
import sys

from tensh.cli.files import reading as files
from tensh.cli.process import status
from tensh.cli.programs import program as programs
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.cli.session.sources import parameters
from tensh.cli.sweeping import cluster, reading, running, showing
from tensh.cli.sweeping.combinations import combine, read_settings
from tensh.cli.sweeping.store import Store, recover, write_object
from tensh.show.loops.progress import track
from tensh.support.escaping import visible_line
from tensh.support.language import _

# options that a resumed sweep takes from its file
KEPT = ("report", "time_limit", "memory_limit", "stop_below", "stop_above")


def sweep(env, file, request):
    """Sweep a script, or show the runs in a file; return the exit status."""
    failed = False
    if not reading.is_table(file):
        failed = run_sweep(env, file, request)
        file = request.output
    elif request.resume:
        recover(file)
        facts = reading.read(file)[0]
        failed = run_sweep(env, facts.get("script", ""), complete(request._replace(output=file), facts))
    facts, runs = reading.read(file)
    sort = showing.usual_sort(facts, runs) if request.sort is None else request.sort
    showing.show(Console(env), facts, runs, sort, request.plot, request.csv, request.json)
    return status.FAILED if failed else status.OK


def run_sweep(env, file, request):
    """Do the runs that are not done; return whether any failed."""
    if request.memory_limit is not None and not sys.platform.startswith("linux"):
        raise UsageError(_("--memory-limit: this system does not support it"))
    if not request.output:
        raise UsageError(_("-o: expected the name of a file"))
    if request.stop_below and request.stop_above:
        raise UsageError(_("--stop-below and --stop-above: only one of them can be given"))
    data, program = files.content(file), programs.from_file(file)
    values = read_settings(request.settings)
    require_values(program, values)
    cluster.require_library()
    options = {name: getattr(request, name) for name in KEPT}
    facts = {"script": file, "digest": hashlib.sha256(data).hexdigest(), "options": write_object(options)}
    job = running.Job(pickle.dumps(program), **options)
    with contextlib.closing(Store(request.output, facts)) as store:
        store.add([] if request.resume else combine(values, request.random), range(request.seeds))
        runs = store.waiting()
        if not runs:
            return False
        with cluster.open_client(request.scheduler, request.workers) as client:
            return carry_out(env, store, cluster.Workers(client, job, store.begin).run_all(runs), len(runs))


def carry_out(env, store, finished, total):
    """Store runs as they are finished, and show the progress; return whether any failed."""
    has_bar, failed = env.is_terminal(env.stderr) and not env.plain, 0
    stored = store_all(store, finished)
    for place, run in enumerate(track(stored, _("runs"), total) if has_bar else stored, 1):
        failed += run.state == "failed"
        if not has_bar:
            env.say(f"{place}/{total}  {visible_line(describe(run))}\n")
    return failed > 0


def store_all(store, batches):
    """Yield runs that have been stored."""
    for runs in batches:
        store.finish(runs)
        yield from runs


def describe(run):
    """Describe a finished run in a line."""
    settings = [f"{name}={parameters.shorten(text)}" for name, text in run.settings.items()]
    values = [f"{parameters.shorten(name)}={value:.6g}" for name, value in run.values.items()]
    error = [parameters.shorten(run.error.strip().partition("\n")[0])] if run.error else []
    seconds = [] if run.seconds is None else [f"{run.seconds:.3g} s"]
    return "  ".join([" ".join([*settings, f"seed={run.seed}"]), run.state, *values, *error, *seconds])


def require_values(program, values):
    """Raise UsageError for a setting that does not fit the script, before anything runs."""
    for name, texts in values.items():
        for text in texts:
            try:
                parameters.apply([f"{name}={text}"], [cell.source for cell in program.cells])
            except parameters.SettingError as error:
                raise UsageError(str(error)) from None
    for cell in program.cells:
        cell.source.replaced.clear()


def complete(request, facts):
    """Return the options with those that the sweep was begun with, read from its file."""
    try:
        found = reading.read_object(facts["options"])
        limits = [found[name] for name in ("time_limit", "memory_limit")]
        reading.require(
            all(each is None or type(each) in (int, float) and each > 0 for each in limits), "sweep.options"
        )
        names = {name: found.get(name) for name in ("stop_below", "stop_above")}
        texts = [*found["report"], *(each for each in names.values() if each is not None)]
        reading.require(all(type(each) is str for each in texts), "sweep.options")
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(reading.describe(request.output, error)) from None
    return request._replace(report=tuple(found["report"]), time_limit=limits[0], memory_limit=limits[1], **names)
