CREATE TABLE rep (
  rep_id SMALLINT NOT NULL,
  rep_name VARCHAR(60) NOT NULL,
  region_cd CHAR(2) NOT NULL,
  start_dt DATE NOT NULL,
  end_dt DATE NULL,
  target_fy BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (rep_id)
);
CREATE TABLE cust (
  cust_no INT NOT NULL,
  name VARCHAR(80) NOT NULL,
  city VARCHAR(40) NOT NULL,
  region_cd CHAR(2) NOT NULL,
  cust_typ CHAR(1) NOT NULL DEFAULT 'A',
  chain_cd VARCHAR(8) NULL,
  rep_id SMALLINT NULL,
  open_dt DATE NOT NULL,
  close_dt DATE NULL,
  blk CHAR(1) NOT NULL DEFAULT '',
  pay_days SMALLINT NOT NULL DEFAULT 30,
  cr_lim BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (cust_no),
  FOREIGN KEY (rep_id) REFERENCES rep (rep_id)
);
CREATE TABLE art (
  art_no INT NOT NULL,
  descr VARCHAR(100) NOT NULL,
  atc_cd VARCHAR(7) NULL,
  grp_cd CHAR(2) NOT NULL,
  stor_cd CHAR(1) NOT NULL,
  pack_sz SMALLINT NOT NULL DEFAULT 1,
  mfr VARCHAR(60) NOT NULL,
  rx TINYINT NOT NULL DEFAULT 0,
  min_stock INT NOT NULL DEFAULT 0,
  stat CHAR(1) NOT NULL DEFAULT 'A',
  PRIMARY KEY (art_no)
);
CREATE TABLE price_lst (
  art_no INT NOT NULL,
  lst_cd CHAR(2) NOT NULL,
  valid_from DATE NOT NULL,
  valid_to DATE NOT NULL,
  price_amt INT NOT NULL,
  PRIMARY KEY (art_no, lst_cd, valid_from),
  FOREIGN KEY (art_no) REFERENCES art (art_no)
);
CREATE TABLE batch (
  batch_id INT NOT NULL AUTO_INCREMENT,
  art_no INT NOT NULL,
  lot_no VARCHAR(20) NOT NULL,
  exp_dt DATE NOT NULL,
  rcv_dt DATE NOT NULL,
  qty_rcv INT NOT NULL,
  qty_oh INT NOT NULL,
  stat CHAR(1) NOT NULL,
  PRIMARY KEY (batch_id),
  FOREIGN KEY (art_no) REFERENCES art (art_no)
);
CREATE TABLE ord_hd (
  ord_no INT NOT NULL,
  cust_no INT NOT NULL,
  rep_id SMALLINT NULL,
  ord_ts DATETIME NOT NULL,
  req_dt DATE NULL,
  ord_typ CHAR(1) NOT NULL DEFAULT 'N',
  stat CHAR(2) NOT NULL DEFAULT '10',
  chan CHAR(1) NOT NULL,
  lst_cd CHAR(2) NOT NULL,
  PRIMARY KEY (ord_no),
  FOREIGN KEY (cust_no) REFERENCES cust (cust_no),
  FOREIGN KEY (rep_id) REFERENCES rep (rep_id)
);
CREATE TABLE ord_ln (
  ord_no INT NOT NULL,
  ln_no SMALLINT NOT NULL,
  art_no INT NOT NULL,
  batch_id INT NULL,
  qty_ord INT NOT NULL,
  qty_dlv INT NOT NULL DEFAULT 0,
  lst_amt INT NOT NULL,
  net_amt INT NOT NULL,
  ln_stat CHAR(1) NOT NULL DEFAULT '',
  PRIMARY KEY (ord_no, ln_no),
  FOREIGN KEY (ord_no) REFERENCES ord_hd (ord_no),
  FOREIGN KEY (art_no) REFERENCES art (art_no),
  FOREIGN KEY (batch_id) REFERENCES batch (batch_id)
);
CREATE TABLE dlv (
  dlv_id INT NOT NULL AUTO_INCREMENT,
  ord_no INT NOT NULL,
  van_cd VARCHAR(6) NOT NULL,
  drv VARCHAR(40) NULL,
  plan_ts DATETIME NOT NULL,
  dep_ts DATETIME NULL,
  arr_ts DATETIME NULL,
  stat CHAR(1) NOT NULL,
  temp_ok TINYINT NULL,
  PRIMARY KEY (dlv_id),
  FOREIGN KEY (ord_no) REFERENCES ord_hd (ord_no)
);
CREATE TABLE cr_note (
  crn_no INT NOT NULL,
  crn_dt DATE NOT NULL,
  cust_no INT NOT NULL,
  ord_no INT NOT NULL,
  ln_no SMALLINT NOT NULL,
  rsn_cd CHAR(2) NOT NULL,
  qty_ret INT NOT NULL DEFAULT 0,
  amt INT NOT NULL,
  stat CHAR(1) NOT NULL,
  PRIMARY KEY (crn_no),
  FOREIGN KEY (cust_no) REFERENCES cust (cust_no),
  FOREIGN KEY (ord_no, ln_no) REFERENCES ord_ln (ord_no, ln_no)
);
