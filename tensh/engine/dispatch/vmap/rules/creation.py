"""New tensors like a batched one: they are batched, too, so that they can be written to."""

from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.dispatch.vmap.batched import make_batched
from tensh.engine.dispatch.vmap.rules.views import batch_of


def make_like_rule(name):
    """Make the rule of ``NAME_like``."""

    def rule(input, *args, **options):
        return make_batched(PUBLIC[name](input.value, *args, **options), input.levels)

    return rule


def new(name):
    """Call the method ``new_NAME`` of a batched tensor."""

    def method(self, *size, **options):
        if name == "new_full":
            first, *rest = [options.pop("size")] if "size" in options else size
            size = (batch_of(self) + tuple(first), *rest)
        else:
            given = options.pop("size", size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
            size = (batch_of(self) + tuple(given),)
        return make_batched(METHODS[name](self.value, *size, **options), self.levels)

    return method


FUNCTIONS = {name: make_like_rule(name) for name in ("zeros_like", "ones_like", "empty_like", "full_like")}
NEW = {name: new(name) for name in ("new_zeros", "new_ones", "new_empty", "new_full")}
