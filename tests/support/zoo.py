"""Small models for tests of captured, exported and compiled graphs: name -> (module, its inputs), on either library."""


def make_models(torch):
    """The models, with weights and inputs from one seed."""
    nn, F = torch.nn, torch.nn.functional

    class LeNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
            self.fc1, self.fc2 = nn.Linear(400, 32), nn.Linear(32, 10)

        def forward(self, x):
            x = F.max_pool2d(torch.relu(self.conv1(x)), 2)
            x = F.max_pool2d(F.relu(self.conv2(x)), (2, 2))
            return self.fc2(torch.tanh(self.fc1(torch.flatten(x, 1))))

    class Residual(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.conv, self.bn = nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels)

        def forward(self, x):
            return F.relu(self.bn(self.conv(x)) + x)

    class ResNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(3, 4, 3, stride=2)
            self.blocks = nn.Sequential(Residual(4), Residual(4))
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            x = self.blocks(self.stem(x))
            return F.log_softmax(self.head(F.adaptive_avg_pool2d(x, 1).view(x.size(0), -1)), dim=-1)

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.middle = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
            self.up, self.last = nn.ConvTranspose2d(8, 4, 2, stride=2), nn.Conv2d(8, 1, 1)

        def forward(self, x):
            skip = F.relu(self.down(x))
            deep = F.relu(self.middle(F.max_pool2d(skip, 2)))
            return torch.sigmoid(self.last(torch.cat([skip, self.up(deep)], dim=1)))

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.lstm = nn.Embedding(9, 4), nn.LSTM(4, 5, batch_first=True, bidirectional=True)
            self.out = nn.Linear(10, 3)

        def forward(self, words):
            states, _ = self.lstm(self.embedding(words))
            return self.out(states).argmax(dim=-1)

    class GRUTagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.gru, self.out = nn.Embedding(9, 4), nn.GRU(4, 5, num_layers=2), nn.Linear(5, 3)

        def forward(self, words):
            states, last = self.gru(self.embedding(words))
            return self.out(states), last

    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.register_buffer("mask", torch.tril(torch.ones(6, 6)))

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.qkv(x).split(x.size(2), dim=2)
            q, k, v = (each.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for each in (q, k, v))
            scores = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)
            scores = scores.masked_fill(self.mask == 0, float("-inf"))
            mixed = F.softmax(scores, dim=-1) @ v
            return self.out(mixed.transpose(1, 2).contiguous().view(batch, length, width))

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.ln1, self.ln2, self.attention = nn.LayerNorm(width), nn.LayerNorm(width), Attention(width, 2)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            x = x + self.attention(self.ln1(x))
            return x + self.mlp(self.ln2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(11, 8), nn.Parameter(torch.randn(1, 6, 8))
            self.blocks = nn.ModuleList([Block(8), Block(8)])
            self.head = nn.Linear(8, 11, bias=False)

        def forward(self, ids):
            x = self.words(ids) + self.places[:, : ids.size(1)]
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.mean, self.log_var = nn.Linear(8, 6), nn.Linear(6, 2), nn.Linear(6, 2)
            self.decoder = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 8), nn.Sigmoid())

        def forward(self, x, noise):
            h = torch.relu(self.encoder(x))
            mean, log_var = self.mean(h), self.log_var(h)
            return {"image": self.decoder(mean + noise * torch.exp(0.5 * log_var)), "moments": (mean, log_var)}

    class Pooling(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key = nn.Parameter(torch.randn(4)), nn.Linear(4, 4)

        def forward(self, x):
            weights = torch.softmax(torch.matmul(torch.tanh(self.key(x)), self.query), dim=1)
            return torch.einsum("bl,bld->bd", weights, x)

    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    models = {
        "MLP": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 3)), torch.randn(5, 4)),
        "LeNet": (LeNet(), torch.randn(2, 1, 28, 28)),
        "ResNet": (ResNet(), torch.randn(2, 3, 16, 16)),
        "UNet": (UNet(), torch.randn(2, 1, 8, 8)),
        "tagger": (Tagger(), torch.randint(9, (2, 6))),
        "gru": (GRUTagger(), torch.randint(9, (6, 2))),
        "encoder": (nn.Sequential(layer, nn.Linear(8, 3)), torch.randn(2, 5, 8)),
        "GPT": (GPT(), torch.randint(11, (2, 6))),
        "VAE": (VAE(), torch.randn(3, 8), torch.randn(3, 2)),
        "generator": (nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.LeakyReLU(0.2), nn.Tanh()), torch.randn(3, 4)),
        "discriminator": (nn.Sequential(nn.Conv2d(1, 4, 4, 2, 1), nn.Flatten(), nn.Linear(64, 1)), torch.randn(2, 1, 8, 8)),
        "pooling": (Pooling(), torch.randn(2, 3, 4)),
    }  # fmt: skip
    return {name: (module, inputs) for name, (module, *inputs) in models.items()}


def require_positive(x):
    """Assert that a sum is positive, in a file whose assertions pytest does not rewrite."""
    assert x.sum() > 0
    return x
