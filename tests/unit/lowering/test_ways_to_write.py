"""Which calls write, to what, under which key, and with what."""

import pytest

from flake8_jax.lowering import stores
from flake8_jax.lowering.printer import show
from flake8_jax.lowering.program import Attr, Call, Eval, Var
from unit.lowered import lowered

MODULES = frozenset({"bisect", "heapq", "numpy", "operator"})
BUILTINS = frozenset({"delattr", "dict", "list", "object", "setattr"})


def dotted(node: object) -> str | None:
    """The dotted name of a function, where it is one of a library."""
    if isinstance(node, Attr):
        owner = dotted(node.base)
        return f"{owner}.{node.name}" if owner is not None else None
    if isinstance(node, Var) and node.name in MODULES | BUILTINS:
        return f"builtins.{node.name}" if node.name in BUILTINS else node.name
    return None


def written(source: str) -> str | None:
    """What a call writes, as text; functions are spelled by their dotted names."""
    [statement] = lowered(source)
    assert isinstance(statement, Eval)
    call = statement.value
    assert isinstance(call, Call)
    name = dotted(call.callee)
    if name is not None:
        way = stores.by_function(name, call)
    else:
        way = stores.by_method(call.callee.name) if isinstance(call.callee, Attr) else None
    found = stores.written(call, way) if way is not None else None
    if found is None:
        return None
    key = "?" if found.key is None else show(found.key)
    place = f".{key}" if found.way.form is stores.Form.ATTRIBUTE else f"[{key}]"
    if found.way.form is stores.Form.WHOLE:
        place = "[:]"
    values = ", ".join(f"*{show(v)}" if found.way.spreads else show(v) for v in found.values)
    raw = " raw" if found.way.raw else ""
    return f"{found.way.change.value}{raw} {show(found.target)}{place} <- ({values})"


WAYS = {
    "setattr(s, 'x', v)": "set $s.'x' <- ($v)",
    "setattr(s, name, v)": "set $s.$name <- ($v)",
    "delattr(s, 'x')": "remove $s.'x' <- ()",
    "object.__setattr__(s, 'x', v)": "set raw $s.'x' <- ($v)",
    "s.__setattr__('x', v)": "set $s.'x' <- ($v)",
    "vars(s).update(x=v)": "add $vars($s)[?] <- (*$v)",
    "s.__dict__.__setitem__('x', v)": "set $s.__dict__['x'] <- ($v)",
    "s.__dict__.pop('x')": "remove $s.__dict__['x'] <- ()",
    "operator.setitem(d, 'k', v)": "set $d['k'] <- ($v)",
    "operator.setitem(vars(s), 'k', v)": "set $vars($s)['k'] <- ($v)",
    "operator.delitem(d, 'k')": "remove $d['k'] <- ()",
    "d.__setitem__('k', v)": "set $d['k'] <- ($v)",
    "d.setdefault('k', v)": "add $d['k'] <- ($v)",
    "d.update({'k': v})": "add $d[?] <- (*{'k': $v})",
    "d.update(k=v)": "add $d[?] <- (*$v)",
    "d.pop('k')": "remove $d['k'] <- ()",
    "d.clear()": "remove $d[?] <- ()",
    "l.append(v)": "add $l[?] <- ($v)",
    "l.extend(vs)": "add $l[?] <- (*$vs)",
    "l.insert(0, v)": "add $l[?] <- ($v)",
    "list.append(l, v)": "add $l[?] <- ($v)",
    "dict.__setitem__(d, 'k', v)": "set $d['k'] <- ($v)",
    "s.add(v)": "add $s[?] <- ($v)",
    "heapq.heappush(h, v)": "add $h[?] <- ($v)",
    "bisect.insort(a=l, x=v)": "add $l[?] <- ($v)",
    "queue.put(v)": "add $queue[?] <- ($v)",
    "numpy.add(a, b, out=a)": "set $a[:] <- ()",
    "numpy.add(a, b, a)": "set $a[:] <- ()",
    "numpy.clip(a, 0, 1, a)": "set $a[:] <- ()",
    "numpy.add.at(a, i, b)": "set $a[:] <- ($b)",
    "numpy.copyto(a, b)": "set $a[:] <- ($b)",
    # what writes to nothing that can be named
    "numpy.add(a, b)": None,
    "numpy.sum(a, 0, a)": None,
    "setattr(*args)": None,
    "list.append(*args)": None,
    "f(x)": None,
    "s.replace(x=v)": None,
}


@pytest.mark.parametrize("source", WAYS)
def test_what_a_call_writes(source: str) -> None:
    assert written(source) == WAYS[source]


def test_unbound_methods_are_derived() -> None:
    for container in ("dict", "list", "set"):
        for name, way in stores.METHODS.items():
            if way.form is stores.Form.ITEM:
                assert stores.FUNCTIONS[f"builtins.{container}.{name}"].target == stores.FIRST
