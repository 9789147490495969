"""Creation of tensors: from data, filled, counted, from shared memory, and by legacy constructors."""
