"""Processes that train one model in shared memory, each with a loader of its own ("Hogwild")."""

import argparse

import torch
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

parser = argparse.ArgumentParser(description="Hogwild")
parser.add_argument("port", nargs="?")
parser.add_argument("--batch-size", type=int, default=16, metavar="N")
parser.add_argument("--epochs", type=int, default=3, metavar="N")
parser.add_argument("--lr", type=float, default=0.05, metavar="LR")
parser.add_argument("--momentum", type=float, default=0.5, metavar="M")
parser.add_argument("--seed", type=int, default=1, metavar="S")
parser.add_argument("--num-processes", type=int, default=2, metavar="N")
parser.add_argument("--start-method", default="spawn")
parser.add_argument("--dry-run", action="store_true", default=False)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, kernel_size=3)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(36, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(self.fc1(x.view(-1, 36)))
        return F.log_softmax(self.fc2(x), dim=1)


def make_dataset(seed):
    generator = torch.Generator().manual_seed(seed)
    images = torch.randn(128, 1, 8, 8, generator=generator)
    return torch.utils.data.TensorDataset(images, (images.sum((1, 2, 3)) > 0).long())


def train(rank, args, model, device, dataset, dataloader_kwargs):
    torch.manual_seed(args.seed + rank)
    train_loader = torch.utils.data.DataLoader(dataset, **dataloader_kwargs)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    for _ in range(1, args.epochs + 1):
        model.train()
        for data, target in train_loader:
            optimizer.zero_grad()
            output = model(data.to(device))
            loss = F.nll_loss(output, target.to(device))
            loss.backward()
            optimizer.step()
            if args.dry_run:
                break


def test(args, model, device, dataset, dataloader_kwargs):
    torch.manual_seed(args.seed)
    test_loader = torch.utils.data.DataLoader(dataset, **dataloader_kwargs)
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data.to(device))
            test_loss += F.nll_loss(output, target.to(device), reduction="sum").item()
            pred = output.max(1)[1]
            correct += pred.eq(target.to(device)).sum().item()
    return test_loss / len(test_loader.dataset), correct / len(test_loader.dataset)


if __name__ == "__main__":
    args = parser.parse_args()
    device = torch.device("cpu")
    dataset1, dataset2 = make_dataset(1), make_dataset(1)
    kwargs = {"batch_size": args.batch_size, "shuffle": True}
    torch.manual_seed(args.seed)
    mp.set_start_method(args.start_method, force=True)
    model = Net().to(device)
    model.share_memory()
    assert all(p.is_shared() for p in model.parameters())
    before, _ = test(args, model, device, dataset2, kwargs)
    processes = []
    for rank in range(args.num_processes):
        p = mp.Process(target=train, args=(rank, args, model, device, dataset1, kwargs))
        p.start()
        processes.append(p)
    for p in processes:
        p.join()
    after, accuracy = test(args, model, device, dataset2, kwargs)
    print(
        f"before {before:.4f}, {'learnt' if after < before and accuracy > 0.5 else 'not learnt'}",
        [p.exitcode for p in processes],
    )
