"""Commands that run in this process, on streams of text, and their outcomes."""

import io
import json
import re

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.support.escaping import is_seen


class Stream(io.StringIO):
    """A stream of text that says whether it is a terminal."""

    def __init__(self, text="", terminal=False):
        super().__init__(text)
        self.isatty = lambda: terminal


class Done:
    """The outcome of a command: status, output, errors."""

    def __init__(self, *arguments, stdin="", terminal=False, **variables):
        streams = Stream(stdin, terminal), Stream(terminal=terminal), Stream(terminal=terminal)
        self.status = main(map(str, arguments), Environment(*streams, variables=variables))
        self.output, self.errors = (stream.getvalue() for stream in streams[1:])

    def __eq__(self, other):
        return (self.status, self.output, self.errors) == other

    def __repr__(self):
        return repr((self.status, self.output, self.errors))


def command(*arguments, stdin=""):
    """Return (status, stdout, stderr) of a command."""
    env = Environment(io.StringIO(stdin), io.StringIO(), io.StringIO(), variables={})
    found = main([str(each) for each in arguments], env)
    return found, env.stdout.getvalue(), env.stderr.getvalue()


def notebook(*codes, metadata=()):
    """The text of a notebook with a cell for each code."""
    parts = [{"cell_type": "code", "source": code, "metadata": {}, "outputs": []} for code in codes]
    for part, each in zip(parts, metadata, strict=False):
        part["metadata"] = each
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": parts})


HEAVY = {"rich.console", "pygments", "prompt_toolkit", "asyncio", "pydantic", "ml_dtypes", "platformdirs"}


SGR = re.compile(r"\x1b\[[0-9;]*m")


def assert_clean(text):
    """Assert that a text has only visible characters, apart from colours."""
    hidden = {character for character in SGR.sub("", text) if character not in "\n\t" and not is_seen(character)}
    assert not hidden, text


def tensh(*arguments, **variables):
    """Return the output of a command on both streams."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables=variables)
    found = main([str(each) for each in arguments], env)
    assert found != 70, env.stderr.getvalue()
    return env.stdout.getvalue() + env.stderr.getvalue()
