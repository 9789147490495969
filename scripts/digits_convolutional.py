"""A small convolutional network that reads handwritten digits (scikit-learn's, 8 x 8 pixels).

tensh run scripts/digits_convolutional.py          or, with PyTorch: python scripts/digits_convolutional.py
"""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(1)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
train, test = random_split(TensorDataset(images, torch.tensor(digits.target)), [1437, 360])


class Reader(nn.Module):
    """Two convolutions with normalisation, and a linear layer for the ten digits."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        )  # fmt: skip
        self.digits = nn.Linear(128, 10)

    def forward(self, x):
        return self.digits(self.features(x))


model = Reader()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8)
loss_of = nn.CrossEntropyLoss()

step = 0
for epoch in range(8):
    model.train()
    for x, y in DataLoader(train, batch_size=64, shuffle=True):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        if step < 50:
            print(f"step {step:2}  loss {loss.item():.6f}")
        step += 1
    scheduler.step()
    print(f"epoch {epoch + 1}, last loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=360))
print(f"accuracy {right / len(test):.4f}")
