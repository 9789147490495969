"""The signatures of functions that have several: what PyTorch prints when arguments fit none of them.

The name of a method that is no function begins with ``Tensor.``; methods and in-place forms of functions follow from
the functions.  ``tuple of ints[1]`` may also be one int, ``Tensor~`` a number, and a kind with a question mark None: these
marks are not printed.  Forms of ``old``, in which numbers stand before the tensors that they multiply, still work and are
not printed, either; three dots stand for some that do not.

A function that is not here has the one signature of its Python function; the kinds of its parameters follow from their
names (``KINDS``).  This file is read when a call has failed, or has more arguments than its function.
"""

import re
from functools import cache

from tensh.engine.arguments.signatures import OLD, Form

OVERLOADS = """
adaptive_max_pool1d
    (Tensor input, tuple of ints[1] output_size)
add sub
    (Tensor~ input, Tensor~ other, *, Number alpha = 1, Tensor out = None)
    old (Tensor input, Number alpha, Tensor other, *, Tensor out = None)
addbmm
    (Tensor input, Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    old (Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2, *, Tensor out = None)
    old (Number beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out = None)
addcdiv addcmul
    (Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)
    old (Tensor input, Number value, Tensor tensor1, Tensor tensor2, *, Tensor out = None)
addmm
    (Tensor input, Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    (Tensor input, Tensor mat1, Tensor mat2, torch.dtype out_dtype, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    old (Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2, *, Tensor out = None)
    old (Number beta, Tensor input, Tensor mat1, Tensor mat2, *, Tensor out = None)
addmv
    (Tensor input, Tensor mat, Tensor vec, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    old (Number beta, Tensor input, Number alpha, Tensor mat, Tensor vec, *, Tensor out = None)
    old (Number beta, Tensor input, Tensor mat, Tensor vec, *, Tensor out = None)
addr
    (Tensor input, Tensor vec1, Tensor vec2, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    old (Number beta, Tensor input, Number alpha, Tensor vec1, Tensor vec2, *, Tensor out = None)
    old (Number beta, Tensor input, Tensor vec1, Tensor vec2, *, Tensor out = None)
all any
    (Tensor input, *, Tensor out = None)
    (Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)
    (Tensor input, int dim, bool keepdim = False, *, Tensor out = None)
amax amin
    (Tensor input, tuple of ints[1] dim = (), bool keepdim = False, *, Tensor out = None)
argsort
    (Tensor input, *, bool stable, int dim = -1, bool descending = False, Tensor out = None)
    (Tensor input, int dim = -1, bool descending = False)
as_strided
    (Tensor input, tuple of ints size, tuple of ints stride, int storage_offset = None)
as_strided_scatter
    (Tensor input, Tensor src, tuple of ints size, tuple of ints stride, int storage_offset = None)
baddbmm
    (Tensor input, Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    (Tensor input, Tensor batch1, Tensor batch2, torch.dtype out_dtype, *, Number beta = 1, Number alpha = 1, Tensor out = None)
    old (Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2, *, Tensor out = None)
    old (Number beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out = None)
bernoulli
    (Tensor input, *, torch.Generator generator = None, Tensor out = None)
    (Tensor input, float p, *, torch.Generator generator = None)
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder
    (Tensor input, Tensor other, *, Tensor out = None)
    (Number self, Tensor other)
    (Tensor input, Number other, *, Tensor out = None)
bmm mm
    (Tensor input, Tensor mat2, *, Tensor out = None)
    (Tensor input, Tensor mat2, torch.dtype out_dtype, *, Tensor out = None)
bucketize
    (Tensor input, Tensor boundaries, *, bool out_int32 = False, bool right = False, Tensor out = None)
    (Number self, Tensor boundaries, *, bool out_int32 = False, bool right = False)
cholesky_inverse
    (Tensor input, bool upper = False, *, Tensor out = None)
cholesky_solve
    (Tensor input, Tensor input2, bool upper = False, *, Tensor out = None)
clamp clip
    (Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)
    (Tensor input, Number min = None, Number max = None, *, Tensor out = None)
clamp_max
    (Tensor input, Tensor max, *, Tensor out = None)
    (Tensor input, Number max, *, Tensor out = None)
clamp_min
    (Tensor input, Tensor min, *, Tensor out = None)
    (Tensor input, Number min, *, Tensor out = None)
conv1d conv2d conv3d
    (Tensor input, Tensor weight, Tensor bias = None, tuple of ints[1] stride = 1, tuple of ints[1] padding = 0, tuple of ints[1] dilation = 1, int groups = 1)
    (Tensor input, Tensor weight, Tensor bias = None, tuple of ints[1] stride = 1, str padding = "valid", tuple of ints[1] dilation = 1, int groups = 1)
conv_tbc
    (Tensor input, Tensor weight, Tensor bias, int pad = 0)
convolution
    (Tensor input, Tensor weight, Tensor? bias, tuple of ints stride, tuple of ints padding, tuple of ints dilation, bool transposed, tuple of ints output_padding, int groups)
copysign eq fmod ge greater greater_equal gt le less less_equal lt ne not_equal
    (Tensor input, Tensor other, *, Tensor out = None)
    (Tensor input, Number other, *, Tensor out = None)
count_nonzero
    (Tensor input, int dim = None)
    (Tensor input, tuple of ints dim)
cumulative_trapezoid trapezoid
    (Tensor y, Tensor x, *, int dim = -1)
    (Tensor y, *, Number dx = 1, int dim = -1)
dist
    (Tensor input, Tensor other, Number p = 2)
div
    (Tensor~ input, Tensor~ other, *, Tensor out = None)
    (Tensor~ input, Tensor~ other, *, str rounding_mode, Tensor out = None)
    (Tensor~ input, Number other, *, str rounding_mode)
divide
    (Tensor~ input, Tensor~ other, *, Tensor out = None)
    (Tensor~ input, Tensor~ other, *, str rounding_mode, Tensor out = None)
    (Tensor~ input, Number other)
    (Tensor~ input, Number other, *, str rounding_mode)
dsplit hsplit vsplit
    (Tensor input, int sections)
    (Tensor input, tuple of ints indices)
fill
    (Tensor input, Tensor value)
    (Tensor input, Number value)
float_power pow
    (Tensor input, Tensor exponent, *, Tensor out = None)
    (Number self, Tensor exponent, *, Tensor out = None)
    (Tensor input, Number exponent, *, Tensor out = None)
floor_divide multiply true_divide
    (Tensor~ input, Tensor~ other, *, Tensor out = None)
    (Tensor~ input, Number other)
from_file
    (str filename, bool shared = None, int size = 0, *, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False)
gradient
    (Tensor input, *, tuple of ints dim, int edge_order = 1)
    (Tensor input, *, Number spacing, tuple of ints dim, int edge_order = 1)
    (Tensor input, *, Number spacing = None, int dim = None, int edge_order = 1)
    (Tensor input, *, tuple of Scalars spacing, int dim = None, int edge_order = 1)
    (Tensor input, *, tuple of Scalars spacing, tuple of ints dim, int edge_order = 1)
    (Tensor input, *, tuple of Tensors spacing, int dim = None, int edge_order = 1)
    (Tensor input, *, tuple of Tensors spacing, tuple of ints dim, int edge_order = 1)
hash_tensor
    (Tensor input, tuple of ints[1] dim = (), *, bool keepdim = False, int mode = 0, Tensor out = None)
histogram
    (Tensor input, Tensor bins, *, Tensor weight = None, bool density = False, tuple of Tensors out = None)
    (Tensor input, int bins = 100, *, tuple of floats range = None, Tensor weight = None, bool density = False, tuple of Tensors out = None)
histogramdd
    (Tensor input, int bins, tuple of floats range = None, Tensor weight = None, bool density = False)
    (Tensor input, tuple of ints bins, tuple of floats range = None, Tensor weight = None, bool density = False)
    (Tensor input, tuple of Tensors bins, tuple of floats range = None, Tensor weight = None, bool density = False)
index_put
    (Tensor input, tuple of Tensors indices, Tensor values, bool accumulate = False)
isin
    (Tensor elements, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None)
    (Number element, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None)
    (Tensor elements, Number test_element, *, bool assume_unique = False, bool invert = False, Tensor out = None)
lerp
    (Tensor input, Tensor end, Tensor weight, *, Tensor out = None)
    (Tensor input, Tensor end, Number weight, *, Tensor out = None)
linalg_cond
    (Tensor input, Number p = None, *, Tensor out = None)
    (Tensor input, str p, *, Tensor out = None)
linalg_matrix_norm
    (Tensor input, Number ord, tuple of ints dim = {-2,-1}, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
    (Tensor input, str ord = "fro", tuple of ints dim = {-2,-1}, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
linalg_matrix_rank
    (Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)
    (Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)
    (Tensor input, Tensor tol, bool hermitian = False, *, Tensor out = None)
    (Tensor input, float tol, bool hermitian = False, *, Tensor out = None)
linalg_norm
    (Tensor input, Number ord = None, tuple of ints dim = None, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
    (Tensor input, str ord, tuple of ints dim = None, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
linalg_pinv
    (Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)
    (Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)
    (Tensor input, Tensor rcond, bool hermitian = False, *, Tensor out = None)
    (Tensor input, float rcond, bool hermitian = False, *, Tensor out = None)
logsumexp
    (Tensor input, tuple of ints[1] dim, bool keepdim = False, *, Tensor out = None)
masked_fill
    (Tensor input, Tensor mask, Tensor value)
    (Tensor input, Tensor mask, Number value)
max min
    (Tensor input, *, Tensor out = None)
    (Tensor input, Tensor other, *, Tensor out = None)
    (Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)
mean
    (Tensor input, *, torch.dtype dtype = None, Tensor out = None)
    (Tensor input, tuple of ints[1]? dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
median nanmedian
    (Tensor input)
    (Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)
moveaxis movedim
    (Tensor input, int source, int destination)
    (Tensor input, tuple of ints source, tuple of ints destination)
mvlgamma
    (Tensor input, int p, *, Tensor out = None)
nanmean nansum
    (Tensor input, tuple of ints[1]? dim = None, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
nanquantile quantile
    (Tensor input, Tensor q, int dim = None, bool keepdim = False, *, str interpolation = "linear", Tensor out = None)
    (Tensor input, float q, int dim = None, bool keepdim = False, *, str interpolation = "linear", Tensor out = None)
narrow
    (Tensor input, int dim, Tensor start, int length)
    (Tensor input, int dim, int start, int length)
nonzero_static
    (Tensor input, *, int size, int fill_value = -1, Tensor out = None)
orgqr
    (Tensor input, Tensor input2, *, Tensor out = None)
ormqr
    (Tensor input, Tensor input2, Tensor input3, bool left = True, bool transpose = False, *, Tensor out = None)
prod
    (Tensor input, *, torch.dtype dtype = None)
    (Tensor input, int dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
renorm
    (Tensor input, Number p, int dim, Number maxnorm, *, Tensor out = None)
repeat_interleave
    (Tensor input, Tensor repeats, int dim = None, *, int output_size = None)
    (Tensor repeats, *, int output_size = None)
    (Tensor input, int repeats, int dim = None, *, int output_size = None)
roll
    (Tensor input, tuple of ints[1] shifts, tuple of ints[1] dims = ())
round
    (Tensor input, *, Tensor out = None)
    (Tensor input, *, int decimals, Tensor out = None)
rrelu
    (Tensor input, Number lower = 0.125, Number upper = 0.3333333333333333, bool training = False, torch.Generator generator = None)
rsub
    (Tensor input, Tensor other, *, Number alpha = 1)
    (Tensor input, Number other, Number alpha = 1)
scatter
    (Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)
    (Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)
    (Tensor input, int dim, Tensor index, Number value, *, Tensor out = None)
    (Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None)
searchsorted
    (Tensor sorted_sequence, Tensor input, *, bool out_int32 = False, bool right = False, str side = None, Tensor sorter = None, Tensor out = None)
    (Tensor sorted_sequence, Number self, *, bool out_int32 = False, bool right = False, str side = None, Tensor sorter = None, Tensor out = None)
select
    (Tensor input, int dim, int index)
select_scatter
    (Tensor input, Tensor src, int dim, int index)
slice_scatter
    (Tensor input, Tensor src, int dim = 0, int start = None, int end = None, int step = 1, *, Tensor out = None)
sort
    (Tensor input, *, bool stable, int dim = -1, bool descending = False, tuple of Tensors out = None)
    (Tensor input, int dim = -1, bool descending = False, *, tuple of Tensors out = None)
special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
    (Tensor x, Tensor n, *, Tensor out = None)
    (Number x, Tensor n, *, Tensor out = None)
    (Tensor x, Number n, *, Tensor out = None)
special_xlog1py special_xlogy special_zeta xlogy
    (Tensor input, Tensor other, *, Tensor out = None)
    (Number self, Tensor other, *, Tensor out = None)
    (Tensor input, Number other, *, Tensor out = None)
select_copy
    (Tensor input, int dim, int index, *, Tensor out = None)
slice_copy
    (Tensor input, int dim = 0, int start = None, int end = None, int step = 1, *, Tensor out = None)
split_copy
    (Tensor input, int split_size, int dim = 0, *, tuple of Tensors out = None)
squeeze
    (Tensor input)
    (Tensor input, int dim)
    (Tensor input, tuple of ints dim)
squeeze_copy
    (Tensor input, *, Tensor out = None)
    (Tensor input, int dim, *, Tensor out = None)
    (Tensor input, tuple of ints dim, *, Tensor out = None)
std var
    (Tensor input, tuple of ints[1]? dim, bool unbiased = True, bool keepdim = False, *, Tensor out = None)
    (Tensor input, tuple of ints[1]? dim = None, *, Number correction = None, bool keepdim = False, Tensor out = None)
    (Tensor input, bool unbiased = True)
std_mean var_mean
    (Tensor input, tuple of ints[1]? dim, bool unbiased = True, bool keepdim = False)
    (Tensor input, tuple of ints[1]? dim = None, *, Number correction = None, bool keepdim = False)
    (Tensor input, bool unbiased = True)
subtract
    (Tensor~ input, Tensor~ other, *, Number alpha = 1, Tensor out = None)
    (Tensor~ input, Number other, Number alpha = 1)
sum
    (Tensor input, *, torch.dtype dtype = None)
    (Tensor input, tuple of ints[1]? dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)
Tensor.addmm
    (Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1)
    old (Number beta, Number alpha, Tensor mat1, Tensor mat2)
    old (Number beta, Tensor mat1, Tensor mat2)
Tensor.baddbmm
    (Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1)
    old (Number beta, Number alpha, Tensor batch1, Tensor batch2)
    old (Number beta, Tensor batch1, Tensor batch2)
Tensor.bernoulli_
    (Tensor p, *, torch.Generator generator = None)
    (float p = 0.5, *, torch.Generator generator = None)
Tensor.contiguous Tensor.is_contiguous
    (*, torch.memory_format memory_format = torch.contiguous_format)
Tensor.copy_
    (Tensor~ other, bool non_blocking = False)
    ...
Tensor.cuda
    (torch.device device = None, bool non_blocking = False, *, torch.memory_format memory_format = None)
    ...
Tensor.mm Tensor.bmm
    (Tensor mat2)
Tensor.nonzero
    ()
    (*, bool as_tuple)
Tensor.random_
    (*, torch.Generator generator = None)
    (int from, int to, *, torch.Generator generator = None)
    (int to, *, torch.Generator generator = None)
Tensor.set_
    ()
    (torch.Storage source)
    (torch.Storage source, int storage_offset, tuple of ints size, tuple of ints stride = None)
    (Tensor source)
    (Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)
Tensor.type
    (object dtype = None, bool non_blocking = False, *, torch.memory_format memory_format = None)
    ...
Tensor.unfold
    (int dimension, int size, int step)
Tensor.view
    (torch.dtype dtype)
    (tuple of ints size)
Tensor.where
    (Tensor condition, Tensor other)
    (Tensor condition, Number other)
tensor_split
    (Tensor input, tuple of ints indices, int dim = 0)
    (Tensor input, Tensor tensor_indices_or_sections, int dim = 0)
    (Tensor input, int sections, int dim = 0)
trapz
    (Tensor y, *, float dx = 1, int dim = -1)
    (Tensor y, Tensor x, *, int dim = -1)
triangular_solve
    (Tensor input, Tensor A, bool upper = True, bool transpose = False, bool unitriangular = False, *, tuple of Tensors out = None)
unfold_copy
    (Tensor input, int dimension, int size, int step, *, Tensor out = None)
view_copy
    (Tensor input, torch.dtype dtype, *, Tensor out = None)
    (Tensor input, tuple of ints size, *, Tensor out = None)
where
    (Tensor condition)
    (Tensor condition, Tensor input, Tensor other, *, Tensor out = None)
    (Tensor condition, Number self, Tensor other)
    (Tensor condition, Tensor input, Number other)
    (Tensor condition, Number self, Number other)
xlogy_
    (Tensor input, Tensor other)
    (Tensor input, Number other)
mul
    (Tensor~ input, Tensor~ other, *, Tensor out = None)
"""

KINDS = """
Tensor
    A B L LU LU_data LU_pivots a abs anchor angle append aweights b batch1 batch2 bias boundaries condition end
    exponent fweights grid imag key log_probs negative positive query index indices input input1 input2 input3 mask mat mat1 mat2 other pivots pos_weight prepend prob
    real running_mean running_var self sorter source src target tau tensor tensor1 tensor2 the_template theta values vec
    vec1 vec2 vec3 weight weights window x x1 x2 y
int
    C HxW N axis0 axis1 bins chunks correction dim dim0 dim1 dim2 dimension end_dim group groups hop_length
    diagonal interpolation_mode k length minlength n n_fft num_groups num_samples col downscale_factor offset padding_mode r row upscale_factor
    reduction
    split_size start start_dim step storage_offset win_length
bool
    accumulate align_corners as_tuple ceil_mode center compute_uv copy count_include_pad cudnn_enable cudnn_enabled descending equal_nan
    force full_matrices hermitian include_self increasing keepdim largest left log_input log_target non_blocking normalized
    onesided pin_memory pivot replacement requires_grad return_complex return_counts return_inverse some sorted sparse_grad
    stable train training transpose transposed unbiased unpack_data unpack_pivots upper use_input_stats with_replacement
    wrap
float
    atol eps margin momentum nan neginf p posinf rcond rtol
Number
    alpha beta fill_value lambd max min negative_slope s threshold value
str
    reduce
torch.dtype
    dtype from_ to type1 type2
torch.layout
    layout
torch.device
    device
torch.memory_format
    memory_format
torch.Generator
    generator
tuple of Tensors
    tensors
tuple of ints
    dims normalized_shape sizes pad physical_layout shape shifts size split_sizes
tuple of ints[1]
    dilation kernel_size output_padding output_size padding stride
"""


@cache
def overloads():
    """name -> the texts of its forms."""
    table, names = {}, ()
    for line in OVERLOADS.strip().splitlines():
        if not line.startswith(" "):
            names = line.split()
            table |= {name: [] for name in names}
        else:
            for name in names:
                table[name].append(line.strip())
    return table


@cache
def kinds():
    """The name of a parameter -> its kind."""
    table, kind = {}, None
    for line in KINDS.strip().splitlines():
        if not line.startswith(" "):
            kind = line
        else:
            table |= dict.fromkeys(line.split(), kind)
    return table


def forms_of(name, method, parameters):
    """The forms of a function or method."""
    own = f"Tensor.{name}" if method else name
    base = name if name in overloads() else name.removesuffix("_")
    texts = overloads().get(own) or (overloads().get(f"Tensor.{base}") if method else None)
    if texts is None:
        texts = overloads().get(base) or [written(name, parameters)]
        if method or base != name:
            texts = [without_out(text) for text in texts]
        if method:
            texts = [without_self(text) for text in texts if text == "..." or text.removeprefix(OLD).startswith(SELF)]
    return [Form(name, text) for text in texts]


SELF = ("(Tensor input", "(Tensor~ input", "(Tensor self", "(Tensor y", "(Number beta, Tensor input")


def without_self(text):
    """The signature of a method: the tensor itself is not among the arguments."""
    return re.sub(r"^((?:old )?\((?:Number beta, )?)Tensor~? \w+(, )?", r"\1", text)


def without_out(text):
    """The signature without ``out=``."""
    text = re.sub(r", (Tensor|tuple of Tensors|object) out = None", "", text)
    return text.replace(", *)", ")").replace("(*)", "()")


def written(name, parameters):
    """The text of a Python function's signature; the kinds follow from the names."""
    words, starred = [], False
    for number, p in enumerate(parameters.values()):
        if p.kind is p.VAR_KEYWORD or p.name in ("axis", "keepdims"):
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        kind = kinds().get(p.name, "object")
        words.append(
            f"{kind} {'input' if p.name == 'self' and not number else p.name}"
            + ("" if p.default is p.empty else " = " + repr(p.default).replace(", ", ","))
        )
    return f"({', '.join(words)})"
