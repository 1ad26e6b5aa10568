CREATE TABLE loc (
  loc_cd varchar(4) PRIMARY KEY,
  loc_name text NOT NULL,
  loc_type char(1) NOT NULL,
  town text,
  seats integer,
  opened date,
  closed date
);

CREATE TABLE staff (
  staff_id integer PRIMARY KEY,
  full_name text NOT NULL,
  loc_cd varchar(4) REFERENCES loc (loc_cd),
  job varchar(3),
  mgr_id integer REFERENCES staff (staff_id),
  started date NOT NULL,
  leaver date
);

CREATE TABLE sku (
  sku_cd varchar(12) PRIMARY KEY,
  descr text NOT NULL,
  fam varchar(3) NOT NULL,
  abv numeric(3,1),
  pack varchar(4),
  litres numeric(7,3),
  list_p integer,
  launched date,
  delisted date
);

CREATE TABLE tkt (
  tkt_id bigint PRIMARY KEY,
  loc_cd varchar(4) NOT NULL REFERENCES loc (loc_cd),
  opened_at timestamp NOT NULL,
  closed_at timestamp,
  trading_day date NOT NULL,
  covers smallint NOT NULL,
  server_id integer REFERENCES staff (staff_id),
  st char(1) NOT NULL,
  tender varchar(4)
);

CREATE TABLE tkt_ln (
  tkt_id bigint NOT NULL REFERENCES tkt (tkt_id),
  ln_no smallint NOT NULL,
  sku_cd varchar(12) NOT NULL REFERENCES sku (sku_cd),
  qty numeric(8,2) NOT NULL,
  list_amt numeric(10,2) NOT NULL,
  paid_amt numeric(10,2) NOT NULL,
  vat_pc numeric(4,1) NOT NULL,
  voided boolean NOT NULL,
  PRIMARY KEY (tkt_id, ln_no)
);

CREATE TABLE cust (
  cust_id integer PRIMARY KEY,
  email text,
  fname text,
  sname text,
  postcode varchar(8),
  mkt_ok boolean NOT NULL,
  joined_at timestamptz NOT NULL,
  erased_at timestamptz,
  merged_into integer REFERENCES cust (cust_id)
);

CREATE TABLE wo (
  wo_no bigint PRIMARY KEY,
  cust_id integer REFERENCES cust (cust_id),
  channel varchar(4) NOT NULL,
  wo_status varchar(10) NOT NULL,
  placed_at timestamptz,
  paid_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  goods_p integer NOT NULL,
  disc_p integer NOT NULL,
  post_p integer NOT NULL,
  promo varchar(20),
  is_test boolean NOT NULL
);

CREATE TABLE wo_item (
  wo_no bigint NOT NULL REFERENCES wo (wo_no),
  ln_no smallint NOT NULL,
  sku_cd varchar(12) NOT NULL REFERENCES sku (sku_cd),
  qty integer NOT NULL,
  unit_p integer NOT NULL,
  PRIMARY KEY (wo_no, ln_no)
);

CREATE TABLE club_sub (
  sub_id integer PRIMARY KEY,
  cust_id integer NOT NULL REFERENCES cust (cust_id),
  plan varchar(4) NOT NULL,
  price_p integer NOT NULL,
  started date NOT NULL,
  ended date,
  pause_until date
);

CREATE TABLE stk_mv (
  mv_id bigint PRIMARY KEY,
  mv_day date NOT NULL,
  mv_kind char(2) NOT NULL,
  sku_cd varchar(12) NOT NULL REFERENCES sku (sku_cd),
  qty integer NOT NULL,
  loc_from varchar(4) REFERENCES loc (loc_cd),
  loc_to varchar(4) REFERENCES loc (loc_cd),
  keyed_by integer REFERENCES staff (staff_id)
);

CREATE TABLE pressing (
  press_no integer PRIMARY KEY,
  orchard text NOT NULL,
  variety text NOT NULL,
  pressed_on date NOT NULL,
  fruit_kg numeric(9,1) NOT NULL,
  juice_l numeric(9,1) NOT NULL,
  vat_no varchar(6),
  st char(2) NOT NULL,
  packed_on date,
  packed_l numeric(9,1),
  sku_cd varchar(12) REFERENCES sku (sku_cd)
);
