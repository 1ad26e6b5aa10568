CREATE TABLE beat.listeners (
  listener_id BIGINT NOT NULL,
  display_name STRING,
  email STRING,
  country_code STRING,
  birth_year INT,
  signup_ts TIMESTAMP NOT NULL,
  referred_by BIGINT,
  is_internal BOOLEAN NOT NULL,
  deleted_at TIMESTAMP
);

CREATE TABLE beat.plans (
  plan_code STRING NOT NULL,
  plan_name STRING NOT NULL,
  list_price_cents INT NOT NULL,
  max_members INT NOT NULL
);

CREATE TABLE beat.subscriptions (
  subscription_id BIGINT NOT NULL,
  listener_id BIGINT NOT NULL,
  plan_code STRING NOT NULL,
  status_cd STRING NOT NULL,
  net_price_cents INT NOT NULL,
  started_at TIMESTAMP NOT NULL,
  cancelled_at TIMESTAMP,
  ended_at TIMESTAMP
);

CREATE TABLE beat.payments (
  payment_id BIGINT NOT NULL,
  subscription_id BIGINT NOT NULL,
  amount_cents INT NOT NULL,
  tax_cents INT NOT NULL,
  status_cd STRING NOT NULL,
  method STRING,
  issued_at TIMESTAMP NOT NULL,
  paid_at TIMESTAMP
);

CREATE TABLE beat.labels (
  label_id INT NOT NULL,
  label_name STRING NOT NULL,
  country_code STRING,
  royalty_bps INT NOT NULL,
  contract_end DATE
);

CREATE TABLE beat.artists (
  artist_id INT NOT NULL,
  artist_name STRING NOT NULL,
  label_id INT,  -- NULL: independent
  country_code STRING,
  onboarded_on DATE NOT NULL
);

CREATE TABLE beat.tracks (
  track_id BIGINT NOT NULL,
  artist_id INT NOT NULL,
  title STRING NOT NULL,
  genre_cd STRING,
  duration_ms INT NOT NULL,
  is_explicit BOOLEAN NOT NULL,
  released_on DATE NOT NULL,
  ingested_at TIMESTAMP NOT NULL,
  takedown_at TIMESTAMP
);

CREATE TABLE beat.plays (
  play_id BIGINT NOT NULL,
  listener_id BIGINT NOT NULL,
  track_id BIGINT NOT NULL,
  played_at TIMESTAMP NOT NULL,
  ms_played INT NOT NULL,
  skipped BOOLEAN NOT NULL,
  device_cd STRING,
  source_cd STRING NOT NULL
);

CREATE TABLE beat.follows (
  listener_id BIGINT NOT NULL,
  artist_id INT NOT NULL,
  followed_at TIMESTAMP NOT NULL,
  unfollowed_at TIMESTAMP
);

CREATE TABLE beat.royalty_statements (
  statement_id BIGINT NOT NULL,
  label_id INT NOT NULL,
  period_month DATE NOT NULL,
  gross_micros BIGINT NOT NULL,
  net_micros BIGINT NOT NULL,
  status_cd STRING NOT NULL,
  issued_on DATE,
  paid_on DATE
);
