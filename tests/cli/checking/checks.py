"""Calling `tensh check`."""

import io
import json

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tests.support.project import SHARED

LESSONS = sorted(SHARED.glob("lessons/*.ipynb"))


def check(*words):
    """Return (exit status, stdout, stderr) of a check."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    status = main(["check", *map(str, words)], env)
    return status, env.stdout.getvalue(), env.stderr.getvalue()


def found(*words):
    """Return (exit status, the JSON objects) of a check."""
    status, text, _ = check("--json", *words)
    return status, [json.loads(line) for line in text.splitlines()]


def statuses(*words):
    return [each["status"] for each in found(*words)[1][:-1]]


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def notebook(*cells):
    """A notebook of (code, outputs, metadata)."""
    return json.dumps({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [
            {"cell_type": "code", "id": f"c{number}", "execution_count": number, "source": code, "metadata": metadata,
             "outputs": outputs}
            for number, (code, outputs, metadata) in enumerate(cells, 1)
        ],
    })  # fmt: skip


def printed(text):
    return [{"output_type": "stream", "name": "stdout", "text": text}]
