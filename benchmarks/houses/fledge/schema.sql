-- fledge product warehouse, PostgreSQL 15

CREATE TABLE users (
    user_id          bigint PRIMARY KEY,
    created_at       timestamptz NOT NULL,
    display_name     text,
    country_code     char(2),
    signup_platform  text,
    account_state    text NOT NULL DEFAULT 'live',
    is_internal      boolean NOT NULL DEFAULT false,
    deleted_at       timestamptz,
    last_seen_at     timestamptz,
    birth_year       integer,
    acquisition      jsonb,
    profile          jsonb
);

CREATE TABLE plans (
    plan_id               text PRIMARY KEY,
    title                 text NOT NULL,
    tier                  text NOT NULL,
    billing_interval      text NOT NULL CHECK (billing_interval IN ('month','year','lifetime')),
    list_price_usd_cents  integer NOT NULL,
    retired_on            date
);

CREATE TABLE subscriptions (
    subscription_id              bigint PRIMARY KEY,
    user_id                      bigint NOT NULL REFERENCES users,
    plan_id                      text NOT NULL REFERENCES plans,
    store                        text NOT NULL,
    status                       text NOT NULL CHECK (status IN ('trialing','active','grace','paused','expired','refunded')),
    started_at                   timestamptz NOT NULL,
    trial_ends_at                timestamptz,
    first_paid_at                timestamptz,
    current_period_end           timestamptz,
    cancel_requested_at          timestamptz,
    ended_at                     timestamptz,
    end_reason                   text,
    replaced_by_subscription_id  bigint
);

CREATE TABLE payments (
    payment_id       bigint PRIMARY KEY,
    subscription_id  bigint NOT NULL REFERENCES subscriptions,
    user_id          bigint NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('charge','refund','chargeback')),
    paid_at          timestamptz NOT NULL,
    amount_minor     bigint NOT NULL,
    currency         char(3) NOT NULL,
    gross_usd        numeric(10,2) NOT NULL,
    net_usd          numeric(10,2) NOT NULL,
    is_sandbox       boolean NOT NULL DEFAULT false
);

CREATE TABLE events (
    event_id      uuid PRIMARY KEY,
    user_id       bigint,
    anonymous_id  text,
    session_id    uuid,
    event_name    text NOT NULL,
    platform      text,
    app_version   text,
    device_time   timestamptz,
    received_at   timestamptz NOT NULL,
    properties    jsonb
);

CREATE TABLE species (
    species_id       integer PRIMARY KEY,
    common_name      text NOT NULL,
    scientific_name  text,
    family_name      text,
    taxon_kind       text NOT NULL,
    rarity           smallint
);

CREATE TABLE sightings (
    sighting_id   bigint PRIMARY KEY,
    user_id       bigint NOT NULL REFERENCES users,
    species_id    integer NOT NULL REFERENCES species,
    observed_at   timestamp NOT NULL,
    logged_at     timestamptz NOT NULL,
    bird_count    integer,
    source        text NOT NULL CHECK (source IN ('manual','photo_id','sound_id','import')),
    review_code   smallint NOT NULL DEFAULT 0,
    country_code  char(2),
    removed_at    timestamptz,
    details       jsonb
);

CREATE TABLE challenges (
    challenge_id  integer PRIMARY KEY,
    title         text NOT NULL,
    starts_on     date NOT NULL,
    ends_on       date NOT NULL,
    is_hidden     boolean NOT NULL DEFAULT false
);

CREATE TABLE challenge_entries (
    challenge_id  integer REFERENCES challenges,
    user_id       bigint REFERENCES users,
    joined_at     timestamptz NOT NULL,
    left_at       timestamptz,
    finished_at   timestamptz,
    score         integer DEFAULT 0,
    PRIMARY KEY (challenge_id, user_id)
);

CREATE TABLE push_messages (
    push_id    bigint PRIMARY KEY,
    user_id    bigint REFERENCES users,
    campaign   text NOT NULL,
    state      char(1) NOT NULL,
    sent_at    timestamptz,
    opened_at  timestamptz
);
