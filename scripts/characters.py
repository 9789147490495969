"""A recurrent network that learns to write like a text, the licence of this project, character by character.

tensh run scripts/characters.py          or, with PyTorch: python scripts/characters.py
"""

from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
text = (Path(__file__).resolve().parent.parent / "LICENSE").read_text(encoding="utf-8")
letters = sorted(set(text))
codes = torch.tensor([letters.index(letter) for letter in text])


class Writer(nn.Module):
    """An embedding of letters, a GRU, and scores for the next letter."""

    def __init__(self, count, width=64):
        super().__init__()
        self.embedding = nn.Embedding(count, 16)
        self.memory = nn.GRU(16, width, batch_first=True)
        self.scores = nn.Linear(width, count)

    def forward(self, x, state=None):
        seen, state = self.memory(self.embedding(x), state)
        return self.scores(seen), state


model = Writer(len(letters))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
length, batch = 32, 16
steps = 150
for step in range(steps):
    starts = torch.randint(0, len(codes) - length - 1, (batch,))
    pieces = torch.stack([codes[start : start + length + 1] for start in starts])
    scores, _ = model(pieces[:, :-1])
    loss = nn.functional.cross_entropy(scores.reshape(-1, len(letters)), pieces[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step < 50 or step % 50 == 49:
        print(f"step {step:3}  loss {loss.item():.6f}")

model.eval()
with torch.no_grad():
    written, state = [letters.index("T")], None
    for _ in range(60):
        scores, state = model(torch.tensor([[written[-1]]]), state)
        written.append(int(scores[0, -1].argmax()))
print("".join(letters[code] for code in written).replace("\n", " "))
