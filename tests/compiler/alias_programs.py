"""Functions of two matrices that write to tensors under several names, and return such names."""

import tensh as torch


def written_as_detached(x, w):
    y = x * 2
    z = y.detach()
    z.add_(1)
    return y, z


def view_of_written(x, w):
    y = x + w
    y.detach().add_(1)
    return x, y.transpose(0, 1), y


def written_as_data(x, w):
    y = x * w
    z = y.data
    y.add_(1)
    z.detach().add_(1)
    return (y,)


def one_view_twice(x, w):
    y = (w + w).view_as(x)
    z = y.contiguous()
    z.add_(1)
    return z, y, x


def equal_results(x, w):
    return x.relu(), w / 3, (w / 3).t()


def argument_under_another_name(x, w):
    y = x.detach()
    x.mul_(2)
    y.sin_()
    x.copy_(x)
    return y, w


def argument_written_twice(x, w):
    x.detach().add_(1)
    x.zero_()
    return x, w.clone()


def saved_beside_a_name(x, w):
    y = torch.maximum(x, w)
    y[0] = y[1]
    y.detach()
    y.sin_()
    return w, x, y


def made_for_inference(x, w):
    with torch.inference_mode():
        y = w * 2
    return y, x + 1


PROGRAMS = [
    written_as_detached, view_of_written, written_as_data, one_view_twice, equal_results, argument_under_another_name,
    argument_written_twice, saved_beside_a_name, made_for_inference,
]  # fmt: skip
