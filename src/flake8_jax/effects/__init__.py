"""Abstract interpretation of lowered functions: what they write, read, return and trace."""
