"""A multilayer perceptron that reads handwritten digits (scikit-learn's, 8 x 8 pixels).

    tensh run scripts/digits.py          or, with PyTorch: python scripts/digits.py

The same program gives the same losses in both.
"""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.data, dtype=torch.float32) / 16
data = TensorDataset(images, torch.tensor(digits.target))
train, test = random_split(data, [1437, 360])

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_of = nn.CrossEntropyLoss()

step = 0
for epoch in range(20):
    model.train()
    for x, y in DataLoader(train, batch_size=64, shuffle=True):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        if step < 50:
            print(f"step {step:2}  loss {loss.item():.6f}")
        step += 1
    print(f"epoch {epoch + 1}, last loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=360))
print(f"accuracy {right / len(test):.4f}")
