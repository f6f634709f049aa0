"""Lowers libcst statements into a small frozen program that is cheap to interpret."""
