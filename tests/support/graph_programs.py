"""Small programs whose recorded graphs, values, first and second derivatives are PyTorch's (tests/oracle/test_graph_programs.py).

A program is one or several statements; the value of the last, an expression, is what is differentiated.  Every program
gets fresh leaves:

    s, t      numbers without a dimension          c, d, e   complex: two (2, 3), one number
    u, v      (3,)                                 f         float32 (2, 3)
    x, y      (2, 3)                               i         int64 [2, 0, 2], no gradient
    p         (2, 3), positive                     m         bool (2, 3), no gradient
    A, B, C   (3, 4), (2, 3, 4), (2, 4, 5)         q         (2, 3), no gradient
    S, P      (3, 3): any, positive definite       E         (0, 3)
    image, kernel, bias                            (1, 2, 5, 5), (2, 2, 3, 3), (2,)

and the function ``grad(y, x)`` (the gradient of y to x, recorded) and the classes of ``FUNCTIONS``.

Before a program, ``~`` says that the graph of its gradient takes another way to the same values, ``=`` that its own
graph does.
"""

CASES = {
    "arithmetic": """
        x + y
        x + 1
        1 + x
        x + True
        torch.add(x, y, alpha=2)
        x.add(3.0, alpha=2)
        x - y
        x - 1
        1 - x
        torch.sub(x, y, alpha=0.5)
        torch.rsub(x, y)
        x * y
        x * 2
        2 * x
        x / y
        x / 2
        2 / x
        torch.div(x, y, rounding_mode='floor')
        torch.div(x, y, rounding_mode='trunc')
        x % y
        x % 2
        x.fmod(0.7)
        torch.remainder(x, y)
        -x
        +x
        abs(x)
        x ** 2
        x ** 3
        x ** 0
        x ** 1
        p ** 0.5
        p ** y
        2 ** x
        p ** s
        torch.pow(2.0, x)
        p ** -1
        x.square()
        p.sqrt()
        p.rsqrt()
        x.reciprocal()
        x.float_power(2)
        torch.addcmul(x, y, p, value=2)
        torch.addcdiv(x, y, p, value=2)
        torch.lerp(x, y, 0.3)
        torch.lerp(x, y, p)
        x.true_divide(p)
        (x + y) * (x - y)
        x * x
        x * x * x
        (x * y).exp() + x.sin()
        x * q
        q - x
        q / x
        x @ q.T
        torch.hypot(x, y)
        torch.atan2(x, y)
        torch.xlogy(x, p)
        torch.logaddexp(x, y)
        ~ torch.logaddexp2(x, y)
        torch.copysign(x, y)
        torch.copysign(x, -1.0)
        torch.heaviside(q, q) + x
        torch.ldexp(x, q)
    """,
    "functions of one number": """
        x.exp()
        x.exp2()
        x.expm1()
        p.log()
        p.log2()
        p.log10()
        p.log1p()
        x.sin()
        x.cos()
        x.tan()
        x.tanh()
        x.sinh()
        x.cosh()
        (x / 9).asin()
        (x / 9).acos()
        x.atan()
        x.asinh()
        ~ (p + 1).acosh()
        (x / 9).atanh()
        x.sigmoid()
        torch.special.expit(x)
        ~ x.sinc()
        ~ p.logit(1e-3)
        x.sign()
        x.sgn()
        x.floor()
        x.ceil()
        x.round()
        x.trunc()
        x.frac()
        x.round(decimals=1)
        x.relu()
        x.abs()
        x.neg()
        x.positive()
        x.deg2rad()
        x.rad2deg()
        x.nan_to_num()
        ~ torch.special.entr(p)
        torch.signbit(x) * x
    """,
    "special functions": """
        torch.erf(x)
        torch.erfc(x)
        torch.erfinv(x / 9)
        torch.lgamma(p)
        torch.digamma(p)
        torch.polygamma(2, p)
        torch.mvlgamma(p + 3, 3)
        torch.igamma(q.abs(), p)
        torch.igammac(q.abs(), p)
        torch.i0(x)
        torch.special.i0e(x)
        torch.special.i1(x)
        torch.special.i1e(x)
        ~ torch.special.erfcx(x)
        torch.special.ndtr(x)
        torch.special.ndtri(p / 9)
        torch.special.entr(p)
        torch.special.xlog1py(x, p)
        torch.special.xlog1py(x, 2.0)
        torch.special.xlog1py(2.0, p)
        torch.special.zeta(q.abs() + 2, p)
        torch.special.bessel_j0(x / 9) * x
        torch.special.legendre_polynomial_p(x, 3) * x
        torch.sinc(x)
        torch.logit(p / 9)
        torch.logit(p / 9, 0.1)
    """,
    "broadcasting": """
        x + v
        v + x
        x * s
        s * x
        x / v
        x - s
        x + x[0]
        v * x[:, :1]
        s + t
        u[:, None] * v
        B + A
        B * v[:, None]
        (x + v).sum()
        x ** v.abs()
        torch.where(m, x, v)
        torch.where(m, s, x)
        torch.maximum(x, v)
        x.expand(4, 2, 3) * 2
        torch.broadcast_tensors(x, v)[1]
        x.broadcast_to(2, 2, 3)
        v.expand_as(x)
        torch.lerp(x, v, 0.5)
        torch.addcmul(x, v, s)
        E + v
        (E * v).sum()
    """,
    "reductions": """
        x.sum()
        x.sum(0)
        x.sum((0, 1))
        x.sum(1, keepdim=True)
        x.sum(dtype=torch.float32)
        f.sum(dtype=torch.float64)
        B.sum((0, 2))
        x.mean()
        x.mean(1)
        B.mean((0, 1), keepdim=True)
        x.prod()
        x.prod(1)
        x.var()
        x.var(1)
        x.var(0, unbiased=False)
        x.var(1, correction=0, keepdim=True)
        x.std()
        x.std(1)
        ~ torch.var_mean(x)[0] + torch.var_mean(x)[1]
        a, b = torch.var_mean(x, 1); a * b
        a, b = torch.std_mean(x, 0); a + b
        x.max()
        x.min()
        x.max(1).values
        x.max(1)[0]
        x.min(0, keepdim=True).values
        x.amax(1)
        x.amin()
        x.amax((0, 1))
        x.aminmax().max
        x.aminmax(dim=1).min
        x.median()
        x.median(1).values
        x.nanmedian()
        x.mode(1).values
        x.kthvalue(2, 1).values
        x.logsumexp(1)
        x.logsumexp((0, 1))
        x.cumsum(0)
        ~ x.cumprod(1)
        x.cummax(1).values
        x.cummin(0).values
        ~ x.logcumsumexp(1)
        x.nansum()
        x.nansum(1)
        x.nanmean()
        x.nanmean(1)
        = x.quantile(0.3)
        = x.quantile(0.5, dim=1)
        x.sort(1).values
        x.sort(0, descending=True)[0]
        x.topk(2).values
        x.msort()
        x.argsort(1) * x
        x.diff()
        torch.trapezoid(x)
        torch.cumulative_trapezoid(x)
        x.dist(y)
        ~ torch.cov(x)
        ~ torch.corrcoef(x)
        s.sum()
        s.mean()
        s.max()
        ~ s.prod()
        E.sum()
        E.sum(0)
        E.prod()
        torch.sum(x)
        torch.max(x, y)
        torch.maximum(x, y)
        torch.minimum(x, y)
        torch.fmax(x, y)
        torch.fmin(x, y)
        ~ torch.renorm(x, 2, 0, 1.0)
        x.count_nonzero() * x
    """,
    "norms": """
        x.norm()
        ~ x.norm(p=1)
        ~ x.norm(p=3)
        x.norm(dim=1)
        x.norm(p=2, dim=1, keepdim=True)
        x.norm(p=float('inf'))
        x.norm(p=0)
        x.norm('fro')
        ~ S.norm('nuc')
        torch.norm(x, dim=(0, 1))
        torch.linalg.norm(x)
        ~ torch.linalg.norm(x, ord=1)
        ~ torch.linalg.norm(x, ord=2)
        torch.linalg.norm(x, ord='fro')
        torch.linalg.vector_norm(x)
        ~ torch.linalg.vector_norm(x, 1, dim=1)
        ~ torch.linalg.vector_norm(x, 3)
        torch.linalg.vector_norm(x, float('inf'), dim=0)
        torch.linalg.matrix_norm(x)
        ~ torch.linalg.matrix_norm(S, 'nuc')
        ~ torch.linalg.matrix_norm(S, -1)
        x / x.norm(dim=1, keepdim=True)
        ~ torch.cdist(x, y)
    """,
    "softmax": """
        x.softmax(1)
        x.softmax(0)
        torch.softmax(x, dim=-1)
        x.log_softmax(1)
        torch.log_softmax(x, 0)
        f.softmax(1, dtype=torch.float64)
        s.softmax(0)
        (x.softmax(1) * y).sum()
        -(x.log_softmax(1) * q).sum(1).mean()
        x.exp() / x.exp().sum(1, keepdim=True)
    """,
    "matrix products": """
        u @ v
        x @ v
        v @ A
        x @ A
        B @ C
        ~ A @ C
        x @ B.transpose(1, 2)[0].T
        ~ B @ A.T
        v @ B
        B @ A[0]
        u @ B[0]
        C @ A[:, :].new_ones(5)
        torch.matmul(x, A)
        torch.mm(x, A)
        torch.mv(x, v)
        torch.dot(u, v)
        torch.vdot(u, v)
        torch.inner(u, v)
        ~ torch.inner(x, y)
        torch.outer(u, v)
        torch.bmm(B, C)
        torch.addmm(y, x, S)
        torch.addmm(y, x, S, beta=0.5, alpha=2)
        torch.addmv(u[:2], x, v)
        torch.addr(x, y[:, 0], v)
        torch.baddbmm(B @ C, B, C)
        torch.addbmm(B[0] @ C[0], B, C)
        torch.einsum('ij,kj->ik', x, y)
        torch.einsum('ij,ij->', x, y)
        torch.einsum('bij,bjk->bik', B, C)
        torch.einsum('ii->i', S)
        torch.einsum('i,j', u, v)
        torch.einsum('ij->ji', x)
        torch.tensordot(x, A, 1)
        torch.tensordot(B, C, dims=([0, 2], [0, 1]))
        torch.chain_matmul(x, S, A)
        torch.linalg.multi_dot([x, S, A])
        torch.linalg.multi_dot([v, S, u])
        torch.kron(x, y)
        torch.cross(x, y, dim=1)
        torch.linalg.cross(x, y)
        torch.linalg.vecdot(x, y)
        torch.matrix_power(S, 2)
        torch.matrix_power(S, 3)
        torch.matrix_power(P, -1)
        ~ torch.matrix_exp(S / 4)
        ~ x @ x.T
        ~ x.mm(x.t())
        ~ (x @ A).relu() @ A.T
        x.mT
        ~ x.T @ x
        torch.linalg.matmul(x, A)
    """,
    "linear algebra": """
        torch.linalg.inv(P)
        P.inverse()
        ~ torch.linalg.det(P)
        ~ P.det()
        ~ P.logdet()
        ~ torch.linalg.slogdet(P)[1]
        ~ P.slogdet().logabsdet
        ~ torch.linalg.solve(P, v)
        torch.linalg.solve(P, A)
        ~ torch.linalg.cholesky(P)
        ~ torch.linalg.cholesky(P).logdet()
        ~ torch.linalg.eigvalsh(P)
        ~ torch.linalg.eigh(P)[0]
        ~ torch.linalg.svdvals(x)
        ~ torch.linalg.svd(x, full_matrices=False)[1]
        ~ torch.linalg.qr(S)[0]
        ~ torch.linalg.qr(S)[1]
        ~ torch.linalg.pinv(x)
        torch.linalg.solve_triangular(P.triu(), A, upper=True)
        ~ torch.linalg.lu_factor(P)[0]
        ~ torch.cholesky_solve(A, torch.linalg.cholesky(P))
        ~ torch.cholesky_inverse(torch.linalg.cholesky(P))
        = torch.linalg.tensorinv(P.reshape(3, 3), ind=1)
        torch.trace(S)
        torch.linalg.matrix_power(P, 2)
        ~ torch.linalg.lstsq(P, A).solution
    """,
    "views": """
        x.view(3, 2)
        x.view(-1)
        x.reshape(3, 2)
        x.T.reshape(2, 3)
        x.T.reshape(6)
        x.flatten()
        x.T.flatten()
        x.ravel()
        B.flatten(1)
        x.transpose(0, 1)
        x.t()
        x.T
        v.t()
        B.permute(2, 0, 1)
        B.mT
        B.movedim(0, 2)
        B.swapaxes(0, 1)
        B.swapdims(0, 1)
        x.unsqueeze(0)
        x.unsqueeze(-1).squeeze(-1)
        x[:, None].squeeze()
        x.unsqueeze(0).squeeze((0,))
        x.unsqueeze(0).squeeze(1)
        x.narrow(1, 0, 2)
        x.select(0, 1)
        x.expand(2, 3)
        x.expand(2, 2, 3)
        v.expand(2, -1)
        S.diagonal()
        torch.diag(S)
        torch.diag(v)
        torch.diag_embed(x)
        x.diagonal(1)
        B.unflatten(2, (2, 2))
        x.unfold(1, 2, 1)
        x.as_strided((2, 2), (1, 2))
        x.view_as(y)
        x.reshape_as(y)
        x.contiguous()
        x.T.contiguous()
        x.clone()
        x.detach() * y
        x.data * y
        torch.atleast_2d(v)
        torch.atleast_3d(s)
        torch.atleast_1d(s)
        x.chunk(2)[1]
        x.split(1)[0]
        x.split([1, 2], 1)[1]
        x.unbind()[0]
        x.unbind(1)[2] * x.unbind(1)[0]
        a, b = x; a * b
        sum(row for row in x)
        x.tensor_split(2, 1)[0]
        x.hsplit(3)[2]
        x.vsplit(2)[0]
        B.dsplit(2)[1]
        x.flip(0)
        x.fliplr()
        x.flipud()
        x.roll(1, 0)
        x.roll(1)
        x.rot90()
        x.tile(2)
        x.tile(2, 1)
        x.repeat(2, 1)
        x.repeat_interleave(2)
        x.repeat_interleave(2, 0)
        x.triu()
        x.tril(-1)
        S.tril()
        x.squeeze()
        x.swapaxes(0, 1).reshape(-1)
        torch.ravel(x)
        torch.real(c)
        torch.imag(c)
        torch.view_as_real(c)
        torch.view_as_complex(B[0, :, :2])
        c.mH
        x.H
        c.conj()
        c.adjoint()
        x.view(2, 3).view(6).view(3, 2)
        x.movedim(0, 1)
        B.transpose(0, 1).transpose(1, 2)
    """,
    "indexing": """
        x[0]
        x[-1]
        x[:, 1]
        x[0, 1]
        x[0][1]
        x[:]
        x[...]
        x[..., 0]
        x[1:]
        x[:, 1:]
        x[0:1, 1:]
        x[:, ::2]
        x[None]
        x[:, None]
        x[None, :, None, 1]
        B[0, 1]
        B[:, 1, 2]
        B[0, :, 1:3]
        B[..., 1]
        B[:, None, 1]
        v[1]
        s[()]
        s[None]
        v[i]
        x[:, i]
        x[0, i]
        x[[0, 1, 0]]
        x[[0, 1], [2, 0]]
        x[i % 2, i]
        x[m]
        x[m[:, 0]]
        x[x > 0]
        B[:, i, :2]
        B[0, i]
        B[i % 2, :, i]
        x[torch.tensor(1)]
        x[True]
        x[:, [True, False, True]]
        x.index_select(1, i)
        x.gather(1, i[None, :])
        x.gather(0, (i % 2)[None])
        x.take(i)
        x.take_along_dim(i[None, :], 1)
        x.masked_select(m)
        x.masked_fill(m, 0.5)
        x.masked_fill(m, s)
        x.masked_scatter(m, y)
        x.index_add(1, i, x)
        x.index_add(1, i, y, alpha=2)
        x.index_copy(1, i[:2], y[:, :2])
        x.index_fill(1, i, 2.0)
        x.index_fill(1, i, s)
        x.index_put((i % 2, i), v)
        x.index_put((i % 2, i), v, accumulate=True)
        x.scatter(1, i[None, :2], y[:1, :2])
        x.scatter(1, i[None, :2], 3.0)
        x.scatter_add(1, i[None], y[1:])
        x.put(i, v)
        x.put(i, v, accumulate=True)
        x.select_scatter(v, 0, 1)
        x.slice_scatter(y[:, :1], 1, 1, 2)
        S.diagonal_scatter(v)
        torch.where(m, x, y)
        torch.where(m, x, 0.0)
        torch.where(m, 1.0, y)
        torch.where(x > 0, x, -x)
        x.where(m, y)
        x.clamp(0, 1)
        x.clamp(min=0)
        x.clamp(max=0.5)
        x.clamp(y, p + 2)
        x.clamp(min=y)
        x.clip(-1, 1)
        x.clamp_min(0)
        x.clamp_max(0.1)
        x.nonzero().sum() * x
        x[0].sum() + x[1].sum()
        torch.index_select(x, 0, torch.tensor([1, 1]))
        x.scatter_reduce(1, i[None], y[:1], 'sum')
        x.scatter_reduce(1, i[None], y[:1], 'amax')
        x.scatter_reduce(1, i[None], y[:1], 'mean')
        x.index_reduce(1, i, y, 'mean')
    """,
    "joining": """
        torch.cat([x, y])
        torch.cat([x, y, x], 1)
        torch.cat([x, q])
        torch.cat([q, x[0:1]])
        torch.cat([x, f])
        torch.stack([x, y])
        torch.stack([s, t])
        torch.stack([x, y], -1)
        torch.stack([x[0], x[1]])
        torch.hstack([x, y])
        torch.hstack([u, v])
        torch.vstack([u, v])
        torch.vstack([x, v])
        torch.dstack([x, y])
        torch.column_stack([u, v])
        torch.cat([E, x])
        torch.block_diag(x, S)
        torch.cartesian_prod(u, v)
        torch.meshgrid(u, v, indexing='ij')[0]
        torch.combinations(v)
        torch.tensor_split(torch.cat([x, y]), 2)[0]
        torch.cat(torch.split(x, 1)[::-1])
    """,
    "in place": """
        z = x.clone(); z.add_(1); z
        z = x.clone(); z += y; z
        ~ z = x * 1; z *= y; z
        z = x.clone(); z -= 1; z
        ~ z = x.clone(); z /= y; z
        ~ z = p.clone(); z **= 2; z
        z = x.clone(); z.mul_(z); z
        z = x.exp(); z.neg_(); z
        z = x.clone(); z.exp_(); z
        z = x.clone(); z.relu_(); z
        z = x.clone(); z.clamp_(min=0); z
        z = x.clone(); z.zero_(); z
        z = x.clone(); z.zero_(); z + x
        z = x.clone(); z.fill_(2); z
        z = x.clone(); z.fill_(s); z
        z = x.clone(); z.copy_(y); z
        z = x.clone(); z.copy_(v); z
        z = x.clone(); z[0] = 1; z
        z = x.clone(); z[0] = v; z
        z = x.clone(); z[0, 1] = s; z
        z = x.clone(); z[:, 1:] = y[:, :2]; z
        z = x.clone(); z[:, 1] *= 2; z
        z = x.clone(); z[0] += v; z
        z = x.clone(); z[m] = 0; z
        z = x.clone(); z[m] = s; z
        z = x.clone(); z[i % 2, i] = v; z
        z = x.clone(); z[:, i] = y; z
        z = x.clone(); z[...] = y; z
        z = x.clone(); z[:] = 3; z
        z = torch.zeros(2, 3, dtype=torch.float64); z[0] = v; z
        z = torch.zeros(2, 3, dtype=torch.float64); z[0] = v; z[1] = u; z
        z = torch.zeros(2, 3, dtype=torch.float64); z.add_(x); z
        ~ z = torch.zeros(2, 3, dtype=torch.float64); z.copy_(x); z.mul_(y); z
        z = torch.ones(2, 3, dtype=torch.float64); z[:, 0] = x[:, 1]; z * y
        z = x.clone(); a = z[0]; a.mul_(2); z
        z = x.clone(); a = z[0]; a.mul_(2); a
        ~ z = x.clone(); a = z[0]; z.mul_(y); a
        z = x.clone(); a = z.view(3, 2); a[0] = 5; z
        z = x.clone(); a = z.t(); a.add_(y.t()); z
        z = x.clone(); a = z[:, 1:]; a[0] = 7; z
        ~ z = x.clone(); a = z[:, 1:][0]; a *= s; z
        z = x.clone(); z[0].exp_(); z
        z = x.clone(); z.t_(); z
        z = x.clone(); z.unsqueeze_(0); z
        z = x.clone(); z.transpose_(0, 1); z
        z = x.unsqueeze(0).clone(); z.squeeze_(); z
        z = x.clone(); z.masked_fill_(m, 0); z
        z = x.clone(); z.index_fill_(1, i, 0); z
        z = x.clone(); z.index_add_(1, i, y); z
        z = x.clone(); z.index_copy_(1, i[:2], y[:, :2]); z
        z = x.clone(); z.index_put_((i % 2, i), v, accumulate=True); z
        z = x.clone(); z.scatter_(1, i[None, :2], y[:1, :2]); z
        z = x.clone(); z.scatter_add_(1, i[None], y[:1]); z
        z = x.clone(); z.masked_scatter_(m, y); z
        z = x.clone(); z.addcmul_(y, p); z
        z = x.clone(); z.addcdiv_(y, p, value=0.1); z
        z = x.clone(); z.addmm_(y @ S, S); z
        z = x.clone(); z.lerp_(y, 0.25); z
        ~ z = x.clone(); z.pow_(3); z
        z = p.clone(); z.sqrt_(); z
        ~ z = p.clone(); z.log_(); z
        z = x.clone(); z.sigmoid_(); z
        z = x.clone(); z.tanh_(); z
        z = x.clone(); z.triu_(); z
        z = x.clone(); z.cumsum_(1); z
        z = x.clone(); z.sub_(y, alpha=2); z
        z = x.clone(); z.div_(2); z
        z = x.clone(); z.floor_(); z
        z = x.clone(); z.remainder_(0.7); z
        z = x.clone(); z.detach_(); z * y
        z = x * 2; b = z.exp(); z.add_(1); b + z
        z = x.clone(); z.diagonal().zero_(); z
        z = S.clone(); z.diagonal().add_(v); z
        z = S.clone(); z.fill_diagonal_(0); z
        z = x.clone(); z[0], z[1] = z[1].clone(), z[0].clone(); z
        z = x.clone(); z.view(-1)[i] = v; z
        z = x.clone(); z.t()[i] = y.t(); z
        x.detach().add_(1); x * y
        torch.set_grad_enabled(False); x.add_(1); torch.set_grad_enabled(True); x * y
        z = x.clone(); z.copy_(f); z
        z = f.clone(); z.copy_(x); z
        z = f.clone(); z.add_(x); z
        z = x.clone(); z.add_(f); z
        ~ z = c.clone(); z.mul_(x); z
        z = x.clone(); w = z * z; z = z + 1; w + z
        z = x.clone(); a, b = z[0], z[1]; a.mul_(b); z
        z = x.clone(); z.normal_(); z * 0
        z = x.clone(); z.bernoulli_(0.0); z
        z = x.clone(); z.uniform_(1, 1); z + x
    """,
    "layers": """
        ~ torch.conv2d(image, kernel)
        ~ torch.conv2d(image, kernel, bias)
        ~ torch.conv2d(image, kernel, bias, stride=2, padding=1)
        ~ torch.conv2d(image, kernel, bias, dilation=2)
        ~ torch.nn.functional.conv2d(image, kernel[:, :1], bias, groups=2)
        ~ torch.nn.functional.conv2d(image, kernel, padding='same')
        ~ torch.conv1d(B, B[:, :, :2])
        ~ torch.conv1d(x[None], S[:, :2, None])
        ~ torch.conv_transpose2d(image, kernel, bias)
        ~ torch.conv_transpose1d(x[None], A[:2, None, :], stride=2)
        torch.nn.functional.relu(x)
        ~ torch.nn.functional.leaky_relu(x)
        ~ torch.nn.functional.elu(x)
        ~ torch.nn.functional.softplus(x)
        ~ torch.nn.functional.silu(x)
        ~ torch.nn.functional.mse_loss(x, y)
        ~ torch.nn.functional.mse_loss(x, y, reduction='sum')
        ~ torch.nn.functional.max_pool2d(image, 2)
        ~ torch.nn.functional.avg_pool2d(image, 2)
        torch.nn.functional.pad(x, (1, 1))
        ~ torch.nn.functional.pad(image, (1, 1, 1, 1), mode='reflect')
        torch.nn.functional.dropout(x, 0.0)
        torch.nn.functional.dropout(x, 0.5, training=False)
        ~ torch.nn.functional.logsigmoid(x)
        ~ torch.nn.functional.hardtanh(x)
        ~ torch.nn.functional.relu6(x)
    """,
    "dtypes": """
        x.float()
        x.float() * f
        x * f
        f * 2.5
        f + s
        x.to(torch.float32)
        x.to(torch.float64)
        x.double()
        f.double() * x
        x.half().double()
        x.bfloat16().double()
        x.type(torch.float32)
        x.to(f)
        f.to(x)
        x + i
        i * x
        i / s
        x * m
        x.to(torch.complex128)
        x * 1j
        x + c
        ~ f * c
        x.type_as(f)
        x.to(torch.float32).sum().double() + s
        torch.where(m, x, f)
        x.sum() * f
        f * x.sum()
        (x > 0).double() * x
        x.cpu()
        x.to('cpu')
        x.int() * s
        ~ f.pow(x)
        torch.cat([f, x]).sum()
        torch.stack([f, x])
        f @ A.float()
    """,
    "complex": """
        c + d
        c - d
        c * d
        c / d
        ~ c * x
        ~ x / c
        c ** 2
        c ** d
        c * 2j
        2j - c
        c.abs()
        ~ c.angle()
        c.real
        c.imag
        c.conj() * c
        c.exp()
        c.log()
        c.sqrt()
        c.sin()
        c.cosh()
        c.tanh()
        c.sum()
        c.mean(0)
        c.prod()
        ~ c @ d.T
        ~ c.conj().T @ d
        ~ c.mH @ d
        torch.complex(x, y)
        ~ torch.polar(p, x)
        c.norm()
        torch.linalg.vector_norm(c)
        c.abs().sum()
        (c * c.conj()).real.sum()
        ~ c.sgn()
        c.reciprocal()
        c[0]
        c[:, i]
        e * c
        c.t().reshape(2, 3)
        c.square()
        torch.fft.fft(x)
        torch.fft.ifft(c).real
        ~ torch.fft.rfft(x).abs()
        torch.fft.irfft(c, 4)
        torch.vdot(c[0], d[0])
        torch.dot(c[0], d[0])
        z = c.clone(); z.real.mul_(2); z
        z = c.clone(); z.imag = x; z
        = c.conj().resolve_conj()
        c.cumsum(1)
        c.var()
        c.to(torch.complex64)
    """,
    "custom functions": """
        Exp.apply(x)
        Exp.apply(x * 2) + x
        Mul.apply(x, y)
        Mul.apply(x, 3.0)
        Mul.apply(x, q)
        Pair.apply(x)[0]
        Pair.apply(x)[1] * Pair.apply(x)[0]
        a, b = Pair.apply(x); a * b
        Identity.apply(x) * 2
        Double.apply(x.clone())
        Separate.apply(x, y)
        Scale.apply(x, 2.0).sum()
    """,
    "gradients of gradients": """
        grad(x ** 2, x)
        grad(x ** 3, x)
        grad(grad(x ** 4, x), x)
        grad(x * y, x)
        grad(x * x, x)
        grad(x.exp(), x)
        grad(x.sin(), x)
        grad(grad(x.sin(), x), x)
        grad(x.tanh(), x)
        grad(x.sigmoid(), x)
        grad(p.log(), p)
        grad(p.sqrt(), p)
        grad(x / y, y)
        grad(1 / x, x)
        grad(x @ A, A)
        grad(x @ A, x)
        grad(u @ v, u)
        grad((x * v).sum(), v)
        grad((x + v).exp(), v)
        grad(x.sum() ** 2, x)
        grad(x.mean() * x, x)
        grad(x.prod(), x)
        grad(x.relu() * x, x)
        grad(x.abs() * x, x)
        grad(x[0] ** 2, x)
        grad(x[:, i] ** 2, x)
        grad(x.view(-1) ** 2, x)
        = grad(x.t() @ x, x)
        grad(torch.cat([x, x * y]).sin(), x)
        grad(torch.stack([s, t]).prod(), s)
        ~ grad(x.softmax(1) * y, x)
        ~ grad(x.log_softmax(1) * y, x)
        grad(x.logsumexp(1), x)
        grad(x.norm(), x)
        grad(x.var(1), x)
        grad(x.max(1).values ** 2, x)
        grad(torch.where(m, x * x, x), x)
        grad(x.clamp(-0.5, 0.5) ** 2, x)
        grad(B @ C, B)
        ~ grad(torch.linalg.inv(P), P)
        = grad(torch.linalg.det(P), P)
        = grad(P.logdet(), P)
        grad(p.pow(y), y)
        grad(p.pow(y), p)
        grad(2 ** x, x)
        grad(x.float().sin(), x)
        grad(c * c.conj(), c)
        ~ grad(c.abs(), c)
        grad(torch.atan2(x, y), x)
        = grad(x.cumsum(0) ** 2, x)
        grad(torch.einsum('ij,kj->ik', x, y), x)
        grad(Exp.apply(x), x)
        grad(Mul.apply(x, y), x)
        ~ z = x.clone(); z[0] = v * v; grad(z ** 2, v)
        ~ z = x.clone(); z.mul_(y); grad(z ** 2, x)
        ~ z = x.clone(); z[0].mul_(v); grad(z * z, x)
        = grad(torch.nn.functional.mse_loss(x, y), x)
        grad(torch.addmm(y, x, S), x)
        grad((x * s).sum() * s, s)
        (x ** 2).sum().backward(create_graph=True); x.grad * 1
    """,
}

FUNCTIONS = """
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        out = a.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * out


class Mul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b if isinstance(b, torch.Tensor) else None)
        ctx.number = b
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * (ctx.number if b is None else b), g * a if ctx.needs_input_grad[1] else None


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2, a * a

    @staticmethod
    def backward(ctx, g, h):
        (a,) = ctx.saved_tensors
        return g * 2 + h * 2 * a


class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a

    @staticmethod
    def backward(ctx, g):
        return g * 1


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Separate(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, factor):
        ctx.factor = factor
        return a * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None
"""
