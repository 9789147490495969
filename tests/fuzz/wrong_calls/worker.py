"""Evaluate calls, given as text, in processes that may die, and return their answers.

``answers("torch", lines)`` starts a process that imports the library and forks; the fork evaluates the lines, with limits
on memory and processor time for each, and another fork continues after one that died. An answer is (kind, text): ``ok``,
the type of an exception and its message, or ``died`` and the signal.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from contextlib import suppress

SECONDS = 1  # processor time of a call
PATIENCE = 300  # seconds of wall time, for a call that only waits; generous, since the machine may be busy
MEMORY = 1 << 30  # bytes beyond what the library takes
SHARE = 4000  # calls that a fork evaluates
LONGEST = 400  # characters kept of a message

WARM = """
torch.optim.Adafactor([t((3, 2)).requires_grad_()])
torch.optim.lr_scheduler.StepLR(torch.optim.SGD([t((3,))], lr=0.1), 2)
torch.func.hessian(lambda x: (x * x).sum())(t((3,)))
torch.func.jacfwd(lambda x: (x * x).sum())(t((3,)))
torch.broadcast_shapes((2, 1), t((2, 3), "int64"))
torch.optim.SGD([1.0])
torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer(4, 2, 6), 2)(torch.randn(5, 1.0), torch.randn(6, 4))
torch.linalg.svd(t((3, 3)))
torch.distributions.Normal(0.0, -1.0)
""".strip().splitlines()
"""Calls that import much, which no call later has to."""


def resolve(module, path):
    """``torch.x.y`` in a module that has PyTorch's interface."""
    for name in path.split(".")[1:]:
        module = getattr(module, name)
    return module


def answers(library, lines):
    """Return the answer to each line."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, library],
            input="\n".join(lines),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            cwd=folder,
            env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
    found = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    if len(found) != len(lines):
        raise RuntimeError(
            f"{len(found)} answers to {len(lines)} calls, {done.returncode}, {lines[len(found)]}: {done.stderr[-2000:]}"
        )
    return found


# ── in the process ───────────────────────────────────────────────────────────
def namespace(library):
    """The names that calls may use."""
    import numpy as np

    if library == "torch":
        import torch
        import torch.distributions  # which tensh imports at first use
        import torch.func
        import torch.signal
        import torch.utils.data

        torch.set_num_threads(1)
    else:
        import tensh as torch

    def t(shape, dtype="float32"):
        """A tensor with numbers between 0 and 1, or integers from 0 to 2."""
        size = int(np.prod(shape))
        numbers = np.random.default_rng(size).random(size)
        values = torch.tensor((numbers * 0.8 + 0.1).tolist())
        values = (values * 3 if dtype.startswith(("int", "uint")) else values > 0.5 if dtype == "bool" else values).to(
            getattr(torch, dtype)
        )
        return values.reshape(shape)

    return {"torch": torch, "np": np, "t": t}


def evaluate(line, names):
    try:
        eval(line, dict(names))
    except BaseException as error:  # every kind of failure is an answer
        try:
            message = str(error)
        except Exception as broken:
            message = f"cannot be shown: {broken!r}"
        return type(error).__name__, message[:LONGEST]
    return "ok", ""


def serve(library):
    """Answer the lines of standard input."""
    names = namespace(library)
    lines = sys.stdin.read().splitlines()
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    out, start = os.fdopen(os.dup(1), "w"), 0
    hidden = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(hidden, stream)
    for line in WARM:
        evaluate(line, names)
    while start < len(lines):
        answered, ending = share(lines[start : start + SHARE], names, taken)
        for answer in answered:
            out.write(answer + "\n")
        start += len(answered)
        if ending and len(answered) < len(lines[start - len(answered) : start - len(answered) + SHARE]):
            name = "time" if ending in (signal.SIGPROF, signal.SIGALRM) else signal.Signals(ending).name
            out.write(json.dumps(("died", name)) + "\n")
            start += 1
    out.flush()


def share(lines, names, taken):
    """Return (answers of a fork to the lines, the signal that ended it or 0)."""
    with tempfile.TemporaryFile() as file:  # a process that a call starts may outlive it, and would keep a pipe open
        child = os.fork()
        if child == 0:
            evaluate_all(lines, names, taken, file.fileno())
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        file.seek(0)
        answered = [line for line in file.read().decode().splitlines() if line.endswith("]")]
    return answered, os.WTERMSIG(status) if os.WIFSIGNALED(status) else (0 if status == 0 else signal.SIGABRT)


def evaluate_all(lines, names, taken, written):
    """Evaluate the lines within limits, and end the process."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDWR), 2)
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in lines:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(PATIENCE)
        answer = evaluate(line, names)
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(written, (json.dumps(answer) + "\n").encode())
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
