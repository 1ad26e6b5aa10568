CREATE TABLE dim_branch (
  branch_cd STRING NOT NULL,
  branch_name STRING,
  city STRING,
  state_prov STRING,
  opened_on DATE,
  sq_ft INT64
);

CREATE TABLE dim_account (
  acct_id INT64 NOT NULL,
  acct_name STRING,
  acct_type STRING,
  home_branch STRING,
  terms_days INT64,
  credit_limit NUMERIC,
  coi_expires_on DATE,
  on_hold BOOL,
  is_sandbox BOOL,
  created_at TIMESTAMP
);

CREATE TABLE dim_contact (
  contact_id INT64 NOT NULL,
  acct_id INT64,
  full_name STRING,
  email STRING,
  crew_role STRING,
  phone STRING,
  opted_out BOOL,
  created_at TIMESTAMP
);

CREATE TABLE dim_model (
  model_id INT64 NOT NULL,
  maker STRING,
  model_name STRING,
  dept_cd STRING,
  mount STRING,
  day_rate NUMERIC,
  repl_value NUMERIC,
  discontinued BOOL
);

CREATE TABLE dim_asset (
  asset_id INT64 NOT NULL,
  barcode STRING,
  serial_no STRING,
  model_id INT64,
  home_branch STRING,
  cur_branch STRING,
  ownership STRING,
  asset_status STRING,
  acquired_on DATE,
  cost_usd NUMERIC,
  disposed_on DATE
);

CREATE TABLE fct_order (
  order_no INT64 NOT NULL,
  acct_id INT64,
  contact_id INT64,
  order_kind STRING,
  status_cd STRING,
  job_name STRING,
  rep_email STRING,
  out_branch STRING,
  return_branch STRING,
  created_at TIMESTAMP,
  out_date DATE,
  due_back DATE,
  returned_on DATE,
  currency STRING,
  fx_to_usd NUMERIC
);

CREATE TABLE fct_order_line (
  order_no INT64 NOT NULL,
  line_no INT64 NOT NULL,
  model_id INT64,
  line_kind STRING,
  qty INT64,
  day_rate NUMERIC,
  bill_days NUMERIC,
  cal_days INT64,
  line_total NUMERIC,
  removed_at TIMESTAMP
);

CREATE TABLE fct_scan (
  scan_id INT64 NOT NULL,
  asset_id INT64,
  order_no INT64,
  scan_kind STRING,
  from_branch STRING,
  to_branch STRING,
  scanned_at TIMESTAMP,
  scanned_by STRING
);

CREATE TABLE fct_invoice (
  invoice_no STRING NOT NULL,
  order_no INT64,
  acct_id INT64,
  doc_kind STRING,
  inv_status STRING,
  issued_on DATE,
  due_on DATE,
  paid_on DATE,
  currency STRING,
  amount NUMERIC,
  amount_usd NUMERIC
);

CREATE TABLE fct_payment (
  payment_id INT64 NOT NULL,
  invoice_no STRING,
  received_on DATE,
  method STRING,
  amount_usd NUMERIC,
  bounced BOOL
);

CREATE TABLE RepairTickets (
  TicketNo INT64 NOT NULL,
  AssetId INT64,
  BranchCd STRING,
  OpenedAt TIMESTAMP,
  ClosedAt TIMESTAMP,
  FaultCd STRING,
  Tech STRING,
  PartsCost NUMERIC,
  LaborCost NUMERIC,
  BilledOrderNo INT64
);
