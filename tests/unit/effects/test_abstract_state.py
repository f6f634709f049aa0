"""The state: variables and heap, strong and weak updates, branches and their join."""

from flake8_jax.effects.paths import AccessPath, Field, Index, LoopKey, Owner, Root, Some
from flake8_jax.effects.state import AbstractState, join_states
from flake8_jax.effects.values import PLAIN, UNKNOWN, Value, initial, join

S, T = (AccessPath(Root(Owner.PARAMETER, name)) for name in "st")
X, INNER = Field("x"), Field("inner")
ONE, TWO = (PLAIN.with_types(frozenset({name})) for name in ("one", "two"))


def test_what_was_not_stored_is_what_was_there_at_first() -> None:
    assert AbstractState().part(initial(S), X) == initial(S.then(X))


def test_a_strong_update_replaces() -> None:
    state = AbstractState()
    state.store(initial(S), X, ONE)
    state.store(initial(S), X, TWO)
    assert state.part(initial(S), X) == TWO


def test_a_weak_update_adds() -> None:
    state = AbstractState()
    either = join((initial(S), initial(T)))
    state.store(either, X, ONE)
    assert state.part(initial(S), X) == join((initial(S.then(X)), ONE))
    assert state.part(initial(T), X) == join((initial(T.then(X)), ONE))
    state.store(initial(S).inexact(), X, TWO)
    assert state.part(initial(S), X).types == frozenset()


def test_storing_an_object_forgets_what_was_stored_in_the_former_one() -> None:
    state = AbstractState()
    inner = state.part(initial(S), INNER)
    state.store(inner, X, ONE)
    state.store(initial(S), INNER, initial(T))
    assert state.part(state.part(initial(S), INNER), X) == initial(T.then(X))


def test_a_key_that_is_not_known_may_be_any() -> None:
    state = AbstractState()
    state.store(initial(S), Index("a"), ONE)
    state.store(initial(S), Some.INDEX, TWO)
    assert state.part(initial(S), Index("a")).types == frozenset()
    assert state.part(initial(S), Some.INDEX).types == frozenset()
    assert state.part(initial(S), X) == initial(S.then(X))


def test_what_a_round_of_a_loop_has_stored() -> None:
    state = AbstractState()
    state.store(initial(S), LoopKey(1), ONE)
    assert state.part(initial(S), LoopKey(1)) == ONE
    assert state.part(initial(S), LoopKey(2)).paths == {S.then(LoopKey(2))} | ONE.paths
    state.end_round(1, AbstractState())
    assert (
        state.part(initial(S), LoopKey(1)).paths
        == {
            S.then(LoopKey(1)),
            S.then(Some.INDEX),
        }
        | ONE.paths
    )


def test_a_variable_keeps_some_element_of_a_loop() -> None:
    state = AbstractState({"last": initial(S.then(LoopKey(1)))})
    state.end_round(1, AbstractState())
    assert state.env["last"].paths == {S.then(Some.INDEX)}


def test_the_parts_of_a_shallow_copy_are_those_of_its_source() -> None:
    state = AbstractState()
    copy = Value().with_contents(PLAIN.contents._replace(shares=frozenset({S})))
    assert state.part(copy, INNER).paths == {S.then(INNER)}


def test_a_branch_does_not_see_the_other_ones_heap() -> None:
    before = AbstractState()
    then, orelse = before.copy(), before.copy()
    then.store(initial(S), INNER, ONE)
    assert orelse.part(initial(S), INNER) == initial(S.then(INNER))
    after = join_states((then, orelse))
    assert after.part(initial(S), INNER) == join((initial(S.then(INNER)), ONE))


def test_variables_are_joined() -> None:
    one, two = AbstractState({"a": ONE, "b": ONE}), AbstractState({"a": TWO})
    after = join_states((one, two))
    assert after.env == {"a": join((ONE, TWO)), "b": ONE}
    assert one.env["a"] == ONE


def test_the_join_does_not_depend_on_the_order() -> None:
    one, two = AbstractState({"a": ONE}), AbstractState({"a": TWO})
    one.store(initial(S), X, ONE)
    two.store(initial(T), X, TWO)
    assert join_states((one, two)) == join_states((two, one))


def test_a_way_that_ends_is_not_joined() -> None:
    one, two = AbstractState({"a": ONE}), AbstractState({"a": TWO})
    two.leave()
    assert join_states((one, two)) == one
    assert not join_states((two, two)).reachable
    assert join_states((two, two)) == AbstractState(reachable=False)


def test_what_unknown_code_got_may_hold_anything() -> None:
    state = AbstractState()
    state.store(initial(S), X, ONE)
    state.store(initial(T), X, TWO)
    state.forget([S])
    assert state.part(initial(S), X) == UNKNOWN
    assert state.part(initial(T), X) == TWO
