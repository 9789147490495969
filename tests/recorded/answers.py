"""Files of answers: JSON, one case a line, so that a person can read them and see what has changed."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent


class Answers(dict):
    """The answers in a file, by their cases; a case that is not there says how to record it."""

    def __init__(self, path):
        super().__init__(json.loads(path.read_text(encoding="utf-8")) if path.exists() else ())
        self.path = path

    def __missing__(self, case):
        file = self.path.relative_to(FOLDER).with_suffix("").as_posix()
        raise KeyError(f"{case} is not recorded yet: python -m tests.recorded {file}")


def read_answers(path):
    """Read the answers in a file; none where it has not been recorded."""
    return Answers(path)


def format_answers(answers, depth=1):
    """JSON in which a case is a line; a case lies so many levels deep."""
    return format_level(answers, depth, "") + "\n"


def format_level(value, depth, indent):
    if not depth or not value or not isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, dict):
        rows = [f"{json.dumps(key)}: {format_level(each, depth - 1, indent + ' ')}" for key, each in value.items()]
    else:
        rows = [format_level(each, depth - 1, indent + " ") for each in value]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n" + ",\n".join(indent + row for row in rows) + f"\n{indent[:-1]}{end}"
