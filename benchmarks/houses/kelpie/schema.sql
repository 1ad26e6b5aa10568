CREATE TABLE ref.port (
  port_cd STRING NOT NULL,
  port_nm STRING NOT NULL,
  ctry_cd STRING NOT NULL,
  tz_name STRING NOT NULL,
  island_nm STRING,
  closed_dt DATE
);

CREATE TABLE ref.vessel (
  vsl_id INT64 NOT NULL,
  vsl_nm STRING NOT NULL,
  imo_no STRING,
  flag_cd STRING,
  built_yr INT64,
  pax_cap INT64,
  lane_m NUMERIC,
  in_svc_dt DATE,
  out_svc_dt DATE
);

CREATE TABLE ref.fx_month (
  mth DATE NOT NULL,
  ccy STRING NOT NULL,
  gbp_per_unit NUMERIC NOT NULL
);

CREATE TABLE ops.route (
  rte_cd STRING NOT NULL,
  rte_nm STRING,
  port_a STRING NOT NULL,
  port_b STRING NOT NULL,
  dist_nm NUMERIC,
  lifeline BOOL NOT NULL,
  opened_dt DATE
);

CREATE TABLE ops.slg (
  slg_id INT64 NOT NULL,
  rte_cd STRING NOT NULL,
  vsl_id INT64 NOT NULL,
  dep_port STRING NOT NULL,
  arr_port STRING NOT NULL,
  slg_typ STRING NOT NULL,
  slg_sts STRING NOT NULL,
  canc_rsn STRING,
  svc_dt DATE NOT NULL,
  sched_dep DATETIME NOT NULL,
  sched_arr DATETIME NOT NULL,
  act_dep DATETIME,
  act_arr DATETIME
)
PARTITION BY svc_dt
CLUSTER BY rte_cd;

CREATE TABLE crm.cust (
  cust_no INT64 NOT NULL,
  full_nm STRING,
  email STRING,
  ctry_cd STRING,
  island_res BOOL,
  mkt_ok BOOL,
  created_ts TIMESTAMP NOT NULL,
  merged_into INT64
);

CREATE TABLE sales.bkg (
  bkg_ref STRING NOT NULL,
  cust_no INT64,
  chan STRING NOT NULL,
  bkg_sts STRING NOT NULL,
  booked_ts TIMESTAMP NOT NULL,
  canc_ts TIMESTAMP,
  ccy STRING NOT NULL,
  tot_amt NUMERIC NOT NULL,
  tot_gbp NUMERIC NOT NULL,
  paid_amt NUMERIC NOT NULL,
  is_test BOOL NOT NULL,
  del_ts TIMESTAMP
)
PARTITION BY DATE(booked_ts);

CREATE TABLE sales.bkg_leg (
  leg_id INT64 NOT NULL,
  bkg_ref STRING NOT NULL,
  leg_seq INT64 NOT NULL,
  slg_id INT64 NOT NULL,
  leg_sts STRING NOT NULL,
  pax_n INT64 NOT NULL,
  veh_n INT64 NOT NULL,
  veh_typ STRING,
  leg_gbp NUMERIC NOT NULL
);

CREATE TABLE sales.pax (
  pax_id INT64 NOT NULL,
  leg_id INT64 NOT NULL,
  pax_typ STRING NOT NULL,
  resident BOOL,
  traveller_key STRING NOT NULL,
  boarded_dtm DATETIME
);

CREATE TABLE frt.debitor (
  debitor_no INT64 NOT NULL,
  navn STRING NOT NULL,
  land_cd STRING,
  kred_grense_gbp NUMERIC,
  parent_no INT64,
  intern BOOL NOT NULL
);

CREATE TABLE frt.hwb (
  hwb_no STRING NOT NULL,
  avs_no INT64 NOT NULL,
  mot_no INT64 NOT NULL,
  payer_no INT64 NOT NULL,
  orig_port STRING NOT NULL,
  dest_port STRING NOT NULL,
  slg_id INT64,
  hwb_sts STRING NOT NULL,
  kg_gross NUMERIC,
  kg_chg NUMERIC,
  lane_m NUMERIC,
  haz BOOL,
  chg_minor INT64,
  ccy STRING,
  tendered_ts TIMESTAMP,
  delivered_ts TIMESTAMP,
  del_ts TIMESTAMP
);
