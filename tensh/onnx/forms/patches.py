"""Forms of operators that take images apart and put them together: columns of patches, unpooling, grids."""

import tensh as torch
from tensh.nn import functional as F
from tensh.onnx.forms.table import compose


def patch_weights(channels, kernel, dtype):
    """Return the weights of a convolution by groups that copies each element of a patch."""
    size = kernel[0] * kernel[1]
    return torch.eye(size, dtype=dtype).reshape(size, 1, *kernel).repeat(channels, 1, 1, 1)


@compose("im2col")
def im2col(self, kernel_size, dilation, padding, stride):
    image = self if self.dim() == 4 else self.unsqueeze(0)
    channels = int(image.shape[1])
    weights = patch_weights(channels, kernel_size, self.dtype)
    columns = F.conv2d(image, weights, None, stride, padding, dilation, channels).flatten(2)
    return columns if self.dim() == 4 else columns.squeeze(0)


@compose("col2im")
def col2im(self, output_size, kernel_size, dilation, padding, stride):
    columns = self if self.dim() == 3 else self.unsqueeze(0)
    channels = int(columns.shape[1]) // (kernel_size[0] * kernel_size[1])
    settings = list(zip(output_size, kernel_size, dilation, padding, stride))
    places = [(size + 2 * pad - step * (kernel - 1) - 1) // move + 1 for size, kernel, step, pad, move in settings]
    weights = patch_weights(channels, kernel_size, self.dtype)
    image = F.conv_transpose2d(columns.unflatten(2, tuple(places)), weights, None, stride, 0, 0, channels, dilation)
    for axis, (size, _, _, pad, _) in zip((2, 3), settings):
        missing = size + 2 * pad - image.shape[axis]
        image = F.pad(image, (0, 0, 0, missing) if axis == 2 else (0, missing)).narrow(axis, pad, size)
    return image if self.dim() == 3 else image.squeeze(0)


@compose("max_unpool2d max_unpool3d")
def max_unpool(self, indices, output_size, stride=None, padding=None):
    dims, size = len(output_size), 1
    for each in output_size:
        size = size * each
    front = list(self.shape[: self.dim() - dims])
    places, values = (each.flatten(self.dim() - dims) for each in (indices, self))
    return torch.zeros([*front, size], dtype=self.dtype).scatter(-1, places, values).reshape([*front, *output_size])


@compose("affine_grid_generator")
def affine_grid(theta, size, align_corners):
    axes = []
    for length in size[2:]:
        places = torch.linspace(-1, 1, length, dtype=theta.dtype)
        axes.append(places if align_corners else places * (length - 1) / length)
    grids = torch.meshgrid(*axes, indexing="ij")
    points = torch.stack([*grids[::-1], torch.ones_like(grids[0])], -1)
    return (points.reshape(1, -1, len(axes) + 1) @ theta.mT).reshape([size[0], *size[2:], len(axes)])
