"""Multiprocessing without exchanges: processes of one machine change the same parameters in shared memory ("Hogwild").

    tensh run scripts/parallel/processes.py           or, with PyTorch: python scripts/parallel/processes.py

F. Niu, B. Recht, C. Ré, S. Wright: "Hogwild!: A Lock-Free Approach to Parallelizing Stochastic Gradient Descent", 2011.
"""

import torch
import torch.multiprocessing as mp
from torch import nn

PROCESSES, STEPS = 2, 300


def loss_of(model, x):
    return nn.functional.mse_loss(model(x), x.square().mean(1, keepdim=True))


def train(rank, model):
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss_of(model, torch.randn(48, 8)).backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    model.share_memory()
    test = torch.randn(1000, 8)
    before = loss_of(model, test).item()
    mp.spawn(train, args=(model,), nprocs=PROCESSES)
    after = loss_of(model, test).item()
    print(
        f"loss before {before:.3f}, {'smaller' if after < before / 4 else 'not smaller'} after {PROCESSES * STEPS} steps"
    )
