"""A small process that has imported the modules of every command, and runs each command in a fork of itself.

`python -m tests.support.stream_server FOLDER` reads requests, one line of JSON each: [arguments, faults of the three
streams]; it answers each with a line, the status. Forks of the process that runs the tests would take five times as long.
"""

import io
import json
import os
import sys
import traceback

from tensh.cli.app import main
from tensh.cli.process.environment import Environment

NAMES = ("in", "out", "err")  # files that stand for working streams


def put(number, fault, kept):
    """Replace a stream, given by its number, according to the fault; a working stream writes to the file `kept`."""
    if fault == "closed":
        os.close(number)
    elif fault == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), number)
    elif fault == "unread":
        reading, writing = os.pipe()
        os.close(reading)
        os.dup2(writing, number)
    elif number == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    else:
        os.dup2(kept, number)


def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def child(arguments, faults):
    """Run in a separate process: create streams as Python does at its start, run, and end as Python does."""
    # before a file descriptor becomes free
    files = [os.open(name, os.O_RDWR | os.O_TRUNC | os.O_CREAT) for name in NAMES]
    for number, (fault, kept) in enumerate(zip(faults, files, strict=True)):
        put(number, fault, kept)
    os.closerange(3, 100)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        setattr(sys, name, open(number, mode, encoding="utf-8") if is_open(number) else None)  # noqa: SIM115
    if sys.stderr:
        sys.stderr.reconfigure(errors="backslashreplace", line_buffering=True)
    status = main(arguments)
    try:
        if not sys.stdout.closed:  # which Python checks, too
            sys.stdout.flush()
    except OSError:
        os.write(2, b"Exception ignored")
        status = 120
    return status


def answer(arguments, faults):
    """The status of a command with faulty streams; its output is in the files."""
    process = os.fork()
    if process == 0:
        status = 99
        try:
            status = child(arguments, faults)
        except BaseException:
            with open("err", "a") as file:
                traceback.print_exc(file=file)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def serve(folder):
    """Import the modules of every command, then answer requests until there are none."""
    os.chdir(folder)
    for arguments in json.loads(sys.stdin.readline()):
        main(arguments, Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={}))
    for line in sys.stdin:
        print(answer(*json.loads(line)), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
