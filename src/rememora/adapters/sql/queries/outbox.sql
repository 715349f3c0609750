-- name: next_position
-- Takes the tenant's next places in the outbox, and says which is the last.
INSERT INTO tenants (tenant_id, outbox_position, created_at)
VALUES (:tenant, :places, :at)
ON CONFLICT (tenant_id) DO UPDATE SET outbox_position = tenants.outbox_position + excluded.outbox_position
RETURNING outbox_position;

-- name: add_event
-- One event at its place.
INSERT INTO outbox (tenant_id, position, id, type, user_id, conversation_id, payload, occurred_at, version,
                    subject)
VALUES (:tenant, :position, :id, :type, :user, :conversation, :payload, :occurred_at, :version, :subject);

-- name: events_after
-- A tenant's events after a position.
SELECT tenant_id, position, id, type, user_id, conversation_id, payload, occurred_at, version, subject
FROM outbox
WHERE tenant_id = :tenant AND position > :after
ORDER BY position
LIMIT :limit;

-- name: events_before
-- A tenant's events before a position, the newest first.
SELECT tenant_id, position, id, type, user_id, conversation_id, payload, occurred_at, version, subject
FROM outbox
WHERE tenant_id = :tenant AND position < :before
ORDER BY position DESC
LIMIT :limit;

-- name: dead_letters
-- A tenant's events that a subscriber never took.
SELECT o.tenant_id, o.position, o.id, o.type, o.user_id, o.conversation_id, o.payload, o.occurred_at,
       o.version, o.subject,
       p.subscriber, p.attempts, p.retry_at, p.dead, p.error
FROM parked p
JOIN outbox o ON o.tenant_id = p.tenant_id AND o.position = p.position
WHERE p.tenant_id = :tenant AND p.dead = 1
ORDER BY p.position DESC
LIMIT :limit;

-- name: revive_dead
-- A tenant's dead letters of one subscriber, or of all, are due once more.
UPDATE parked SET dead = 0, attempts = 0, retry_at = :at
WHERE tenant_id = :tenant AND dead = 1 AND (:name = '' OR subscriber = :name);

-- name: add_subscriber
-- operator: Remembers a subscriber.
INSERT INTO subscribers (name, lease_owner, lease_until, seen_at, missed)
VALUES (:name, NULL, 0, :at, 0)
ON CONFLICT (name) DO NOTHING;

-- name: subscribers
-- operator: Every subscriber, by name.
SELECT name, seen_at, missed, lease_owner, lease_until FROM subscribers ORDER BY name;

-- name: tenant_deliveries
-- How far each subscriber is with a tenant's events: heard up to, newest, waiting, given up.
SELECT c.subscriber, c.position,
       COALESCE((SELECT t.outbox_position FROM tenants t WHERE t.tenant_id = :tenant), 0),
       (SELECT COUNT(*) FROM parked p WHERE p.tenant_id = :tenant AND p.subscriber = c.subscriber AND p.dead = 0),
       (SELECT COUNT(*) FROM parked p WHERE p.tenant_id = :tenant AND p.subscriber = c.subscriber AND p.dead = 1)
FROM cursors c
WHERE c.tenant_id = :tenant
ORDER BY c.subscriber;

-- name: subscriber_standing
-- operator: When a subscriber last came to listen, and how many events were removed meanwhile.
SELECT seen_at, missed FROM subscribers WHERE name = :name;

-- name: see_subscriber
-- operator: A subscriber is here again, and knows what it missed.
UPDATE subscribers SET seen_at = :at, missed = 0 WHERE name = :name;

-- name: note_missed
-- operator: Subscribers that stayed away too long miss one event that they had yet to take.
UPDATE subscribers SET missed = missed + 1
WHERE seen_at < :away
  AND (EXISTS (SELECT 1 FROM parked p
               WHERE p.tenant_id = :tenant AND p.position = :position AND p.subscriber = subscribers.name)
       OR NOT EXISTS (SELECT 1 FROM cursors c
                      WHERE c.tenant_id = :tenant AND c.subscriber = subscribers.name AND c.position >= :position));

-- name: start_from_now
-- operator: Sets a new subscriber's cursors behind everything stored so far.
INSERT INTO cursors (tenant_id, subscriber, position)
SELECT tenant_id, :name, outbox_position FROM tenants
WHERE outbox_position > 0
ON CONFLICT (tenant_id, subscriber) DO NOTHING;

-- name: claim_subscriber
-- operator: Takes the right to relay, unless another process holds it.
UPDATE subscribers SET lease_owner = :owner, lease_until = :until, seen_at = :now
WHERE name = :name AND (lease_owner IS NULL OR lease_owner = :owner OR lease_until < :now);

-- name: renew_subscriber
-- operator: Keeps the right to relay, if nobody has had it meanwhile.
UPDATE subscribers SET lease_until = :until
WHERE name = :name AND lease_owner = :owner;

-- name: release_subscriber
-- operator: Gives the right to relay back.
UPDATE subscribers SET lease_owner = NULL, lease_until = 0
WHERE name = :name AND lease_owner = :owner;

-- name: unheard_tenants
-- operator: Tenants with events that a subscriber has not been offered, the longest waiting first, and up to where
-- each was heard.
SELECT o.tenant_id, o.position - 1
FROM tenants t
LEFT JOIN cursors c ON c.tenant_id = t.tenant_id AND c.subscriber = :name
JOIN outbox o ON o.tenant_id = t.tenant_id AND o.position = (
    SELECT MIN(n.position) FROM outbox n
    WHERE n.tenant_id = t.tenant_id AND n.position > COALESCE(c.position, 0))
WHERE t.outbox_position > COALESCE(c.position, 0)
ORDER BY o.occurred_at, o.tenant_id
LIMIT :limit;

-- name: outlived_events
-- operator: Events from before a moment that every subscriber has taken and none has parked, but for those that
-- have stayed away since another moment.
SELECT o.tenant_id, o.position FROM outbox o
WHERE o.occurred_at < :before
  AND NOT EXISTS (
      SELECT 1 FROM subscribers s
      LEFT JOIN cursors c ON c.tenant_id = o.tenant_id AND c.subscriber = s.name
      WHERE s.seen_at >= :away AND COALESCE(c.position, 0) < o.position)
  AND NOT EXISTS (
      SELECT 1 FROM parked p
      JOIN subscribers q ON q.name = p.subscriber AND q.seen_at >= :away
      WHERE p.tenant_id = o.tenant_id AND p.position = o.position)
LIMIT :limit;

-- name: due_events
-- operator: The oldest parked event of each stream whose time has come.
SELECT o.tenant_id, o.position, o.id, o.type, o.user_id, o.conversation_id, o.payload, o.occurred_at,
       o.version, o.subject,
       p.subscriber, p.attempts, p.retry_at, p.dead, p.error
FROM parked p
JOIN outbox o ON o.tenant_id = p.tenant_id AND o.position = p.position
WHERE p.subscriber = :name AND p.dead = 0 AND p.retry_at <= :now
  AND NOT EXISTS (
      SELECT 1 FROM parked q
      WHERE q.tenant_id = p.tenant_id AND q.subscriber = p.subscriber AND q.user_id = p.user_id
        AND q.conversation_id = p.conversation_id AND q.dead = 0 AND q.position < p.position)
ORDER BY p.retry_at, o.tenant_id, o.position
LIMIT :limit;

-- name: parked_streams
-- operator: Streams in which something waits, so that what is newer queues behind it.
SELECT DISTINCT tenant_id, user_id, conversation_id FROM parked
WHERE subscriber = :name AND dead = 0;

-- name: park_event
-- operator: Notes that a subscriber has not taken an event, and when to try again.
INSERT INTO parked
    (tenant_id, subscriber, position, user_id, conversation_id, attempts, retry_at, dead, error)
VALUES (:tenant, :name, :position, :user, :conversation, :attempts, :retry_at, :dead, :error)
ON CONFLICT (tenant_id, subscriber, position) DO UPDATE SET
    attempts = excluded.attempts, retry_at = excluded.retry_at, dead = excluded.dead, error = excluded.error;

-- name: unpark_event
-- operator: The subscriber took it after all.
DELETE FROM parked
WHERE tenant_id = :tenant AND subscriber = :name AND position = :position;

-- name: advance_cursor
-- operator: Everything up to this position was offered.
INSERT INTO cursors (tenant_id, subscriber, position)
VALUES (:tenant, :name, :position)
ON CONFLICT (tenant_id, subscriber) DO UPDATE SET
    position = CASE WHEN excluded.position > cursors.position THEN excluded.position ELSE cursors.position END;

-- name: revoke_lease
-- operator: Takes the right to relay from whoever holds it.
UPDATE subscribers SET lease_owner = NULL, lease_until = 0
WHERE name = :name;

-- name: set_cursor
-- operator: What comes after this position is heard again.
INSERT INTO cursors (tenant_id, subscriber, position)
VALUES (:tenant, :name, :position)
ON CONFLICT (tenant_id, subscriber) DO UPDATE SET position = excluded.position;

-- name: unpark_after
-- operator: What is heard again waits for nothing, and is dead no more.
DELETE FROM parked
WHERE tenant_id = :tenant AND subscriber = :name AND position > :position;

-- name: unheard_count
-- operator: Events neither taken nor dead.
SELECT
    (SELECT COUNT(*) FROM tenants t
     LEFT JOIN cursors c ON c.tenant_id = t.tenant_id AND c.subscriber = :name
     JOIN outbox o ON o.tenant_id = t.tenant_id AND o.position > COALESCE(c.position, 0))
  + (SELECT COUNT(*) FROM parked WHERE subscriber = :name AND dead = 0);

-- name: events_of_user
-- What waits or was told about one user.
SELECT position, conversation_id, payload FROM outbox
WHERE tenant_id = :tenant AND user_id = :user;

-- name: erase_event
-- One event, for good.
DELETE FROM outbox WHERE tenant_id = :tenant AND position = :position;

-- name: erase_parked
-- That one event was parked, for good.
DELETE FROM parked WHERE tenant_id = :tenant AND position = :position;
