"""Classes of the project: their order of bases, what makes them pytrees, fields and members."""
