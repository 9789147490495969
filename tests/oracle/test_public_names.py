"""The names that ``from torch.X import *`` imports, compared with PyTorch's."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tensh
from tensh import switched_off
from tensh.alias import places
from tensh.alias.parts import OWN

pytestmark = pytest.mark.oracle

OURS = {
    "torch.distributed.distributed_c10d": {*tensh.distributed.NAMES},
    "torch.export": {"InputKind", "InputSpec", "OutputKind", "OutputSpec", "export_for_training"},
    "torch.onnx": {"OnnxModule", "load"},
}
"""Names that PyTorch does not have in a module, or no longer."""
LISTED = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
import tensh; tensh.install()
found = {}
for path in sys.argv[1:]:
    module = importlib.import_module(path)
    listed = getattr(module, "__all__", None)
    found[path] = None if listed is None else [[name for name in listed], [n for n in listed if not hasattr(module, n)]]
    wanted = WANTED.get(path, ())
    found[path] = (found[path], [name for name in wanted if hasattr(module, name)])
print(json.dumps(found))
"""


def public_modules():
    """The modules of tensh that PyTorch also has."""
    root = Path(tensh.__file__).parent
    for file in sorted(root.rglob("*.py")):
        parts = [part for part in file.relative_to(root).with_suffix("").parts if part != "__init__"]
        if parts and parts[0] not in OWN and not any(part[0] == "_" for part in parts):
            yield ".".join(("torch", *parts))


@pytest.fixture(scope="module")
def listed(oracle):
    """Module -> (names that PyTorch lists, its attributes, names that tensh lists, those among PyTorch's that tensh has)."""
    wanted = {}
    for path in public_modules():
        try:
            module = importlib.import_module(path)
        except Exception:  # a file of tensh only, or one that needs another library
            continue
        if isinstance(names := getattr(module, "__all__", None), (list, tuple)):
            wanted[path] = [*names], dir(module)
    program = LISTED.replace("WANTED", repr({path: names for path, (names, _) in wanted.items()}))
    done = subprocess.run([sys.executable, "-c", program, *wanted], capture_output=True, text=True, check=True)
    return {path: (*wanted[path], *found) for path, found in json.loads(done.stdout).items()}


def test_star_imports_give_the_names_of_pytorch(listed):
    lacking, foreign, dead = {}, {}, {}
    for path, (theirs, attributes, ours, have) in listed.items():
        names, missing = ours or ([], [])
        elsewhere = {name for name in have if switched_off.has(path, name) or f"{path}.{name}" in places.table()}
        lacking[path] = sorted({*have} - {*names} - elsewhere)
        foreign[path] = sorted({*names} - {*theirs} - {*attributes} - OURS.get(path, set()))
        dead[path] = missing
    assert len(listed) > 150
    for found in (lacking, foreign, dead):
        assert not {path: names for path, names in found.items() if names}


BASES = {  # classes that programs derive from -> how to make one, and the names that only tensh's has
    "nn.Module": (lambda torch: torch.nn.Module(), {"_is_hooked"}),
    "nn.Sequential": (lambda torch: torch.nn.Sequential(), {"_is_hooked", "_get_abs_string_index"}),
    "nn.ModuleList": (lambda torch: torch.nn.ModuleList(), {"_is_hooked"}),
    "nn.ParameterList": (lambda torch: torch.nn.ParameterList(), {"_is_hooked"}),
    "optim.Optimizer": (lambda torch: torch.optim.Optimizer([torch.ones(1)], {}), {"COUNTERS", "LATER"}),
    "distributions.Distribution": (
        lambda torch: torch.distributions.Distribution(validate_args=False),
        {"_check_sample", "_follow_expansion", "_shared"},
    ),
    "utils.data.Dataset": (lambda torch: torch.utils.data.Dataset(), set()),
}


@pytest.mark.parametrize("name", BASES)
def test_names_that_programs_may_give_to_members_are_free(oracle, name):
    """Members of derived classes replace those of tensh's that have their names; names between classes are mangled."""
    make, known = BASES[name]
    extra = set(dir(make(tensh))) - set(dir(make(oracle)))
    assert {each for each in extra if not re.match(r"__|_[A-Z]\w*__", each)} == known
