"""Masked tensors that another process made."""

import pickle
import subprocess
import sys

import pytest

import tensh as torch

READ = "import pickle, sys, warnings; warnings.simplefilter('ignore'); t = pickle.load(sys.stdin.buffer); print((t * 2).sum().item())"


@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors")
def test_a_masked_tensor_of_another_process_knows_its_functions():
    made = torch.masked.masked_tensor(torch.tensor([1.0, 2.0, 6.0]), torch.tensor([True, False, True]))
    done = subprocess.run([sys.executable, "-c", READ], input=pickle.dumps(made), capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, [b"14.0"]), done.stderr.decode()
