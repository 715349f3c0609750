"""Accounts of people who sign in, their sessions and invitations in SQL: a tenant's view, and the operator's."""

from __future__ import annotations

from datetime import datetime

from rememora.adapters.sql.columns import RowDecoder, of_person, to_micros, to_moment
from rememora.adapters.sql.transaction import Repository
from rememora.domain.login import Invitation, Login, LoginSession
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.logins import StoredInvitation, StoredLogin, StoredSession

SAME_NAME = 8
"""Most accounts of one name that a sign-in looks at; each costs a hash."""


class SqlLogins(Repository):
    """A tenant's accounts, invitations and sessions, in SQL."""

    def all(self, scope: Scope) -> list[Login]:
        return [_login(row) for row in self._tx.all("logins", {"tenant": scope.tenant})]

    def named(self, scope: Scope, name: str) -> StoredLogin | None:
        row = self._tx.one("login_named", {"tenant": scope.tenant, "name": name})
        return None if row is None else StoredLogin(login=_login(row[:-1]), password=row[-1])

    def put(self, scope: Scope, login: Login, password: str) -> None:
        columns = {"id": login.id, "name": login.name, "role": login.role, "user": login.user}
        given = {"password": password, "created_at": to_micros(login.created_at)}
        self._tx.run("put_login", {"tenant": scope.tenant, **columns, **given})

    def touch(self, scope: Scope, id: str, *, at: datetime) -> None:
        self._tx.run("touch_login", {"tenant": scope.tenant, "id": id, "at": to_micros(at)})

    def end(self, scope: Scope, id: str) -> bool:
        self.end_sessions(scope, id)
        return self._tx.run("end_login", {"tenant": scope.tenant, "id": id}) == 1

    def invite(self, scope: Scope, invitation: Invitation, digest: bytes) -> None:
        columns = {
            "tenant": scope.tenant,
            "id": invitation.id,
            "digest": digest,
            "role": invitation.role,
            "user": invitation.user,
            "name": invitation.name,
            "created_by": invitation.created_by,
            "created_at": to_micros(invitation.created_at),
            "expires_at": to_micros(invitation.expires_at),
        }
        self._tx.run("add_login_invitation", columns)

    def invitations(self, scope: Scope) -> list[Invitation]:
        return [_invitation(row) for row in self._tx.all("login_invitations", {"tenant": scope.tenant})]

    def spend(self, scope: Scope, id: str) -> bool:
        return self._tx.run("spend_login_invitation", {"tenant": scope.tenant, "id": id}) == 1

    def open_session(self, scope: Scope, session: LoginSession, digest: bytes) -> None:
        columns = {"tenant": scope.tenant, "id": session.id, "digest": digest, "login": session.login}
        times = {"created_at": to_micros(session.created_at), "seen_at": to_micros(session.seen_at)}
        self._tx.run("add_login_session", {**columns, **times})

    def put_session(self, scope: Scope, session: LoginSession) -> None:
        columns = {
            "tenant": scope.tenant,
            "id": session.id,
            "seen_at": to_micros(session.seen_at),
            "glass_tenant": session.glass_tenant,
            "glass_reason": session.glass_reason,
            "glass_until": None if session.glass_until is None else to_micros(session.glass_until),
        }
        self._tx.run("put_login_session", columns)

    def end_sessions(self, scope: Scope, login: str, *, only: str | None = None) -> None:
        self._tx.run("end_login_sessions", {"tenant": scope.tenant, "login": login, "only": only})

    def count_try(self, scope: Scope, place: str, *, since: datetime, amount: int = 1) -> int:
        window = {"tenant": scope.tenant, "place": place, "since": to_micros(since), "amount": amount}
        row = self._tx.one("count_login_try", window)
        assert row is not None
        return int(row[0])

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if not plan.person:
            return 0
        self._tx.run("erase_login_sessions", of_person(scope))
        self._tx.run("erase_login_invitations", of_person(scope))
        return self._tx.run("erase_logins", of_person(scope))


class SqlSignIns(Repository):
    """The operator's view: whose a name, a session or an invitation is."""

    def find_logins(self, name: str) -> list[StoredLogin]:
        rows = self._tx.all("find_logins", {"name": name, "limit": SAME_NAME})
        return [StoredLogin(login=_login(row[:-2]), password=row[-2], standing=row[-1]) for row in rows]

    def find_session(self, id: str) -> StoredSession | None:
        row = self._tx.one("find_login_session", {"id": id})
        if row is None:
            return None
        tenant, id, login, created_at, seen_at, glass_tenant, glass_reason, glass_until = row[:8]
        session = LoginSession(
            tenant=tenant,
            id=id,
            login=login,
            created_at=to_moment(created_at),
            seen_at=to_moment(seen_at),
            glass_tenant=glass_tenant,
            glass_reason=glass_reason,
            glass_until=None if glass_until is None else to_moment(glass_until),
        )
        return StoredSession(session=session, digest=bytes(row[8]), standing=row[9], login=_login(row[10:]))

    def find_invitation(self, id: str) -> StoredInvitation | None:
        row = self._tx.one("find_login_invitation", {"id": id})
        return None if row is None else StoredInvitation(invitation=_invitation(row[:-1]), digest=bytes(row[-1]))

    def forget(self, *, before: datetime, now: datetime) -> int:
        dropped = self._tx.run("forget_login_sessions", {"before": to_micros(before)})
        dropped += self._tx.run("forget_login_tries", {"before": to_micros(before)})
        return dropped + self._tx.run("forget_login_invitations", {"now": to_micros(now)})


_login = RowDecoder(Login, "tenant id name role user created_at used_at")


_invitation = RowDecoder(Invitation, "tenant id role user name created_by created_at expires_at")
