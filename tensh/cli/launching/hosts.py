"""The machines of a program: named in an option or a file, and passed to `mpiexec` in its own format."""

import re
import subprocess

from tensh.cli.programs.options import UsageError
from tensh.support.language import _

HOST = re.compile(r"(\w[\w.-]*)(?::(\d+)|\s+slots\s*=\s*(\d+)(?:\s+max_slots\s*=\s*\d+)?)?")
"""`name`, `name:2`, or in the files of Open MPI `name slots=2`."""


def read_hosts(hosts, hostfile):
    """Return (name, number of processes or None) for each machine.  Raise UsageError for an invalid line."""
    if hosts:
        return [read_host(each.strip(), hosts) for each in hosts.split(",")]
    if not hostfile:
        return []
    try:
        with open(hostfile, encoding="utf-8", errors="replace") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except OSError as error:
        raise UsageError(_("tensh launch: {path}: {error}").format(path=hostfile, error=error.strerror)) from None
    found = [read_host(line, hostfile) for line in lines if line]
    if not found:
        raise UsageError(_("tensh launch: {path} lists no machines").format(path=hostfile))
    return found


def read_host(text, source):
    match = HOST.fullmatch(text)
    number = match and (match[2] or match[3])
    if match is None or number is not None and int(number) < 1:
        raise UsageError(
            _("tensh launch: expected a machine as name, name:2 or name slots=2, not {text!r} in {source}").format(
                text=text, source=source
            )
        )
    return match[1], number and int(number)


def count_processes(machines):
    """Return how many processes the machines take, by default one each."""
    return sum(number or 1 for _name, number in machines) or 1


def options_for(mpiexec, machines):
    """Return the options of `mpiexec` for the machines: those of MPICH, or of Open MPI."""
    if not machines:
        return []
    listed = ",".join(name if number is None else f"{name}:{number}" for name, number in machines)
    return ["--host" if is_open_mpi(mpiexec) else "-hosts", listed]


def is_open_mpi(mpiexec):
    """Return True for the `mpiexec` of Open MPI, as its version tells."""
    try:
        done = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(name in done.stdout for name in ("Open MPI", "OpenRTE", "PRRTE"))
