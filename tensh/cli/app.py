"""The program `tensh`: what the command line asks for is found out and done; the exit status comes back."""

import sys

from tensh.cli import lazy, status, version
from tensh.cli.environment import Environment
from tensh.cli.options import Options, UsageError


def main(arguments=None, environment=None):
    """Run `tensh ARGUMENTS` (those of the process if there are none) in an environment; the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    env = environment or Environment()
    if arguments in (["--version"], ["-V"]):  # before anything is imported
        return version.say(env)
    lazy.begin()
    try:
        with env.installed():
            found = answer(arguments, env)
            env.stdout.flush()
            return found
    except KeyboardInterrupt:
        return status.INTERRUPTED
    except UsageError as error:
        env.stderr.write(f"{error}\n")
        return status.USAGE
    except BrokenPipeError:
        if not env.is_broken():
            raise
        env.silence()
        return status.PIPE_CLOSED
    finally:
        lazy.end()


def answer(arguments, env):
    """Do what the arguments say."""
    if not arguments and env.is_interactive:
        return prompt(env)
    program = without_options(arguments)
    if program:
        from tensh.cli.run import Run

        return Run(env, Options(), program).whole()
    from tensh.cli import commands

    task = commands.task(arguments, env)
    return task() if callable(task) else task


def prompt(env):
    """The prompt, where nothing else is asked for: as quick as it can be."""
    from tensh.cli.repl.echo import Echo

    with Echo(env.stdin) as echo:
        from tensh.cli.repl import loop

        return loop.start(env, Options(), begin=echo.back)


def without_options(arguments):
    """The program of `run FILE` and `-c CODE`, where there is nothing to parse; None for everything else.

    Typer would find the same, and take 25 ms of 105 to be loaded for it.
    """
    from tensh.cli import program

    match arguments:
        case ["run", file] if not file.startswith("-"):
            return program.from_file(file)
        case ["-c", code]:
            return program.from_codes([code])
    return None
