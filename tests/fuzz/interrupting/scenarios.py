"""Programs to be stopped, and conditions on their files however they end."""

import json
import re
from dataclasses import dataclass


@dataclass
class Scenario:
    """A program to be stopped."""

    name: str
    command: list  # arguments of Python
    files: dict  # name -> content, before it runs
    results: dict  # name -> function of a path that fails unless the file is complete
    is_plain: bool = False  # plain Python, which shows the traceback of a KeyboardInterrupt


LOADER = """
import tensh as torch
from tensh.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, i):
        return torch.full((20_000,), float(i)), i

if __name__ == "__main__":
    options = dict(batch_size=4, num_workers=2, multiprocessing_context="METHOD")
    for x, i in DataLoader(Rows(), shuffle=True, **options):
        assert x.sum().item() == 20_000 * i.sum().item()
    stays = DataLoader(Rows(), persistent_workers=True, **options)
    for epoch in range(3):
        for x, i in stays:
            if epoch == 1:
                break
    at_exit = iter(DataLoader(Rows(), batch_size=8, num_workers=1, multiprocessing_context="METHOD"))
    next(at_exit)
"""

THREADED = """
import threading
import tensh as torch
from tensh.utils.data import DataLoader, TensorDataset

def read(data):
    for epoch in range(3):
        for x, in DataLoader(data, batch_size=8, num_workers=1, multiprocessing_context="fork"):
            x.sum()

data = TensorDataset(torch.randn(64, 3000))
threads = [threading.Thread(target=read, args=[data], daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

SAVES = """
import torch
from safetensors.torch import save_file

for step in range(25):
    whole = torch.full((100_000,), float(step))
    torch.save({"a": whole, "b": whole.clone()}, "model.pt")
    save_file({"a": whole, "b": whole.clone()}, "model.safetensors")
    torch.save({"a": whole, "b": whole}, "legacy.pt", _use_new_zipfile_serialization=False)
"""

TRAINING = """
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(128, 64), torch.randn(128, 1)
for step in range(150):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
loss
"""

SCRIPT = "\n".join(f"x{n} = torch.arange({n + 1}) * 2\nx{n}.sum()\n#> tensor({n * (n + 1)})" for n in range(60)) + "\n"
WRONG = re.sub(r"#> tensor\(\d+\)", "#> tensor(-1)", SCRIPT)


def is_saved(path):
    """Check that the two tensors of a checkpoint are of the same step."""
    import tensh as torch
    from tensh.utils.safetensors.torch import load_file

    found = load_file(path) if path.suffix == ".safetensors" else torch.load(path)
    assert found["a"].shape == (100_000,) and torch.equal(found["a"], found["b"])


def is_one_of(*contents):
    """A file with one of some contents."""

    def check(path):
        assert path.read_text() in contents, path.read_text()[:200]

    return check


def is_notebook_of(count):
    """Check that a notebook has one of some numbers of cells, or its former contents."""

    def check(path):
        text = path.read_text()
        assert text == "old" or json.loads(text)["cells"], text[:200]

    return check


LINES = [  # typed at a prompt, and what is typed behind each
    ("x = torch.arange(100_000.)", "\r"),
    ("y = (x * 2).sum()", "\r"),
    ("%save state.safetensors", "\r"),
    ("for i in range(20): z = torch.randn(200, 200) @ torch.randn(200, 200)", "\r\r"),
    ("%load state.safetensors", "\r"),
    ("x += 1", "\r"),
    ("%undo", "\r"),
    ("\x1b[200~def f(a):\n    return a + 1\nf(3)\x1b[201~", "\r"),
    ('torch.save({"a": x, "b": x.clone()}, "model.pt")', "\r"),
    ("%save state.safetensors", "\r"),
    ("y", "\r"),
]


def is_session(path):
    """Check that a file is a session as `%save` has written it at some point."""
    from tensh.utils.safetensors.torch import load_file

    assert load_file(path)["x"].tolist() == [*range(100_000)]


def tensh(*arguments):
    return ["-m", "tensh", *arguments]


COMMANDS = {
    "run": tensh("run", "script.tsh"),
    "run --json": tensh("run", "--json", "script.tsh"),
    "run --seed": tensh("run", "--seed", "1", "script.tsh"),
    "-c": tensh("-c", "torch.randn(100, 100) @ torch.randn(100, 100)"),
    "check": tensh("check", "script.tsh"),
    "check --json": tensh("check", "--json", "script.tsh"),
    "graph": tensh("graph", "-c", "x = torch.ones(3, requires_grad=True)\ny = (x * 2).exp().sum()", "y", "--values"),
    "graph --why": tensh(
        "graph", "-c", "x = torch.ones(3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()", "--why", "x"
    ),
    "doc": tensh("doc", "torch.matmul"),
    "api": tensh("api"),
    "api --missing": tensh("api", "--missing"),
    "env": tensh("env"),
    "config": tensh("config"),
    "--help": tensh("--help"),
    "training": tensh("run", "training.tsh"),
}

SCENARIOS = [
    *(
        Scenario(f"loader {method} {kind}", [*command, "loader.py"], {"loader.py": LOADER.replace("METHOD", method)}, {}, plain)
        for kind, command, plain in [("python", [], True), ("tensh", tensh("run"), False)]
        for method in ["fork", "spawn"]
    ),
    Scenario("loader in threads", ["loader.py"], {"loader.py": THREADED}, {}, True),
    Scenario(
        "saves", tensh("run", "saves.py"), {"saves.py": SAVES},
        dict.fromkeys(["model.pt", "model.safetensors", "legacy.pt"], is_saved),
    ),
    Scenario(
        "check --update", tensh("check", "--update", "document.tsh"), {"document.tsh": WRONG},
        {"document.tsh": is_one_of(WRONG, SCRIPT)},
    ),
    Scenario(
        "convert", tensh("convert", "--force", "script.tsh", "new.ipynb"), {"script.tsh": SCRIPT, "new.ipynb": "old"},
        {"new.ipynb": is_notebook_of(60)},
    ),
    *[Scenario("prompt", tensh(), {}, {"model.pt": is_saved, "state.safetensors": is_session})] * 5,
    *(
        Scenario(name, command, {"script.tsh": SCRIPT, "training.tsh": TRAINING}, {})
        for name, command in COMMANDS.items()
    ),
]  # fmt: skip
