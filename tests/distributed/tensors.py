"""Distributed tensors in several processes, held against PyTorch: what each rank finds.

``tensh launch -n N tests/distributed/tensors.py FOLDER`` and ``python tests/distributed/tensors.py FOLDER N`` write a
file for each rank.
"""

import json
import re
import sys

MESHES = """
mesh; line; mesh["a"]; mesh["b"]; mesh["a", "b"]; mesh.shape; mesh.ndim; mesh.size(); mesh.size(1); mesh.mesh.tolist(); mesh.get_coordinate()
mesh.get_local_rank("b"); mesh.get_local_rank(0); mesh["b"].mesh.tolist(); mesh["b"].get_local_rank(); mesh.get_rank(); mesh.mesh_dim_names
mesh["c"]; mesh.get_group(); mesh.get_group("b").size(); line.get_group().size(); line["a"]; mesh["b", "a"]; mesh.get_local_rank()
len(mesh.get_all_groups()); mesh._flatten("all"); mesh.get_group("c"); mesh.device_type; mesh == mesh["a", "b"]; mesh == line
device_mesh.init_device_mesh("cpu", (1, size), mesh_dim_names=("a", "a")); device_mesh.init_device_mesh("cpu:0", (size,))
device_mesh.init_device_mesh("cpu", (1, size), mesh_dim_names=("a",)); device_mesh.DeviceMesh("cpu", list(range(size)))
"""
FACTS = """
d; d.shape; d.placements; d.to_local(); d.full_tensor(); d.size(0); d.size(); d.dim(); len(d); d.stride(); d.numel(); d.dtype; d.device_mesh
isinstance(Parameter(d), Parameter); Parameter(d); d.redistribute(line, [R]); d.redistribute(placements=[S(1)]).to_local(); u.to_local(); u.full_tensor()
u.redistribute(placements=[S(1)]).to_local(); d.redistribute(line, [P]); distribute_tensor(x, line, [S(5)]); distribute_tensor(x, line, [S(0), S(1)])
DTensor.from_local(ones(2, 3), line, [S(1)]).shape; DTensor.from_local(ones(2), line, [P]).full_tensor(); distribute_tensor(x, line, [S(-1)]).placements
DTensor.from_local(ones(2), line, [P]).redistribute(placements=[S(0)]).to_local(); distribute_tensor(x, line).placements; g.to_local(); g.full_tensor()
g.placements; g.redistribute(placements=[R, S(0)]).to_local(); g.redistribute(placements=[S(0), S(0)]).to_local(); h.to_local(); h.full_tensor()
h.redistribute(placements=[S(1), R]).to_local(); h.redistribute(placements=[R, R]).to_local(); h.redistribute(placements=[S(1), S(0)]).to_local()
zeros(4, 3, device_mesh=line, placements=[S(0)]); full((4, 3), 2.0, device_mesh=mesh, placements=[S(1), R]).to_local()
d.numpy(); d.tolist(); d + x; d @ x; x * d; F.linear(d, x)
y.to_local(); y.full_tensor(); z.to_local(); z.full_tensor(); y.redistribute(placements=[S(1)]).to_local(); k.to_local(); y.sum()
(s + r).placements; (r - s).placements; (s * r).placements; (r * s).placements; (s * s).placements; (s / (r + 1)).placements; (s + 1).placements
(a + r).placements; (a * r).placements; (-a).placements; (m + r).placements; (r - m).placements; (m * 2).placements; m.relu().placements
(s + d).placements; (d * a).placements; (s * 2).to_local(); (a / 2).to_local(); (m - r).to_local(); (a * 1).add_(r).to_local()
"""
RESULTS = """
d + 1; d * d; d + r; r + d; d - u; d / 2; d.exp(); -d; d > 3; where(d > 3, d, r); d + row; row * d; d + d.redistribute(placements=[S(1)]); d.clamp(min=2)
d.sum(); d.sum(0); d.sum(1); d.sum(1, keepdim=True); d.mean(); d.mean(1); d.max(); d.sum() * 2; d.t(); d.transpose(0, 1); d.argmax(1); d.softmax(1); d.softmax(0)
cat([d, d]); d[0]; d.view(-1); d.unsqueeze(0); equal(d, d); d.norm(); d.to(float64); d.clone(); d.detach(); zeros_like(d); ones_like(d)
d.t() @ d; d @ d.t(); d @ w; d @ w0; d @ w1; u @ w0; u @ w1; r @ w0; r @ w1; F.linear(d, v0, b); F.linear(r, v0, b); F.linear(u, v1, b); F.linear(r, v1, b)
F.linear(g, v2); F.linear(h, v3); F.embedding(index, e0); F.embedding(index, e1); F.embedding(index, e2); F.layer_norm(d, (4,)) * d; F.layer_norm(u, (4,)) * u
F.mse_loss(r, r + 1); F.relu(d - 3); g + h; g * 2; h.sum(0); g.sum(); y * y; y.sum(0); y + z; k.sum(); y.t(); z @ w0; y @ w1; DTensor.from_local(ones(2), line, [P]).mul_(2)
DTensor.from_local(ones(2), line, [P]).exp_(); DTensor.from_local(ones(2), line, [P]).zero_(); (d * 2).add_(1); (d * 2).relu_(); (u * 2).mul_(3); d.pow(2); d ** 2; 2 ** d; 1 / (d + 1)
s + r; r - s; s + s; s * r; r * s; s * s; s / (r + 1); r / (s + 20); s - 1; s * 2; -s; s + a; s * row; s + d; d * s; s + m; where(s > 0, s, r)
a + r; r - a; a * r; a * a; a / (r + 1); -a; a * 2; a + d; a * s; m + m; m * r; -m; m * 2; m.exp(); m.square(); (m + r).square(); (r - m).square()
(s * 1).add_(r); (s * 1).add_(s, alpha=2); (s * 1).sub_(r); (s * 1).mul_(r); (s * 1).mul_(s); (s * 1).div_(r + 1); (s * 1).div_(2); (s * 1).mul_(d)
(s * 1).neg_(); (s * 1).mul_(row); (a * 1).add_(r, alpha=2); (a * 1).add_(d); (a * 1).add_(s); (a * 1).mul_(r); (a * 1).sub_(1); s.clone().copy_(r); s.clone().copy_(s)
DTensor.from_local(x - size, line, m.placements).add_(r); DTensor.from_local(x - size, line, m.placements).add_(m)
DTensor.from_local(x - size, line, m.placements).sub_(r); DTensor.from_local(x - size, line, m.placements).relu_(); (s * 1).relu_(); (s * 1).clamp_(min=0)
d.to_local(grad_placements=[S(0)]); r.to_local(grad_placements=[P]); r.to_local(grad_placements=[R]); s.to_local(grad_placements=[P])
r.to_local() * (d.device_mesh.get_local_rank() + 1); r.to_local(grad_placements=[P]) * (d.device_mesh.get_local_rank() + 1)
d.full_tensor(grad_placements=[P]); u.full_tensor(grad_placements=[P]); s.full_tensor(grad_placements=[P]); d.full_tensor(grad_placements=[R])
DTensor.from_local(r.to_local(grad_placements=[P]), line, [R], grad_placements=[P]) * 2; DTensor.from_local(r.to_local(), line, [R], grad_placements=[R]) * 2
DTensor.from_local(d.to_local(), line, [S(0)], grad_placements=[S(0)]) * d; DTensor.from_local(s.to_local(), line, [P], grad_placements=[R]) * 2
"""


def names(torch, rank, size):
    """What the expressions name."""
    from torch.distributed import device_mesh
    from torch.distributed import tensor as t

    S, R, P = t.Shard, t.Replicate(), t.Partial()
    line = device_mesh.init_device_mesh("cpu", (size,))
    mesh = device_mesh.init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b")) if size == 4 else None
    x = torch.arange(48.0).reshape(12, 4) / 4
    y = torch.arange(20.0).reshape(5, 4)  # which most numbers of processes cut into parts of different sizes
    torch.manual_seed(0)
    make = lambda *shape: torch.randn(shape)  # noqa: E731
    put = lambda value, where, *placements: t.distribute_tensor(value, where, list(placements))  # noqa: E731
    e = make(6, 4)
    found = {
        "torch": torch, "F": torch.nn.functional, "Parameter": torch.nn.Parameter, "device_mesh": device_mesh, "size": size, "line": line,
        "S": S, "R": R, "P": P, "x": x, "DTensor": t.DTensor, "distribute_tensor": t.distribute_tensor, "ones": torch.ones, "zeros": t.zeros, "full": t.full,
        "d": put(x, line, S(0)), "u": put(x, line, S(1)), "r": put(x + 1, line, R), "row": put(make(4), line, R),
        "y": put(y, line, S(0)), "z": put(y, line, S(1)), "index": put(torch.tensor([0, 5, 2, 5]), line, R),
        "w": put(make(4, 3), line, R), "w0": put(make(4, 3), line, S(0)), "w1": put(make(4, 3), line, S(1)), "b": put(make(3), line, R),
        "v0": put(make(3, 4), line, S(0)), "v1": put(make(3, 4), line, S(1)),
        "s": t.DTensor.from_local((x - 5) * (rank + 1), line, [P]), "a": t.DTensor.from_local((x - 5) * (rank + 1), line, [t.Partial("avg")]),
        "m": t.DTensor.from_local((x - 5) * (rank + 1), line, [t.Partial("max")]),
        "e0": put(e, line, S(0)), "e1": put(e, line, S(1)), "e2": put(e, line, R),
    }  # fmt: skip
    if mesh is not None:  # expressions that name these fail elsewhere
        found |= {
            "mesh": mesh,
            "g": put(x, mesh, S(0), S(1)),
            "h": put(x, mesh, S(0), S(0)),
            "k": put(y, mesh, S(0), S(0)),
        }
        found |= {"v2": put(make(3, 4), mesh, R, S(0)), "v3": put(make(3, 4), mesh, R, R)}
    names = "where cat equal zeros_like ones_like float64".split()
    return found | {name: getattr(torch, name) for name in names}


def look(torch, value):
    """A result as the numbers of the whole tensor."""
    if isinstance(value, torch.Tensor):
        value = value.full_tensor() if hasattr(value, "full_tensor") else value
        return value.detach().double().tolist()
    return repr(value)


def say(expression, given):
    try:
        return repr(eval(expression, given))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


ON_MESH = re.compile(r"\b(mesh|g|h|k|v2|v3)\b")


def split(text, size):
    """The expressions for a number of processes: with four those on a mesh of two dimensions, else the others."""
    found = [each.strip() for line in text.strip().splitlines() for each in line.split(";")]
    return [each for each in found if bool(ON_MESH.search(each)) is (size == 4)]


def slopes(torch, given):
    """The gradients of leaves in the whole, for a sum of squares of each expression."""
    found = {}
    for expression in split(RESULTS, given["size"]):
        leaves = {
            name: value.detach().requires_grad_()
            for name, value in given.items()
            if isinstance(value, torch.Tensor) and hasattr(value, "placements") and value.is_floating_point()
        }
        try:
            result = eval(expression, given | leaves)
        except Exception as error:
            found[expression] = type(error).__name__
            continue
        if not isinstance(result, torch.Tensor) or not result.requires_grad:
            continue
        result = result.full_tensor() if hasattr(result, "full_tensor") else result
        result.square().sum().backward()
        found[expression] = {name: look(torch, leaf.grad) for name, leaf in leaves.items() if leaf.grad is not None}
    return found


def train(torch, given):
    """Losses of a transformer whose layers are cut, and of the same in one process."""
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor import parallel as p

    nn, F, line = torch.nn, torch.nn.functional, given["line"]

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.norm2 = nn.LayerNorm(12), nn.LayerNorm(12)
            self.q, self.k, self.v, self.out = (nn.Linear(12, 12, bias=bias) for bias in (False, False, False, True))
            self.up, self.down = nn.Linear(12, 24), nn.Linear(24, 12)

        def forward(self, x):
            h = self.norm(x)
            q, k, v = (each(h).unflatten(-1, (-1, 3)).transpose(1, 2) for each in (self.q, self.k, self.v))
            x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.block, self.head = nn.Embedding(10, 12), Block(), nn.Linear(12, 10)

        def forward(self, index):
            return self.head(self.block(self.table(index)))

    def losses(model):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        generator, found = torch.Generator().manual_seed(1), []
        for _ in range(8):
            index = torch.randint(0, 10, (4, 12), generator=generator)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(index).flatten(0, 1), index.roll(1, 1).flatten())
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.head.parameters(), 0.1)
            optimizer.step()
            found += [loss.item(), norm.full_tensor().item() if hasattr(norm, "full_tensor") else norm.item()]
        return found

    found = {}
    if given["size"] < 3:  # 4 heads are divided; more processes than two take long on two cores
        torch.manual_seed(2)
        found["one"] = losses(Model())
        torch.manual_seed(2)
        model = Model()
        column, row = p.ColwiseParallel, p.RowwiseParallel
        plan = {
            "table": row(input_layouts=Replicate()), "block.[qkv]": column(), "block.out": row(),
            "block.up": column(), "block.down": row(), "head": column(output_layouts=Replicate()),
        }  # fmt: skip
        found["many"] = losses(p.parallelize_module(model, line, plan))
        found["placements"] = {name: str(getattr(each, "placements", None)) for name, each in model.named_parameters()}
        torch.manual_seed(2)
        model = Model()
        plan |= {
            "table": row(input_layouts=Replicate(), output_layouts=Shard(1)), "block.norm*": p.SequenceParallel(),
            "block": p.PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Shard(1),)),
            "block.[qkv]": column(input_layouts=Shard(1)), "block.out": row(output_layouts=Shard(1), use_local_output=False),
            "block.up": column(input_layouts=Shard(1)), "block.down": row(output_layouts=Shard(1), use_local_output=False),
            "head": column(input_layouts=Shard(1), output_layouts=Replicate()),
        }  # fmt: skip
        found["sequence"] = losses(p.parallelize_module(model, line, plan))
    return found


def work(rank, folder, size):
    import os

    import torch

    if rank is not None:
        os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(size)}
    torch.distributed.init_process_group("gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    given = names(torch, rank, size)
    found = {"said": {each: say(each, given) for each in split(MESHES, size) + split(FACTS, size)}}
    found["results"] = {}
    for each in split(RESULTS, size):
        try:
            found["results"][each] = look(torch, eval(each, given))
        except Exception as error:
            found["results"][each] = type(error).__name__
    found["slopes"], found["train"] = slopes(torch, given), train(torch, given)
    with open(f"{folder}/{rank}.json", "w") as file:
        json.dump(found, file)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        work(None, sys.argv[1], 1)
    else:
        import os

        import torch

        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 20000)}
        torch.multiprocessing.spawn(work, (sys.argv[1], int(sys.argv[2])), int(sys.argv[2]))
