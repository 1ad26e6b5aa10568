-- Lumora video streaming, BigQuery, dataset core
CREATE TABLE core.accounts (
  account_id       INT64 NOT NULL,
  country          STRING,
  acct_kind        STRING NOT NULL,
  created_at       TIMESTAMP NOT NULL,
  first_paid_date  DATE,
  closed_at        TIMESTAMP
);
CREATE TABLE core.profiles (
  profile_id  INT64 NOT NULL,
  account_id  INT64 NOT NULL,
  nickname    STRING,
  is_kids     BOOL NOT NULL,
  created_at  TIMESTAMP NOT NULL,
  deleted_at  TIMESTAMP
);
CREATE TABLE core.subscriptions (
  sub_id          INT64 NOT NULL,
  account_id      INT64 NOT NULL,
  plan_cd         STRING NOT NULL,
  state           STRING NOT NULL,
  trial_end_date  DATE,
  start_date      DATE NOT NULL,
  end_date        DATE,
  price_minor     INT64 NOT NULL,
  bill_months     INT64 NOT NULL
);
CREATE TABLE core.titles (
  title_id       INT64 NOT NULL,
  title_name     STRING NOT NULL,
  kind           STRING NOT NULL,
  genre          STRING,
  is_original    BOOL NOT NULL,
  licence_start  DATE,
  licence_end    DATE,
  publish_date   DATE
);
CREATE TABLE core.episodes (
  episode_id    INT64 NOT NULL,
  title_id      INT64 NOT NULL,
  season_no     INT64 NOT NULL,
  episode_no    INT64 NOT NULL,
  runtime_s     INT64,
  release_date  DATE,
  avail_date    DATE
);
CREATE TABLE core.plays (
  play_id         INT64 NOT NULL,
  profile_id      INT64 NOT NULL,
  title_id        INT64 NOT NULL,
  episode_id      INT64,
  device_cd       STRING NOT NULL,
  started_at      TIMESTAMP NOT NULL,
  watched_ms      INT64 NOT NULL,
  buffer_ms       INT64 NOT NULL,
  completion_bp   INT64,
  is_autopreview  BOOL NOT NULL
) PARTITION BY DATE(started_at);
CREATE TABLE core.charges (
  charge_id           INT64 NOT NULL,
  account_id          INT64 NOT NULL,
  sub_id              INT64,
  charged_at          TIMESTAMP NOT NULL,
  value_date          DATE,
  status              STRING NOT NULL,
  gross_eur_cents     INT64 NOT NULL,
  vat_eur_cents       INT64 NOT NULL,
  refunded_eur_cents  INT64 NOT NULL
);
CREATE TABLE core.ratings (
  profile_id    INT64 NOT NULL,
  title_id      INT64 NOT NULL,
  score         INT64 NOT NULL,
  rated_at      TIMESTAMP NOT NULL,
  withdrawn_at  TIMESTAMP
);
CREATE TABLE core.tickets (
  ticket_id       INT64 NOT NULL,
  account_id      INT64 NOT NULL,
  topic_cd        STRING,
  status          STRING NOT NULL,
  is_spam         BOOL NOT NULL,
  opened_at       TIMESTAMP NOT NULL,
  first_reply_at  TIMESTAMP,
  solved_at       TIMESTAMP
);
