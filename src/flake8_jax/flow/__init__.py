"""What callables do to objects: compositional summaries in terms of parameters and outer names."""
