"""Time training steps of the zoo of models: as they are, compiled, and on PyTorch where it is installed.

    python tools/compiled_zoo.py [--threads 1]

Each side runs in a separate process and is timed by processor time, so that other work matters little. A step resets
the gradients, runs the model and a loss forward and backward, and updates the weights; "with its loss" compiles model
and loss as one function.
"""

import argparse
import json
import math
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
SIDES = {"torch": "PyTorch", "plain": "as it is", "model": "compiled", "loss": "with its loss"}


def tensors(structure):
    if hasattr(structure, "requires_grad"):
        return [structure]
    parts = (
        structure.values() if isinstance(structure, dict) else structure if isinstance(structure, (tuple, list)) else ()
    )
    return [each for part in parts for each in tensors(part)]


def loss_of(outputs):
    """Return the mean of the squares of all outputs that require grad; None if there is none."""
    total = None
    for each in tensors(outputs):
        if each.requires_grad:
            total = (each * each).mean() if total is None else total + (each * each).mean()
    return total


def time_step(step):
    """Return the microseconds of a step: the least of nine rounds of ten."""
    for _ in range(5):
        step()
    best = math.inf
    for _ in range(9):
        begin = time.process_time()
        for _ in range(10):
            step()
        best = min(best, (time.process_time() - begin) / 10)
    return best * 1e6


def measure(side, threads):
    """Model -> microseconds of a step on one side."""
    if side == "torch":
        import torch
    else:
        import tensh as torch
    from tests.support.zoo import make_models

    warnings.simplefilter("ignore")
    torch.set_num_threads(threads)
    found = {}
    for name, (module, inputs) in make_models(torch).items():
        model = torch.compile(module) if side == "model" else module
        if loss_of(module(*inputs)) is None:  # nothing to train
            continue
        run = lambda *inputs, model=model: loss_of(model(*inputs))  # noqa: E731
        run = torch.compile(run) if side == "loss" else run
        optimizer = torch.optim.SGD(module.parameters(), lr=1e-4)

        def step(run=run, inputs=inputs, optimizer=optimizer):
            optimizer.zero_grad()
            run(*inputs).backward()
            optimizer.step()

        found[name] = time_step(step)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        print(json.dumps(measure(given.side, given.threads)))
        return
    found = {}
    for side in SIDES:
        command = [sys.executable, __file__, "--side", side, "--threads", str(given.threads)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            found[side] = json.loads(done.stdout)
        elif side != "torch":
            sys.exit(done.stderr)
    print("microseconds of a step" + "".join(f"{SIDES[side]:>15}" for side in found))
    for name in found["plain"]:
        print(f"{name:22}" + "".join(f"{found[side][name]:15.0f}" for side in found))
    for base in ("plain", "torch"):
        if base in found:
            means = [geometric_mean([found[side][n] / found[base][n] for n in found[base]]) for side in found]
            print(f"times {SIDES[base]:16}" + "".join(f"{mean:15.2f}" for mean in means))


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


if __name__ == "__main__":
    main()
