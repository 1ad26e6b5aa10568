CREATE TABLE port (
  port_cd      char(3) PRIMARY KEY,
  name         text NOT NULL UNIQUE,
  zone         text NOT NULL CHECK (zone IN ('ISLAND','MAINLAND')),
  jur          char(2) NOT NULL CHECK (jur IN ('IE','GB')),
  berths       smallint NOT NULL,
  ramp_kind    text
);

CREATE TABLE vessel (
  vsl_id       smallint PRIMARY KEY,
  name         text NOT NULL,
  imo_no       varchar(10),
  built_yr     smallint NOT NULL,
  pax_cap      integer NOT NULL,
  lane_m       numeric(6,1) NOT NULL,
  commissioned date NOT NULL,
  retired_on   date
);

CREATE TABLE route (
  rte_cd       varchar(6) PRIMARY KEY,
  title        text NOT NULL,
  port_a       char(3) NOT NULL REFERENCES port,
  port_b       char(3) NOT NULL REFERENCES port,
  dist_nm      numeric(5,1) NOT NULL,
  std_min      smallint NOT NULL,
  seasonal     boolean NOT NULL DEFAULT false,
  closed_on    date
);

CREATE TABLE sailing (
  slg_id       bigint PRIMARY KEY,
  rte_cd       varchar(6) REFERENCES route,
  dep_port     char(3) NOT NULL REFERENCES port,
  arr_port     char(3) NOT NULL REFERENCES port,
  plan_vsl     smallint NOT NULL REFERENCES vessel(vsl_id),
  vsl_id       smallint REFERENCES vessel(vsl_id),
  svc          char(1) NOT NULL CHECK (svc IN ('S','E','Q')),
  st           char(1) NOT NULL CHECK (st IN ('P','D','A','X')),
  sched_dep    timestamp NOT NULL,
  sched_arr    timestamp NOT NULL,
  act_dep      timestamp,
  act_arr      timestamp,
  cxl_rsn      varchar(3),
  wind_bft     smallint
);

CREATE TABLE cust (
  cust_id      bigint PRIMARY KEY,
  full_nm      text,
  email        text,
  phone        text,
  acct         char(1) NOT NULL CHECK (acct IN ('R','G','T')),
  res_port     char(3) REFERENCES port(port_cd),
  mkt_ok       boolean NOT NULL DEFAULT false,
  created_at   timestamptz NOT NULL,
  erased_at    timestamptz
);

CREATE TABLE bkg (
  bkg_no       varchar(8) PRIMARY KEY,
  cust_id      bigint REFERENCES cust,
  chan         varchar(4) NOT NULL,
  st           char(1) NOT NULL CHECK (st IN ('C','H','X')),
  is_test      boolean NOT NULL DEFAULT false,
  booked_at    timestamptz NOT NULL,
  ccy          char(3) NOT NULL CHECK (ccy IN ('EUR','GBP')),
  fx_eur       numeric(8,5) NOT NULL DEFAULT 1,
  tot_amt      numeric(10,2) NOT NULL,
  promo_cd     varchar(12)
);

CREATE TABLE tkt (
  tkt_id       bigint PRIMARY KEY,
  bkg_no       varchar(8) NOT NULL REFERENCES bkg,
  slg_id       bigint NOT NULL REFERENCES sailing,
  kind         char(1) NOT NULL CHECK (kind IN ('P','V')),
  fare_cd      varchar(4) NOT NULL,
  fare_amt     numeric(8,2) NOT NULL,
  st           char(1) NOT NULL CHECK (st IN ('I','B','N','R','X')),
  scan_at      timestamp,
  rfd_at       timestamptz,
  rfd_amt      numeric(8,2)
);

CREATE TABLE tkt_veh (
  tkt_id       bigint PRIMARY KEY REFERENCES tkt,
  cls          varchar(3) NOT NULL,
  len_cm       integer NOT NULL,
  lane_cm      integer NOT NULL,
  reg_no       varchar(12),
  is_ev        boolean NOT NULL DEFAULT false
);

CREATE TABLE crew (
  crew_id      integer PRIMARY KEY,
  full_nm      text NOT NULL,
  rank_cd      varchar(3) NOT NULL,
  base_port    char(3) NOT NULL REFERENCES port(port_cd),
  agency       boolean NOT NULL DEFAULT false,
  hired_on     date NOT NULL,
  left_on      date
);

CREATE TABLE muster (
  muster_id    bigint PRIMARY KEY,
  slg_id       bigint NOT NULL REFERENCES sailing,
  crew_id      integer NOT NULL REFERENCES crew,
  duty_cd      varchar(3) NOT NULL,
  on_at        timestamp,
  off_at       timestamp,
  relief_for   integer REFERENCES crew(crew_id),
  UNIQUE (slg_id, crew_id)
);

CREATE TABLE bar_tx (
  tx_id        bigint PRIMARY KEY,
  slg_id       bigint NOT NULL REFERENCES sailing,
  outlet       varchar(3) NOT NULL,
  mode         char(1) NOT NULL DEFAULT 'L',
  sold_at      timestamp NOT NULL,
  gross_c      integer NOT NULL,
  vat_c        integer NOT NULL,
  pay          varchar(4) NOT NULL,
  sold_by      integer NOT NULL REFERENCES crew(crew_id),
  voided_at    timestamp,
  voided_by    integer REFERENCES crew(crew_id)
);
