"""Work for processes that are spawned."""

import multiprocessing

import jax

SEEN = []


@jax.jit
def noted(x):
    SEEN.append(x)
    return x + 1


def work(x):
    return float(noted(x))


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, [1.0]))
