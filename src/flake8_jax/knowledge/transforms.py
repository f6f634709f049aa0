"""What traces a callable, and how the parameters of that callable arrive.

From the measurements of which arguments are rebuilt and what is staged; every row is shown by a
fixture or by the generated matrix in ``tests/findings/test_transforms_and_writes.py``.
"""

from dataclasses import dataclass, replace

from flake8_jax.knowledge.aliases import ALIASES
from flake8_jax.knowledge.listed import LISTED_TRANSFORM, known_as, shown


@dataclass(frozen=True)
class Transform:
    """One function that takes callables and traces them."""

    name: str
    callables: tuple[int, ...] = (0,)
    """The positions of the callables among its arguments."""
    keywords: tuple[str, ...] = ("fun", "f", "func")
    """The names under which it takes them, in the same order or as alternatives for the first."""
    curried: bool = True
    """Whether it gives a function back; if not, it runs the callable at once."""
    staged: bool = True
    """Whether everything inside is traced, or only what depends on the arguments."""
    statics: tuple[str, ...] = ()
    """Its arguments that name parameters which arrive as they are, by position or by name."""
    operands: tuple[int | None, ...] = ()
    """For each parameter of the callable, the argument whose value, or element, it gets first."""
    operand_names: tuple[str | None, ...] = ()
    """The names of these arguments."""
    rest: int | None = None
    """The argument from which on all are handed over, one by one."""
    differentiated: str | None = None
    """Its argument that names the only parameters that are rebuilt; the first one if not given."""
    axes: str | None = None
    """Its second argument, that says None of the parameters which it does not map."""
    lifts: bool = True
    """Whether it makes Tracers of the arrays that it hands over, or leaves them as they were."""
    as_given: tuple[int, ...] = ()
    """The positions of the parameters that arrive as they are, whatever they are."""
    closes_over: bool = False
    """Whether it hands over all arguments as they are, and traces what is computed with them."""
    rebuilds_self: bool = False
    """Whether the self of a bound method is rebuilt as well."""
    keeps_nnx: bool = False
    """Whether writes to nnx objects come back to the caller."""
    is_jit: bool = False
    """Whether it just calls the callable when jit is off, so that the caller's objects change."""
    describes: bool = False
    """Whether what comes out describes the computation, in plain Python."""
    hands_references: bool = False
    """Whether its callables get references, which are written in place."""
    refuses: bool = False
    """Whether it raises where it would have to rebuild an argument that is no pytree."""
    makes_arguments: bool = False
    """Whether what it hands over is made for the call: nobody else sees a change of it."""
    waits: bool = False
    """Whether what it runs gets Tracers in staged code alone, and arrays outside of it."""
    traces: bool = True
    """False for callbacks, which run on the host with concrete values."""

    @property
    def keeps_objects(self) -> bool:
        """Whether an argument that is no pytree arrives as it is: so it is with all of Equinox."""
        return self.rebuilds_self

    def __hash__(self) -> int:
        """By its name: it is part of each write of a trace, and they are looked up often."""
        return hash(self.name)


_JIT = Transform(
    "jax.jit", statics=("static_argnums", "static_argnames"), is_jit=True, refuses=True
)
_GRAD = Transform("jax.grad", staged=False, differentiated="argnums", refuses=True)
_CUSTOM = Transform(
    "jax.custom_jvp", staged=False, statics=("nondiff_argnums",), lifts=False, refuses=True
)
_NOW = Transform("", curried=False)
_NNX = Transform("", keeps_nnx=True)
_HOST = Transform("", curried=False, traces=False)
_FILTER_GRAD = replace(_GRAD, refuses=False, differentiated="", rebuilds_self=True)
_MODEL = replace(_NOW, closes_over=True, keywords=("model", "guide"))
"""A probabilistic model gets its arguments as they are; what it samples is traced."""
_INFERENCE = {"HMC": (0,), "NUTS": (0,), "Predictive": (0,), "SVI": (0, 1)}
_OBJECTIVES = ("fun", "residual_fun", "fixed_point_fun", "optimality_fun")
_SOLVERS = """AndersonAcceleration ArmijoSGD BFGS Bisection Broyden FixedPointIteration GaussNewton
GradientDescent LBFGS LBFGSB LevenbergMarquardt NonlinearCG OptaxSolver PolyakSGD ProjectedGradient
ProximalGradient ScipyMinimize"""

TRANSFORMS = {
    row.name: row
    for row in (
        _JIT,
        replace(_JIT, name=LISTED_TRANSFORM, refuses=False),
        Transform("jax.pmap", statics=("static_broadcasted_argnums",), refuses=True),
        replace(_JIT, name="jax_dataclasses.jit", refuses=False),
        replace(_JIT, name="flax.linen.jit", refuses=False),
        Transform("jax.checkpoint", statics=("static_argnums",), refuses=True),
        Transform("jax.shard_map", refuses=True),
        Transform("jax.make_jaxpr", statics=("static_argnums",), describes=True, refuses=True),
        Transform("jax.export.export", refuses=True),
        Transform("jax.experimental.checkify.checkify", closes_over=True),
        Transform("jax.vmap", staged=False, axes="in_axes", refuses=True),
        Transform("jax.numpy.vectorize", staged=False, keywords=("pyfunc",)),
        _CUSTOM,
        replace(_CUSTOM, name="jax.custom_vjp"),
        _GRAD,
        replace(_GRAD, name="jax.value_and_grad"),
        replace(_GRAD, name="jax.jacfwd"),
        replace(_GRAD, name="jax.jacrev"),
        replace(_GRAD, name="jax.jacobian"),
        replace(_GRAD, name="jax.hessian"),
        replace(_NOW, name="jax.eval_shape", describes=True, refuses=True),
        replace(_NOW, name="jax.closure_convert"),
        replace(_NOW, name="jax.linear_transpose"),
        replace(_NOW, name="jax.jvp", staged=False, refuses=True),
        replace(_NOW, name="jax.vjp", staged=False, refuses=True),
        replace(_NOW, name="jax.linearize", staged=False, refuses=True),
        replace(
            _NOW,
            name="jax.lax.scan",
            operands=(1, 2),
            operand_names=("init", "xs"),
            refuses=True,
        ),
        replace(_NOW, name="jax.lax.map", operands=(1,), operand_names=("xs",), refuses=True),
        replace(_NOW, name="jax.lax.reduce", callables=(2,), keywords=("computation",)),
        replace(_NOW, name="jax.lax.reduce_window", callables=(2,), keywords=("computation",)),
        replace(
            _NOW,
            name="jax.lax.custom_root",
            callables=(0, 2, 3),
            keywords=("f", "solve", "tangent_solve"),
        ),
        replace(
            _NOW,
            name="jax.lax.custom_linear_solve",
            callables=(0, 2, 3),
            keywords=("matvec", "solve", "transpose_solve"),
        ),
        replace(
            _NOW,
            name="jax.lax.while_loop",
            callables=(0, 1),
            keywords=("cond_fun", "body_fun"),
            operands=(2,),
            operand_names=("init_val",),
            refuses=True,
        ),
        replace(
            _NOW,
            name="jax.lax.fori_loop",
            callables=(2,),
            keywords=("body_fun",),
            operands=(None, 3),
            operand_names=(None, "init_val"),
            refuses=True,
        ),
        replace(
            _NOW,
            name="jax.lax.cond",
            callables=(1, 2),
            keywords=("true_fun", "false_fun"),
            operand_names=("operand",),
            rest=3,
            is_jit=True,
            refuses=True,
        ),
        replace(
            _NOW,
            name="jax.lax.switch",
            callables=(1,),
            keywords=("branches",),
            operand_names=("operand",),
            rest=2,
            is_jit=True,
        ),
        replace(_NOW, name="jax.numpy.piecewise", callables=(2,), keywords=("funclist",)),
        replace(_NOW, name="jax.numpy.fromfunction", staged=False, keywords=("function",)),
        replace(_NOW, name="jax.numpy.apply_along_axis", staged=False, keywords=("func1d",)),
        replace(_NOW, name="jax.scipy.optimize.minimize"),
        replace(_NOW, name="jax.scipy.sparse.linalg.cg", keywords=("A",)),
        replace(_NOW, name="jax.scipy.sparse.linalg.bicgstab", keywords=("A",)),
        replace(_NOW, name="jax.scipy.sparse.linalg.gmres", keywords=("A",)),
        replace(_NOW, name="jax.experimental.ode.odeint"),
        Transform("equinox.filter_jit", rebuilds_self=True),
        Transform("equinox.filter_checkpoint", rebuilds_self=True),
        Transform("equinox.filter_make_jaxpr", rebuilds_self=True, describes=True),
        replace(_NOW, name="equinox.filter_eval_shape", rebuilds_self=True, describes=True),
        Transform("equinox.filter_vmap", staged=False, rebuilds_self=True, axes="in_axes"),
        replace(
            _NNX, name="flax.nnx.jit", statics=("static_argnums", "static_argnames"), refuses=True
        ),
        replace(_NNX, name="flax.nnx.remat"),
        replace(_NNX, name="flax.nnx.scan"),
        replace(_NNX, name="flax.nnx.vmap", staged=False),
        replace(_NNX, name="flax.nnx.grad", staged=False, differentiated="argnums"),
        replace(_NNX, name="flax.nnx.value_and_grad", staged=False, differentiated="argnums"),
        replace(_NNX, name="flax.nnx.eval_shape", curried=False, describes=True),
        replace(
            _NNX,
            name="flax.nnx.cond",
            curried=False,
            callables=(1, 2),
            keywords=("true_fun", "false_fun"),
        ),
        replace(
            _NNX, name="flax.nnx.switch", curried=False, callables=(1,), keywords=("branches",)
        ),
        replace(
            _NNX, name="flax.nnx.fori_loop", curried=False, callables=(2,), keywords=("body_fun",)
        ),
        replace(
            _NNX,
            name="flax.nnx.while_loop",
            curried=False,
            callables=(0, 1),
            keywords=("cond_fun", "body_fun"),
        ),
        replace(_NOW, name="haiku.scan"),
        replace(_NOW, name="equinox.filter_jvp", staged=False, rebuilds_self=True),
        replace(_NOW, name="equinox.filter_vjp", staged=False, rebuilds_self=True),
        replace(_NOW, name="equinox.filter_linearize", staged=False, rebuilds_self=True),
        *(
            replace(_FILTER_GRAD, name=f"equinox.filter_{name}")
            for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian")
        ),
        *(replace(_NOW, name=f"jaxopt.{name}", keywords=_OBJECTIVES) for name in _SOLVERS.split()),
        *(
            replace(_MODEL, name=f"numpyro.infer.{name}", callables=places)
            for name, places in _INFERENCE.items()
        ),
        *(
            replace(_NOW, name=f"diffrax.{name}", keywords=("vector_field",), as_given=(2,))
            for name in ("ODETerm", "ControlTerm", "WeaklyDiagonalControlTerm")
        ),
        *(
            replace(_NOW, name=f"optimistix.{name}", keywords=("fn",), as_given=(1,))
            for name in ("fixed_point", "least_squares", "minimise", "root_find")
        ),
        *(
            replace(_NOW, name=f"blackjax.{name}", keywords=("logdensity_fn",), staged=False)
            for name in ("hmc", "mala", "nuts")
        ),
        replace(_HOST, name="jax.pure_callback", keywords=("callback",)),
        replace(_HOST, name="jax.debug.callback", keywords=("callback",)),
        replace(_HOST, name="jax.experimental.io_callback", keywords=("callback",)),
        replace(_HOST, name="equinox.filter_pure_callback"),
    )
}
"""By canonical dotted name."""


def transform_named(dotted: str) -> Transform | None:
    """The transform under a name; one that a user listed keeps its own name."""
    row = TRANSFORMS.get(known_as(dotted))
    return replace(row, name=shown(dotted)) if row is not None and "=" in dotted else row


DEFINES_RULES = frozenset({"defvjp", "defjvp", "defjvps", "def_vmap"})
"""Methods of a custom derivative that take the functions which compute it."""

TRANSFORM_WORDS = DEFINES_RULES | {
    *(name.rpartition(".")[2] for name, row in TRANSFORMS.items() if row.traces),
    *("remat", "pjit"),
}
"""The last parts of the names of what traces: a text without them, or an alias, names none."""

LIBRARIES = frozenset(name.partition(".")[0] for name in (*TRANSFORMS, *ALIASES))
"""The libraries that have transforms."""

CURRIED_WORDS = frozenset(
    name.rpartition(".")[2] for name, row in TRANSFORMS.items() if row.curried
) | {"remat", "pjit"}
"""Those of them that make a function of a function."""

CUSTOM_RULES = frozenset({"jax.custom_jvp", "jax.custom_vjp"})
"""Transforms whose result is no method: it is handed no self."""

RULE_OF_A_PRIMITIVE = Transform("a derivative rule", staged=False)
WITH_FORWARD = "jax.custom_vjp"
"""Its rules run one after the other; that of a ``custom_jvp`` runs in the trace of a derivative."""
RULE_OF_A_FORWARD = replace(RULE_OF_A_PRIMITIVE, waits=True)
RULE_OF_A_BACKWARD = replace(RULE_OF_A_FORWARD, makes_arguments=True)
"""It gets what the forward rule has kept, and the derivative so far."""

KERNELS = frozenset({"jax.experimental.pallas.pallas_call"})
"""Transforms whose callables get references, to be written in place."""

KERNEL = Transform("jax.experimental.pallas.pallas_call", hands_references=True)
