"""Objects that have their own state dict."""

from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["Stateful", "StatefulT"]


@runtime_checkable
class Stateful(Protocol):
    """An object with ``state_dict()`` and ``load_state_dict(state_dict)``, such as a model, an optimizer or a scheduler.

    ``save`` writes the state dict of such a value; ``load`` fills its state dict and hands it to ``load_state_dict``.

    >>> import tensh as torch
    >>> from tensh.distributed.checkpoint.stateful import Stateful
    >>> isinstance(torch.nn.Linear(1, 1), Stateful), isinstance({}, Stateful)
    (True, False)
    """

    def state_dict(self) -> dict[str, Any]:
        """The state, as a dict."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """The counterpart, which restores a state."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)
