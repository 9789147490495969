"""The state of a module: a dictionary of its parameters and buffers by path, written and loaded."""

import itertools
from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from functools import partial

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.hooks import RemovableHandle
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.nn.parameter import Parameter, is_parameter

EXTRA = "_extra_state"


class Incompatible(namedtuple("IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """The keys that a state lacks, and those that the module lacks."""

    __slots__ = ()

    def __repr__(self):
        return (
            "<All keys matched successfully>"
            if not self.missing_keys and not self.unexpected_keys
            else super().__repr__()
        )

    __str__ = __repr__


Incompatible.__name__ = Incompatible.__qualname__ = "_IncompatibleKeys"


class State:
    """``state_dict`` and ``load_state_dict``."""

    _version = 1

    def get_extra_state(self):
        """Return additional state; a module that has some overrides this."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def set_extra_state(self, state):
        """Restore the additional state that ``get_extra_state`` returned; a module that has some overrides this."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def __defines(self, name):
        return getattr(type(self), name) is not getattr(State, name)

    # ── writing ──────────────────────────────────────────────────────────────

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Return an OrderedDict from paths to parameters and persistent buffers, detached and sharing their memory."""
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, metadata)
            if getattr(hook, "_from_public_api", False):
                if replaced is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif replaced is not None:
                destination = replaced
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if self.__defines("get_extra_state"):
            destination[prefix + EXTRA] = self.get_extra_state()

    # ── reading ──────────────────────────────────────────────────────────────

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the values of a state into the module; with ``assign`` its tensors replace those of the module.

        Returns the missing and the unexpected keys; with ``strict`` there must be none.  RuntimeError lists all that does not
        fit; what fits has been copied by then, as in PyTorch.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata
        with Uninterrupted():
            self.__load_all(state, metadata, assign, "", missing, unexpected, errors)
        if strict:
            if unexpected:
                keys = ", ".join(f'"{key}"' for key in unexpected)
                errors.insert(0, f"Unexpected key(s) in state_dict: {keys}. ")
            if missing:
                keys = ", ".join(f'"{key}"' for key in missing)
                errors.insert(0, f"Missing key(s) in state_dict: {keys}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return Incompatible(missing, unexpected)

    def __load_all(self, state, metadata, assign, prefix, missing, unexpected, errors):
        local = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local["assign_to_params_buffers"] = assign
        self._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
        for name, module in self._modules.items():
            if module is not None:
                within = prefix + name + "."
                part = OrderedDict((key, value) for key, value in state.items() if key.startswith(within))
                module.__load_all(part, metadata, assign, within, missing, unexpected, errors)
        incompatible = Incompatible(missing, unexpected)
        for hook in self._load_state_dict_post_hooks.values():
            if hook(self, incompatible) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                    "if incompatible_keys need to be modified, it should be done inplace."
                )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Load the members of this module, without submodules; report mismatches in the lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        persistent = {
            name: buffer for name, buffer in self._buffers.items() if name not in self._non_persistent_buffers_set
        }
        own = {name: t for name, t in itertools.chain(self._parameters.items(), persistent.items()) if t is not None}
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                error = self.__load_member(name, key, tensor, state_dict[key], assign)
                if error:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
        takes_extra, extra = self.__defines("set_extra_state"), prefix + EXTRA
        if takes_extra and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict and takes_extra:
            missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            names = (key.removeprefix(prefix) for key in state_dict if key.startswith(prefix) and key != extra)
            unexpected_keys += [prefix + name for name in names if not self.__has_member(name, own)]

    def __has_member(self, name, own):
        """Return True if a name is among the tensors ``own``, or may be within a submodule."""
        first, *rest = name.split(".", 1)
        return first in (self._modules if rest else own)

    def __load_member(self, name, key, tensor, given, assign):
        """Load one value; return the error message, or None."""
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
                f"received {type(given)}"
            )
        is_lazy = getattr(tensor, "is_uninitialized", False)
        if not is_lazy and tensor.dim() == 0 and given.dim() == 1 and given.numel() == 1:
            given = given[0]  # a state from before 0-d tensors existed
        if not is_lazy and tensor.shape != given.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current model "
                f"is {tensor.shape}."
            )
        if not is_lazy and tensor.is_meta and not given.is_meta and not assign:
            warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is "
                "a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in "
                "the module instead of copying them in place?)"
            )
        try:
            with no_grad():
                if not assign:
                    tensor.copy_(given)
                elif is_parameter(tensor):
                    given = given if is_parameter(given) else Parameter(given, tensor.requires_grad)
                    setattr(self, name, given)
                else:
                    setattr(self, name, given)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.size()} and whose '
                f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )
        return None

    # ── hooks ────────────────────────────────────────────────────────────────

    def register_state_dict_pre_hook(self, hook):
        """Call ``hook(module, prefix, keep_vars)`` before the state is written."""
        return _add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, local_metadata)``, which may edit the state, after it is written."""
        hook._from_public_api = True
        return _add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook):
        return _add(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call ``hook(module, state, prefix, local_metadata, strict, missing, unexpected, errors)`` before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return _add(self._load_state_dict_pre_hooks, partial(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook):
        """Call ``hook(module, incompatible_keys)`` after loading."""
        return _add(self._load_state_dict_post_hooks, hook)


def _add(hooks, hook):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def add_state_hook_dictionaries(module):
    """Give a module the empty dictionaries of its state hooks."""
    own = module.__dict__
    own["_state_dict_hooks"], own["_state_dict_pre_hooks"] = OrderedDict(), OrderedDict()
    own["_load_state_dict_pre_hooks"], own["_load_state_dict_post_hooks"] = OrderedDict(), OrderedDict()
