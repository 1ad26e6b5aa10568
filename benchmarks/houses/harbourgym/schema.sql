CREATE TABLE club (
  club_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  club_cd VARCHAR(3) NOT NULL,
  club_nm VARCHAR(80) NOT NULL,
  suburb VARCHAR(60),
  state VARCHAR(3),
  tz VARCHAR(40) NOT NULL,
  kind CHAR(1) NOT NULL,
  opened_on DATE,
  closed_on DATE,
  is_247 BOOLEAN NOT NULL,
  floor_m2 NUMBER(8,0)
);

CREATE TABLE staff (
  staff_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  full_nm VARCHAR(120) NOT NULL,
  role_cd VARCHAR(3) NOT NULL,
  club_id NUMBER(38,0) REFERENCES club (club_id),
  emp_type VARCHAR(10),
  hired_on DATE NOT NULL,
  left_on DATE
);

CREATE TABLE member (
  member_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  mbr_no VARCHAR(12) NOT NULL,
  mtype CHAR(1) NOT NULL,
  first_nm VARCHAR(60),
  last_nm VARCHAR(60),
  email VARCHAR(160),
  mobile VARCHAR(20),
  dob DATE,
  sex CHAR(1),
  postcode VARCHAR(4),
  home_club_id NUMBER(38,0) NOT NULL REFERENCES club (club_id),
  ref_by_id NUMBER(38,0) REFERENCES member (member_id),
  src_cd VARCHAR(4),
  created_at TIMESTAMP_NTZ NOT NULL,
  is_test BOOLEAN NOT NULL DEFAULT FALSE,
  merged_to NUMBER(38,0) REFERENCES member (member_id),
  erased_at TIMESTAMP_NTZ
);

CREATE TABLE plan (
  plan_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  plan_cd VARCHAR(10) NOT NULL,
  plan_nm VARCHAR(80) NOT NULL,
  kind CHAR(1) NOT NULL,
  bill_freq CHAR(1) NOT NULL,
  list_cents NUMBER(10,0) NOT NULL,
  min_weeks NUMBER(4,0),
  access_cd CHAR(1),
  on_sale BOOLEAN NOT NULL
);

CREATE TABLE mship (
  mship_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  member_id NUMBER(38,0) NOT NULL REFERENCES member (member_id),
  plan_id NUMBER(38,0) NOT NULL REFERENCES plan (plan_id),
  sold_club_id NUMBER(38,0) NOT NULL REFERENCES club (club_id),
  sold_by NUMBER(38,0) REFERENCES staff (staff_id),
  stat VARCHAR(3) NOT NULL,
  signed_at TIMESTAMP_NTZ NOT NULL,
  start_on DATE NOT NULL,
  end_on DATE,
  cxl_req_at TIMESTAMP_NTZ,
  cxl_cd VARCHAR(3),
  rate_cents NUMBER(10,0) NOT NULL,
  promo_cd VARCHAR(12)
);

CREATE TABLE pfit_txn (
  dd_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  mship_id NUMBER(38,0) NOT NULL REFERENCES mship (mship_id),
  due_on DATE NOT NULL,
  run_at TIMESTAMP_NTZ,
  amt_cents NUMBER(10,0) NOT NULL,
  stat CHAR(1) NOT NULL,
  retry_of NUMBER(38,0) REFERENCES pfit_txn (dd_id),
  bank_msg VARCHAR(80),
  _fivetran_deleted BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE cls_session (
  sess_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  club_id NUMBER(38,0) NOT NULL REFERENCES club (club_id),
  cls_cd VARCHAR(6) NOT NULL,
  cls_nm VARCHAR(60) NOT NULL,
  studio VARCHAR(20),
  instr_id NUMBER(38,0) NOT NULL REFERENCES staff (staff_id),
  sub_id NUMBER(38,0) REFERENCES staff (staff_id),
  starts_local TIMESTAMP_NTZ NOT NULL,
  ends_local TIMESTAMP_NTZ NOT NULL,
  cap NUMBER(4,0) NOT NULL,
  cxl_flg CHAR(1) NOT NULL DEFAULT 'N'
);

CREATE TABLE cls_bkg (
  bkg_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  sess_id NUMBER(38,0) NOT NULL REFERENCES cls_session (sess_id),
  member_id NUMBER(38,0) NOT NULL REFERENCES member (member_id),
  booked_at TIMESTAMP_NTZ NOT NULL,
  stat CHAR(1) NOT NULL,
  channel VARCHAR(8),
  _fivetran_deleted BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE gate_log (
  swipe_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  member_id NUMBER(38,0) NOT NULL REFERENCES member (member_id),
  club_id NUMBER(38,0) NOT NULL REFERENCES club (club_id),
  in_at TIMESTAMP_NTZ NOT NULL,
  out_at TIMESTAMP_NTZ,
  auto_out BOOLEAN NOT NULL DEFAULT FALSE,
  result VARCHAR(3) NOT NULL,
  deny_msg VARCHAR(60)
);

CREATE TABLE pos_hdr (
  sale_id NUMBER(38,0) NOT NULL PRIMARY KEY,
  receipt_no VARCHAR(12) NOT NULL,
  club_id NUMBER(38,0) NOT NULL REFERENCES club (club_id),
  member_id NUMBER(38,0) REFERENCES member (member_id),
  staff_id NUMBER(38,0) REFERENCES staff (staff_id),
  sold_at TIMESTAMP_NTZ NOT NULL,
  doc_type CHAR(1) NOT NULL,
  stat CHAR(1) NOT NULL,
  tender VARCHAR(6)
);

CREATE TABLE pos_line (
  sale_id NUMBER(38,0) NOT NULL REFERENCES pos_hdr (sale_id),
  line_no NUMBER(4,0) NOT NULL,
  sku VARCHAR(16) NOT NULL,
  item_nm VARCHAR(80) NOT NULL,
  dept VARCHAR(3) NOT NULL,
  qty NUMBER(6,0) NOT NULL,
  amt_inc NUMBER(10,2) NOT NULL,
  gst_amt NUMBER(10,2) NOT NULL,
  PRIMARY KEY (sale_id, line_no)
);
