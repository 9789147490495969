"""Correct scripts as programs have them: layers, searches, losses, optimizers, texts."""

# ruff: noqa

import math
from typing import Dict, List, Optional, Tuple


def make(torch):
    """Return name -> function or module."""
    Tensor, nn, F = torch.Tensor, torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, dim: int = 8, heads: int = 2, dropout: float = 0.0):
            super().__init__()
            self.heads, self.scale = heads, (dim // heads) ** -0.5
            self.qkv = nn.Linear(dim, dim * 3)
            self.proj = nn.Linear(dim, dim)
            self.drop = nn.Dropout(dropout)

        def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
            B, N, C = x.shape
            qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
            q, k, v = qkv[0], qkv[1], qkv[2]
            attn = (q @ k.transpose(-2, -1)) * self.scale
            if mask is not None:
                attn = attn.masked_fill(mask == 0, float("-inf"))
            attn = self.drop(attn.softmax(dim=-1))
            x = (attn @ v).transpose(1, 2).reshape(B, N, C)
            return self.proj(x)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn = Attention()
            self.norm1 = nn.LayerNorm(8)
            self.norm2 = nn.LayerNorm(8)
            self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
            self.pos = nn.Parameter(torch.zeros(1, 4, 8))

        def forward(self, x, mask: Optional[Tensor] = None):
            x = x + self.pos[:, : x.size(1)]
            x = x + self.attn(self.norm1(x), mask)
            return x + self.mlp(self.norm2(x))

    class LSTMCell(nn.Module):
        def __init__(self):
            super().__init__()
            self.wi = nn.Parameter(torch.randn(4 * 3, 2))
            self.wh = nn.Parameter(torch.randn(4 * 3, 3))
            self.b = nn.Parameter(torch.randn(12))

        def forward(self, input: Tensor, state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
            hx, cx = state
            gates = torch.mm(input, self.wi.t()) + self.b + torch.mm(hx, self.wh.t())
            i, f, g, o = gates.chunk(4, 1)
            i = torch.sigmoid(i)
            f = torch.sigmoid(f)
            g = torch.tanh(g)
            o = torch.sigmoid(o)
            cy = (f * cx) + (i * g)
            hy = o * torch.tanh(cy)
            return hy, (hy, cy)

    class LSTMLayer(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = LSTMCell()

        def forward(self, input: Tensor, state: Tuple[Tensor, Tensor]):
            inputs = input.unbind(0)
            outputs = torch.jit.annotate(List[Tensor], [])
            for i in range(len(inputs)):
                out, state = self.cell(inputs[i], state)
                outputs += [out]
            return torch.stack(outputs), state

    class Stacked(nn.Module):
        __constants__ = ["layers", "n"]

        def __init__(self):
            super().__init__()
            self.n = 2
            self.layers = nn.ModuleList([LSTMLayer()])

        def forward(
            self, input: Tensor, states: List[Tuple[Tensor, Tensor]]
        ) -> Tuple[Tensor, List[Tuple[Tensor, Tensor]]]:
            out_states = torch.jit.annotate(List[Tuple[Tensor, Tensor]], [])
            output = input
            i = 0
            for layer in self.layers:
                state = states[i]
                output, out_state = layer(output, state)
                out_states += [out_state]
                i += 1
            return output, out_states

    class ResBlock(nn.Module):
        def __init__(self, down: bool = True):
            super().__init__()
            self.conv1 = nn.Conv2d(3, 3, 3, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(3)
            self.relu = nn.ReLU(inplace=True)
            self.down = nn.Conv2d(3, 3, 1) if down else None
            self.other = nn.Conv2d(3, 3, 1) if not down else None

        def forward(self, x: Tensor) -> Tensor:
            identity = x
            out = self.relu(self.bn1(self.conv1(x)))
            if self.down is not None:
                identity = self.down(x)
            out += identity
            return self.relu(out)

    class Dense(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.ModuleList([nn.Conv2d(3 * (i + 1), 3, 1) for i in range(3)])

        def forward(self, x: Tensor) -> Tensor:
            features = [x]
            for layer in self.l:
                features.append(layer(torch.cat(features, 1)))
            return torch.cat(features, 1)

    class GradFree(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("ema", torch.zeros(2))
            self.m = 0.9

        @torch.jit.export
        def update(self, x: Tensor):
            with torch.no_grad():
                self.ema.mul_(self.m).add_(x.mean(0), alpha=1 - self.m)

        def forward(self, x):
            self.update(x)
            return x - self.ema

    def greedy(logits: Tensor, max_len: int, eos: int) -> Tuple[List[int], float]:
        out: List[int] = []
        score = 0.0
        for t in range(max_len):
            p = F.log_softmax(logits[t], dim=-1)
            v, i = p.max(dim=-1)
            score += float(v)
            token = int(i.item())
            if token == eos:
                break
            out.append(token)
        return out, score

    def beam(logp: Tensor, k: int):
        first: List[int] = []
        beams: List[Tuple[float, List[int]]] = [(0.0, first)]
        for t in range(logp.size(0)):
            cand: List[Tuple[float, List[int]]] = []
            for score, seq in beams:
                vals, idx = logp[t].topk(k)
                for j in range(k):
                    cand.append((score + vals[j].item(), seq + [int(idx[j])]))
            best: List[Tuple[float, List[int]]] = []
            while len(best) < k and len(cand) > 0:
                m = 0
                for c in range(len(cand)):
                    if cand[c][0] > cand[m][0]:
                        m = c
                best.append(cand.pop(m))
            beams = best
        return beams

    def nms(boxes: Tensor, scores: Tensor, thr: float) -> Tensor:
        order = scores.argsort(descending=True)
        keep: List[int] = []
        while order.numel() > 0:
            i = int(order[0])
            keep.append(i)
            if order.numel() == 1:
                break
            rest = order[1:]
            x1 = torch.max(boxes[i, 0], boxes[rest, 0])
            y1 = torch.max(boxes[i, 1], boxes[rest, 1])
            x2 = torch.min(boxes[i, 2], boxes[rest, 2])
            y2 = torch.min(boxes[i, 3], boxes[rest, 3])
            inter = (x2 - x1).clamp(min=0) * (y2 - y1).clamp(min=0)
            order = rest[inter <= thr]
        return torch.tensor(keep, dtype=torch.int64)

    def positional(n: int, d: int):
        pos = torch.arange(n, dtype=torch.float32).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
        pe = torch.zeros(n, d)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        return pe

    def pad_batch(xs: List[Tensor], value: float = 0.0) -> Tuple[Tensor, Tensor]:
        n = max([x.size(0) for x in xs])
        out = torch.full((len(xs), n), value)
        lengths = torch.zeros(len(xs), dtype=torch.long)
        for i, x in enumerate(xs):
            out[i, : x.size(0)] = x
            lengths[i] = x.size(0)
        return out, lengths

    def tokenize(s: str, vocab: Dict[str, int], unk: int = 0) -> List[int]:
        ids: List[int] = []
        for w in s.lower().split(" "):
            w = w.strip()
            if len(w) == 0:
                continue
            ids.append(vocab[w] if w in vocab else unk)
        return ids

    def count(words: List[str]) -> Dict[str, int]:
        c: Dict[str, int] = {}
        for w in words:
            if w in c:
                c[w] += 1
            else:
                c[w] = 1
        return c

    def fib(n: int) -> int:
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a

    def primes(n: int) -> List[int]:
        sieve = [True] * n
        out: List[int] = []
        for i in range(2, n):
            if sieve[i]:
                out.append(i)
                for j in range(i * i, n, i):
                    sieve[j] = False
        return out

    def bubble(l: List[float]) -> List[float]:
        n = len(l)
        for i in range(n):
            swapped = False
            for j in range(0, n - i - 1):
                if l[j] > l[j + 1]:
                    l[j], l[j + 1] = l[j + 1], l[j]
                    swapped = True
            if not swapped:
                break
        return l

    def power_iter(A: Tensor, steps: int = 10) -> Tuple[Tensor, Tensor]:
        v = torch.ones(A.shape[1]) / math.sqrt(A.shape[1])
        lam = torch.zeros(1)
        for _ in range(steps):
            w = A @ v
            lam = v @ w
            v = w / w.norm()
        return lam, v

    def newton(x: float, eps: float = 1e-6) -> float:
        g = x
        while abs(g * g - x) > eps:
            g = 0.5 * (g + x / g)
        return g

    def sgd(params: List[Tensor], grads: List[Tensor], bufs: List[Optional[Tensor]], lr: float, momentum: float):
        for i, p in enumerate(params):
            g = grads[i]
            if momentum != 0:
                buf = bufs[i]
                if buf is None:
                    buf = torch.clone(g).detach()
                    bufs[i] = buf
                else:
                    buf.mul_(momentum).add_(g)
                g = buf
            p.add_(g, alpha=-lr)

    def mixed_loss(x: Tensor, y: Tensor, kind: str, weight: Optional[Tensor] = None) -> Tensor:
        if kind == "mse":
            loss = (x - y) ** 2
        elif kind == "mae":
            loss = (x - y).abs()
        else:
            raise ValueError(f"unknown {kind}")
        if weight is not None:
            loss = loss * weight
        return loss.mean()

    def dropout_path(x, p: float = 0.0, training: bool = False):
        if p == 0.0 or not training:
            return x
        keep = 1 - p
        shape = (x.shape[0],) + (1, 1)
        mask = x.new_empty(shape).bernoulli_(keep)
        return x.div(keep) * mask

    def metrics(pred: Tensor, target: Tensor, n: int) -> Dict[str, float]:
        cm = torch.zeros(n, n, dtype=torch.int64)
        for p, t in zip(pred, target):
            cm[t.long(), p.long()] += 1
        tp = cm.diag().float()
        precision = (tp / cm.sum(0).clamp(min=1)).mean()
        return {"acc": float((pred == target).float().mean()), "precision": float(precision)}

    def ids(x: Tensor) -> List[List[int]]:
        out: List[List[int]] = []
        for row in x:
            r: List[int] = row.tolist()
            out.append(r)
        return out

    def parse(s: str) -> Tuple[int, int]:
        a, b = s.split("x")
        return int(a), int(b)

    def swap_axes(x: Tensor, dims: Tuple[int, int]) -> Tensor:
        a, b = dims
        if a < 0:
            a += x.dim()
        return x.transpose(a, b)

    def matrix(n: int, m: int) -> List[List[float]]:
        return [[float(i * m + j) for j in range(m)] for i in range(n)]

    def clip(grads: List[Tensor], max_norm: float) -> Tensor:
        total = torch.norm(torch.stack([torch.norm(g) for g in grads]))
        coef = max_norm / (total + 1e-6)
        if coef < 1:
            for g in grads:
                g.mul_(coef)
        return total

    def opt_chain(a: Optional[int], b: Optional[int], c: int) -> int:
        x = a if a is not None else (b if b is not None else c)
        return x

    def nested_opt(d: Dict[str, Optional[List[int]]]) -> int:
        v = d["a"]
        if v is not None and len(v) > 0:
            return v[0]
        return -1

    def early_none(xs: List[Tensor]) -> Optional[Tensor]:
        if len(xs) == 0:
            return None
        out: Optional[Tensor] = None
        for x in xs:
            if out is None:
                out = x
            else:
                out = out + x
        return out

    def while_true(n: int) -> int:
        i = 0
        while True:
            i += 1
            if i >= n:
                break
        return i

    def bits(n: int) -> int:
        c = 0
        while n > 0:
            c += n & 1
            n >>= 1
        return c

    found = {name: each for name, each in locals().items() if getattr(each, "__module__", "") == __name__}
    return {name: each() if isinstance(each, type) else each for name, each in found.items()}
