"""The visitor of a page: language, the signed link kept in a cookie, and the token that forms carry."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rememora.app import Rememora
from rememora.dashboard.words import LANGUAGES, Language, language_of
from rememora.domain.tenancy import Caller, Role
from rememora.errors import Forbidden, InvalidInput, KeyRejected
from rememora.handles.user import UserMemory

COOKIE = "rememora_person"
SESSION_COOKIE = "rememora_session"
FORM_COOKIE = "rememora_form"
DESK_PATH = "/desk"
DESK_ROLES: frozenset[Role] = frozenset({"owner", "admin", "operator", "auditor", "support"})
SEED_BYTES = 18
LANGUAGE_COOKIE = "rememora_language"
TOKEN_FIELD = "csrf"  # noqa: S105 - the name of a field
TOKEN_HEADER = "x-rememora-csrf"  # noqa: S105 - the name of a header
FORM_BYTES = 2 * 1024 * 1024
YEAR_SECONDS = 365 * 24 * 3600


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """One visit: the language, where the pages are mounted, and whose memory it may see."""

    language: Language
    base: str = ""
    path: str = "/"
    query: tuple[tuple[str, str], ...] = ()
    secure: bool = False
    partial: bool = False
    link: str = ""
    caller: Caller | None = None
    session: str = ""
    """The token of somebody who signed in."""
    seed: str = ""
    """A secret of this browser, for the forms of somebody who is nobody yet."""
    fresh: bool = False
    """Tell whether the browser has to be given the seed."""
    address: str = ""
    officer: Caller | None = None
    demo: bool = False
    """Return whether this server offers the demonstration."""
    in_demo: bool = False

    @property
    def csrf(self) -> str:
        """The token that a form must send back: only pages of this server can know it."""
        return csrf_of(self.session or self.link or self.seed)

    def address_in(self, language: str) -> str:
        """This page in another language."""
        return f"{self.base}{self.path}?{urlencode([*self.query, ('lang', language)])}"

    @property
    def may_write(self) -> bool:
        """Return whether the link lets its holder change something."""
        return self.caller is not None and not self.caller.read_only

    def person(self, rememora: Rememora) -> UserMemory:
        """The memory of the person whose link it is."""
        if self.caller is None or self.caller.user is None:
            raise KeyRejected
        return rememora.user(self.caller.user, tenant=self.caller.tenant)


def csrf_of(link: str) -> str:
    """The form token that belongs to a link."""
    return hmac.digest(link.encode(), b"rememora form", hashlib.sha256).hex()


def look(request: Request, *, demo: bool = False) -> Visitor:
    """Read the visitor from a request, before the link is checked."""
    chosen = request.query_params.get("lang") or request.cookies.get(LANGUAGE_COOKIE)
    # The choice in the address or the cookie stands before the browser's own; anything unknown is ignored.
    language = next((code for code in LANGUAGES if code == chosen), None)
    seed = request.cookies.get(FORM_COOKIE, "")
    return Visitor(
        language=language or language_of(request.headers.get("accept-language", "")),
        base=request.scope.get("root_path", "").rstrip("/"),
        path=request.url.path.removeprefix(request.scope.get("root_path", "")),
        query=tuple(pair for pair in request.query_params.multi_items() if pair[0] not in ("lang", "link")),
        secure=request.url.scheme == "https",
        partial=request.headers.get("hx-request") == "true",
        link=request.cookies.get(COOKIE, ""),
        session=request.cookies.get(SESSION_COOKIE, ""),
        seed=seed or secrets.token_urlsafe(SEED_BYTES),
        fresh=not seed,
        address=request.client.host if request.client else "",
        demo=demo,
    )


async def admit(rememora: Rememora, visitor: Visitor) -> Visitor:
    """The visitor with the person whose link or session it is; `KeyRejected` where it opens nothing."""
    if visitor.link:
        return msgspec.structs.replace(visitor, caller=await rememora.credentials.admit_link(visitor.link))
    if not visitor.session:
        raise KeyRejected
    caller = await rememora.sessions.admit(visitor.session)
    if caller.role != "user":
        raise KeyRejected
    return msgspec.structs.replace(visitor, caller=caller)


async def admit_officer(rememora: Rememora, visitor: Visitor) -> Visitor:
    """The visitor with whose desk it is; `KeyRejected` where the session ended or never was."""
    if not visitor.session:
        raise KeyRejected
    officer = await rememora.sessions.admit(visitor.session)
    if officer.role not in DESK_ROLES:
        raise Forbidden("a person's account opens no desk")
    return msgspec.structs.replace(visitor, officer=officer)


async def form_of(request: Request, visitor: Visitor) -> dict[str, str]:
    """The fields of a form that one of our pages sent; anything else is refused."""
    _same_origin(request)
    fields = dict(parse_qsl((await _body(request)).decode("utf-8", "replace"), keep_blank_values=True))
    sent = request.headers.get(TOKEN_HEADER) or fields.get(TOKEN_FIELD, "")
    if not hmac.compare_digest(sent.encode(), visitor.csrf.encode()):
        raise Forbidden("the form did not come from a page of this server")
    return fields


def _same_origin(request: Request) -> None:
    """Refuse what a browser says another site sent."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    elsewhere = origin not in (None, "null") and urlsplit(origin or "").netloc != request.headers.get("host", "")
    if site not in (None, "same-origin", "none") or elsewhere:
        raise Forbidden("the form came from another site")


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > FORM_BYTES:
            raise InvalidInput("body", f"must have at most {FORM_BYTES} bytes")
    return bytes(body)


def keep_link(response: Response, visitor: Visitor, link: str) -> None:
    """Keep a link in the browser, out of reach of scripts and other sites, until the browser is closed."""
    response.set_cookie(
        COOKIE, link, path=f"{visitor.base}/", httponly=True, samesite="lax", secure=visitor.secure
    )


def drop_link(response: Response, visitor: Visitor) -> None:
    """Take the link out of the browser."""
    response.delete_cookie(COOKIE, path=f"{visitor.base}/", httponly=True, samesite="lax", secure=visitor.secure)


def keep_session(response: Response, visitor: Visitor, session: str) -> None:
    """Keep a session in the browser until it is closed; the server ends it when nothing is done."""
    _keep_strictly(response, visitor, SESSION_COOKIE, session)


def keep_seed(response: Response, visitor: Visitor) -> None:
    """Give the browser the secret that its forms are signed with before anybody signs in."""
    if visitor.fresh:
        _keep_strictly(response, visitor, FORM_COOKIE, visitor.seed)


def _keep_strictly(response: Response, visitor: Visitor, name: str, value: str) -> None:
    response.set_cookie(
        name, value, path=f"{visitor.base}/", httponly=True, samesite="strict", secure=visitor.secure
    )


def drop_session(response: Response, visitor: Visitor) -> None:
    """Take the session out of the browser."""
    response.delete_cookie(
        SESSION_COOKIE, path=f"{visitor.base}/", httponly=True, samesite="strict", secure=visitor.secure
    )


def keep_language(response: Response, visitor: Visitor) -> None:
    """Keep the language that the visitor chose."""
    response.set_cookie(
        LANGUAGE_COOKIE,
        visitor.language,
        max_age=YEAR_SECONDS,
        path=f"{visitor.base}/",
        samesite="lax",
        secure=visitor.secure,
    )
