"""Pickle values in one process and compare them in another:  python pickled_values.py write|read FOLDER

Whichever library is imported as torch: PyTorch, or tensh by ``tensh exec``. ``read`` prints what differs.
"""

import pickle
import sys
import warnings

import torch
import torch.nn.utils.prune

warnings.simplefilter("ignore")


def parameter():
    p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    p.note = "kept"
    return p


def shared():
    x = torch.arange(6.0)
    return [x[1:4], torch.Size([3])]


VALUES = {
    "transposed": lambda: torch.arange(6.0).reshape(2, 3).t(),
    "a view of a few elements": lambda: torch.arange(100)[7::31],
    "expanded": lambda: torch.ones(2, 1).expand(2, 3),
    "of no elements": lambda: torch.empty(0, 3),
    "0-d": lambda: torch.tensor(True),
    "bfloat16": lambda: torch.tensor([1.5, float("nan")], dtype=torch.bfloat16),
    "complex": lambda: torch.tensor([1 + 2j], dtype=torch.complex128).conj(),
    "requires grad": lambda: torch.ones(2, requires_grad=True),
    "parameter": lambda: torch.nn.Parameter(torch.ones(2)),
    "parameter with an attribute": parameter,
    "shared memory": shared,
    "storage": lambda: torch.tensor([1, 2], dtype=torch.int16).storage(),
    "size": lambda: torch.Size([1, 2]),
    "dtype": lambda: torch.bfloat16,
    "device": lambda: [torch.device("cpu"), torch.device("cuda", 1), torch.device("meta")],
    "memory format": lambda: torch.channels_last,
    "layout": lambda: torch.strided,
    "generator": lambda: torch.Generator().manual_seed(3),
    "named results": lambda: [torch.max(torch.ones(2, 2), 0), torch.ones(3).sort()],
    "packed sequence": lambda: torch.nn.utils.rnn.pack_sequence([torch.ones(2, 3), torch.zeros(1, 3)]),
    "modules": lambda: torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.BatchNorm2d(2)),
    "containers": lambda: torch.nn.ModuleDict({"a": torch.nn.ModuleList([torch.nn.LSTM(2, 3, 2)])}),
    "transformer": lambda: torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True),
    "state of a module": lambda: torch.nn.Linear(2, 3).state_dict(),
    "optimizer": lambda: torch.optim.Adam([torch.nn.Parameter(torch.ones(2))], lr=0.1),
    "classes of packages": lambda: [
        torch.optim.lr_scheduler.StepLR,
        torch.distributions.constraints.interval,
        torch.no_grad,
        torch.distributions.transforms.ExpTransform,
        torch.optim.Adafactor,
        torch.nn.utils.prune.L1Unstructured,
    ],
    "distribution": lambda: torch.distributions.Normal(torch.zeros(2), 1.0),
    "dataset": lambda: torch.utils.data.Subset(torch.utils.data.TensorDataset(torch.arange(3.0)), [2, 0])[0],
    "classes": lambda: [torch.Tensor, torch.nn.Linear, torch.optim.SGD, torch.nn.Sequential, torch.distributions.Beta],
    "functions": lambda: [torch.add, torch.nn.functional.relu, torch.stack],
}


DOTTED = ("memory format",)  # pickled by PyTorch under a name with dots, which needs protocol 4


def show(value):
    """What must be the same on both sides."""
    if isinstance(value, torch.Generator):
        return torch.rand(3, generator=value)
    if isinstance(value, torch.nn.Module):
        return value, list(value.state_dict().items()), [name for name, _ in value.named_modules()]
    if isinstance(value, torch.optim.Optimizer | torch.optim.lr_scheduler.LRScheduler):
        return type(value).__name__, value.state_dict()
    if isinstance(value, torch.Tensor):
        return value, value.stride(), value.storage_offset(), type(value).__name__, vars(value)
    if isinstance(value, list) and callable(value[0]):
        return [each.__name__ for each in value]
    return value


def main(what, folder):
    for number, (name, make) in enumerate(VALUES.items()):
        torch.manual_seed(number)
        path = f"{folder}/{number}.pkl"
        if what == "write":
            for protocol in (5,) if name in DOTTED else (2, 5):
                with open(f"{path}{protocol}", "wb") as file:
                    pickle.dump(make(), file, protocol)
                torch.manual_seed(number)
            continue
        expected = repr(show(make()))
        for protocol in (5,) if name in DOTTED else (2, 5):
            try:
                with open(f"{path}{protocol}", "rb") as file:
                    found = repr(show(pickle.load(file)))
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found != expected:
                print(f"{name}, protocol {protocol}: {found} instead of {expected}")


if __name__ == "__main__":
    main(*sys.argv[1:])
