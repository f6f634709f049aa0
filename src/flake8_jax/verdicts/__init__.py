"""What becomes of each effect under the traces that reach it."""
