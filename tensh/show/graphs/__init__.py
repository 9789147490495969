"""Views of graphs: their operations, their backward passes, what they keep, and why a gradient is missing."""
