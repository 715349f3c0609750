"""The way of a page request: visitor, form, handler; every failure becomes a page that says it plainly."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as WebRoute

from rememora import errors
from rememora.app import Rememora
from rememora.dashboard import visitor as visits
from rememora.dashboard.demo import DEMO_TENANT
from rememora.dashboard.frame import SAFE, render
from rememora.dashboard.visitor import Visitor
from rememora.domain.tenancy import Caller, Right

logger = logging.getLogger(__name__)
# The first class that matches wins: one with an answer of its own stands before its base.
STATUS: Sequence[tuple[type[errors.RememoraError], int, str]] = (
    (errors.KeyRejected, 401, "error.link"),
    (errors.ConfirmationRejected, 403, "error.confirmation"),
    (errors.Forbidden, 403, "error.forbidden"),
    (errors.RightMissing, 403, "error.forbidden"),
    (errors.NotFound, 404, "error.missing"),
    (errors.TooManyTries, 429, "error.tries"),
    (errors.QuotaExceeded, 429, "error.quota"),
    (errors.Conflict, 409, "error.changed"),
    (errors.InvalidInput, 422, "error.input"),
    (errors.MemoryRefused, 422, "error.refused"),
    (errors.ModelUnavailable, 502, "error.model"),
)
Handler = Callable[["PageRequest"], Awaitable[Response]]


class RequestSlots(Protocol):
    """Places of a server for requests and streams, held while they last; False where none is left."""

    closing: asyncio.Event
    """Set when the server stops: streams end then."""

    def whole(self) -> AbstractContextManager[bool]:
        """Take a place of all there are, before anybody is known."""

    def share(self, caller: Caller) -> AbstractContextManager[bool]:
        """Take a place of a caller's share."""

    def stream(self, caller: Caller) -> AbstractContextManager[bool]:
        """Take a place among streams."""


class PageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a page: who asks, with which fields."""

    rememora: Rememora
    visitor: Visitor
    request: Request
    places: RequestSlots
    form: dict[str, str] = {}

    @property
    def query(self) -> dict[str, str]:
        """Parameters of the address."""
        return dict(self.request.query_params)

    def named(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def to(self, path: str) -> Response:
        """Go on to another page."""
        return RedirectResponse(f"{self.visitor.base}{path}", 303, SAFE)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page in the visitor's language."""
        return render(self.visitor, template, status=status, **values)


class Pages:
    """Collects the routes of pages, each with its way in."""

    def __init__(self, rememora: Rememora, places: RequestSlots) -> None:
        self._rememora = rememora
        self._places = places
        self.routes: list[WebRoute] = []

    @property
    def _seconds(self) -> float:
        """Longest time of an answer: a turn without a script waits for the model."""
        settings = self._rememora.settings
        return settings.server.request_seconds + settings.model.timeout_seconds

    def open(self, path: str, handler: Handler, *, method: str = "GET") -> None:
        """A page that anybody may see."""
        self._add(path, handler, method, person=False)

    def own(self, path: str, handler: Handler, *, method: str = "GET") -> None:
        """A page of one person, behind their link."""
        self._add(path, handler, method, person=True)

    def desk(self, path: str, handler: Handler, *, right: Right, method: str = "GET") -> None:
        """A page of the operator's desk, behind a session whose key has the right."""
        self._add(path, handler, method, right=right)

    def _add(
        self, path: str, handler: Handler, method: str, *, person: bool = False, right: Right | None = None
    ) -> None:
        async def answer(request: Request) -> Response:
            visitor = visits.look(request, demo=self._rememora.settings.server.demo)
            try:
                # Pages share the places of the API: a flood of one does not starve the other.
                with self._places.whole() as free:
                    if not free:
                        return busy(visitor)
                    async with asyncio.timeout(self._seconds):
                        if right is not None:
                            response = await self._at_desk(request, visitor, handler, right)
                        else:
                            response = await self._answer(request, visitor, handler, person=person)
            except (errors.RememoraError, TimeoutError) as error:
                response = error_page(await self._named(visitor, person=person, desk=right is not None), error)
            except Exception as error:
                logger.exception("%s %s failed: %s", method, path, type(error).__name__)
                known = await self._named(visitor, person=person, desk=right is not None)
                response = render(
                    known, "error.html", status=500, message="error.trouble", partial=visitor.partial
                )
            # Cookies go on errors as well, so that the form of an error page can be sent.
            visits.keep_seed(response, visitor)
            if "lang" in request.query_params:
                visits.keep_language(response, visitor)
            return response

        self.routes.append(WebRoute(path, answer, methods=[method]))

    async def _answer(self, request: Request, visitor: Visitor, handler: Handler, *, person: bool) -> Response:
        visitor = await self._known(visitor, needed=person)
        if person and request.method == "POST" and not visitor.may_write:
            raise errors.Forbidden("this link only reads")
        return await self._handle(request, visitor, handler, visitor.caller)

    async def _at_desk(self, request: Request, visitor: Visitor, handler: Handler, right: Right) -> Response:
        try:
            visitor = await visits.admit_officer(self._rememora, visitor)
        except errors.KeyRejected:
            response = RedirectResponse(f"{visitor.base}/sign-in", 303, SAFE)
            if visitor.session:
                visits.drop_session(response, visitor)
            return response
        assert visitor.officer is not None
        if right not in visitor.officer.rights:
            raise errors.RightMissing(right)
        return await self._handle(request, visitor, handler, visitor.officer)

    async def _handle(
        self, request: Request, visitor: Visitor, handler: Handler, caller: Caller | None
    ) -> Response:
        """Answer, within the share of places that a caller has."""
        with nullcontext(True) if caller is None else self._places.share(caller) as free:
            if not free:
                return busy(visitor)
            form = await visits.form_of(request, visitor) if request.method == "POST" else {}
            return await handler(
                PageRequest(
                    rememora=self._rememora, visitor=visitor, request=request, places=self._places, form=form
                )
            )

    async def _named(self, visitor: Visitor, *, person: bool, desk: bool) -> Visitor:
        """The visitor of a page that failed: a person, or somebody at the desk, keeps the way to other pages."""
        if visitor.partial:
            return visitor
        try:
            if desk:
                return await visits.admit_officer(self._rememora, visitor)
            return await self._known(visitor, needed=False) if person else visitor
        except errors.RememoraError:
            return visitor
        except Exception:
            logger.exception("the visitor of a page that failed could not be looked up")
            return visitor

    async def _known(self, visitor: Visitor, *, needed: bool) -> Visitor:
        try:
            admitted = await visits.admit(self._rememora, visitor)
        except errors.RememoraError:
            if needed:
                raise
            return visitor
        in_demo = admitted.caller is not None and admitted.caller.tenant == DEMO_TENANT
        return msgspec.structs.replace(admitted, in_demo=in_demo)


def nowhere(request: Request) -> Response:
    """The page for an address at which there is nothing."""
    return render(visits.look(request), "error.html", status=404, message="error.missing", partial=False)


def busy(visitor: Visitor) -> Response:
    """Say that no place is left, and when to come again."""
    template = "notice.html" if visitor.partial else "error.html"
    response = render(visitor, template, status=503, message="error.busy")
    response.headers["Retry-After"] = "1"
    return response


def error_page(visitor: Visitor, error: Exception) -> Response:
    """A foreseen error as a page, or as a notice where only a part of a page was asked for."""
    if isinstance(error, errors.KeyRejected) and not (visitor.partial or visitor.link or visitor.session):
        # Somebody who has shown nothing yet is told how to come in, not that a link failed.
        return render(visitor, "enter.html", status=401)
    status, message = 503, "error.trouble"
    for kind, code, text in STATUS:
        if isinstance(error, kind):
            status, message = code, text
            break
    template = "notice.html" if visitor.partial else "error.html"
    return render(visitor, template, status=status, message=message, partial=visitor.partial)
