"""The grammar of the random programs of differential.py, as data.

A line is a step of a program with holes in braces. ``{a}`` is a tensor of the program, ``{a:float 2d}`` one that has these
properties (KINDS of differential_programs.py); the other holes are what fits to it (HOLES there). A section's number says
how often its lines are taken.

What ARCHITECTURE.md, section 8, lists as different is left out: lazy conjugates (``conj``, ``mH``, ``adjoint``, ``H``; there
is ``conj_physical``), and what ``kron`` has of tensors that are strided or written later. So is what PyTorch leaves
undefined: memory that is not initialised, numbers that their new dtype cannot hold, shifts by more bits than there are,
which of equal elements comes first, signs and phases of factors, arithmetic of infinite complex numbers, gradients of
running products with infinity (PyTorch divides by the factor again), gradients of singular values at matrices of lower rank,
and writes that read what they have written: of tensors that overlap in part, unless both are dense.

So is what depends on how PyTorch was built, and for which processor: the bits of a nan (numbers seen as others), the
gradients at nan of functions in pieces, which differ between the vectors of a large tensor and the elements that are left
over (``calm``; of those with exponentials the second gradients in any case: ``definite``), gelu of infinity, which is nan
for more than one element, and the mean beside a variance, from which infinity is taken on the way (``bounded``), the strides
of dimensions of one element (``stepped``), the room behind the elements of a result (``strided``), and medians of a line
whose elements lie in one place: PyTorch reads memory behind it (``unexpanded``). The absolute values of complex numbers,
which round as they do, are no norm of infinite order to compare with (``exact``), and the gradient of ``logcumsumexp`` drops
what is nan (``kept``).
"""

UNARY = """
    abs neg positive square sign sgn exp expm1 sin cos tanh sigmoid sqrt rsqrt log log1p reciprocal relu floor ceil trunc
    round frac erf atan asinh sinh cosh tan exp2 log2 log10 deg2rad isnan isfinite isinf signbit logical_not
    conj_physical angle nan_to_num square lgamma sinc acos asin atanh acosh erfc i0
"""
UNARY_IN_PLACE = """
    abs neg square sign sgn exp expm1 sin cos tanh sigmoid sqrt log reciprocal relu floor trunc round frac erf
    logical_not conj_physical nan_to_num log1p exp2 sinh rsqrt zero
"""
ACTIVATIONS = "relu relu6 leaky_relu elu selu celu gelu silu mish softplus hardtanh hardswish hardsigmoid softsign logsigmoid tanhshrink softshrink hardshrink sigmoid tanh"
KIND_FOR = {"gelu": ":bounded", "elu": ":definite", "selu": ":definite", "celu": ":definite"} | dict.fromkeys(
    "relu6 hardtanh hardswish softshrink hardshrink".split(), ":calm"
)
"""Activations that answer nan, or infinity, as a tensor's place in memory happens to be."""
KIND_ALONG = {
    "median": "some unexpanded",
    "nanmedian": "some unexpanded",
    "cumprod": "some bounded",
}
"""Reductions that read what is not theirs, or divide infinity by infinity in their derivative."""
BINARY = """
    add sub mul div true_divide floor_divide remainder fmod pow maximum minimum fmax fmin atan2 hypot logaddexp
    copysign eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor xlogy
    float_power gcd heaviside nextafter
"""
BINARY_IN_PLACE = """
    add sub mul div floor_divide remainder fmod pow copysign eq ne lt ge logical_and logical_or bitwise_and bitwise_xor
    atan2 hypot xlogy float_power true_divide
"""
NO_DERIVATIVE = "floor_divide heaviside bitwise_and bitwise_or bitwise_xor gcd"
"""Functions without a derivative: whether ``out=`` may require grad then depends on how PyTorch was built."""
OPERATORS = "+ - * / // % ** == != < <= > >= & | ^"
OPERATORS_IN_PLACE = "+= -= *= /= //= %= **= &= |= ^="
REDUCTIONS = "sum mean prod amax amin all any var std nansum nanmean logsumexp count_nonzero argmax argmin max min median nanmedian norm"
ALONG_ONE = "argsort cumsum cumprod softmax log_softmax cummax cummin sort flip"

VIEWS = """
    {a}.view({size})
    {a}.view(-1)
    {a}.reshape({size})
    {a}.flatten()
    {a:some}.flatten({dim}, {dim})
    {a}.ravel()
    {a:2d}.transpose({dim}, {dim})
    {a}.permute({order})
    {a:2d}.movedim({dim}, {dim})
    {a:matrix}.t()
    {a:matrix}.T
    {a:2d}.mT
    {a:2d}.swapaxes({dim}, {dim})
    {a}.unsqueeze({newdim})
    {a}.squeeze()
    {a:some}.squeeze({dim})
    {a}.squeeze({dims})
    {a}.expand({wider})
    {a}.broadcast_to({wider})
    {a}.expand_as({tensor})
    {a:some}.select({dim}, {at})
    {a:some}.narrow({dim}, {at}, {count})
    {a:2d}.diagonal()
    {a:2d}.diagonal({int}, {dim}, {dim})
    {a:some}.unfold({dim}, {count}, {step})
    {a:laid}.as_strided({strided})
    {a:some}.chunk({step}, {dim})
    {a:some}.split({step}, {dim})
    {a:some}.unbind({dim})
    {a:some}.unbind({dim})[{at}]
    {a:some}.tensor_split({step}, {dim})
    {a:some}.split_with_sizes({parts}, {dim})
    {a:some}.unflatten({dim}, {unflat})
    {a}.detach()
    {a}.view_as({tensor})
    {a:complex}.real
    {a:complex}.imag
    torch.view_as_real({a:complex})
    {a:laid finite}.view(torch.{bits})
    {a}.contiguous()
    {a}[{basic}]
    {a}[...]
    {a:some}[{slice}]
    {a:some}[{slice}]
    {a:2d}[{slice}, {slice}]
    {a:2d}[:, {slice}]
    {a:2d}[:, {at0}]
    {a}.data
    {a}.alias()
    torch.atleast_2d({a})
    torch.broadcast_tensors({a}, {other})
"""

INDEXING = """
    {a}[{index}]
    {a:some}[{index}]
    {a:some}[{positions0}]
    {a}[{mask}]
    {a:some}.index_select({dim}, {positions})
    {a:some}.gather({dim}, {places})
    {a}.take({everywhere})
    {a}.masked_select({mask})
    torch.take_along_dim({a:some}, {places0}, 0)
    torch.where({mask}, {a}, {other})
    torch.where({mask}, {a}, {number})
    torch.where({mask}, {number}, {a})
    {a}.masked_fill({mask}, {number})
    {a}.nonzero()
    {a:some}.index_add({dim}, {positions}, {source})
    {a:some}.index_copy({dim}, {single}, {source})
    {a:filled some}.index_fill({dim}, {positions}, {number})
    {a:some}.scatter({dim}, {places}, {number})
    {a:some}.scatter_add({dim}, {places}, {beside})
    {a:some}.scatter_reduce({dim}, {places}, {beside}, '{reduce}')
    {a:some}.select_scatter({number0d}, {dim}, {at})
    {a:some}.slice_scatter({same}, {dim})
    {a:2d}.diagonal_scatter({number0d})
    {a}.index_put(({positions0},), {number0d})
    {a}.tril()
    {a:2d}.triu({int})
    {a:some}.roll({int}, {dim})
    {a}.flip({dims})
    {a:2d}.rot90()
    {a}.tile({int})
    {a:some}.repeat_interleave({step}, {dim})
    {a}.repeat({wider})
    torch.diag({a:matrix})
    torch.diag_embed({a:some})
    {a:matrix}.trace()
    torch.nn.functional.pad({a:float some}, (1, {pad}))
    torch.nn.functional.pad({a:float 2d}, ({pad}, 1), mode='{padding}')
    torch.nn.functional.one_hot({a:indices}, 8)
    torch.bucketize({a:real}, torch.tensor([-1.0, 0.0, 2.0]))
"""

WRITES = """
    {a}.add_({other})
    {a}.add_({other}, alpha={number})
    {a}.sub_({number})
    {a}.mul_({other})
    {a}.mul_({number})
    {a}.div_({number})
    {a}.copy_({other})
    {a}.fill_({number})
    {a}.fill_({number0d})
    {a}.zero_()
    {a}.clamp_({real}, 2)
    {a}.clamp_min_({real})
    {a}[{index}] = {number}
    {a}[{index}] = {value}
    {a}[{basic}] = {number}
    {a}[{basic}] = {value}
    {a:some}[{slice}] = {value}
    {a}[{mask}] = {number}
    {a}[{index}] += {number}
    {a:some}[{slice}] *= {number}
    {a:some}[{slice}].add_({number})
    {a:dense some}[1:].add_({a}[:-1])
    {a:some}[0].mul_({number})
    {a:2d}.t().mul_({number})
    {a}.view(-1).mul_({number})
    {a}.detach().add_({number})
    {a}.data.mul_(2)
    {a}.masked_fill_({mask}, {number})
    {a}.masked_fill_({mask}, {number0d})
    {a}.masked_scatter_({mask}, {apart})
    {a:some}.index_add_({dim}, {positions}, {source})
    {a:some}.index_copy_({dim}, {single}, {source})
    {a:filled some}.index_fill_({dim}, {positions}, {number})
    {a}.index_put_(({positions0},), {number0d})
    {a}.index_put_(({positions0},), {number0d}, accumulate=True)
    {a:some}.scatter_({dim}, {places}, {number})
    {a:some}.scatter_({dim}, {places1}, {beside})
    {a:some}.scatter_add_({dim}, {places}, {beside})
    {a}.put_({everywhere}, {number0d})
    {a:2d}.tril_()
    {a:2d}.triu_({int})
    {a:2d}.fill_diagonal_({number})
    {a:free}.t_()
    {a:free}.unsqueeze_({newdim})
    {a:free}.squeeze_()
    {a:free 2d}.transpose_({dim}, {dim})
    {a}.addcmul_({number0d}, {number0d})
    {a}.addcdiv_({other}, {other}, value={number})
    {a}.lerp_({other}, {real})
    {a:some}.cumsum_({dim})
    {viewless}.requires_grad_()
    {a:free}.requires_grad_(False)
    {a:float some}.renorm_(2, {dim}, 1.0)
    torch.add({a}, {other}, out={target})
    torch.mul({a}, {number}, out={target})
    torch.exp({a}, out={target})
    torch.sum({a:some}, {dim}, out={apart})
    torch.cat([{a}, {a}], out={apart})
    torch.matmul({a:matrix laid}, {matrix}, out={apart})
"""

ARITHMETIC = """
    {a} + {other}
    {a} * {other}
    {a} * {number}
    {number} - {a}
    {number} / {a}
    {real} ** {a}
    {a} ** {exponent}
    {a} % {number}
    {a} // {number}
    {a} == {number}
    -{a}
    ~{a}
    {a}.clone()
    torch.add({a}, {other}, alpha={number})
    torch.sub({a}, {number}, alpha=2)
    torch.div({a}, {other}, rounding_mode='{rounding}')
    {a}.clamp({real}, 2)
    {a}.clamp(min={other})
    {a}.clamp(max=1)
    torch.lerp({a:float}, {other}, {real})
    torch.addcmul({a}, {other}, {other})
    torch.addcdiv({a}, {other}, {other}, value=2)
    torch.isclose({a}, {other})
    torch.equal({a}, {other})
    torch.allclose({a}, {other})
    torch.complex({a:wide}, {same})
    torch.polar({a:wide}, {same})
    torch.nn.functional.leaky_relu({a}, {real})
    torch.nn.functional.threshold({a}, 0.5, 3.0)
    torch.nn.functional.hardtanh_({a:calm})
    torch.nn.functional.relu_({a})
    torch.nn.functional.leaky_relu_({a})
    torch.nn.functional.glu({a:float some})
    torch.nn.functional.prelu({a:float}, torch.tensor(0.25))
    torch.nn.functional.mse_loss({a:float}, {other})
    torch.nn.functional.l1_loss({a:float}, {same}, reduction='none')
    torch.nn.functional.smooth_l1_loss({a:float}, {same})
    torch.nn.functional.layer_norm({a:float some}, {last})
    torch.nn.functional.softmax({a:float}, -1, dtype=torch.float64)
    torch.nn.functional.normalize({a:float some}, dim={dim})
    torch.nn.functional.cosine_similarity({a:float some}, {other}, dim={dim})
"""

REDUCING = """
    {a}.sum()
    {a}.mean()
    {a:some}.sum({dim})
    {a}.sum({dims})
    {a:some}.sum({dim}, keepdim=True)
    {a}.sum(dtype=torch.{dtype})
    {a:some}.mean({dims}, keepdim=True)
    {a:some}.prod({dim})
    {a:some}.max({dim})
    {a:some}.min({dim}, keepdim=True)
    {a:some}.var({axes}, correction={pad})
    {a:some}.std({dim}, keepdim=True)
    {a:finite kept some}.logcumsumexp({dim})
    torch.var_mean({a:finite bounded float some}, {axes})
    {a:exact}.norm({order_of_norm})
    {a:exact some}.norm({order_of_norm}, {dim})
    torch.linalg.vector_norm({a:float}, {order_of_norm})
    torch.linalg.norm({a:float matrix}, 'fro')
    {a:some}.amax({dims}, keepdim=True)
    {a:real some}.aminmax(dim={dim})
    {a:some}.topk({count}, {dim})
    {a:some}.kthvalue({count1}, {dim})[0]
    {a:float some}.quantile(0.5, dim={dim})
    {a}.unique()
    {a:some tame}.diff(dim={dim})
    {a}.cumsum({dim}, dtype=torch.{dtype})
    torch.trapezoid({a:some})
    torch.dist({a}, {other})
    {a:some}.softmax({dim}, dtype=torch.{dtype})
    {a}.item()
    {a}.tolist()
    {a:indices}.bincount()
    {a}.isnan().any()
"""

JOINING = """
    torch.cat([{a}, {a}])
    torch.cat([{a:some}, {same}], {dim})
    torch.cat([{a:filled some}, {tensor}], {dim})
    torch.cat([{a:some}, {same}, {a}], dim=-1)
    torch.stack([{a}, {same}], {newdim})
    torch.stack([{a}, {tensor}])
    torch.hstack([{a}, {same}])
    torch.vstack([{a}, {same}])
    torch.column_stack([{a}, {a}])
    torch.block_diag({a}, {tensor})
    torch.meshgrid({a:1d}, {a:1d}, indexing='ij')
    torch.cartesian_prod({a:1d}, {a:1d})
    torch.combinations({a:1d})
"""

LINEAR = """
    {a:matrix} @ {matrix}
    {a:some} @ {vector}
    torch.matmul({a}, {tensor})
    torch.mm({a:matrix}, {matrix})
    torch.mv({a:matrix}, {vector})
    {a:2d} @ {a}.mT
    torch.bmm({a:3d}, {a}.mT)
    torch.dot({a:1d}, {same})
    torch.outer({a:1d}, {tensor})
    torch.einsum('ij,kj->ik', {a:matrix}, {a})
    torch.einsum('i...->...', {a:some})
    torch.tensordot({a}, {same}, {pad})
    torch.kron({a}.clone({dense}), {number0d})
    torch.linalg.det({square})
    torch.linalg.inv({square})
    torch.linalg.solve({square}, {a:matrix})
    torch.linalg.slogdet({square})
    torch.linalg.cholesky({positive})
    torch.linalg.eigvalsh({positive})
    torch.linalg.svdvals({square})
    torch.linalg.matrix_power({square}, {int})
    torch.linalg.matrix_norm({a:float 2d})
    torch.cdist({a:matrix}, {a})
    torch.addmm({number0d}, {a:matrix}, {matrix}, beta={real})
    torch.addmm({number0d}, {a:matrix}, {matrix}, alpha={real})
    torch.baddbmm({number0d}, {a:3d}, {a}.mT)
    torch.nn.functional.linear({a:some}, {weight})
    torch.nn.functional.linear({a:some}, {weight}, {number0d})
    torch.nn.functional.conv1d({a:real 3d filled}, {kernel})
    torch.nn.functional.max_pool1d({a:3d}, 1)
    torch.nn.functional.avg_pool1d({a:3d}, 1)
    torch.nn.functional.bilinear({a:filled matrix}, {a}, torch.ones(2, {width}, {width}, dtype={a}.dtype))
"""

CASTS = """
    {a:small}.to(torch.{dtype})
    {a}.float()
    {a}.double()
    {a}.half()
    {a}.bfloat16()
    {a:small}.int()
    {a:small}.long()
    {a}.bool()
    {a:small}.type_as({tensor})
    {a}.cfloat()
    {a}.to({a}.dtype)
    {a}.to(torch.float64, copy=True)
    torch.tensor({a}.tolist())
    torch.zeros_like({a})
    torch.full_like({a}, {number})
    torch.ones_like({a}, dtype=torch.{dtype})
    {a}.new_zeros({newshape})
    {a}.new_full({newshape}, {number})
    {a}.clone().requires_grad_()
    {a}.detach().clone().requires_grad_()
    torch.result_type({a}, {tensor})
    torch.result_type({a}, {number})
    {a}.is_contiguous()
    {a:stepped}.stride()
    {a:laid}.storage_offset()
    {a}.clone(memory_format=torch.contiguous_format)
    torch.tensor({number}, dtype=torch.{dtype})
    torch.nn.Parameter({a})
"""

AUTOGRAD = """
    {a:requires}.sum().backward()
    {a:requires}.sum().backward(retain_graph=True)
    {a:requires}.sum().backward(create_graph=True)
    {a:requires}.backward()
    {a:requires}.backward({like})
    {a:requires}.backward({like}, retain_graph=True, inputs=[{leaf}])
    {a:requires}.backward({like}, create_graph=True)
    torch.autograd.grad({a:requires}.sum(), {leaf})[0].clone({dense})
    torch.autograd.grad({a:requires}.sum(), {leaf}, create_graph=True)[0].clone({dense})
    torch.autograd.grad({a:requires}.sum(), {leaf}, create_graph=True, allow_unused=True)[0].clone({dense})
    torch.autograd.grad({a:requires}, {leaf}, {like}, create_graph=True)[0].clone({dense})
    torch.autograd.grad({a:requires}, {leaf}, {like}, retain_graph=True, materialize_grads=True)[0].clone({dense})
    torch.autograd.grad([{a:requires}, {tensor}], [{leaf}, {tensor}], [{like}, None], allow_unused=True, retain_graph=True)[0].clone({dense})
    torch.autograd.grad({a:requires}.abs().square().sum(), {tensor}, create_graph=True)[0].clone({dense})
    torch.autograd.grad({a:requires}.sum(), [])
    {a:requires}.retain_grad()
    {a}.grad.clone({dense})
    {leaf}.grad = None
    {a:requires}.is_leaf
    {a:requires}.requires_grad
    {a}.grad.zero_()
    {a}.grad.mul_(2)
    {leaf}.grad.clone({dense})
"""

SECTIONS = {
    "VIEWS": (26, VIEWS),
    "INDEXING": (10, INDEXING),
    "WRITES": (24, WRITES),
    "ARITHMETIC": (8, ARITHMETIC),
    "UNARY": (4, [f"{{a}}.{name}()" for name in UNARY.split()]),
    "UNARY_IN_PLACE": (3, [f"{{a}}.{name}_()" for name in UNARY_IN_PLACE.split()]),
    "ACTIVATIONS": (2, [f"torch.nn.functional.{name}({{a{KIND_FOR.get(name, '')}}})" for name in ACTIVATIONS.split()]),
    "BINARY": (4, [f"torch.{name}({{a:tame}}, {{other}})" for name in BINARY.split()]),
    "BINARY_IN_PLACE": (3, [f"{{a}}.{name}_({{other}})" for name in BINARY_IN_PLACE.split()]),
    "OPERATORS": (3, [f"{{a:tame}} {sign} {{other}}" for sign in OPERATORS.split()]),
    "OPERATORS_IN_PLACE": (2, [f"{{a}} {sign} {{other}}" for sign in OPERATORS_IN_PLACE.split()]),
    "OUT": (1, [f"torch.{name}({{a}}, {{other}}, out={{target}})" for name in BINARY.split() if name not in NO_DERIVATIVE]),
    "REDUCTIONS": (2, [f"{{a}}.{name}()" for name in REDUCTIONS.split()]),
    "ALONG": (2, [f"{{a:{KIND_ALONG.get(name, 'some')}}}.{name}({{dim}})" for name in (REDUCTIONS + " " + ALONG_ONE).split() if name != "norm"]),
    "REDUCING": (4, REDUCING),
    "JOINING": (4, JOINING),
    "LINEAR": (5, LINEAR),
    "CASTS": (6, CASTS),
    "AUTOGRAD": (14, AUTOGRAD),
}  # fmt: skip

DTYPES = {
    "float32": 10, "float64": 7, "int64": 3, "bool": 2, "complex64": 2, "int32": 1, "uint8": 2, "int16": 1, "int8": 1,
    "float16": 2, "bfloat16": 2, "complex128": 2,
}  # fmt: skip
SHAPES = {
    (3,): 4, (2, 3): 6, (): 3, (2, 2): 3, (2,): 2, (1,): 2, (3, 1): 2, (1, 3): 2, (2, 3, 2): 3, (3, 3): 2, (4,): 1,
    (2, 1, 3): 2, (0,): 1, (2, 0): 1, (0, 3): 1, (2, 2, 1, 3): 2, (1, 2, 3, 2): 1, (1, 1): 1, (2, 0, 3): 1, (4, 2): 1,
}  # fmt: skip
NUMBERS = ["2", "-1", "0.5", "-1.5", "0", "3", "1.0", "True", "1j", "2 - 1j", "False", "7", "float('nan')"]
