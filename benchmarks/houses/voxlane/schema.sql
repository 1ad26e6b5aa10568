-- VOXLANE.MART  (Snowflake)
USE SCHEMA voxlane.mart;

CREATE TABLE learners (
  learner_id            VARCHAR(26) NOT NULL PRIMARY KEY,
  email_hash            VARCHAR(64),
  country_code          CHAR(2),
  home_timezone         VARCHAR(40),
  account_kind          VARCHAR(20) NOT NULL,   -- consumer / business_seat / staff / test
  account_status        VARCHAR(20) NOT NULL,   -- active / paused / closed / banned
  organisation_id       VARCHAR(26),
  acquisition_channel   VARCHAR(20),            -- organic / paid_search / referral / partner / app_store
  signup_at             TIMESTAMP_NTZ NOT NULL,
  first_paid_at         TIMESTAMP_NTZ,
  is_deleted            BOOLEAN DEFAULT FALSE
);

CREATE TABLE tutors (
  tutor_id              VARCHAR(26) NOT NULL PRIMARY KEY,
  display_name          VARCHAR(80),
  country_code          CHAR(2),
  tutor_status          VARCHAR(20) NOT NULL,   -- applied / onboarding / listed / on_break / delisted / removed
  payout_currency       CHAR(3),
  applied_at            TIMESTAMP_NTZ,
  approved_at           TIMESTAMP_NTZ,
  delisted_at           TIMESTAMP_NTZ,
  is_demo               BOOLEAN DEFAULT FALSE
);

CREATE TABLE lessons (
  lesson_id             VARCHAR(26) NOT NULL PRIMARY KEY,
  learner_id            VARCHAR(26) NOT NULL REFERENCES learners,
  tutor_id              VARCHAR(26) NOT NULL REFERENCES tutors,
  language_code         VARCHAR(8) NOT NULL,
  lesson_type           VARCHAR(20) NOT NULL,   -- trial / standard / exam_prep / conversation_club
  lesson_status         VARCHAR(24) NOT NULL,   -- booked / in_progress / completed / auto_completed / learner_no_show /
                                                -- tutor_no_show / cancelled_by_learner / cancelled_by_tutor / cancelled_by_platform
  booked_at             TIMESTAMP_NTZ NOT NULL,
  scheduled_start_at    TIMESTAMP_NTZ NOT NULL,
  completed_at          TIMESTAMP_NTZ,
  cancelled_at          TIMESTAMP_NTZ,
  duration_minutes      NUMBER(4),
  delivered_minutes     NUMBER(4),
  list_price            NUMBER(12,2),
  charged_amount        NUMBER(12,2),
  currency              CHAR(3),
  fx_rate_to_eur        NUMBER(14,8)
);

CREATE TABLE payments (
  payment_id            VARCHAR(26) NOT NULL PRIMARY KEY,
  learner_id            VARCHAR(26) NOT NULL REFERENCES learners,
  payment_purpose       VARCHAR(20) NOT NULL,   -- lesson / pack / subscription / gift_card
  payment_status        VARCHAR(20) NOT NULL,   -- authorised / captured / failed / voided / charged_back
  provider              VARCHAR(20),
  authorised_at         TIMESTAMP_NTZ,
  captured_at           TIMESTAMP_NTZ,
  settled_on            DATE,
  currency              CHAR(3),
  amount_local          NUMBER(12,2),
  amount_eur            NUMBER(12,2),
  amount_settled_eur    NUMBER(12,2)
);

CREATE TABLE refunds (
  refund_id             VARCHAR(26) NOT NULL PRIMARY KEY,
  payment_id            VARCHAR(26) NOT NULL REFERENCES payments,
  refund_state          VARCHAR(20) NOT NULL,   -- requested / approved / paid_out / rejected
  reason                VARCHAR(20),            -- tutor_no_show / quality / duplicate / goodwill
  requested_at          TIMESTAMP_NTZ,
  approved_at           TIMESTAMP_NTZ,
  paid_out_at           TIMESTAMP_NTZ,
  currency              CHAR(3),
  amount_local          NUMBER(12,2),
  amount_eur            NUMBER(12,2)
);

CREATE TABLE subscriptions (
  subscription_id       VARCHAR(26) NOT NULL PRIMARY KEY,
  learner_id            VARCHAR(26) NOT NULL REFERENCES learners,
  plan                  VARCHAR(20) NOT NULL,   -- lite / plus / intensive
  billing_interval      VARCHAR(10) NOT NULL,   -- monthly / annual
  status                VARCHAR(20) NOT NULL,   -- trialing / active / past_due / cancelled / expired
  started_on            DATE,
  trial_ends_on         DATE,
  current_period_ends_on DATE,
  cancel_requested_at   TIMESTAMP_NTZ,
  ended_on              DATE,
  currency              CHAR(3),
  price_local           NUMBER(10,2),
  mrr_eur               NUMBER(10,2)
);

CREATE TABLE tutor_payouts (
  payout_id             VARCHAR(26) NOT NULL PRIMARY KEY,
  tutor_id              VARCHAR(26) NOT NULL REFERENCES tutors,
  payout_status         VARCHAR(20) NOT NULL,   -- pending / in_transit / paid / returned / on_hold
  period_start          DATE,
  period_end            DATE,
  initiated_at          TIMESTAMP_NTZ,
  paid_at               TIMESTAMP_NTZ,
  currency              CHAR(3),
  gross_earnings_local  NUMBER(12,2),
  net_payout_local      NUMBER(12,2),
  net_payout_eur        NUMBER(12,2)
);

CREATE TABLE reviews (
  review_id             VARCHAR(26) NOT NULL PRIMARY KEY,
  lesson_id             VARCHAR(26) NOT NULL REFERENCES lessons,
  rating                NUMBER(1),
  moderation_status     VARCHAR(20) NOT NULL,   -- published / hidden / pending
  submitted_at          TIMESTAMP_NTZ
);

CREATE TABLE fx_rates (
  rate_date             DATE NOT NULL,
  currency              CHAR(3) NOT NULL,
  eur_per_unit          NUMBER(14,8) NOT NULL,
  PRIMARY KEY (rate_date, currency)
);
