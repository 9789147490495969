"""Starting a program in several processes by MPI's `mpiexec`, and stopping all of them together."""

import contextlib
import errno
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path

from tensh.cli.files.writing import write_text
from tensh.cli.launching import timeline
from tensh.cli.launching.abandoned import remove_abandoned
from tensh.cli.launching.ending import end_with_parent
from tensh.cli.launching.hosts import count_processes, options_for, read_hosts
from tensh.cli.process import status
from tensh.cli.process.ending import ending_with
from tensh.cli.process.environment import Unwritten
from tensh.cli.programs.options import UsageError
from tensh.support.language import _
from tensh.support.processors import count_processors

LOOK = 0.2  # seconds between looks for failed ranks
PATIENCE = 2  # seconds that processes have to end by themselves
# mpiexec's own messages about failed processes
OWN_WORDS = re.compile(
    r"=+$|=\s|YOUR APPLICATION TERMINATED|This typically refers to|Please see the FAQ|\[mpiexec@|\[proxy|Press Ctrl-C"
)


def launch(env, number, file, arguments, hosts=None, hostfile=None, restarts=0, is_prefixed=True, picture=None):
    """Run a program in `number` processes, restarting up to `restarts` times after a failure; return the exit status.

    Without a `number`, there are as many as the machines take. `picture` is a file of HTML for the times of exchanges.
    """
    if number is not None and number < 1:
        raise UsageError(_("-n: expected 1 or more processes, not {number}").format(number=number))
    if restarts < 0:
        raise UsageError(_("--restarts: expected 0 or more restarts, not {number}").format(number=restarts))
    if hosts and hostfile:
        raise UsageError(_("--hosts and --hostfile: only one of them can be given"))
    for path in filter(None, (file, hostfile)):
        if os.path.isdir(path):
            raise UsageError(_("tensh launch: {path} is a folder, not a file").format(path=path))
        if not os.path.exists(path):
            raise UsageError(_("tensh launch: there is no file {path}").format(path=path))
    mpiexec, machines = find_mpiexec(), read_hosts(hosts, hostfile)
    number = count_processes(machines) if number is None else number
    command = [mpiexec, *options_for(mpiexec, machines), "-n", str(number)]
    command += [sys.executable, "-m", "tensh.cli.launching", file, *arguments]
    endings = []
    with ending_with(lambda: endings.append(True) or True):
        for attempt in range(restarts + 1):
            given = variables(env, number, machines, attempt, restarts)
            given["TENSH_LAUNCH_PREFIX"] = "1" if is_prefixed and number > 1 else ""
            with record_times(env, picture, file, given):
                found = Launch(env, command, number, given, endings).run()
            if found in (status.OK, status.INTERRUPTED) or endings or attempt == restarts:
                return found
            env.stderr.write(
                _("tensh launch: restart {attempt} of {restarts}").format(attempt=attempt + 1, restarts=restarts) + "\n"
            )
    return status.OK


@contextlib.contextmanager
def record_times(env, picture, file, variables):
    """A context in which processes note the times of their exchanges, of which a page is written at its end.

    They write to a folder beside the page, which machines of a cluster usually share.
    """
    if picture is None:
        yield
        return
    beside = Path(picture).absolute().parent
    try:
        require_place(picture)
        folder = tempfile.TemporaryDirectory(prefix=".tensh-timeline-", dir=beside)
    except OSError as error:
        raise UsageError(_("--timeline {path}: {error}").format(path=picture, error=error.strerror)) from None
    with folder as name:
        variables["TENSH_TIMELINE"] = name
        yield
        processes = timeline.read(Path(name))
        if not processes:
            env.stderr.write(_("tensh launch: no rank has written its times") + "\n")
            return
        try:
            write_text(picture, [timeline.make_page(os.path.basename(file), processes)])
        except OSError as error:
            raise UsageError(_("--timeline {path}: {error}").format(path=picture, error=error.strerror)) from None
        env.stderr.write(f"tensh launch: {picture}: {timeline.summarize(processes)}\n")


def require_place(path):
    """Raise OSError for a path that cannot be that of a file to write, so that this is known before a long run."""
    if not path or os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with contextlib.suppress(FileNotFoundError):
        os.stat(path)  # raises for a name that is too long
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def find_mpiexec():
    """Return the path of mpiexec: beside this Python, where the package mpich puts it, else on the search path."""
    if find_spec("mpi4py") is not None:
        beside = Path(sys.executable).with_name("mpiexec")
        found = str(beside) if beside.exists() else shutil.which("mpiexec")
        if found:
            return found
    raise UsageError(_("tensh launch needs MPI: pip install 'tensh[mpi]' (mpi4py and mpich)"))


OPEN_MPI = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
"""Variables that let Open MPI start more processes than there are cores, as MPICH does."""
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Variables that let root start them, as in a container."""


def variables(env, number, machines, attempt, restarts):
    """Return the environment variables for the processes, as PyTorch's launcher sets them."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    given = {"MASTER_ADDR": machines[0][0] if machines else "127.0.0.1", "MASTER_PORT": str(port)} | OPEN_MPI
    if getattr(os, "geteuid", lambda: 1)() == 0:
        given |= AS_ROOT
    found = {**given, **env.variables, "WORLD_SIZE": str(number), "TORCHELASTIC_RUN_ID": str(os.getpid())}
    if attempt:
        found["MASTER_PORT"] = str(port)  # the previous port may still be in use
    found |= {"TORCHELASTIC_RESTART_COUNT": str(attempt), "TORCHELASTIC_MAX_RESTARTS": str(restarts)}
    found.setdefault("OMP_NUM_THREADS", str(max(1, count_processors() // number)))
    return found


class Launch:
    """One attempt: the processes, their output, and how they end.

    ``endings`` is no longer empty when a signal has come that ends the launcher itself.
    """

    def __init__(self, env, command, number, variables, endings):
        self.env, self.command, self.number, self.variables, self.endings = env, command, number, variables, endings
        self.unwritten = None  # the failure of stdout

    def run(self):
        """Run the processes; return the exit status of the one that failed first, or 0."""
        with tempfile.TemporaryDirectory(prefix="tensh-launch-") as folder:
            self.folder, begin = Path(folder), time.time()
            process = subprocess.Popen(
                self.command, env={**self.variables, "TENSH_LAUNCH": folder}, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True, preexec_fn=lambda: end_with_parent(signal.SIGTERM),
            )  # fmt: skip
            ways = (process.stdout, self.env.stdout), (process.stderr, self.env.stderr)
            listeners = [threading.Thread(target=self.pass_on, args=way, daemon=True) for way in ways]
            for listener in listeners:
                listener.start()
            try:
                found = self.wait_for(process)
            except KeyboardInterrupt:
                self.stop(process, [signal.SIGINT, signal.SIGINT, signal.SIGTERM])  # ^C, twice if necessary
                return status.INTERRUPTED
            finally:
                self.end_rest(process)
                remove_abandoned(begin)
                for listener in listeners:
                    listener.join(PATIENCE)
            if self.unwritten:
                raise self.unwritten
            if self.endings:
                return status.FAILED
            return self.explain(found or 1) if found or self.was_cut_short() else status.OK

    def wait_for(self, process):
        """Wait for mpiexec; only for a while after a rank has failed.

        mpiexec ignores a failure before MPI is initialised.
        """
        while not self.unwritten and not self.endings:
            failed = any(self.folder.glob("*.status")) or self.have_vanished()
            try:
                return process.wait(PATIENCE if failed else LOOK)
            except subprocess.TimeoutExpired:
                if failed:
                    process.kill()
        if self.endings:
            self.stop(process, [signal.SIGTERM])
        return status.FAILED

    def read_numbers(self):
        """Return the numbers of the processes that have noted theirs, those on this machine."""
        return [int(path.read_text()) for path in self.folder.glob("*.pid")]

    def have_vanished(self):
        """Return True if all ranks have ended, which mpiexec does not notice where its own helper was killed with them."""
        numbers = self.read_numbers()
        return len(numbers) == self.number and not any(map(is_alive, numbers))

    def pass_on(self, source, target):
        """Forward the output of the processes; if it cannot be written, drop it, and let `wait_for` know about stdout."""
        try:
            with self.env.writing() if target is self.env.stdout else contextlib.suppress(OSError, ValueError):
                self.copy_lines(source, target)
        except Unwritten as error:
            self.unwritten = error
        for _line in source:
            pass

    def copy_lines(self, source, target):
        """Copy lines, without mpiexec's own messages about failures."""
        held = ""  # empty lines that may belong to such a message
        for line in source:
            text = line.decode(errors="backslashreplace")
            if OWN_WORDS.match(text):
                held = ""
            elif text == "\n":
                held += text
            else:
                target.write(held + text)
                target.flush()
                held = ""
        target.write(held)
        target.flush()

    def stop(self, process, signs):
        """Send signals to mpiexec, one after the other, until it ends."""
        for sign in signs:
            try:
                process.send_signal(sign)
                process.wait(PATIENCE)
                return
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                continue

    def end_rest(self, process):
        """Kill mpiexec and the processes on this machine that are still running."""
        if process.poll() is None:
            process.kill()
            process.wait()
        end = time.monotonic() + PATIENCE
        pids = self.read_numbers()
        while pids and time.monotonic() < end:
            pids = [pid for pid in pids if is_alive(pid)]
            time.sleep(0.01)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def was_cut_short(self):
        """Return True if a rank ended early, without an error, and others were stopped for that."""
        early, done, begun = (len(list(self.folder.glob(f"*.{kind}"))) for kind in ("early", "done", "pid"))
        return early > 0 and early + done < begun

    def explain(self, found):
        """Report which process failed first; return its status."""
        failed = sorted(self.folder.glob("*.status"), key=lambda path: path.stat().st_mtime_ns)
        if failed:
            found, rank = int(failed[0].read_text()), failed[0].stem
            if found < 0:
                who = _("rank {rank} was killed by signal {name}").format(rank=rank, name=signal.Signals(-found).name)
                found = 128 - found
            else:
                who = _("rank {rank} failed with status {status}").format(rank=rank, status=found)
        elif early := list(self.folder.glob("*.early")):
            who, found = _("rank {rank} ended early, without an error").format(rank=early[0].stem), 1
        elif not any(self.folder.glob("*.pid")):
            self.env.stderr.write(
                _("tensh launch: {mpiexec} started no process, and exited with status {status}").format(
                    mpiexec=self.command[0], status=found
                )
                + "\n"
            )
            return found
        elif found < 0:
            who = _("mpiexec was killed by signal {name}, or has lost all ranks").format(
                name=signal.Signals(-found).name
            )
            found = 128 - found
        elif 128 < found < 128 + 65 or 0 < found < 32:
            who = _("a rank was killed by signal {name}").format(name=signal.Signals(found % 128).name)
            found = 128 + found % 128
        else:
            who = _("a rank exited with status {status}").format(status=found)
        rest = "" if self.number == 1 else _("; the others were stopped")
        self.env.stderr.write(_("tensh launch: {what}").format(what=who + rest) + "\n")
        return found


def is_alive(pid):
    """Return True if a process exists and has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not os.path.isdir("/proc")
