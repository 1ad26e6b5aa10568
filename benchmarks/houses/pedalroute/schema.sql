-- PedalRoute warehouse, PostgreSQL 15
CREATE TABLE cust (
  cust_id       bigint PRIMARY KEY,
  email         text,
  cust_typ      char(1) NOT NULL,
  home_city_cd  char(3),
  signup_ts     timestamp NOT NULL,
  actv_ts       timestamp,
  is_test       boolean NOT NULL DEFAULT false,
  del_ts        timestamp
);

CREATE TABLE plan_sub (
  sub_id     bigint PRIMARY KEY,
  cust_id    bigint NOT NULL REFERENCES cust,
  plan_cd    char(1) NOT NULL,
  sub_st     smallint NOT NULL,
  start_dt   date NOT NULL,
  end_dt     date,
  price_cts  integer NOT NULL
);

CREATE TABLE station (
  stn_id         integer PRIMARY KEY,
  stn_nm         text NOT NULL,
  city_cd        char(3) NOT NULL,
  stn_typ        char(1) NOT NULL,
  dock_cnt       smallint NOT NULL,
  dock_cnt_plan  smallint,
  opened_dt      date,
  closed_dt      date
);

CREATE TABLE bike (
  bike_id    integer PRIMARY KEY,
  bike_typ   char(1) NOT NULL,
  stat_cd    char(1) NOT NULL,
  demo_flg   char(1) NOT NULL DEFAULT 'N',
  purch_dt   date,
  frame_no   text
);

CREATE TABLE trip (
  trip_id       bigint PRIMARY KEY,
  cust_id       bigint NOT NULL REFERENCES cust,
  bike_id       integer NOT NULL REFERENCES bike,
  start_stn_id  integer NOT NULL REFERENCES station,
  end_stn_id    integer REFERENCES station,
  start_ts      timestamp NOT NULL,
  end_ts        timestamp,
  trip_st       char(1) NOT NULL,
  dur_sec       integer,
  bill_min      integer,
  dist_m        integer,
  fee_cts       integer NOT NULL DEFAULT 0,
  disc_cts      integer NOT NULL DEFAULT 0
);

CREATE TABLE pay (
  pay_id     bigint PRIMARY KEY,
  cust_id    bigint NOT NULL REFERENCES cust,
  trip_id    bigint REFERENCES trip,
  sub_id     bigint REFERENCES plan_sub,
  pay_typ    char(1) NOT NULL,
  pay_st     char(1) NOT NULL,
  pay_ts     timestamp NOT NULL,
  settle_dt  date,
  amt_cts    integer NOT NULL
);

CREATE TABLE maint_tkt (
  tkt_id     bigint PRIMARY KEY,
  bike_id    integer NOT NULL REFERENCES bike,
  fault_cd   char(3) NOT NULL,
  prio       smallint NOT NULL,
  tkt_st     char(1) NOT NULL,
  opened_ts  timestamp NOT NULL,
  closed_ts  timestamp
);

CREATE TABLE stn_snap (
  stn_id      integer NOT NULL REFERENCES station,
  snap_ts     timestamp NOT NULL,
  bikes_avl   smallint NOT NULL,
  docks_free  smallint NOT NULL,
  PRIMARY KEY (stn_id, snap_ts)
);
