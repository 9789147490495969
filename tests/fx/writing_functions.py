"""Functions that write: into new tensors, into views of them, and into their argument, of shape (2, 3)."""


def make_functions(torch):
    """Return name -> function."""

    def of_views(x):
        y = x.clone()
        y.add_(1)
        v = y.view(-1)
        v[0] = 5
        return y

    def of_the_argument(x):
        x.mul_(2)
        return x + 1

    def of_rows_and_columns(x):
        y = x * 1
        y[0].add_(1)
        y.t()[1].mul_(2)
        return y, y.t()

    def of_parts(x):
        y = x.clone()
        z = y[:, 1:]
        z.zero_()
        w = y.permute(1, 0)
        w.relu_()
        return y + z.sum()

    def of_one_of_several(x):
        y = x.clone()
        p, q = y.unbind(0)
        p.add_(q)
        return y

    def of_pieces(x):
        y = x.clone()
        p, q = y.split(1, 0)
        p.mul_(3)
        u = y.unsqueeze(0).squeeze(0)
        u.sub_(1)
        return y

    def of_other_values(x):
        y = torch.zeros(3)
        y.add_(x[0])
        y.copy_(x[1])
        y.fill_(2.0)
        return y

    def of_chosen_elements(x):
        y = x.clone()
        y.diagonal().fill_(0)
        y[x > 2] = 1
        return y

    def of_integers(x):
        y = x.long()
        y.add_(1)
        z = y.view(3, 2).transpose(0, 1)
        z.mul_(z)
        return y

    def of_nothing(x):
        return x.view(3, 2).sin()

    def of_inner_parts(x):
        y = x.expand(2, 2, 3).clone()
        y[0, 1, 2:].exp_()
        return y.sum((0, 1))

    def of_elements(x):
        y = x.clone()
        y[0] = 5
        y[1, 1] = 2.0
        y[:, 0] = 7
        y[[0]] = 3
        y[0] = x[1]
        return y

    return {name: value for name, value in locals().items() if name.startswith("of_")}
