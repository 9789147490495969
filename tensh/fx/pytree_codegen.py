"""Code of functions with nested arguments, which flatten them on entry and rebuild the result."""

from typing import NamedTuple

from tensh.func.trees import TreeSpec, leaves_of, unflatten
from tensh.fx.codegen import CodeGen


class PyTreeInfo(NamedTuple):
    """The parameters of the traced function, and the structures of its arguments and result."""

    orig_args: list[str]
    in_spec: TreeSpec
    out_spec: TreeSpec | None


class PyTreeCodeGen(CodeGen):
    """A code generator for functions with nested arguments."""

    def __init__(self, pytree_info):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs):
        return leaves_of(inputs)

    def process_outputs(self, outputs):
        if self.pytree_info.out_spec is None:
            return outputs
        return unflatten(outputs if isinstance(outputs, (list, tuple)) else [outputs], self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        names = self.pytree_info.orig_args
        if names and names[0] == "self":
            free_vars.insert(0, "self")
        head = super().gen_fn_def(names[:], maybe_return_annotation, expanded_def=expanded_def)
        if not free_vars:
            return head
        annotated = [each for each in free_vars if ":" in each]
        notes = f"\n    {''.join(f'{each}; ' for each in annotated)}\n" if annotated else ""
        leaves = ", ".join(each.partition(":")[0].partition("#")[0] for each in free_vars)
        return f"{head}{notes}\n    {leaves}, = fx_pytree.tree_flatten_spec({self.flattened(names)}, self._in_spec)"

    def flattened(self, names):
        """Return the arguments as one structure, whose leaves the inputs are."""
        return f"[{', '.join(names)}]"

    def generate_output(self, output_args, *, descs=None, repr_fn=repr):
        if not self.pytree_info.out_spec:
            return super().generate_output(output_args, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"
