"""Functions that call torch.func, written for either library: name -> (function, its arguments)."""


def make_programs(torch):
    """Return the functions with one transform, or several."""
    func, vmap = torch.func, torch.vmap
    x, y, square = torch.arange(6.0).view(2, 3), torch.ones(3), lambda t: (t * t).sum()
    captured = torch.full((3,), 2.0, requires_grad=True)
    layer = torch.nn.Linear(3, 2)
    weights = {name: value.detach() for name, value in layer.named_parameters()}
    made_before = func.grad(square)

    def by_weights(w, a):
        return func.functional_call(layer, w, (a,)).sum()

    def assigned(x, y):
        z = vmap(lambda a, b: a * b, in_dims=(0, None), out_dims=1)(x, y)
        return z

    def pull_several(x, y):
        out, pull = func.vjp(lambda a, b: (a * b, a + b), x, y)
        return pull((x, x)), out

    def pull_one(x):
        out, pull, aux = func.vjp(lambda a: (a.sin(), a.cos()), x, has_aux=True)
        return pull(x)[0], aux, out

    def tangent_of_tangent(x):
        def inner(x):
            return func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1]

        return func.jvp(inner, (x,), (torch.ones_like(x),))

    def without_gradients(x):
        with torch.no_grad():
            return func.grad(square)(x)

    def parts(a, b):
        return a * b, a.sum()

    return {
        "vmap": (lambda x: vmap(lambda t: t.sin() + 1)(x), x),
        "vmap of several": (lambda x, y: vmap(lambda a, b: (a * b, a + b), in_dims=(0, None))(x, y), x, y),
        "vmap assigned": (assigned, x, y),
        "vmap of a value": (lambda x: vmap(lambda a: a.sum())(x.sin()) + 1, x),
        "vmap of a dictionary": (lambda x: vmap(lambda d: {"r": d["a"] + d["b"]})({"a": x, "b": x * 2}), x),
        "vmap in vmap": (lambda x, y: vmap(vmap(lambda a: vmap(lambda b: a * b)(y)))(x), x, y),
        "vmap by chunks": (lambda x: vmap(torch.sin, chunk_size=1)(x), x),
        "vmap of draws": (lambda x: vmap(lambda a: a + torch.rand(3), randomness="different")(x), x),
        "vmap made before": (vmap(torch.sin), x),
        "grad": (lambda x: func.grad(square)(x), x),
        "grad made before": (lambda x: made_before(x), x),
        "grad of grad": (lambda x: func.grad(func.grad(torch.sin))(x), y.sum()),
        "grad by two": (lambda x, y: func.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, y), x, y),
        "grad by the second": (lambda x, y: func.grad(lambda a, b: (a * b).sum(), argnums=1)(x, y), x, y),
        "grad and more": (lambda x: func.grad(lambda a: ((a * a).sum(), a + 1), has_aux=True)(x), x),
        "grad of a dictionary": (lambda p, x: func.grad(lambda p: (p["w"] * x + p["b"]).sum())(p), {"w": y, "b": y * 2}, x),
        "grad of what is captured": (lambda x: func.grad(lambda a: (a * captured).sum())(x), x),
        "grad by a leaf": (lambda x: func.grad(lambda a: (a**3).sum())(x), captured),
        "grad without gradients": (without_gradients, x),
        "grad and value": (lambda x: func.grad_and_value(square)(x), x),
        "grad of each sample": (lambda w, x: vmap(func.grad(lambda w, a: (w * a).sum() ** 2), in_dims=(None, 0))(w, x), y, x),
        "vjp": (pull_several, x, y),
        "vjp and more": (pull_one, x),
        "jvp": (lambda x, y: func.jvp(lambda a, b: a * b, (x, y), (x, y)), x, y),
        "jvp and more": (lambda x: func.jvp(lambda a: (a.sin(), a.cos()), (x,), (x,), has_aux=True), x),
        "jvp of jvp": (tangent_of_tangent, x),
        "jacrev": (lambda y: func.jacrev(torch.sin)(y), y),
        "jacrev by two": (lambda x, y: func.jacrev(parts, argnums=(0, 1))(x, y), y, y + 1),
        "jacrev by chunks": (lambda y: func.jacrev(lambda a: a * a, chunk_size=2)(y), y),
        "jacrev row by row": (lambda y: func.jacrev(lambda a: a * a, chunk_size=1)(y), y),
        "jacrev and more": (lambda y: func.jacrev(lambda a: (a * a, a), has_aux=True)(y), y),
        "jacfwd": (lambda y: func.jacfwd(torch.sin)(y), y),
        "jacfwd by two": (lambda x, y: func.jacfwd(parts, argnums=(0, 1))(x, y), y, y + 1),
        "jacfwd and more": (lambda y: func.jacfwd(lambda a: (a * a, a), has_aux=True)(y), y),
        "hessian": (lambda y: func.hessian(lambda a: (a**3).sum())(y), y),
        "functional_call": (lambda w, x: func.functional_call(layer, w, (x,)), weights, x),
        "functional_call by weights": (lambda w, x: func.grad(by_weights)(w, x), weights, x),
        "functional_call of each sample": (lambda w, x: vmap(func.grad(by_weights), in_dims=(None, 0))(w, x), weights, x),
    }  # fmt: skip


def run(torch, function, arguments):
    """Return (the code of the graphs of a function, what two calls return, what it returns uncompiled)."""
    graphs = []

    def backend(module, inputs):
        graphs.append(module.code.replace("tensh", "torch"))
        return module.forward

    compiled, results = torch.compile(function, backend=backend, fullgraph=True), []
    for each in (compiled, compiled, function):
        torch.manual_seed(0)
        results.append(torch.utils._pytree.tree_leaves(each(*arguments)))
    return graphs, *results
