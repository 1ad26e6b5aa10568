CREATE TABLE sites (
  site_id BIGINT NOT NULL,
  site_ref STRING NOT NULL,
  nmi STRING,
  state STRING,
  postcode STRING,
  seg_cd STRING,
  lifecycle_cd STRING NOT NULL,
  kw_dc DECIMAL(9,2),
  kw_ac DECIMAL(9,2),
  commissioned_on DATE,
  decommissioned_on DATE,
  is_demo BOOLEAN NOT NULL,
  deleted_ts TIMESTAMP
) USING DELTA;

CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  cust_no STRING NOT NULL,
  full_name STRING,
  email STRING,
  phone STRING,
  acq_ch STRING,
  joined_on DATE,
  is_internal BOOLEAN NOT NULL,
  deleted_ts TIMESTAMP
) USING DELTA;

CREATE TABLE contracts (
  contract_id BIGINT NOT NULL,
  contract_no STRING NOT NULL,
  customer_id BIGINT NOT NULL,
  site_id BIGINT NOT NULL,
  plan_cd INT NOT NULL,
  stat_cd STRING NOT NULL,
  signed_ts TIMESTAMP,
  start_on DATE,
  end_on DATE,
  ended_on DATE,
  rate_c_kwh DECIMAL(7,3),
  monthly_fee_c INT,
  superseded_by BIGINT
) USING DELTA;

CREATE TABLE inverters (
  inverter_id BIGINT NOT NULL,
  site_id BIGINT NOT NULL,
  serial_no STRING,
  make STRING,
  model STRING,
  fw_version STRING,
  rated_w INT,
  op_state INT,
  installed_on DATE,
  removed_on DATE,
  last_seen_ts TIMESTAMP
) USING DELTA;

CREATE TABLE daily_gen (
  site_id BIGINT NOT NULL,
  gen_date DATE NOT NULL,
  gen_wh BIGINT,
  meter_wh BIGINT,
  export_wh BIGINT,
  quality_cd STRING,
  loaded_ts TIMESTAMP
) USING DELTA PARTITIONED BY (gen_date);

CREATE TABLE bills (
  bill_id BIGINT NOT NULL,
  bill_no STRING,
  contract_id BIGINT NOT NULL,
  bill_kind STRING NOT NULL,
  bill_stat INT NOT NULL,
  period_from DATE,
  period_to DATE,
  issued_ts TIMESTAMP,
  due_on DATE,
  amt_ex_c BIGINT,
  amt_inc_c BIGINT,
  paid_ts TIMESTAMP
) USING DELTA;

CREATE TABLE crews (
  crew_id INT NOT NULL,
  crew_name STRING,
  depot STRING,
  ctr_flag STRING,
  is_active BOOLEAN
) USING DELTA;

CREATE TABLE work_orders (
  wo_id BIGINT NOT NULL,
  wo_no STRING,
  site_id BIGINT NOT NULL,
  inverter_id BIGINT,
  crew_id INT,
  wo_type STRING NOT NULL,
  prio INT,
  opened_ts TIMESTAMP,
  dispatched_ts TIMESTAMP,
  done_ts TIMESTAMP,
  closed_ts TIMESTAMP,
  outcome_cd STRING,
  cost_c BIGINT,
  is_cancelled BOOLEAN NOT NULL,
  is_test BOOLEAN NOT NULL
) USING DELTA;
