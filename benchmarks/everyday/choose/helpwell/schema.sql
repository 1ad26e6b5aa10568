CREATE TABLE helpwell.accounts
(
    account_id UInt32,
    account_name String,
    country String,
    industry Nullable(String),
    plan String,
    seats UInt16,
    list_price_cents UInt32,
    net_price_cents UInt32,
    csm Nullable(String),
    is_internal UInt8,
    signed_up_at DateTime,
    activated_at Nullable(DateTime),
    churned_at Nullable(DateTime)
)
ENGINE = MergeTree
ORDER BY account_id;

CREATE TABLE helpwell.agents
(
    agent_id UInt32,
    account_id UInt32,
    full_name String,
    role String,
    team Nullable(String),
    created_at DateTime,
    last_login_at Nullable(DateTime),
    deactivated_at Nullable(DateTime)
)
ENGINE = MergeTree
ORDER BY (account_id, agent_id);

CREATE TABLE helpwell.tickets
(
    ticket_id UInt32,
    account_id UInt32,
    agent_id Nullable(UInt32),
    requester_email String,
    subject String,
    channel UInt8,
    priority UInt8,
    status String,
    reopen_count UInt8,
    is_spam UInt8,
    created_at DateTime,
    first_reply_at Nullable(DateTime),
    solved_at Nullable(DateTime),
    closed_at Nullable(DateTime),
    deleted_at Nullable(DateTime)
)
ENGINE = MergeTree
ORDER BY (account_id, created_at);

CREATE TABLE helpwell.replies
(
    reply_id UInt32,
    ticket_id UInt32,
    author_type String,
    agent_id Nullable(UInt32),
    is_public UInt8,
    body_chars UInt32,
    sent_at DateTime
)
ENGINE = MergeTree
ORDER BY (ticket_id, sent_at);

CREATE TABLE helpwell.sla_policies
(
    policy_id UInt16,
    policy_name String,
    priority UInt8,
    first_reply_minutes UInt32,
    resolution_minutes UInt32,
    is_active UInt8
)
ENGINE = MergeTree
ORDER BY policy_id;

CREATE TABLE helpwell.ticket_slas
(
    ticket_id UInt32,
    policy_id UInt16,
    metric String,
    status String,
    elapsed_minutes Nullable(UInt32),
    due_at DateTime,
    met_at Nullable(DateTime)
)
ENGINE = MergeTree
ORDER BY (ticket_id, metric);

CREATE TABLE helpwell.csat_ratings
(
    rating_id UInt32,
    ticket_id UInt32,
    agent_id UInt32,
    score Nullable(UInt8),
    comment Nullable(String),
    offered_at DateTime,
    rated_at Nullable(DateTime)
)
ENGINE = MergeTree
ORDER BY rating_id;

CREATE TABLE helpwell.ticket_tags
(
    ticket_id UInt32,
    tag String
)
ENGINE = MergeTree
ORDER BY (ticket_id, tag);

CREATE TABLE helpwell.invoices
(
    invoice_id UInt32,
    account_id UInt32,
    period_start Date,
    amount_cents UInt64,
    status String,
    issued_at Nullable(DateTime),
    due_on Nullable(Date),
    paid_at Nullable(DateTime)
)
ENGINE = MergeTree
ORDER BY (account_id, period_start);
