"""Correct programs with marked places, and mistakes there: ⟦right|wrong|wrong⟧; N, D, H, C and V are sizes."""

import random
import re

PROGRAMS = {
    "line": """
import torch
torch.manual_seed(0)
X = torch.randn(⟦N⟧, ⟦D⟧)
y = torch.randn(⟦N⟧, 1)
w = torch.zeros(⟦D⟧, 1⟦, requires_grad=True|⟧)
for step in range(3):
    pred = ⟦X @ w|w @ X|X * w|X @ w.t()|torch.mm(w, X)⟧
    loss = ((pred - y) ** 2)⟦.mean()||.mean|.mean().item()|.mean().detach()⟧
    loss⟦.backward()|.backward|.backword()|.Backward()⟧
    ⟦with torch.no_grad():
        w -= 0.1 * w.grad|w -= 0.1 * w.grad|w = w - 0.1 * w.grad⟧
    w.grad⟦.zero_()|.zero|.zeros_()⟧
print(loss⟦.item()|.items()⟧)
""",
    "net": """
import torch
import torch.nn as nn
torch.manual_seed(1)
x = torch.randn(⟦N⟧, ⟦D⟧⟦|, dtype=torch.float64⟧)
t = torch.randint(0, ⟦C⟧, (⟦N⟧,⟦| 1⟧)⟦|, dtype=torch.int32⟧)
net = nn.Sequential(nn.Linear(⟦D|D+1⟧, ⟦H⟧), nn.ReLU⟦()|⟧, nn.Linear(⟦H|H+2⟧, ⟦C⟧))
opt = torch.optim.SGD(net⟦.parameters()|.parameters||.parameter()⟧, lr=0.1)
crit = nn.CrossEntropyLoss⟦()|⟧
for epoch in range(3):
    opt.zero_grad()
    out = net(x)
    loss = crit(⟦out, t|t, out|out, t.float()|out.argmax(1), t⟧)
    loss⟦.backward()|.backwards()⟧
    opt⟦.step()|.steps()⟧
print(loss.item())
""",
    "module": """
import torch
from torch import nn
torch.manual_seed(2)
class Net(nn.Module):
    def __init__(self, width):
        ⟦super().__init__()|super().__init__|pass⟧
        self.first = nn.Linear(⟦D⟧, width)
        self.second = nn.Linear(⟦width|width * 2⟧, 1)

    def ⟦forward|foward|Forward⟧(self, x):
        x = torch.⟦relu|ReLU|rleu⟧(self.⟦first|fisrt⟧(x))
        return self.second(⟦x|x.t()⟧)⟦.squeeze(1)|.squeze(1)|.squeeze(5)⟧

net = Net(⟦H⟧)
x = torch.randn(⟦N⟧, ⟦D⟧)
y = torch.randn(⟦N⟧)
loss = nn.functional.mse_loss(⟦net(x)|net|Net(x)|net.forward⟧, y)
loss.backward()
print(loss.item(), net.first⟦.weight|.wieght|.weights⟧.grad.sum().item())
""",
    "conv": """
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(3)
images = torch.rand(⟦N⟧, 1, 8, 8)
labels = torch.randint(0, ⟦C⟧, (⟦N⟧,))
conv = nn.Conv2d(⟦1|3⟧, 4, 3, padding=1)
head = nn.Linear(⟦4 * 4 * 4|4 * 4|4 * 8 * 8⟧, ⟦C⟧)
h = F.max_pool2d(F.relu(conv(⟦images|images.squeeze(1).squeeze(0)|images[:, 0]|images.long()⟧)), 2)
logits = head(h⟦.flatten(1)|.flatten()||.view(-1)⟧)
loss = F.⟦cross_entropy|cross_entrpy|crossentropy⟧(logits, labels⟦|.float()|.unsqueeze(1)⟧)
loss.backward()
print(loss.item(), conv.weight.grad.abs().sum().item())
""",
    "attention": """
import torch
torch.manual_seed(4)
q = torch.randn(2, ⟦N⟧, ⟦D⟧)
k = torch.randn(2, ⟦N+2⟧, ⟦D⟧)
v = torch.randn(2, ⟦N+2⟧, ⟦D⟧)
scores = q @ k⟦.transpose(-2, -1)||.t()|.transpose(1, 3)⟧ / ⟦D⟧ ** 0.5
weights = torch.⟦softmax(scores, dim=-1)|softmax(scores)|softmax(scores, dim=3)|sofmax(scores, dim=-1)⟧
out = ⟦weights @ v|v @ weights|weights @ q⟧
print(out.shape, out⟦.sum()|.sum⟧.item())
""",
    "rnn": """
import torch
from torch import nn
torch.manual_seed(5)
words = torch.randint(0, ⟦V⟧, (⟦N⟧, 4))
embed = nn.Embedding(⟦V|V-3⟧, ⟦D⟧)
lstm = nn.⟦LSTM|lstm⟧(⟦D|D+1⟧, ⟦H⟧, batch_first=True)
out⟦, _|⟧ = lstm(embed(words⟦|.float()⟧))
last = out[:, ⟦-1|4⟧]
head = nn.Linear(⟦H|H*2⟧, 1)
loss = head(last).pow(2)⟦.sum()|⟧
loss.backward()
print(loss.item())
""",
    "shapes": """
import torch
a = torch.arange(⟦N*D⟧)⟦.float()|⟧
m = a⟦.reshape(N, D)|.reshape(N, D+1)|.reshap(N, D)⟧
c = torch.cat(⟦[m, m]|m, m⟧, dim=⟦0|2⟧)
s = torch.stack(⟦[m, m + 1]|[m, a]⟧)
mean = m.mean(⟦dim=1|dim=2|dims=1⟧, keepdim=⟦True|true⟧)
centred = m - mean
row = m[⟦0|N⟧]
total = row @ centred⟦.t()||.T()⟧[:, ⟦:|slice(None)⟧]
print(c.shape, s.shape, centred.sum().item(), total⟦.tolist()|.to_list()|.tolist⟧)
""",
    "grad": """
import torch
x = torch.tensor(⟦[1.0, 2.0, 3.0]|[1, 2, 3]⟧, requires_grad=True)
y = (x ** 3)⟦.sum()|⟧
(g,) = torch.autograd.grad(y, x⟦, create_graph=True|⟧)
(h,) = torch.autograd.grad(g⟦.sum()|⟧, x)
print(g⟦.detach()|⟧.numpy(), h⟦.tolist()|.to_list()⟧)
""",
    "data": """
import torch
from torch.utils.data import ⟦DataLoader, TensorDataset|Dataloader, TensorDataset⟧
torch.manual_seed(6)
X, y = torch.randn(⟦N⟧, ⟦D⟧), torch.randn(⟦N⟧, 1)
data = TensorDataset(⟦X, y|X, y.t()|X, y[1:]⟧)
loader = DataLoader(data, batch_size=2⟦, shuffle=True|, shufle=True⟧)
model = torch.nn.Linear(⟦D|D+1⟧, 1)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for xb, yb in loader⟦|.dataset.tensors[0]⟧:
    loss = ((model(xb) - yb) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
""",
    "loop": """
import torch
torch.manual_seed(7)
w = torch.randn(⟦D⟧, ⟦D⟧, requires_grad=True)
h = torch.zeros(⟦D⟧)
for step in range(3):
    h = torch.tanh(w @ h + 1)
    loss = (h ** 2).sum()
    loss.backward()
    h = h⟦.detach()|⟧
print(w.grad.sum().item())
""",
    "list": """
import torch
from torch import nn
torch.manual_seed(8)
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = ⟦nn.ModuleList([nn.Linear(D, D) for _ in range(3)])|[nn.Linear(D, D) for _ in range(3)]⟧

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x

net = Deep()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(2, ⟦D⟧)).sum()
loss.backward()
opt.step()
print(loss.item())
""",
    "signs": """
import torch
x = torch.tensor(⟦[1.0, 2.0]|[1.0， 2.0]|［1.0, 2.0]⟧)
name = ⟦"loss"|“loss”|‘loss’⟧
print⟦(|（⟧name, x.sum().item()⟦)|）⟧
if x.sum() > 1⟦:||：⟧
    print⟦("big")| "big"⟧
y = x ⟦*|×⟧ 2
print(y⟦.tolist()|.toList()⟧)
""",
}
MARK = re.compile(r"⟦([^⟧]*)⟧")
SIZE = re.compile(r"\b[NDHCV](?:[+*-](?:\d+|[NDHCV]))?\b")


def sizes(seed):
    """A size for each letter."""
    draw = random.Random(seed).choice
    return {"N": draw([4, 5, 6]), "D": draw([3, 7, 8]), "H": draw([9, 10, 12]), "C": draw([2, 11]), "V": draw([15, 20])}


def mistakes():
    """Yield (program, number of the mark, wrong text) of all mistakes."""
    for name, text in PROGRAMS.items():
        for number, mark in enumerate(MARK.finditer(text)):
            for wrong in mark[1].split("|")[1:]:
                yield name, number, wrong


def write_program(name, seed, number=None, wrong=None):
    """A program with sizes, right or with one mistake."""
    given, count = sizes(seed), iter(range(1000))

    def choose(mark):
        code = wrong if next(count) == number else mark[1].split("|")[0]
        return SIZE.sub(lambda size: str(eval(size[0], {}, given)), code)

    return MARK.sub(choose, PROGRAMS[name].lstrip("\n"))
