"""Late imports: the index is complete, any name may be used first, and a start imports little."""

import subprocess
import sys

import pytest

from tests.support.project import ROOT, plain_environment

EACH_FIRST = """
import os, sys
from tensh.engine.codegen import registry
names = {module: name for name, modules in registry.PLACES.items() for module in modules}
for module, name in names.items():
    child = os.fork()
    if not child:
        registry.read(name)
        sys.stdout.flush()
        os._exit(f"tensh.engine.{module}" not in sys.modules)
    if os.waitpid(child, 0)[1]:
        print(module)
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=plain_environment(), capture_output=True, encoding="utf-8"
    )


def test_the_index_is_what_is_declared():
    done = run("tools/index.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
def test_every_module_may_be_the_first_that_is_read():
    done = run("-c", EACH_FIRST)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_start_reads_what_it_needs():
    done = run("-c", "import sys, tensh; print(tensh.tensor([1.0, 2.0]) * 2); print(*sys.modules)")
    shown, modules = done.stdout.split("\n", 1)
    assert shown == "tensor([2., 4.])"
    families = {name.rpartition(".")[0] for name in modules.split() if name.startswith("tensh.engine.")}
    assert not families & {f"tensh.engine.operators.{family}" for family in ("linalg", "layers", "special", "random")}
    assert "tensh.engine.operators.layers.composites" not in families


def test_a_name_that_the_index_does_not_know_is_found():
    forget = (
        "from tensh.engine.codegen import registry; [registry.PLACES.pop(name) for name in ('softmax', 'lu_solve')]; "
    )
    done = run("-c", forget + "import tensh; print(tensh.softmax(tensh.zeros(2), 0), tensh.zeros(2).softmax(0))")
    assert done.stdout == "tensor([0.5000, 0.5000]) tensor([0.5000, 0.5000])\n", done.stderr


def test_a_module_that_is_broken_is_no_missing_name():
    broken = "import sys, tensh; sys.modules['tensh.engine.operators.fourier.composites.stft'] = None; "
    done = run("-c", broken + "from tensh.engine.codegen.vocabulary import OPS; OPS['nothing']")
    assert "ModuleNotFoundError: import of tensh.engine.operators.fourier.composites.stft halted" in done.stderr


def test_threads_may_ask_for_the_same_names_at_once():
    code = """
import sys, threading, tensh
sys.setswitchinterval(1e-4)
failed, together = [], threading.Barrier(8)
def work():
    x = tensh.ones(2, 2)
    together.wait()
    try:
        x.requires_grad_().softmax(0).cumsum(0).det().backward()
        tensh.linalg.svd(x), tensh.nn.functional.gelu(x), tensh.absolute(x), x.sort(), "erfcx" in dir(tensh.special)
    except Exception as error:
        failed.append(error)
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(failed)
"""
    done = run("-c", code)
    assert done.stdout == "[]\n", done.stdout + done.stderr
