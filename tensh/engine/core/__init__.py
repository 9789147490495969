"""The recorded graph: tensors, nodes, views, hooks, and the backward pass."""
