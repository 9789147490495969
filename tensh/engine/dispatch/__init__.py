"""Who answers an operation in the place of its function: batches, tensors without elements, classes and modes that override."""
