"""Tests that trace a function which keeps what it is given."""

import unittest

import jax

SEEN = []


@jax.jit
def noted(x):
    SEEN.append(x)
    return x + 1


def test_noted():
    assert noted(1.0) == 2.0


class NotedTest(unittest.TestCase):
    def test_noted(self):
        assert noted(2) == 3
