"""The program `tensh`: what the command line asks for is found out and done; the exit status comes back."""

import sys

from tensh.cli import lazy
from tensh.cli.environment import Environment
from tensh.cli.options import UsageError

USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141  # what a shell reports of a program that a closed pipe ended


def main(arguments=None, environment=None):
    """Run `tensh ARGUMENTS` (those of the process if there are none) in an environment; the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    env = environment or Environment()
    if arguments in (["--version"], ["-V"]):  # before anything is imported
        from tensh import __version__

        env.stdout.write(f"tensh {__version__}\n")
        return 0
    lazy.begin()
    try:
        with env.installed():
            status = answer(arguments, env)
            env.stdout.flush()
            return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except UsageError as error:
        env.stderr.write(f"{error}\n")
        return USAGE
    except BrokenPipeError:
        if not env.is_broken():
            raise
        env.silence()
        return PIPE_CLOSED


def answer(arguments, env):
    """Do what the arguments say."""
    from tensh.cli import commands

    task = commands.task(arguments, env)
    return task() if callable(task) else task
