"""Where a session stands: which steps of its gold run are due in each turn of the user's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_servers.flowbench.user import AgendaUser, Place
from ossia_servers.flowbench.walk import Visit
from ossia_servers.trace import UserTurn

__all__ = ["Course", "Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """What is due in one turn of the user's.

    Attributes:
        name: The step at which the turn ends, `STEP:ask` where that step's slots are to be asked
            for first, `...:aside` where the user speaks of something else; with the wish before it
            where there are several, and numbered where it comes again. It stays when an earlier
            turn comes to last longer.
        place: Where the user is.
        due: The numbers of the steps that the user's last words made possible.
    """

    name: str
    place: Place
    due: tuple[int, ...]


class Course:
    """Follows a conversation by the session's scripted user."""

    def __init__(self, session: SessionTask, golds: GoldRuns) -> None:
        """Begin a conversation.

        Args:
            session: The session.
            golds: The gold runs of the sessions.

        Raises:
            TaskError: it has no gold run.
        """
        self._visits = golds.visits(session)
        self._is_cross = session.is_cross
        self._user = AgendaUser(session, golds.scenarios, self._visits)
        self._reached = 0
        self._counts = Counter[str]()
        self.stage = self._stage()

    def hear(self, turns: Sequence[UserTurn]) -> str | None:
        """Return what the user says next, which is the next stage; None at the end.

        Args:
            turns: The conversation so far; each is told once, in order.
        """
        words = self._user.next_words(turns)
        if words is not None:
            self.stage = self._stage()
        return words

    def linger(self) -> None:
        """Begin a stage in which nothing is due: the user goes on where there is nothing more."""
        self.stage = Stage(self._numbered("over"), self._user.place, ())

    def _stage(self) -> Stage:
        place = self._user.place
        begin = next(at for at, visit in enumerate(self._visits) if visit.wish == place.wish)
        due = tuple(range(max(begin, self._reached), place.reached))
        self._reached = max(self._reached, place.reached)
        return Stage(self._numbered(self._name(place)), place, due)

    def _name(self, place: Place) -> str:
        if place.asked_for:
            name = f"{self._visits[place.reached].step}:ask"
        else:
            name = self._last(place).step
        if place.is_aside:
            # Asides come by the clock: which one this is says nothing of where the work stands.
            name = f"{name}:aside"
        return f"{place.wish + 1}.{name}" if self._is_cross else name

    def _last(self, place: Place) -> Visit:
        """The step at which the turn ends."""
        return self._visits[max(place.reached, 1) - 1]

    def _numbered(self, name: str) -> str:
        self._counts[name] += 1
        count = self._counts[name]
        return name if count == 1 else f"{name}#{count}"
