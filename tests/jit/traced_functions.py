"""Functions to trace: arithmetic, views, indices, reductions, new tensors, sizes, writes, structures."""

# ruff: noqa: F841


def make_functions(torch):
    """Return name -> function of one or two tensors of shape (2, 3)."""
    F = torch.nn.functional

    def f_add(x, y):
        return x + y

    def f_chain(x):
        return torch.relu(x) + 1

    def f_twice(x):
        y = x * 2
        return y + y

    def f_arith(x, y):
        return (x - y) / (x * 2.5) ** 2

    def f_matmul(x, y):
        return x @ y.t()

    def f_view(x):
        return x.view(3, 2).transpose(0, 1)

    def f_sizes(x):
        return x.view(x.size(0) * 3, -1)

    def f_reshape(x):
        return x.reshape(-1)

    def f_index(x):
        return x[0]

    def f_index2(x):
        return x[:, 1:]

    def f_index3(x):
        return x[..., 0] + x[1, 2]

    def f_indext(x):
        return x[torch.tensor([1, 0])]

    def f_cat(x, y):
        return torch.cat([x, y], 0)

    def f_stack(x, y):
        return torch.stack([x, y, x], dim=1)

    def f_sum(x):
        return x.sum()

    def f_sumdim(x):
        return x.sum(1, keepdim=True)

    def f_mean(x):
        return x.mean(dim=0)

    def f_max(x):
        return x.max(dim=1)

    def f_maxv(x):
        v, i = x.max(dim=1)
        return v + 1, i

    def f_softmax(x):
        return F.softmax(x, dim=-1)

    def f_gelu(x):
        return F.gelu(x)

    def f_act(x):
        return torch.tanh(torch.sigmoid(x))

    def f_leaky(x):
        return F.leaky_relu(x, 0.1)

    def f_chunk(x):
        a, b = torch.chunk(x, 2, 0)
        return a * b

    def f_split(x):
        a, b, c = x.split(1, dim=1)
        return a + c

    def f_two(x, y):
        return x + 1, y * 2

    def f_dict(x):
        return {"a": x + 1}

    def f_where(x, y):
        return torch.where(x > 2, x, y)

    def f_mask(x):
        return x.masked_fill(x > 2, 0.0)

    def f_zeros(x):
        return torch.zeros(2, 3) + x

    def f_arange(x):
        return x + torch.arange(3)

    def f_full(x):
        return torch.full_like(x, 3.0) + torch.zeros_like(x)

    def f_inplace(x):
        y = x.clone()
        y.add_(1)
        y[0] = 5
        return y

    def f_to(x):
        return x.to(torch.float64), x.long(), x.half()

    def f_clamp(x):
        return x.clamp(0, 2), x.clamp(min=1.5)

    def f_neg(x):
        return -x, abs(x), 1 - x, 1 / x, 2**x

    def f_cmp(x, y):
        return (x == y) & (x < 3), ~(x > 1)

    def f_expand(x):
        return x.unsqueeze(0).expand(4, -1, -1)

    def f_permute(x):
        return x.permute(1, 0).contiguous()

    def f_squeeze(x):
        return x.unsqueeze(1).squeeze(1)

    def f_einsum(x, y):
        return torch.einsum("ij,kj->ik", x, y)

    def f_const(x):
        return x + torch.tensor(2.5)

    def f_noret(x):
        return x

    def f_var(x):
        return x.var(0), x.std()

    def f_norm(x):
        return x.norm(), F.normalize(x)

    def f_argmax(x):
        return x.argmax(), x.argmax(1)

    def f_topk(x):
        return x.topk(2)

    def f_cumsum(x):
        return x.cumsum(0)

    def f_gather(x):
        return x.gather(1, torch.zeros(2, 1, dtype=torch.long))

    def f_loop(x):
        for i in range(3):
            x = x * i + 1
        return x

    def f_shapearith(x):
        n, m = x.shape
        return x.reshape(m, n) * n + m / 2

    def f_xent(x):
        return F.cross_entropy(x, torch.tensor([0, 1]))

    def f_mse(x, y):
        return F.mse_loss(x, y)

    def f_pad(x):
        return F.pad(x, (1, 1))

    def f_dropout(x):
        return F.dropout(x, 0.5, training=False)

    def f_roll(x):
        return x.roll(1, 0), x.flip(0), x.tril()

    def f_new(x):
        return x.new_zeros(2, 3) + x.new_ones((2, 3)), torch.ones(x.shape)

    def f_bmm(x):
        return torch.bmm(x[None], x.t()[None])

    def f_sqrt(x):
        return torch.sqrt(x).exp().log().sin().pow(3)

    def f_list(x):
        return [x, x + 1]

    def f_nested(x):
        return x, (x + 1, x + 2)

    def f_embed(x):
        return F.embedding(torch.tensor([0, 1]), x)

    def f_tuplein(p):
        return p[0] + p[1]

    def f_float(x):
        return x.float() * 3 + x.type(torch.int32)

    def f_flat(x):
        return torch.flatten(x, 1), x.flatten()

    def f_ls(x, y):
        return F.linear(x, y), torch.addmm(torch.zeros(2), x, y.t())

    def f_lerp(x, y):
        return torch.lerp(x, y, 0.5), torch.addcmul(x, x, y, value=2)

    def f_inf(x):
        return x.masked_fill(x > 2, float("-inf")), x + 1e-5, x * 1e10

    def f_unused(x):
        y = x * 2
        z = x + y
        return x - 1

    def f_roll2(x):
        return torch.logsumexp(x, 1), torch.log_softmax(x, 1), x.prod(), x.all(), x.any(1)

    def f_bool(x):
        return torch.isnan(x), x.isfinite(), x.round(), x.floor(), x.sign()

    def f_rand(x):
        return torch.rand(2, 3) + torch.randn_like(x)

    def f_sizesoften(x):
        B, T = x.shape
        for _ in range(2):
            x = x.view(B, T).unsqueeze(0).expand(B, B, T)[0]
        return x.sum() / B + T

    def f_sizeresults(x):
        n = x.shape[0]
        return x.numel(), n + 1, x / (n / 2), (3 * n, x * (n / 4 + 1)), 3 - n, n**2, n * 1.5

    def f_namedsizes(x):
        b, c = x.shape
        h, w = x.shape
        return x.reshape(b, c // 3, -1), torch.zeros(3 - h, 2**w), x.view(b * 1, -1)

    def f_sizesasnumbers(x):
        return torch.full((x.shape[0],), x.shape[1]), torch.arange(0, x.shape[1], 2), x.clamp(0, x.shape[0])

    def f_smallconstants(x):
        return x + torch.tensor([1.5, -2.0, 3.0]) + torch.tensor([[True], [False]]) + torch.zeros(11, 1, 1).sum()

    return {name[2:]: each for name, each in locals().items() if name.startswith("f_")}
