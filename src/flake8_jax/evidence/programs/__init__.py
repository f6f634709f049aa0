"""Generated programs: a grammar of small JAX modules, and the checker held against each of them."""
