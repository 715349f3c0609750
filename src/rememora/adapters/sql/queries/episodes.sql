-- name: summary
-- A conversation's rolling summary.
SELECT conversation_id, text, tokens, covered, last_seq, created_at, updated_at, hidden
FROM summaries
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: replace_summary
-- The new summary, if the stored one still ends where the caller saw it end.
INSERT INTO summaries
    (tenant_id, user_id, conversation_id, text, tokens, covered, last_seq, created_at, updated_at, hidden)
VALUES (:tenant, :user, :conversation, :text, :tokens, :covered, :last_seq, :created_at, :updated_at, :hidden)
ON CONFLICT (tenant_id, user_id, conversation_id) DO UPDATE SET
    text = excluded.text, tokens = excluded.tokens, covered = excluded.covered,
    last_seq = excluded.last_seq, updated_at = excluded.updated_at, hidden = excluded.hidden
WHERE summaries.last_seq = :after_seq;

-- name: remove_summary
-- A conversation's summary.
DELETE FROM summaries
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: add_episode
-- One episode, unless its turn count has one.
INSERT INTO episodes
    (tenant_id, user_id, conversation_id, turns, id, first_seq, last_seq, title, summary, told, created_at, hidden)
VALUES
    (:tenant, :user, :conversation, :turns, :id, :first_seq, :last_seq, :title, :summary, :told, :created_at,
     :hidden)
ON CONFLICT (tenant_id, user_id, conversation_id, turns) DO NOTHING;

-- name: add_episodes
-- Many episodes in one go, each unless its turn count has one; says which are new.
INSERT INTO episodes
    (tenant_id, user_id, conversation_id, turns, id, first_seq, last_seq, title, summary, told, created_at, hidden)
SELECT :tenant, :user, :conversation, json_extract(value, '$.turns'), json_extract(value, '$.id'),
       json_extract(value, '$.first_seq'), json_extract(value, '$.last_seq'), json_extract(value, '$.title'),
       json_extract(value, '$.summary'), :told, json_extract(value, '$.created_at'), json_extract(value, '$.hidden')
FROM json_each(:episodes)
WHERE true
ON CONFLICT (tenant_id, user_id, conversation_id, turns) DO NOTHING
RETURNING id;

-- name: tell_episode
-- Title and summary of an episode that has not been told yet.
UPDATE episodes SET title = :title, summary = :summary, told = 1, hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND turns = :turns
    AND id = :id AND told = 0;

-- name: untold_episodes
-- operator: Episodes of any tenant that have not been told yet, the longest waiting first.
SELECT tenant_id, user_id, conversation_id, id, turns, first_seq, last_seq, title, summary, created_at, hidden
FROM episodes
WHERE told = 0
ORDER BY created_at
LIMIT :limit;

-- name: newest_episodes
-- A conversation's episodes, newest first.
SELECT conversation_id, id, turns, first_seq, last_seq, title, summary, created_at, hidden
FROM episodes
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation
ORDER BY turns DESC
LIMIT :limit;

-- name: newest_episodes_of_user
-- A user's episodes, newest first.
SELECT conversation_id, id, turns, first_seq, last_seq, title, summary, created_at, hidden
FROM episodes
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY created_at DESC, id DESC
LIMIT :limit;

-- name: remove_episodes
-- All episodes of a conversation.
DELETE FROM episodes
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: erase_summaries
-- All summaries of a user.
DELETE FROM summaries WHERE tenant_id = :tenant AND user_id = :user;

-- name: summaries_of_user
-- The summaries of all of a user's conversations.
SELECT conversation_id, text, tokens, covered, last_seq, created_at, updated_at, hidden
FROM summaries
WHERE tenant_id = :tenant AND user_id = :user
ORDER BY conversation_id;

-- name: erase_episodes
-- All episodes of a user.
DELETE FROM episodes WHERE tenant_id = :tenant AND user_id = :user;

-- name: hide_summary
-- Why a summary is hidden.
UPDATE summaries SET hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation;

-- name: rewrite_summary
-- What a summary says when it is made again, if it still covers what the caller saw.
UPDATE summaries SET text = :text, tokens = :tokens, hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND last_seq = :last_seq;

-- name: withhold_episodes
-- The episodes that cover a place wait to be made again.
UPDATE episodes SET hidden = 'withheld', told = 0
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation
    AND first_seq <= :seq AND last_seq >= :seq
RETURNING id;

-- name: episodes_withheld
-- The episodes of a conversation that wait to be made again.
SELECT conversation_id, id, turns, first_seq, last_seq, title, summary, created_at, hidden
FROM episodes
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND hidden = 'withheld' AND told = 0
ORDER BY turns;

-- name: hide_episode
-- Why one episode is hidden.
UPDATE episodes SET hidden = :hidden
WHERE tenant_id = :tenant AND user_id = :user AND conversation_id = :conversation AND id = :id;
