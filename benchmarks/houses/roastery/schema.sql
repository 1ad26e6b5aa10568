CREATE TABLE staff (
  staff_id INT NOT NULL PRIMARY KEY,
  full_nm VARCHAR(80) NOT NULL,
  role VARCHAR(30) NOT NULL,
  hired_on DATE NOT NULL,
  left_on DATE NULL
);

CREATE TABLE supplier (
  supplier_id INT NOT NULL PRIMARY KEY,
  name VARCHAR(120) NOT NULL,
  ctry CHAR(2) NOT NULL,
  cert VARCHAR(20) NULL,
  contact_email VARCHAR(120) NULL
);

CREATE TABLE green_lot (
  lot_id INT NOT NULL PRIMARY KEY,
  lot_cd VARCHAR(16) NOT NULL UNIQUE,
  supplier_id INT NOT NULL,
  origin CHAR(2) NOT NULL,
  variety VARCHAR(40) NULL,
  process VARCHAR(20) NOT NULL,
  harvest_yr SMALLINT NULL,
  bags INT NOT NULL,
  bag_kg DECIMAL(5,1) NOT NULL,
  usd_kg DECIMAL(7,2) NOT NULL,
  cup_score DECIMAL(4,1) NULL,
  rcvd_on DATE NOT NULL,
  FOREIGN KEY (supplier_id) REFERENCES supplier (supplier_id)
);

CREATE TABLE roast_batch (
  batch_id INT NOT NULL PRIMARY KEY,
  batch_no VARCHAR(16) NOT NULL UNIQUE,
  lot_id INT NOT NULL,
  mach VARCHAR(20) NOT NULL,
  kind CHAR(1) NOT NULL,
  roasted_by INT NOT NULL,
  qc_by INT NULL,
  started_at DATETIME NOT NULL,
  ended_at DATETIME NULL,
  kg_in DECIMAL(6,2) NOT NULL,
  kg_out DECIMAL(6,2) NULL,
  drop_temp DECIMAL(4,1) NULL,
  FOREIGN KEY (lot_id) REFERENCES green_lot (lot_id),
  FOREIGN KEY (roasted_by) REFERENCES staff (staff_id),
  FOREIGN KEY (qc_by) REFERENCES staff (staff_id)
);

CREATE TABLE sku (
  sku_cd VARCHAR(16) NOT NULL PRIMARY KEY,
  title VARCHAR(120) NOT NULL,
  fmt VARCHAR(12) NOT NULL,
  wt_g INT NOT NULL,
  list_c INT NOT NULL,
  launched_on DATE NOT NULL,
  delisted_on DATE NULL
);

CREATE TABLE cust (
  cust_id INT NOT NULL PRIMARY KEY,
  typ CHAR(1) NOT NULL,
  nm VARCHAR(120) NOT NULL,
  email VARCHAR(120) NULL,
  ctry CHAR(2) NOT NULL,
  vat_no VARCHAR(20) NULL,
  rep_id INT NULL,
  signup_at DATETIME NOT NULL,
  is_test TINYINT NOT NULL DEFAULT 0,
  merged_into INT NULL,
  FOREIGN KEY (rep_id) REFERENCES staff (staff_id),
  FOREIGN KEY (merged_into) REFERENCES cust (cust_id)
);

CREATE TABLE subs (
  sub_id INT NOT NULL PRIMARY KEY,
  cust_id INT NOT NULL,
  sku_cd VARCHAR(16) NOT NULL,
  qty SMALLINT NOT NULL,
  every_wks TINYINT NOT NULL,
  st CHAR(1) NOT NULL,
  started_on DATE NOT NULL,
  ended_on DATE NULL,
  end_rsn CHAR(2) NULL,
  FOREIGN KEY (cust_id) REFERENCES cust (cust_id),
  FOREIGN KEY (sku_cd) REFERENCES sku (sku_cd)
);

CREATE TABLE ord (
  ord_id INT NOT NULL PRIMARY KEY,
  ord_no VARCHAR(16) NOT NULL UNIQUE,
  cust_id INT NOT NULL,
  sub_id INT NULL,
  chan CHAR(1) NOT NULL,
  rep_id INT NULL,
  placed_at DATETIME NOT NULL,
  st SMALLINT NOT NULL,
  curr CHAR(3) NOT NULL,
  fx_eur DECIMAL(10,6) NOT NULL,
  net_c INT NOT NULL,
  disc_c INT NOT NULL DEFAULT 0,
  ship_c INT NOT NULL DEFAULT 0,
  vat_c INT NOT NULL DEFAULT 0,
  tot_c INT NOT NULL,
  FOREIGN KEY (cust_id) REFERENCES cust (cust_id),
  FOREIGN KEY (sub_id) REFERENCES subs (sub_id),
  FOREIGN KEY (rep_id) REFERENCES staff (staff_id)
);

CREATE TABLE ord_ln (
  ord_id INT NOT NULL,
  ln SMALLINT NOT NULL,
  sku_cd VARCHAR(16) NOT NULL,
  qty INT NOT NULL,
  unit_c INT NOT NULL,
  net_c INT NOT NULL,
  voided_at DATETIME NULL,
  PRIMARY KEY (ord_id, ln),
  FOREIGN KEY (ord_id) REFERENCES ord (ord_id),
  FOREIGN KEY (sku_cd) REFERENCES sku (sku_cd)
);

CREATE TABLE shpm (
  shpm_id INT NOT NULL PRIMARY KEY,
  ord_id INT NOT NULL,
  kind CHAR(1) NOT NULL,
  carrier VARCHAR(20) NOT NULL,
  track_no VARCHAR(40) NULL,
  label_at DATETIME NOT NULL,
  sent_at DATETIME NULL,
  dlvd_at DATETIME NULL,
  to_ctry CHAR(2) NOT NULL,
  wt_g INT NOT NULL,
  cost_c INT NULL,
  FOREIGN KEY (ord_id) REFERENCES ord (ord_id)
);

CREATE TABLE refund (
  rfd_id INT NOT NULL PRIMARY KEY,
  ord_id INT NOT NULL,
  rsn CHAR(3) NOT NULL,
  amt_c INT NOT NULL,
  asked_at DATETIME NOT NULL,
  paid_at DATETIME NULL,
  appr_by INT NULL,
  FOREIGN KEY (ord_id) REFERENCES ord (ord_id),
  FOREIGN KEY (appr_by) REFERENCES staff (staff_id)
);
