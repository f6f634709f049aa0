"""libcst trees without layout, made of the ``ast`` trees that there are already."""
