-- Databricks SQL, schema core (Delta). Warehouse session time zone: UTC.
CREATE TABLE core.dim_account (
  account_id   BIGINT NOT NULL,
  acct_name    STRING,
  acct_type    STRING COMMENT 'customer, partner, internal, test',
  region       STRING COMMENT 'NA, EMEA, APAC',
  tz           STRING COMMENT 'IANA zone of the account',
  csm_agent_id BIGINT,
  created_at   TIMESTAMP,
  is_deleted   BOOLEAN
) USING DELTA;

CREATE TABLE core.fct_subscription (
  sub_id        BIGINT NOT NULL,
  account_id    BIGINT NOT NULL,
  product_cd    STRING COMMENT 'DESK, FLOW, VAULT',
  is_trial      BOOLEAN,
  sts           STRING COMMENT 'active, past_due, ended (nightly snapshot)',
  start_dt      DATE,
  term_end_dt   DATE,
  cancel_req_dt DATE,
  end_dt        DATE,
  end_reason    STRING COMMENT 'replaced, price, no_use, competitor, bankrupt, other',
  prev_sub_id   BIGINT COMMENT 'row this one follows',
  seats_purch   INT,
  seats_prov    INT,
  mrr_c         BIGINT,
  mrr_list_c    BIGINT
) USING DELTA;

CREATE TABLE core.dim_user (
  user_id        BIGINT NOT NULL,
  account_id     BIGINT NOT NULL,
  email          STRING,
  role           STRING,
  is_bot         BOOLEAN,
  created_at     TIMESTAMP,
  last_login_at  TIMESTAMP,
  deactivated_at TIMESTAMP
) USING DELTA;

CREATE TABLE core.fct_seat_assign (
  assign_id   BIGINT NOT NULL,
  sub_id      BIGINT NOT NULL,
  user_id     BIGINT NOT NULL,
  assigned_at TIMESTAMP,
  revoked_at  TIMESTAMP
) USING DELTA;

CREATE TABLE core.fct_usage_daily (
  ds         DATE,
  user_id    BIGINT,
  account_id BIGINT,
  product_cd STRING,
  actions    INT
) USING DELTA PARTITIONED BY (ds);

CREATE TABLE core.dim_agent (
  agent_id   BIGINT NOT NULL,
  agent_name STRING,
  team       STRING COMMENT 'L1, L2, CSM',
  is_active  BOOLEAN
) USING DELTA;

CREATE TABLE core.fct_ticket (
  ticket_id     BIGINT NOT NULL,
  account_id    BIGINT,
  opened_by     BIGINT COMMENT 'user_id',
  assignee_id   BIGINT COMMENT 'agent_id',
  prio          STRING COMMENT 'p1..p4',
  chan          STRING COMMENT 'mail, chat, phone, web',
  sts           STRING COMMENT 'new, open, pending, solved, closed, merged, spam',
  opened_at     TIMESTAMP,
  first_resp_at TIMESTAMP,
  frt_biz_min   INT,
  solved_at     TIMESTAMP,
  closed_at     TIMESTAMP,
  reopen_cnt    INT,
  csat          INT COMMENT '1..5'
) USING DELTA;

CREATE TABLE core.fct_invoice (
  inv_id     BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  sub_id     BIGINT,
  sts        STRING COMMENT 'draft, open, paid, void, uncollectible',
  issued_at  TIMESTAMP,
  due_dt     DATE,
  amt_c      BIGINT,
  tax_c      BIGINT,
  paid_at    TIMESTAMP
) USING DELTA;
