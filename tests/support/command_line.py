"""Commands that run in this process, on streams of text."""

import io
import json

from tensh.cli.app import main
from tensh.cli.environment import Environment


class Stream(io.StringIO):
    """Text that may pass for a terminal."""

    def __init__(self, text="", terminal=False):
        super().__init__(text)
        self.isatty = lambda: terminal


class Done:
    """What a command has done: status, output, errors."""

    def __init__(self, *arguments, stdin="", terminal=False, **variables):
        streams = Stream(stdin, terminal), Stream(terminal=terminal), Stream(terminal=terminal)
        self.status = main(map(str, arguments), Environment(*streams, variables=variables))
        self.output, self.errors = (stream.getvalue() for stream in streams[1:])

    def __eq__(self, other):
        return (self.status, self.output, self.errors) == other

    def __repr__(self):
        return repr((self.status, self.output, self.errors))


def notebook(*codes, metadata=()):
    """The text of a notebook with a cell for each code."""
    parts = [{"cell_type": "code", "source": code, "metadata": {}, "outputs": []} for code in codes]
    for part, each in zip(parts, metadata, strict=False):
        part["metadata"] = each
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": parts})
