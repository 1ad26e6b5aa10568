CREATE TABLE pbx.hub (
  hub_id    INT64 NOT NULL,
  hub_cd    STRING NOT NULL,
  hub_name  STRING NOT NULL,
  country   STRING NOT NULL,
  opened    DATE NOT NULL
);

CREATE TABLE pbx.lckr (
  lckr_id   STRING NOT NULL,
  hub_id    INT64 NOT NULL,
  site_nm   STRING NOT NULL,
  city      STRING NOT NULL,
  postcode  STRING,
  lckr_kind STRING NOT NULL,
  live_from DATE NOT NULL,
  live_to   DATE
);

CREATE TABLE pbx.comp (
  comp_id   STRING NOT NULL,
  lckr_id   STRING NOT NULL,
  size_cd   STRING NOT NULL,
  state     STRING NOT NULL
);

CREATE TABLE pbx.shipper (
  shipper_id INT64 NOT NULL,
  shipper_nm STRING NOT NULL,
  segment    STRING NOT NULL,
  signed     DATE NOT NULL,
  ended      DATE
);

CREATE TABLE pbx.pcl (
  pcl_id      STRING NOT NULL,
  shipper_id  INT64 NOT NULL,
  from_lckr   STRING,
  to_lckr     STRING NOT NULL,
  size_cd     STRING NOT NULL,
  svc_cd      STRING NOT NULL,
  st_cd       STRING NOT NULL,
  weight_g    INT64,
  cod_c       INT64,
  rcpt_hash   STRING NOT NULL,
  created_ts  TIMESTAMP NOT NULL,
  drop_ts     TIMESTAMP,
  due_ts      TIMESTAMP,
  lckd_ts     TIMESTAMP,
  col_ts      TIMESTAMP,
  is_del      BOOL
)
PARTITION BY DATE(created_ts);

CREATE TABLE pbx.pcl_evt (
  evt_id    STRING NOT NULL,
  pcl_id    STRING NOT NULL,
  evt_cd    INT64 NOT NULL,
  evt_ts    TIMESTAMP NOT NULL,
  lckr_id   STRING,
  crr_id    INT64
)
PARTITION BY DATE(evt_ts);

CREATE TABLE pbx.crr (
  crr_id    INT64 NOT NULL,
  crr_nm    STRING NOT NULL,
  hub_id    INT64 NOT NULL,
  contract  STRING NOT NULL,
  started   DATE NOT NULL,
  left_on   DATE
);

CREATE TABLE pbx.rte_run (
  run_id        INT64 NOT NULL,
  crr_id        INT64 NOT NULL,
  hub_id        INT64 NOT NULL,
  run_date      DATE NOT NULL,
  planned_stops INT64 NOT NULL,
  done_stops    INT64 NOT NULL,
  km            NUMERIC NOT NULL,
  started_at    DATETIME NOT NULL,
  ended_at      DATETIME
);

CREATE TABLE pbx.care_case (
  case_id   INT64 NOT NULL,
  pcl_id    STRING NOT NULL,
  reason_cd STRING NOT NULL,
  agent     STRING,
  opened_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP,
  csat      INT64 NOT NULL
);

CREATE TABLE pbx.inv (
  inv_id     STRING NOT NULL,
  shipper_id INT64 NOT NULL,
  inv_date   DATE NOT NULL,
  due_date   DATE NOT NULL,
  paid_date  DATE,
  ccy        STRING NOT NULL,
  net_amt    NUMERIC NOT NULL,
  vat_amt    NUMERIC NOT NULL,
  inv_st     STRING NOT NULL
);

CREATE TABLE pbx.fx_day (
  ccy       STRING NOT NULL,
  fx_date   DATE NOT NULL,
  eur_rate  NUMERIC NOT NULL
);
