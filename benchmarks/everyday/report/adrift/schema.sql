CREATE TABLE ads.managers (
  manager_id INT64 NOT NULL,
  full_name STRING NOT NULL,
  office STRING NOT NULL,
  started_on DATE NOT NULL,
  left_on DATE
);

CREATE TABLE ads.accounts (
  account_id INT64 NOT NULL,
  name STRING NOT NULL,
  account_type STRING NOT NULL,
  industry STRING,
  country STRING NOT NULL,
  manager_id INT64,
  fee_bps INT64 NOT NULL,
  credit_limit_cents INT64,
  created_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP
);

CREATE TABLE ads.campaigns (
  campaign_id INT64 NOT NULL,
  account_id INT64 NOT NULL,
  name STRING NOT NULL,
  channel STRING NOT NULL,
  objective STRING,
  status STRING NOT NULL,
  budget_cents INT64 NOT NULL,
  created_at TIMESTAMP NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE,
  is_deleted BOOL NOT NULL
);

CREATE TABLE ads.creatives (
  creative_id INT64 NOT NULL,
  campaign_id INT64 NOT NULL,
  format STRING NOT NULL,
  width_px INT64,
  height_px INT64,
  duration_ms INT64,
  review_status STRING NOT NULL,
  submitted_at TIMESTAMP NOT NULL,
  reviewed_at TIMESTAMP
);

CREATE TABLE ads.daily_delivery (
  day DATE NOT NULL,
  campaign_id INT64 NOT NULL,
  device STRING NOT NULL,
  impressions INT64 NOT NULL,
  clicks INT64 NOT NULL,
  valid_clicks INT64 NOT NULL,
  conversions INT64,
  spend_micros INT64 NOT NULL,
  media_cost_micros INT64 NOT NULL
);

CREATE TABLE ads.status_changes (
  change_id INT64 NOT NULL,
  campaign_id INT64 NOT NULL,
  old_status STRING,
  new_status STRING NOT NULL,
  changed_by INT64,
  changed_at TIMESTAMP NOT NULL
);

CREATE TABLE ads.invoices (
  invoice_id INT64 NOT NULL,
  account_id INT64 NOT NULL,
  invoice_no STRING,
  status STRING NOT NULL,
  net_cents INT64 NOT NULL,
  gross_cents INT64 NOT NULL,
  service_month DATE NOT NULL,
  issued_on DATE,
  due_on DATE,
  paid_on DATE
);

CREATE TABLE ads.payments (
  payment_id INT64 NOT NULL,
  invoice_id INT64 NOT NULL,
  amount_cents INT64 NOT NULL,
  method STRING,
  received_at TIMESTAMP NOT NULL
);
