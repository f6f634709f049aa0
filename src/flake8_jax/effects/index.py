"""An index of access paths: which of them may be one object, and which may lie inside of one."""

from collections.abc import Iterable, Iterator

from flake8_jax.effects.paths import AccessPath, Field, Index, Selector, Some, may_be_same


class PathIndex:
    """Paths that something is known of, found by where they lead.

    A path is asked for by its selectors, one by one, and not by a look at all paths. What is
    found may also be an object on the way to one that was added.
    """

    __slots__ = ("_parts", "_vague")

    def __init__(self) -> None:
        self._parts: dict[AccessPath, dict[Selector, AccessPath]] = {}
        """The parts of each object."""
        self._vague: dict[AccessPath, list[AccessPath]] = {}
        """Those of them that may be others as well: some item, the last one, a static field."""

    def add(self, path: AccessPath) -> None:
        """Add a path."""
        if not path.selectors:
            self._parts.setdefault(path, {})
        while path.selectors:
            owner, selector = path.owner, path.selectors[-1]
            parts = self._parts.get(owner)
            if parts is not None and selector in parts:
                return
            if not _is_plain(selector):
                self._vague.setdefault(owner, []).append(path)
            if parts is not None:
                parts[selector] = path
                return
            self._parts[owner] = {selector: path}
            path = owner

    def has_any_of(self, path: AccessPath) -> bool:
        """Whether anything was added that begins where a path begins."""
        return path.base in self._parts

    def parts(self, owner: AccessPath) -> Iterable[AccessPath]:
        """The parts of an object that were added."""
        parts = self._parts.get(owner)
        return parts.values() if parts is not None else ()

    def below(self, path: AccessPath) -> Iterator[AccessPath]:
        """The parts of an object, and what is in them."""
        waiting = [self._parts.get(path)]
        while waiting:
            parts = waiting.pop()
            if parts is not None:
                yield from parts.values()
                waiting += map(self._parts.get, parts.values())

    def alike(self, path: AccessPath) -> list[AccessPath]:
        """The paths that may lead to the same object."""
        found, cut = self._led_to(path)
        return [*found, *cut]

    def inside(self, path: AccessPath) -> Iterator[AccessPath]:
        """The paths that may lead to the same object, or to a part of it."""
        found, cut = self._led_to(path)
        yield from found
        yield from cut
        if not path.is_cut:
            for item in found:
                yield from self.below(item)

    def _led_to(self, path: AccessPath) -> tuple[list[AccessPath], list[AccessPath]]:
        """Where a path may lead, and those on the way that stand for anything below."""
        if path.base not in self._parts:
            return [], []
        here, cut = [path.base], list[AccessPath]()
        for selector in path.selectors:
            if selector is Some.BELOW:
                return [item for owner in here for item in self.below(owner)], cut
            found = [item for owner in here for item in self.matching(owner, selector)]
            here = [item for item in found if not item.is_cut]
            if len(here) < len(found):
                cut += [item for item in found if item.is_cut]
            if not here:
                break
        return here, cut

    def matching(self, owner: AccessPath, selector: Selector) -> list[AccessPath]:
        """The parts of an object that a selector may lead to."""
        parts = self._parts.get(owner)
        if parts is None:
            return []
        if not _is_plain(selector):
            return [part for one, part in parts.items() if may_be_same(one, selector)]
        found = [parts[selector]] if selector in parts else []
        if owner in self._vague:
            vague = self._vague[owner]
            found += [part for part in vague if may_be_same(part.selectors[-1], selector)]
        return found


def _is_plain(selector: Selector) -> bool:
    """Whether no other plain selector leads to the same part."""
    if type(selector) is Field:
        return not selector.static
    return isinstance(selector, Index) and not (isinstance(selector.key, int) and selector.key < 0)
