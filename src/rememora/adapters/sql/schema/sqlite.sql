-- version: 0032
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE conversations (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    channel TEXT NOT NULL,
    messages INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    metadata TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, folded INTEGER DEFAULT 0 NOT NULL, cut INTEGER DEFAULT 0 NOT NULL, counted INTEGER DEFAULT 0 NOT NULL, edition INTEGER DEFAULT 0 NOT NULL, edition_before INTEGER DEFAULT 0 NOT NULL, hidden TEXT DEFAULT 'unjudged',
    PRIMARY KEY (tenant_id, user_id, id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX conversations_newest ON conversations (tenant_id, user_id, updated_at, id);

CREATE TABLE messages (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    modality TEXT NOT NULL,
    attachments TEXT,
    metadata TEXT,
    created_at INTEGER NOT NULL, hidden TEXT DEFAULT 'unjudged', judged TEXT DEFAULT 'unjudged', shown TEXT,
    PRIMARY KEY (tenant_id, user_id, conversation_id, seq),
    CONSTRAINT messages_role CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    CONSTRAINT messages_modality CHECK (modality IN ('chat', 'voice'))
)
 WITHOUT ROWID,
 STRICT;

CREATE UNIQUE INDEX messages_id ON messages (tenant_id, user_id, conversation_id, id);

CREATE TABLE tenants (
    tenant_id TEXT NOT NULL,
    outbox_position INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE outbox (
    tenant_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    occurred_at INTEGER NOT NULL, version INTEGER DEFAULT 1 NOT NULL, subject TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (tenant_id, position)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE subscribers (
    name TEXT NOT NULL,
    lease_owner TEXT,
    lease_until INTEGER NOT NULL, seen_at INTEGER DEFAULT 0 NOT NULL, missed INTEGER DEFAULT 0 NOT NULL,
    PRIMARY KEY (name)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE cursors (
    tenant_id TEXT NOT NULL,
    subscriber TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, subscriber)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE parked (
    tenant_id TEXT NOT NULL,
    subscriber TEXT NOT NULL,
    position INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    retry_at INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (tenant_id, subscriber, position)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX parked_due ON parked (subscriber, dead, retry_at);

CREATE TABLE memories (
    tenant_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    category TEXT NOT NULL,
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    confidence REAL NOT NULL,
    status TEXT NOT NULL,
    source TEXT NOT NULL,
    source_ref TEXT,
    conversation_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    suppressed INTEGER NOT NULL,
    supersedes TEXT,
    evidence TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, subject TEXT, attribute TEXT, follows TEXT, because TEXT, doubted_by TEXT, valid_from INTEGER, valid_to INTEGER, doubted_at INTEGER, attribute_start INTEGER, attribute_end INTEGER,
    PRIMARY KEY (tenant_id, owner_id, id),
    CONSTRAINT memories_status CHECK (status IN ('active', 'deprecated', 'deleted')),
    CONSTRAINT memories_scope CHECK ((scope = 'personal' AND owner_id = user_id) OR (scope = 'tenant_shared' AND owner_id = '*')),
    CONSTRAINT memories_confidence CHECK (confidence BETWEEN 0 AND 1)
)
 STRICT;

CREATE UNIQUE INDEX memories_one_active ON memories (tenant_id, owner_id, scope, "key") WHERE status = 'active';

CREATE INDEX memories_by_key ON memories (tenant_id, owner_id, "key", id);

CREATE TABLE memory_spans (
    tenant_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    PRIMARY KEY (tenant_id, owner_id, memory_id, since)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE audit (
    tenant_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    "key" TEXT NOT NULL,
    why TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT,
    salt BLOB,
    digest BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (tenant_id, position)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX audit_by_memory ON audit (tenant_id, memory_id, position);

CREATE TABLE audit_heads (
    tenant_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    hash BLOB NOT NULL,
    signature BLOB NOT NULL,
    PRIMARY KEY (tenant_id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE attempts (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    worthy INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    "key" TEXT,
    category TEXT,
    source TEXT NOT NULL,
    memory_id TEXT,
    PRIMARY KEY (tenant_id, user_id, id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE proposals (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    "key" TEXT,
    value TEXT,
    candidates TEXT,
    wish TEXT,
    reason TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, asks TEXT,
    PRIMARY KEY (tenant_id, user_id, id)
)
 STRICT;

CREATE TABLE quarantine (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    reason TEXT NOT NULL,
    wish TEXT,
    origin TEXT NOT NULL,
    source_ref TEXT,
    conversation_id TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    reviewed_at INTEGER,
    reviewed_by TEXT,
    PRIMARY KEY (tenant_id, user_id, id)
)
 STRICT;

CREATE TABLE entities (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    "key" TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    value TEXT NOT NULL,
    confidence REAL NOT NULL,
    conversation_id TEXT NOT NULL,
    mentions INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, forgotten INTEGER DEFAULT 0 NOT NULL, hidden TEXT DEFAULT 'unjudged', judged TEXT DEFAULT 'unjudged',
    PRIMARY KEY (tenant_id, user_id, "key")
)
 STRICT;

CREATE UNIQUE INDEX entities_by_id ON entities (tenant_id, user_id, id);

CREATE TABLE summaries (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    covered INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, hidden TEXT DEFAULT 'unjudged',
    PRIMARY KEY (tenant_id, user_id, conversation_id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE episodes (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    turns INTEGER NOT NULL,
    id TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    told INTEGER NOT NULL,
    created_at INTEGER NOT NULL, hidden TEXT DEFAULT 'unjudged',
    PRIMARY KEY (tenant_id, user_id, conversation_id, turns)
)
 WITHOUT ROWID,
 STRICT;

CREATE UNIQUE INDEX episodes_id ON episodes (tenant_id, user_id, id);

CREATE INDEX episodes_newest ON episodes (tenant_id, user_id, created_at, id);

CREATE INDEX episodes_untold ON episodes (created_at) WHERE told = 0;

CREATE TABLE missions (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    closed_at INTEGER,
    PRIMARY KEY (tenant_id, user_id, id),
    CONSTRAINT missions_status CHECK (status IN ('active', 'completed', 'timeout', 'failed'))
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX missions_session ON missions (tenant_id, user_id, session_id);

CREATE INDEX missions_user_status ON missions (tenant_id, user_id, status, created_at);

CREATE INDEX missions_due ON missions (status, created_at);

CREATE INDEX missions_expiry ON missions (expires_at);

CREATE TABLE mission_sections (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    mission_id TEXT NOT NULL,
    section TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (tenant_id, user_id, mission_id, section)
)
 STRICT;

CREATE TABLE index_entries (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL, run INTEGER DEFAULT 1 NOT NULL, features BLOB,
    PRIMARY KEY (tenant_id, user_id, kind, conversation_id, id),
    CONSTRAINT index_entries_state CHECK (state IN ('waiting', 'embedded', 'failed', 'gone'))
)
 WITHOUT ROWID,
 STRICT;

CREATE UNIQUE INDEX index_entries_number ON index_entries (tenant_id, user_id, number);

CREATE INDEX index_entries_waiting ON index_entries (tenant_id, user_id, number) WHERE state = 'waiting';

CREATE TABLE leases (
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (name)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE accounts (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    link_secret BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id),
    CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended'))
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE usage (
    tenant_id TEXT NOT NULL,
    meter TEXT NOT NULL,
    since INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, meter, since)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE answers (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    begun_at INTEGER NOT NULL,
    status INTEGER,
    body BLOB, steps BLOB,
    PRIMARY KEY (tenant_id, user_id, id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX answers_begun ON answers (begun_at);

CREATE TABLE tasks (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    module TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    "key" TEXT,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER,
    owner TEXT,
    result TEXT,
    summary TEXT,
    error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, hidden TEXT DEFAULT 'unjudged',
    PRIMARY KEY (tenant_id, user_id, id),
    CONSTRAINT tasks_key UNIQUE (tenant_id, user_id, "key"),
    CONSTRAINT tasks_status CHECK (status IN ('waiting', 'running', 'completed', 'failed', 'cancelled'))
)
 STRICT;

CREATE INDEX tasks_newest ON tasks (tenant_id, id);

CREATE INDEX tasks_due ON tasks (module, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE chores (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id, conversation_id, kind),
    CONSTRAINT chores_kind CHECK (kind IN ('fold', 'episode', 'patterns', 'mentions'))
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX chores_due ON chores (kind, due_at);

CREATE TABLE transfers (
    name TEXT NOT NULL,
    origin TEXT NOT NULL,
    place TEXT,
    copied INTEGER NOT NULL,
    done INTEGER NOT NULL,
    PRIMARY KEY (name)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE vectors (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (tenant_id, user_id, kind, conversation_id, id, model)
)
 STRICT;

CREATE TABLE embedding_model (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (run),
    CONSTRAINT embedding_model_state CHECK (state IN ('current', 'next', 'old'))
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE api_keys (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    digest BLOB NOT NULL,
    role TEXT NOT NULL,
    user_id TEXT,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    used_at INTEGER,
    successor TEXT,
    modules TEXT DEFAULT '[]' NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT api_keys_role CHECK (role IN ('user', 'service', 'admin', 'operator', 'auditor', 'module'))
)
 WITHOUT ROWID,
 STRICT;

CREATE UNIQUE INDEX api_keys_id ON api_keys (id);

CREATE INDEX conversations_unjudged ON conversations (tenant_id, user_id) WHERE hidden = 'unjudged';

CREATE INDEX entities_unjudged ON entities (tenant_id, user_id) WHERE hidden = 'unjudged';

CREATE INDEX tasks_unjudged ON tasks (tenant_id, user_id) WHERE hidden = 'unjudged';

CREATE TABLE memory_sources (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    hidden TEXT,
    PRIMARY KEY (tenant_id, user_id, memory_id, conversation_id, message_id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX memory_sources_message ON memory_sources (tenant_id, user_id, conversation_id, message_id);

CREATE TABLE mention_sources (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    "key" TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id, "key", conversation_id, message_id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX mention_sources_message ON mention_sources (tenant_id, user_id, conversation_id, message_id);

CREATE TABLE documents (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    space TEXT NOT NULL,
    id TEXT NOT NULL,
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (tenant_id, user_id, space, id)
)
 STRICT;

CREATE TABLE logins (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    user_id TEXT,
    password TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT logins_role CHECK (role IN ('owner', 'operator', 'auditor', 'support', 'person'))
)
 WITHOUT ROWID,
 STRICT;

CREATE UNIQUE INDEX logins_name ON logins (tenant_id, name);

CREATE INDEX logins_anywhere ON logins (name);

CREATE TABLE login_invitations (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    digest BLOB NOT NULL,
    role TEXT NOT NULL,
    user_id TEXT,
    name TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX login_invitations_id ON login_invitations (id);

CREATE TABLE login_sessions (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    digest BLOB NOT NULL,
    login_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    glass_tenant TEXT NOT NULL,
    glass_reason TEXT NOT NULL,
    glass_until INTEGER,
    PRIMARY KEY (tenant_id, id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX login_sessions_id ON login_sessions (id);

CREATE TABLE login_tries (
    tenant_id TEXT NOT NULL,
    place TEXT NOT NULL,
    since INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, place, since)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE trends (
    tenant_id TEXT NOT NULL,
    measure TEXT NOT NULL,
    since INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, measure, since, bucket)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE unread (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id, conversation_id, message_id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX unread_due ON unread (due_at);

CREATE INDEX index_entries_featureless ON index_entries (tenant_id, user_id, number) WHERE features IS NULL AND state IN ('embedded', 'failed');

CREATE INDEX memories_by_supersedes ON memories (tenant_id, owner_id, supersedes) WHERE supersedes IS NOT NULL;

CREATE INDEX memories_by_follows ON memories (tenant_id, owner_id, follows) WHERE follows IS NOT NULL;

CREATE INDEX memories_by_because ON memories (tenant_id, owner_id, because) WHERE because IS NOT NULL;

CREATE INDEX memories_by_doubted_by ON memories (tenant_id, owner_id, doubted_by) WHERE doubted_by IS NOT NULL;

INSERT INTO alembic_version (version_num) VALUES ('0032');
