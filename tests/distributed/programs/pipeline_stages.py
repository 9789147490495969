"""A transformer in two stages, split by hand and by its recorded graph, as a schedule of parts of the batch."""

import os
import sys
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe, SplitPoint, pipeline


@dataclass
class ModelArgs:
    dim: int = 16
    n_layers: int = 4
    n_heads: int = 2
    vocab_size: int = 20


class Transformer(nn.Module):
    def __init__(self, model_args):
        super().__init__()
        self.tok_embeddings = nn.Embedding(model_args.vocab_size, model_args.dim)
        self.layers = torch.nn.ModuleDict()
        for layer_id in range(model_args.n_layers):
            self.layers[str(layer_id)] = nn.TransformerDecoderLayer(model_args.dim, model_args.n_heads, 32, dropout=0.0)
        self.norm = nn.LayerNorm(model_args.dim)
        self.output = nn.Linear(model_args.dim, model_args.vocab_size)

    def forward(self, tokens):
        h = self.tok_embeddings(tokens) if self.tok_embeddings else tokens
        for layer in self.layers.values():
            h = layer(h, h)
        h = self.norm(h) if self.norm else h
        return self.output(h).clone() if self.output else h


def manual_model_split(model, stage_index, num_stages, device):
    if stage_index == 0:
        for i in range(2, 4):
            del model.layers[str(i)]
        model.norm = None
        model.output = None
    elif stage_index == 1:
        for i in range(2):
            del model.layers[str(i)]
        model.tok_embeddings = None
    return PipelineStage(model, stage_index, num_stages, device)


def tracer_model_split(model, example_input_microbatch, stage_index, device):
    pipe = pipeline(module=model, mb_args=(example_input_microbatch,), split_spec={"layers.2": SplitPoint.BEGINNING})
    return pipe.build_stage(stage_index, device, dist.group.WORLD)


def tokenwise_loss_fn(outputs, targets):
    loss_fn = nn.CrossEntropyLoss()
    return loss_fn(outputs.reshape(-1, outputs.shape[-1]), targets.reshape(-1))


def main(rank, world_size):
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", sys.argv[1] if len(sys.argv) > 1 else "29501")
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    device, num_microbatches = torch.device("cpu"), 4
    torch.manual_seed(0)
    x = torch.randint(0, 20, (8, 6))
    y = torch.randint(0, 20, (8, 6))
    for split in ("manual", "tracer"):
        torch.manual_seed(1)
        model = Transformer(ModelArgs())
        example_input_microbatch = x.chunk(num_microbatches)[0]
        if split == "manual":
            stage = manual_model_split(model, rank, world_size, device)
        else:
            stage = tracer_model_split(model, example_input_microbatch, rank, device)
        schedule = ScheduleGPipe(stage, n_microbatches=num_microbatches, loss_fn=tokenwise_loss_fn)
        optimizer = torch.optim.AdamW(stage.submod.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            if rank == 0:
                schedule.step(x)
            elif rank == 1:
                losses = []
                schedule.step(target=y, losses=losses)
                print(split, [f"{loss.item():.4f}" for loss in losses], flush=True)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" in os.environ:
        main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        mp.spawn(main, args=(2,), nprocs=2)
