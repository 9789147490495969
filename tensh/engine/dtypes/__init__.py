"""Types of elements, and where tensors lie."""
