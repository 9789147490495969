"""Functions that call the transforms of ``torch.func``, in one another, for graphs of ``make_fx``."""


def make_functions(torch):
    """Return name -> (function, its arguments)."""
    func, F = torch.func, torch.nn.functional
    grad, jvp, vjp, vmap, jacrev, jacfwd = func.grad, func.jvp, func.vjp, func.vmap, func.jacrev, func.jacfwd
    x = torch.tensor([0.5, 1.0, 2.0])
    m = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 0.5], [2.0, 0.0, 1.0]])

    def f(x):
        return (x.sin() * x).sum()

    def g(x):
        return (m @ x).tanh()

    def ones(x):
        return torch.ones_like(x)

    def loss(w, x):
        return ((w @ x).relu() ** 2).sum()

    return {
        "jvp": (lambda x: jvp(f, (x,), (ones(x),)), (x,)),
        "jvp of two inputs": (lambda x, t: jvp(g, (x,), (t,)), (x, x * 2)),
        "jvp with has_aux": (lambda x: jvp(lambda y: (f(y), y * 2), (x,), (x,), has_aux=True), (x,)),
        "jvp of grad": (lambda x, v: jvp(grad(f), (x,), (v,))[1], (x, x * 3)),
        "jvp of vjp": (lambda x: jvp(lambda y: vjp(g, y)[1](torch.ones(3))[0], (x,), (x,))[1], (x,)),
        "jvp of jvp": (lambda x: jvp(lambda y: jvp(f, (y,), (ones(y),))[1], (x,), (ones(x),))[1], (x,)),
        "jvp of vmap": (lambda m: jvp(vmap(f), (m,), (ones(m),)), (m,)),
        "grad of jvp": (lambda x: grad(lambda y: jvp(f, (y,), (ones(y),))[1])(x), (x,)),
        "jvp of softmax": (lambda x: jvp(lambda y: y.softmax(0), (x,), (ones(x),)), (x,)),
        "jvp of layer_norm": (lambda x: jvp(lambda y: F.layer_norm(y, (3,)), (x,), (x * x,)), (x,)),
        "jvp of a choice": (lambda x: jvp(lambda y: torch.where(y > 0.7, y * 2, y**2), (x,), (x,)), (x,)),
        "jvp of subscripts": (lambda x: jvp(lambda y: y[[0, 2]] * y[1], (x,), (x,)), (x,)),
        "vmap over a tensor outside": (lambda x: vmap(torch.dot, (0, None))(m, x), (x,)),
        "vmap with a new tensor": (lambda m: vmap(lambda a: a + torch.zeros(3))(m), (m,)),
        "vmap with subscripts": (lambda m: vmap(lambda a: a[[0, 2]] * a[1])(m), (m,)),
        "vmap of grad": (lambda m: vmap(grad(f))(m), (m,)),
        "vmap of vjp": (lambda m: vmap(lambda t: vjp(g, x)[1](t)[0])(m), (m,)),
        "vmap of jvp": (lambda m: vmap(lambda t: jvp(g, (x,), (t,))[1])(m), (m,)),
        "vmap of a convolution": (
            lambda m: vmap(grad(lambda a: (F.conv1d(a[None, None], torch.ones(1, 1, 2)) ** 2).sum()))(m), (m,),
        ),
        "gradients of samples": (lambda w, xs: vmap(grad(loss), (None, 0))(w, xs), (m, m * 0.5)),
        "jacrev": (lambda x: jacrev(g)(x), (x,)),
        "jacfwd": (lambda x: jacfwd(g)(x), (x,)),
        "jacfwd of jacrev": (lambda x: jacfwd(jacrev(f))(x), (x,)),
        "jacrev of jacfwd": (lambda x: jacrev(jacfwd(f))(x), (x,)),
        "vmap of hessian": (lambda m: vmap(func.hessian(f))(m), (m,)),
        "linearize": (lambda x: func.linearize(g, x)[1](torch.ones(3)), (x,)),
    }  # fmt: skip
