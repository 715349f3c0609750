"""Every error in one form (RFC 9457), and the one table from error code to HTTP status."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus

import msgspec
from starlette.responses import Response

from rememora.errors import ConfirmationNeeded, MemoryRefused, QuotaExceeded, RememoraError
from rememora.telemetry import REQUEST

MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[str, int] = {
    "error": 500,
    "usage": 422,
    "settings": 500,
    "invalid_input": 422,
    "undecodable": 400,
    "key_rejected": 401,
    "forbidden": 403,
    "right_missing": 403,
    "confirmation_needed": 428,
    "confirmation_rejected": 403,
    "unsafe_role": 503,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "model_mismatch": 503,
    "schema_outdated": 503,
    "signing_key_changed": 503,
    "transfer_differs": 500,
    "mission_refused": 409,
    "loop_refused": 409,
    "depth_exceeded": 409,
    "budget_exceeded": 409,
    "deadline_passed": 409,
    "flood_refused": 429,
    "breaker_open": 409,
    "changed_meanwhile": 412,
    "events_missed": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "memory_refused": 422,
    "quota_exceeded": 429,
    "too_many_tries": 429,
    "share_used_up": 429,
    "body_too_slow": 408,
    "unavailable": 503,
    "store_unavailable": 503,
    "plugin_failed": 503,
    "store_damaged": 503,
    "store_forked": 503,
    "model_unavailable": 502,
    "missing_extra": 501,
    "busy": 503,
    "timeout": 504,
}
"""HTTP status of each error code, including codes that only the server uses."""

RETRY_SECONDS = 1
_UNREAD = ("body_too_slow", "too_large")


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error: `code` is stable and safe to match on, `detail` is for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str = ""
    field: str | None = None
    verdict: str | None = None
    reason: str | None = None
    quota: str | None = None
    limit: int | None = None
    resets_at: datetime | None = None
    command: str | None = None
    confirmation: str | None = None
    expires_at: datetime | None = None
    request_id: str | None = None


class RequestRefusal(Exception):
    """An error that only the server raises, by its code."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        field: str | None = None,
        quota: str | None = None,
        limit: int | None = None,
    ) -> None:
        self.code, self.detail, self.field = code, detail, field
        self.quota, self.limit = quota, limit
        super().__init__(code)


def problem(code: str, detail: str = "", *, field: str | None = None) -> Problem:
    """Return the problem of a code."""
    status = STATUS[code]
    return Problem(
        type=f"urn:rememora:problem:{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
        field=field,
    )


def problem_of(error: RememoraError | RequestRefusal) -> Problem:
    """Return the problem of an error."""
    if isinstance(error, RequestRefusal):
        answer = problem(error.code, error.detail, field=error.field)
        return msgspec.structs.replace(answer, quota=error.quota, limit=error.limit)
    # An error of a plugin may have a code that the API does not document.
    known = error.code if error.code in STATUS else "error"
    answer = problem(known, error.message, field=getattr(error, "field", None))
    if isinstance(error, QuotaExceeded):
        return msgspec.structs.replace(answer, quota=error.quota, limit=error.limit, resets_at=error.resets_at)
    if isinstance(error, ConfirmationNeeded):
        return msgspec.structs.replace(answer, confirmation=error.confirmation, expires_at=error.expires_at)
    if isinstance(error, MemoryRefused):
        return msgspec.structs.replace(answer, verdict=error.verdict, reason=error.reason)
    return msgspec.structs.replace(answer, command=getattr(error, "command", None))


def unexpected() -> Problem:
    """Return the problem of an unexpected error, with the id under which it is logged."""
    return msgspec.structs.replace(problem("error", "something went wrong here"), request_id=REQUEST.get() or None)


def refused(problem: Problem, *, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response that carries a problem."""
    sent = dict(headers or {})
    if problem.status == 401:
        sent["WWW-Authenticate"] = 'Bearer realm="rememora"'
    if problem.resets_at is not None:
        left = (problem.resets_at - datetime.now(UTC)).total_seconds()
        sent["Retry-After"] = str(max(RETRY_SECONDS, math.ceil(left)))
    elif problem.status in (429, 503):
        sent["Retry-After"] = str(RETRY_SECONDS)
    if problem.code in _UNREAD:
        # The rest of the body is not waited for, so that the connection is good for nothing more.
        sent["Connection"] = "close"
    return Response(msgspec.json.encode(problem), problem.status, sent, media_type=MEDIA_TYPE)
