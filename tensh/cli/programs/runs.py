"""Choosing the kind of run for the options: one that shows, or one that writes records."""

import contextlib

from tensh.cli.programs.run import Run


def open_run(env, options, program):
    """Return a context with the run of a program."""
    if options.json or options.json_full:
        from tensh.cli.records.recorded import record_run

        return record_run(env, options, program)
    return contextlib.nullcontext(Run(env, options, program))
