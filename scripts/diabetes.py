"""Linear regression: the course of a disease after a year, from ten measurements (scikit-learn's diabetes data).

    tensh run scripts/diabetes.py          or, with PyTorch: python scripts/diabetes.py

Gradient descent arrives at the solution that the normal equations give directly.
"""

import torch
from sklearn.datasets import load_diabetes
from torch import nn

torch.manual_seed(0)
data = load_diabetes()
x = torch.tensor(data.data, dtype=torch.float32)
y = torch.tensor(data.target, dtype=torch.float32)[:, None]
x = (x - x.mean(0)) / x.std(0)
y = (y - y.mean()) / y.std()

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(400):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if step < 50:
        print(f"step {step:2}  loss {loss.item():.6f}")

exact = torch.linalg.lstsq(torch.cat([x, torch.ones(len(x), 1)], 1), y).solution.flatten()
found = torch.cat([model.weight.flatten(), model.bias]).detach()
print(f"farthest from the exact solution: {(found - exact).abs().max().item():.3f}")
