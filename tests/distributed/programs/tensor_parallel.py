"""Layers whose weights are cut, with a whole and with a cut sequence, on a mesh of processes."""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(10, 32)
        self.relu = nn.ReLU()
        self.out_proj = nn.Linear(32, 5)

    def forward(self, x):
        return self.out_proj(self.relu(self.in_proj(x)))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n_heads, self.head_dim = heads, dim // heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def forward(self, x):
        bsz, seqlen, _ = x.shape
        xq, xk, xv = (w(x).view(bsz, seqlen, -1, self.head_dim).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        output = F.scaled_dot_product_attention(xq, xk, xv, is_causal=True)
        return self.wo(output.transpose(1, 2).contiguous().view(bsz, seqlen, -1))


class TransformerBlock(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.attention, self.feed_forward = Attention(dim, heads), FeedForward(dim, 32)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(dim), nn.RMSNorm(dim)

    def forward(self, x):
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.ffn_norm(h))


class Transformer(nn.Module):
    def __init__(self, vocab=24, dim=16, layers=2):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleDict({str(i): TransformerBlock(dim) for i in range(layers)})
        self.norm = nn.RMSNorm(dim)
        self.output = nn.Linear(dim, vocab, bias=False)

    def forward(self, tokens):
        h = self.tok_embeddings(tokens)
        for layer in self.layers.values():
            h = layer(h)
        return self.output(self.norm(h)).float()


def train_toy(rank, mesh):
    torch.manual_seed(0)
    tp_model = parallelize_module(
        module=ToyModel(),
        device_mesh=mesh,
        parallelize_plan={"in_proj": ColwiseParallel(), "out_proj": RowwiseParallel()},
    )
    optimizer = torch.optim.AdamW(tp_model.parameters(), lr=0.25, foreach=True)
    for i in range(3):
        torch.manual_seed(i)
        output = tp_model(torch.rand(20, 10))
        output.sum().backward()
        optimizer.step()
        if rank == 0:
            print(f"Tensor Parallel iter {i} {output.sum().item():.3f}", flush=True)


def train_sequence(rank, mesh):
    torch.manual_seed(0)
    plan = {"in_proj": ColwiseParallel(input_layouts=Shard(0)), "out_proj": RowwiseParallel(output_layouts=Shard(0))}
    sp_model = parallelize_module(ToyModel(), mesh, plan)
    optimizer = torch.optim.AdamW(sp_model.parameters(), lr=0.25, foreach=True)
    for i in range(3):
        torch.manual_seed(i + rank)
        output = sp_model(torch.rand(20, 10))
        output.sum().backward()
        optimizer.step()
        if rank == 0:
            print(f"Sequence Parallel iter {i} {output.sum().item():.3f} {tuple(output.shape)}", flush=True)


def train_transformer(rank, tp_mesh):
    torch.manual_seed(0)
    model = parallelize_module(
        Transformer(),
        tp_mesh,
        {
            "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
            "norm": SequenceParallel(),
            "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False),
        },
    )
    for block in model.layers.values():
        layer_tp_plan = {
            "attention_norm": SequenceParallel(),
            "attention": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "attention.wq": ColwiseParallel(),
            "attention.wk": ColwiseParallel(),
            "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "ffn_norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "feed_forward.w1": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
            "feed_forward.w3": ColwiseParallel(),
        }
        block.attention.n_heads = block.attention.n_heads // tp_mesh.size()
        parallelize_module(module=block, device_mesh=tp_mesh, parallelize_plan=layer_tp_plan)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, foreach=True)
    for i in range(3):
        torch.manual_seed(i)
        tokens = torch.randint(24, (2, 8))
        optimizer.zero_grad()
        with loss_parallel():
            loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.roll(-1, 1).flatten())
            loss.backward()
        optimizer.step()
        found = loss.full_tensor().item() if hasattr(loss, "full_tensor") else loss.item()
        if rank == 0:
            print(f"2D iter {i} loss {found:.4f}", flush=True)


def main(rank, world_size):
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world_size)}
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", sys.argv[1] if len(sys.argv) > 1 else "29501")
    dist.init_process_group("gloo")
    mesh = init_device_mesh(device_type="cpu", mesh_shape=(int(os.environ["WORLD_SIZE"]),), mesh_dim_names=("tp",))
    assert world_size == mesh.size() and mesh.get_rank() == rank and mesh["tp"].get_local_rank() == rank
    train_toy(rank, mesh)
    train_sequence(rank, mesh)
    train_transformer(rank, mesh["tp"])
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:
        main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        mp.spawn(main, args=(2,), nprocs=2)
