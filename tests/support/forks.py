"""Programs that each need a separate process: forks of one that has loaded tensh, in half the time of new ones.

`python -m tests.support.forks` reads code, one line of JSON each, and answers with the output, also a line of JSON.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import traceback

from tests.support.project import ROOT, plain_environment


@contextlib.contextmanager
def forks():
    """Return a function that runs code in a separate process and returns its output, which is empty if all is well."""
    command = [sys.executable, "-m", "tests.support.forks"]
    with subprocess.Popen(command, cwd=ROOT, env=plain_environment(), text=True, stdin=-1, stdout=-1) as server:

        def run(code):
            server.stdin.write(json.dumps(code) + "\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())

        yield run
        server.stdin.close()


def written_by(code):
    """Return the output of code in a copy of this process, and its status if it does not report a failure."""
    with tempfile.TemporaryFile() as output:
        process = os.fork()
        if process == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            status = 1
            try:
                exec(compile(code, "<program>", "exec"), {"__name__": "__main__"})
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        output.seek(0)
        text = output.read().decode()
    return text or (f"status {status}\n" if status else "")


if __name__ == "__main__":
    import tensh  # noqa: F401  (what each program begins with)

    for line in sys.stdin:
        print(json.dumps(written_by(json.loads(line))), flush=True)
