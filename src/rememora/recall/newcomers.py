"""Users who were asked about for the first time lately: a crowd of them takes nobody's place.

Most of a server's users are asked about once, and then not for a long time. As in the 2Q algorithm, they are kept
in the order in which they came, within a share of the memory. Who is asked about again after being put away has
come to stay; questions while they are still here say nothing, for one turn asks several.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from rememora.domain.scope import Scope

MOST_REMEMBERED = 10_000
"""Users of whom it is known that they were here, without anything of theirs."""


class Newcomers:
    """The new users in memory with what each takes, and the names of those who were put away."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._sizes: OrderedDict[Scope, int] = OrderedDict()
        self._taken = 0
        self._away: OrderedDict[Scope, None] = OrderedDict()

    def __contains__(self, user: Scope) -> bool:
        return user in self._sizes

    def come(self, user: Scope) -> None:
        """Note a user who was not in memory; one who was put away before is no newcomer."""
        if user in self._away:
            del self._away[user]
        else:
            self._sizes[user] = 0

    def weigh(self, user: Scope, size: int) -> None:
        """Note how much memory a user takes."""
        if user in self._sizes:
            self._taken += size - self._sizes[user]
            self._sizes[user] = size

    def leave(self, user: Scope) -> None:
        """Forget a user: erased, or here to stay."""
        self._taken -= self._sizes.pop(user, 0)
        self._away.pop(user, None)

    def put_away(self, user: Scope) -> None:
        """Note that a user is not in memory any more, and was."""
        self.leave(user)
        self._away[user] = None
        if len(self._away) > MOST_REMEMBERED:
            self._away.popitem(last=False)

    def beyond_limit(self) -> Iterator[Scope]:
        """Yield those who came first, as long as all of them take more than their share."""
        for user in list(self._sizes):
            if self._taken <= self._limit:
                return
            yield user

    def clear(self) -> None:
        """Forget everybody."""
        self._sizes.clear()
        self._away.clear()
        self._taken = 0
