"""Imports of names that programs often use without one."""

PLAIN = (
    "torch math random os sys time copy io json re itertools functools collections warnings pickle csv string".split()
)
FROM = {
    "torch": "nn optim",
    "torch.utils.data": "DataLoader Dataset TensorDataset Subset random_split",
    "torch.distributions": "Categorical Normal Bernoulli MultivariateNormal kl_divergence",
    "torch.func": "vmap jacrev jacfwd",
    "torch.autograd.functional": "jacobian hessian",
    "torch.autograd": "Variable",
    "collections": "Counter defaultdict deque namedtuple",
    "dataclasses": "dataclass",
    "functools": "partial",
    "pathlib": "Path",
    "tqdm": "tqdm",
}
IMPORTS = {word: f"import {word}" for word in PLAIN} | {
    "np": "import numpy as np",
    "F": "import torch.nn.functional as F",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "torchvision": "import torchvision",
    "jnp": "import torch",
    "tf": "import torch",
    "keras": "from torch import nn",
}
IMPORTS |= {word: f"from {module} import {word}" for module, words in FROM.items() for word in words.split()}
"""Names often used without an import, and the missing import."""
