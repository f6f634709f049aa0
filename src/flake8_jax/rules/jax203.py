"""## What it does

Finds calls into another module (functions, methods, properties) that change a traced argument: an
attribute or element is set, and the changed object is neither returned nor read again. The finding
is at the call, and the message names the function, file and line of the write. `jax.jit(imported)`
counts as a call, as do the other transforms.

The other module is found by its import: absolute and relative, by a package's `__init__`, with a
star, under an alias, inside a function. It may call further modules in turn.

## Why is this bad?

The call looks harmless, and nothing in the helper's file mentions JAX. But under a transform the
helper is given an object that `jax.jit` has built around Tracers. What it sets there is gone when
the trace ends, and the caller's object is as it was. Without jit the helper does what its name
says, so its own tests pass.

## Example

`ledger.py`:

<!-- ledger.py -->
```python
def record(account, amount):
    account.total = account.total + amount
```

`main.py`:

<!-- main.py -->
```python
import jax
from ledger import record


@jax.jit
def pay(account, amount):
    record(account, amount)
    return amount * 1.02
```

```text
JAX203 'account.total' is set on a lost copy by record() (ledger.py:2): 'pay' (jax.jit) doesn't return it; return a copy
```

## Use instead

<!-- ledger.py -->
```python
def recorded(account, amount):
    return account.replace(total=account.total + amount)
```

<!-- main.py -->
```python
import jax
from ledger import recorded


@jax.jit
def pay(account, amount):
    return amount * 1.02, recorded(account, amount)
```

and let the caller keep both.

## What it does not flag

- Functions that copy the object first, and objects that the traced function made itself.
- Objects that come out again (JAX901) or are read later in the same trace (JAX206, JAX902).
- Functions that are jitted where they are defined: the write is reported there, as JAX201 or
  JAX202.
- Modules that are not found: installed packages are not read. `--jax-source-roots` adds folders.

## Evidence

The fixtures in `fixtures/JAX203` are small projects of two to five modules. Under jit the caller's
object is the same after the call, and under `jax.disable_jit()` it has changed; where a transform
rebuilds its arguments in any case, the result is compared with that of the fixed twin. Confirmed
with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told, customary, quoted


def _text(told: Told) -> str:
    advice = f"use {customary(told.kept)}" if told.kept else "return a copy"
    lost = f"'{quoted(told.text)}' is {told.done} on a lost copy by {told.by}"
    return f"{lost}: {told.where} doesn't return it; {advice}"


RULE = Rule(
    code="JAX203",
    name="call-writes-argument",
    summary="A call into another module writes to a traced argument.",
    page=__doc__,
    says="on a lost copy by",
    symptoms=frozenset({Symptom.LOST, Symptom.STALE}),
    message=_text,
)
