"""Unmodified programs with tensh as torch: `tensh run -m MODULE ARGS...`, `tensh exec COMMAND...`."""

import os
import shutil
import sys

from tensh.alias import environment, install
from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.support.escaping import visible
from tensh.support.language import _


def run_whole(arguments, env):
    """Carry out `exec ...` or `run -m ...`; return the exit status."""
    first, *rest = arguments
    if first == "exec":
        return execute(rest[1:] if rest[:1] == ["--"] else rest, env)
    return run_module(rest[1:])


def execute(command, env):
    """Replace this process by a command whose Python processes, children included, use tensh as torch."""
    if not command:
        raise UsageError(_("tensh exec: no command; use tensh exec COMMAND ARGS..."))
    variables = {**os.environ, **environment(os.environ)}
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(_("tensh exec: there is no command {command}").format(command=command[0]))
    env.stdout.flush()
    if os.name == "nt":  # Windows has no exec that a shell waits for
        import subprocess

        return subprocess.run([program, *command[1:]], env=variables).returncode
    os.execve(program, command, variables)


def run_module(arguments):
    """Run an installed module as the program of this process; return its exit status."""
    if not arguments:
        raise UsageError(_("tensh run -m: no module; use tensh run -m MODULE ARGS..."))
    import runpy

    install()
    sys.argv = arguments
    sys.path.insert(0, os.getcwd())
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    except SystemExit as error:
        return exit_status(error.code)
    except ImportError as error:
        if error.name is not None and not arguments[0].startswith(error.name) or "No module named" not in str(error):
            return report_failure()
        raise UsageError(_("tensh run -m: {error}").format(error=error)) from None
    except Exception:
        return report_failure()
    return status.OK


def exit_status(code):
    """Return the status of a process that ends with ``sys.exit(code)``."""
    if code is None or isinstance(code, int):
        return code or status.OK
    print(visible(str(code)), file=sys.stderr)
    return 1


def report_failure():
    """Report a program's exception without tensh's frames; return the exit status."""
    import traceback

    kind, error, trace = sys.exc_info()
    while trace and trace.tb_frame.f_code.co_filename.startswith((__file__, "<frozen runpy>")):
        trace = trace.tb_next
    sys.stderr.write(visible("".join(traceback.format_exception(kind, error, trace))))
    return 1
