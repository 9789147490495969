"""The program `tensh`: parse the command line, carry it out, return the exit status."""

import os
import sys

import tensh.support.language as language
from tensh.cli.actions import version
from tensh.cli.process import startup, status
from tensh.cli.process.environment import Environment, Unwritten, open_closed_streams, silence
from tensh.cli.programs.options import Options, UsageError
from tensh.support.language import _


def wrap_first_line(message, env):
    """Break the first line of a message between words in a terminal; the others are commands, which can be copied."""
    first, *rest = message.split("\n")
    if env.is_terminal(env.stderr) and len(first) > env.width(env.stderr):
        from tensh.show.drawing.text import wrap_lines

        first = "\n  ".join(wrap_lines(first, env.width(env.stderr) - 2))
    return "\n".join([first, *rest])


def main(arguments=None, environment=None):
    """Run `tensh ARGUMENTS` (by default those of the process) in an environment; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if environment is None:
        open_closed_streams()
    env = environment or Environment()
    try:
        return carry_out(arguments, env)
    except KeyboardInterrupt:
        return status.INTERRUPTED
    except UsageError as error:
        env.say(f"{wrap_first_line(str(error), env)}\n")
        return status.USAGE
    except Unwritten as error:
        return report_unwritten(error.args[0], env)
    except Exception as error:
        if isinstance(error, OSError) and (found := env.why_unwritten(error)):
            return report_unwritten(found, env)
        if env.is_set("TENSH_DEBUG"):
            raise
        from tensh.cli.process.faults import describe_fault, describe_missing, is_interrupt
        from tensh.cli.process.shadows import describe_shadow

        if is_interrupt(error):
            return status.INTERRUPTED
        if known := describe_shadow(error, arguments) or describe_missing(error):
            env.say(f"{known}\n")
            return status.FAILED
        env.say(_("{fault}; TENSH_DEBUG=1 shows the traceback\n").format(fault=describe_fault(error)))
        return status.INTERNAL


def carry_out(arguments, env):
    """Carry out the arguments and flush all output; return the exit status."""
    language.choose_usual(env.variables)
    if arguments in (["--version"], ["-V"]):  # before anything is imported
        found = version.say(env)
    else:
        startup.begin()
        try:
            if env.is_terminal(env.stdout):
                choose_language(env)
            with env.install():
                found = answer(arguments, env)
        finally:
            startup.end()
    if not env.stdout.closed:
        with env.writing():
            env.stdout.flush()
    return found


def choose_language(env):
    """Choose the language of the settings; they apply to terminals only."""
    from tensh.cli.settings import config

    if os.path.lexists(config.path(env.variables)):
        language.choose(config.load(env.variables).settings.language)


def report_unwritten(error, env):
    """Report that standard output cannot be written, unless its reader has gone away; return the exit status."""
    silence(env.stdout)
    if isinstance(error, BrokenPipeError):
        return status.PIPE_CLOSED
    env.say(_("tensh: stdout cannot be written: {strerror}\n").format(strerror=error.strerror))
    return status.UNWRITTEN


def answer(arguments, env):
    """Carry out the arguments."""
    if not arguments and env.is_interactive:
        return prompt(env)
    if arguments[:2] == ["run", "-m"] or arguments[:1] == ["exec"] and arguments[1:2] not in (["-h"], ["--help"]):
        from tensh.cli.programs import whole_programs

        return whole_programs.run_whole(arguments, env)
    program = find_plain_program(arguments)
    if program:
        from tensh.cli.programs.run import Run

        return Run(env, Options(), program).run_all()
    from tensh.cli import commands

    task = commands.task(arguments, env)
    return task() if callable(task) else task


def prompt(env):
    """Open the prompt when nothing else is asked for, as quickly as possible."""
    from tensh.cli.repl.echo import Echo

    with Echo(env.stdin) as echo:
        from tensh.cli.repl import loop

        return loop.start(env, Options(), begin=echo.back)


def find_plain_program(arguments):
    """Return the program of `run FILE` and `-c CODE`, where there is nothing to parse; None for everything else.

    Typer would find the same, and take 25 ms of 105 to be loaded for it.
    """
    match arguments:
        case ["run", file] if not file.startswith("-"):
            from tensh.cli.programs import program

            return program.from_file(file)
        case ["-c", code]:
            from tensh.cli.programs import program

            return program.from_codes([code])
    return None
