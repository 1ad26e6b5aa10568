CREATE TABLE dim_accounts (
  account_id BIGINT PRIMARY KEY,
  account_name VARCHAR(200),
  country_code CHAR(2),
  segment VARCHAR(10),
  is_internal BOOLEAN,
  owner_csm VARCHAR(80),
  created_at TIMESTAMP,
  deleted_at TIMESTAMP
);
CREATE TABLE dim_plans (
  plan_code VARCHAR(12) PRIMARY KEY,
  plan_name VARCHAR(60),
  billing_interval VARCHAR(10),
  list_price NUMERIC(10,2),
  is_sellable BOOLEAN
);
CREATE TABLE dim_users (
  user_id BIGINT PRIMARY KEY,
  account_id BIGINT REFERENCES dim_accounts(account_id),
  email VARCHAR(200),
  role VARCHAR(20),
  last_login_at TIMESTAMP,
  last_active_at TIMESTAMP,
  created_at TIMESTAMP,
  deleted_at TIMESTAMP
);
CREATE TABLE fct_subscriptions (
  subscription_id BIGINT PRIMARY KEY,
  account_id BIGINT REFERENCES dim_accounts(account_id),
  plan_code VARCHAR(12) REFERENCES dim_plans(plan_code),
  status SMALLINT,
  trial_started_at TIMESTAMP,
  converted_at TIMESTAMP,
  started_at TIMESTAMP,
  cancel_requested_at TIMESTAMP,
  ended_at TIMESTAMP,
  seats_purchased INT,
  seats_assigned INT,
  mrr BIGINT,
  arr BIGINT
);
CREATE TABLE fct_invoices (
  invoice_id BIGINT PRIMARY KEY,
  invoice_number VARCHAR(20),
  account_id BIGINT REFERENCES dim_accounts(account_id),
  subscription_id BIGINT REFERENCES fct_subscriptions(subscription_id),
  doc_type VARCHAR(3),
  status CHAR(1),
  issued_on DATE,
  due_on DATE,
  paid_at TIMESTAMP,
  amount_net BIGINT,
  amount_total BIGINT,
  amount_due BIGINT
);
CREATE TABLE fct_tickets (
  ticket_id BIGINT PRIMARY KEY,
  account_id BIGINT REFERENCES dim_accounts(account_id),
  user_id BIGINT REFERENCES dim_users(user_id),
  priority SMALLINT,
  state VARCHAR(8),
  channel VARCHAR(12),
  merged_into_ticket_id BIGINT,
  opened_at TIMESTAMP,
  first_response_at TIMESTAMP,
  closed_at TIMESTAMP,
  csat_score SMALLINT
);
CREATE TABLE fct_usage_daily (
  usage_date DATE,
  account_id BIGINT REFERENCES dim_accounts(account_id),
  user_id BIGINT REFERENCES dim_users(user_id),
  feature VARCHAR(12),
  event_count INT,
  active_minutes INT
);
CREATE TABLE fct_churn_events (
  churn_id BIGINT PRIMARY KEY,
  account_id BIGINT REFERENCES dim_accounts(account_id),
  subscription_id BIGINT REFERENCES fct_subscriptions(subscription_id),
  event_type CHAR(1),
  reason_code VARCHAR(6),
  effective_on DATE,
  mrr_delta BIGINT
);
