CREATE TABLE rdr (
  rdr_id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  email VARCHAR(160) NULL,
  nm VARCHAR(120) NULL,
  town VARCHAR(80) NULL,
  ctry CHAR(2) NOT NULL,
  acct_kind CHAR(1) NOT NULL DEFAULT 'R',
  mail_ok TINYINT(1) NOT NULL DEFAULT 0,
  joined_at DATETIME NOT NULL,
  erased_at DATETIME NULL,
  PRIMARY KEY (rdr_id),
  UNIQUE KEY uq_rdr_email (email)
) ENGINE=InnoDB;

CREATE TABLE plan (
  plan_cd VARCHAR(12) NOT NULL,
  pub_cd CHAR(3) NOT NULL,
  plan_name VARCHAR(80) NOT NULL,
  fmt ENUM('digital','print','bundle') NOT NULL,
  term_m TINYINT UNSIGNED NOT NULL,
  price_c INT UNSIGNED NOT NULL,
  cur CHAR(3) NOT NULL,
  sold_from DATE NOT NULL,
  sold_to DATE NULL,
  PRIMARY KEY (plan_cd)
) ENGINE=InnoDB;

CREATE TABLE sub (
  sub_id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  payer_id INT UNSIGNED NOT NULL,
  recip_id INT UNSIGNED NOT NULL,
  plan_cd VARCHAR(12) NOT NULL,
  st CHAR(2) NOT NULL,
  src_cd VARCHAR(4) NOT NULL,
  trial_d SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  started_on DATE NOT NULL,
  paid_from DATE NULL,
  cancel_on DATE NULL,
  ended_on DATE NULL,
  PRIMARY KEY (sub_id),
  KEY ix_sub_recip (recip_id),
  CONSTRAINT fk_sub_payer FOREIGN KEY (payer_id) REFERENCES rdr (rdr_id),
  CONSTRAINT fk_sub_recip FOREIGN KEY (recip_id) REFERENCES rdr (rdr_id),
  CONSTRAINT fk_sub_plan FOREIGN KEY (plan_cd) REFERENCES plan (plan_cd)
) ENGINE=InnoDB;

CREATE TABLE pay (
  pay_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  sub_id INT UNSIGNED NOT NULL,
  kind CHAR(1) NOT NULL,
  st CHAR(2) NOT NULL,
  method VARCHAR(12) NOT NULL,
  amt_c INT NOT NULL,
  vat_c INT NOT NULL,
  cur CHAR(3) NOT NULL,
  fx_eur DECIMAL(9,6) NOT NULL,
  booked_at DATETIME NOT NULL,
  PRIMARY KEY (pay_id),
  KEY ix_pay_sub (sub_id, booked_at),
  CONSTRAINT fk_pay_sub FOREIGN KEY (sub_id) REFERENCES sub (sub_id)
) ENGINE=InnoDB;

CREATE TABLE issue (
  issue_id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  pub_cd CHAR(3) NOT NULL,
  iss_no SMALLINT UNSIGNED NOT NULL,
  onsale_on DATE NOT NULL,
  pages SMALLINT UNSIGNED NOT NULL,
  print_run INT UNSIGNED NOT NULL,
  PRIMARY KEY (issue_id),
  UNIQUE KEY uq_issue (pub_cd, iss_no)
) ENGINE=InnoDB;

CREATE TABLE dlv (
  dlv_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  sub_id INT UNSIGNED NOT NULL,
  issue_id INT UNSIGNED NOT NULL,
  carrier VARCHAR(20) NOT NULL,
  dep_from CHAR(3) NOT NULL,
  dep_to CHAR(3) NOT NULL,
  st CHAR(2) NOT NULL,
  posted_on DATE NOT NULL,
  landed_on DATE NULL,
  PRIMARY KEY (dlv_id),
  CONSTRAINT fk_dlv_sub FOREIGN KEY (sub_id) REFERENCES sub (sub_id),
  CONSTRAINT fk_dlv_issue FOREIGN KEY (issue_id) REFERENCES issue (issue_id)
) ENGINE=InnoDB;

CREATE TABLE book (
  isbn13 CHAR(13) NOT NULL,
  title VARCHAR(200) NOT NULL,
  author VARCHAR(120) NULL,
  imprint VARCHAR(40) NOT NULL,
  pub_on DATE NOT NULL,
  pages SMALLINT UNSIGNED NULL,
  list_pr DECIMAL(7,2) NOT NULL,
  PRIMARY KEY (isbn13)
) ENGINE=InnoDB;

CREATE TABLE bk_ord (
  ord_id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  rdr_id INT UNSIGNED NULL,
  ord_at DATETIME NOT NULL,
  st CHAR(1) NOT NULL,
  ship_ctry CHAR(2) NOT NULL,
  postage DECIMAL(7,2) NOT NULL DEFAULT 0.00,
  tst TINYINT(1) NOT NULL DEFAULT 0,
  PRIMARY KEY (ord_id),
  CONSTRAINT fk_ord_rdr FOREIGN KEY (rdr_id) REFERENCES rdr (rdr_id)
) ENGINE=InnoDB;

CREATE TABLE bk_ln (
  ord_id INT UNSIGNED NOT NULL,
  ln_no SMALLINT UNSIGNED NOT NULL,
  isbn13 CHAR(13) NOT NULL,
  qty SMALLINT UNSIGNED NOT NULL,
  unit_pr DECIMAL(7,2) NOT NULL,
  disc DECIMAL(7,2) NOT NULL DEFAULT 0.00,
  PRIMARY KEY (ord_id, ln_no),
  CONSTRAINT fk_ln_ord FOREIGN KEY (ord_id) REFERENCES bk_ord (ord_id),
  CONSTRAINT fk_ln_book FOREIGN KEY (isbn13) REFERENCES book (isbn13)
) ENGINE=InnoDB;

CREATE TABLE pw_hit (
  hit_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  seen_at DATETIME NOT NULL,
  visitor_ck CHAR(22) NOT NULL,
  rdr_id INT UNSIGNED NULL,
  pub_cd CHAR(3) NOT NULL,
  art_slug VARCHAR(140) NOT NULL,
  outcome CHAR(1) NOT NULL,
  device VARCHAR(10) NOT NULL,
  bot TINYINT(1) NOT NULL DEFAULT 0,
  PRIMARY KEY (hit_id),
  KEY ix_hit_seen (seen_at)
) ENGINE=InnoDB;

CREATE TABLE ad_bk (
  ad_id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  issue_id INT UNSIGNED NOT NULL,
  adv_name VARCHAR(120) NOT NULL,
  size_cd CHAR(2) NOT NULL,
  st CHAR(1) NOT NULL,
  house_ad TINYINT(1) NOT NULL DEFAULT 0,
  fee_net INT UNSIGNED NOT NULL,
  rep VARCHAR(40) NOT NULL,
  booked_on DATE NOT NULL,
  PRIMARY KEY (ad_id),
  CONSTRAINT fk_ad_issue FOREIGN KEY (issue_id) REFERENCES issue (issue_id)
) ENGINE=InnoDB;
