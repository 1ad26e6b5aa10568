-- KFF_DWH.RPT (Snowflake). Loaded nightly from the forwarding system; DATE columns are local to the handling office.
CREATE OR REPLACE TABLE emp (
  emp_id      NUMBER(10) NOT NULL PRIMARY KEY,
  full_nm     VARCHAR(120),
  office_cd   VARCHAR(5),               -- home office of the person
  role_cd     VARCHAR(4),               -- SLS, OPS, FIN, MGT
  left_dt     DATE                      -- null = still employed
);

CREATE OR REPLACE TABLE cust (
  cust_id     NUMBER(10) NOT NULL PRIMARY KEY,
  cust_nm     VARCHAR(200),
  cntry_cd    CHAR(2),
  seg_cd      VARCHAR(4),               -- KEY, MID, SML
  acct_mgr_id NUMBER(10) REFERENCES emp(emp_id),
  onbrd_dt    DATE,                     -- date the account was opened in CRM
  is_intco    BOOLEAN NOT NULL,
  del_ts      TIMESTAMP_NTZ
);

CREATE OR REPLACE TABLE carr (
  carr_id     NUMBER(10) NOT NULL PRIMARY KEY,
  carr_nm     VARCHAR(120),
  mode_cd     CHAR(1),                  -- S, A, R
  actv_flg    CHAR(1)                   -- Y/N
);

CREATE OR REPLACE TABLE shpmt (
  shpmt_id     NUMBER(12) NOT NULL PRIMARY KEY,
  shpmt_no     VARCHAR(20),
  lvl_cd       CHAR(1) NOT NULL,        -- H house, M master (consol)
  mstr_id      NUMBER(12),              -- house -> its master
  cust_id      NUMBER(10) REFERENCES cust(cust_id),
  carr_id      NUMBER(10) REFERENCES carr(carr_id),
  sales_rep_id NUMBER(10) REFERENCES emp(emp_id),
  office_cd    VARCHAR(5),              -- handling office
  mode_cd      CHAR(1),                 -- S, A, R
  sts_cd       NUMBER(2) NOT NULL,
  orig_port    CHAR(5),                 -- UN/LOCODE
  dest_port    CHAR(5),
  bkd_dt       DATE,
  etd          DATE,
  atd          DATE,
  eta_orig     DATE,
  eta_cur      DATE,
  ata          DATE,                    -- arrival at destination port
  dlvd_dt      DATE,                    -- delivery at consignee
  grs_wt_kg    NUMBER(12,1),
  chrg_wt_x10  NUMBER(12),              -- chargeable kg, one implied decimal
  teu_x100     NUMBER(8),
  tst_flg      CHAR(1) NOT NULL,        -- Y/N
  del_ts       TIMESTAMP_NTZ
);

CREATE OR REPLACE TABLE chrg_ln (
  chrg_ln_id  NUMBER(14) NOT NULL PRIMARY KEY,
  shpmt_id    NUMBER(12) REFERENCES shpmt(shpmt_id),
  chrg_cd     VARCHAR(4),               -- FRT, FUE, HDL, DUT, VAT, ...
  side_cd     CHAR(1),                  -- R revenue, C cost (both stored positive)
  ln_sts      CHAR(1),                  -- E, A, V
  ccy         CHAR(3),
  amt_c       NUMBER(14),               -- cents of ccy
  amt_usd_c   NUMBER(14),               -- cents of USD
  post_dt     DATE
);

CREATE OR REPLACE TABLE inv (
  inv_id      NUMBER(12) NOT NULL PRIMARY KEY,
  inv_no      VARCHAR(20),
  cust_id     NUMBER(10) REFERENCES cust(cust_id),
  inv_typ     CHAR(1),                  -- I, C
  inv_sts     CHAR(1),                  -- D, I, P, X
  inv_dt      DATE,
  due_dt      DATE,
  tot_usd_c   NUMBER(14)
);

CREATE OR REPLACE TABLE pmt (
  pmt_id      NUMBER(12) NOT NULL PRIMARY KEY,
  inv_id      NUMBER(12) REFERENCES inv(inv_id),
  rcvd_dt     DATE,
  amt_usd_c   NUMBER(14),
  rev_flg     CHAR(1)                   -- Y = reversed (bounced)
);

CREATE OR REPLACE TABLE quote (
  quote_id      NUMBER(12) NOT NULL PRIMARY KEY,
  quote_no      VARCHAR(20),
  rev_no        NUMBER(3),
  is_latest     CHAR(1),
  cust_id       NUMBER(10) REFERENCES cust(cust_id),
  rep_id        NUMBER(10) REFERENCES emp(emp_id),
  mode_cd       CHAR(1),
  sts_cd        CHAR(1),                -- O, W, L, X
  created_dt    DATE,
  decided_dt    DATE,
  valid_to      DATE,
  est_rev_usd_c NUMBER(14)
);

CREATE OR REPLACE TABLE claim (
  claim_id       NUMBER(10) NOT NULL PRIMARY KEY,
  shpmt_id       NUMBER(12) REFERENCES shpmt(shpmt_id),
  rsn_cd         VARCHAR(4),            -- DMG, LOS, DLY, SHT
  clm_sts        CHAR(1),               -- O, S, R, W
  opened_dt      DATE,
  closed_dt      DATE,
  claimed_usd_c  NUMBER(14),
  paid_usd_c     NUMBER(14)
);
