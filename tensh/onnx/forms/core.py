"""Forms of core operators, which layers consist of in decomposed programs; of their results, the first alone is read."""

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.forms.table import compose


@compose("convolution")
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    dims = len(stride)
    if transposed:
        function = getattr(F, f"conv_transpose{dims}d")
        return function(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(F, f"conv{dims}d")(input, weight, bias, stride, padding, dilation, groups)


@compose("native_layer_norm")
def layer_norm(input, normalized_shape, weight, bias, eps):
    return (F.layer_norm(input, normalized_shape, weight, bias, eps),)


@compose("native_group_norm")
def group_norm(input, weight, bias, N, C, HxW, group, eps):
    return (F.group_norm(input, group, weight, bias, eps),)


@compose("_native_batch_norm_legit_no_training")
def batch_norm(input, weight, bias, running_mean, running_var, momentum, eps):
    return (F.batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps),)


@compose("_native_batch_norm_legit")
def batch_norm_of_batch(input, weight, bias, training, momentum, eps):
    return (F.batch_norm(input, None, None, weight, bias, True, momentum, eps),)


@compose("_adaptive_avg_pool2d")
def adaptive_avg_pool2d(self, output_size):
    return F.adaptive_avg_pool2d(self, output_size)


@compose("_adaptive_avg_pool3d")
def adaptive_avg_pool3d(self, output_size):
    return F.adaptive_avg_pool3d(self, output_size)


@compose("_trilinear")
def trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    product = None
    for each, dims in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for dim in dims:
            each = each.unsqueeze(dim)
        product = each if product is None else product * each
    return product.sum(sumdim)


@compose("empty_permuted")
def empty_permuted(size, physical_layout, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.zeros(size, dtype=dtype)


@compose("_weight_norm")
def weight_norm(v, g, dim=0):
    dims = [each for each in range(v.dim()) if dim == -1 or each != dim % v.dim()]
    return v * (g / torch.linalg.vector_norm(v, 2, dims, keepdim=dim != -1))


@compose("copy")
def copy(self, src, non_blocking=False):
    return src.to(self.dtype).expand_as(self)


@compose("_cdist_forward")
def cdist(x1, x2, p, compute_mode=None):
    return torch.cdist(x1, x2, p)
