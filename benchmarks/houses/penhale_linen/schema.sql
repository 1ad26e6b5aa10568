-- plsprod / public   (PostgreSQL 13)   dumped 2026-01-19, grants and indexes cut

CREATE TABLE dpt (
  dpt_id   smallint PRIMARY KEY,
  dpt_nm   varchar(30) NOT NULL,
  opn_dt   date,
  cls_dt   date
);

CREATE TABLE emp (
  emp_id   integer PRIMARY KEY,
  emp_nm   varchar(50) NOT NULL,
  rl       smallint NOT NULL,
  dpt_id   smallint REFERENCES dpt,
  st_dt    date NOT NULL,
  lv_dt    date
);

CREATE TABLE cus (
  cus_id   integer PRIMARY KEY,
  acc_no   varchar(8) NOT NULL UNIQUE,
  cus_nm   varchar(60) NOT NULL,
  seg      smallint NOT NULL,
  stat     smallint NOT NULL,
  dpt_id   smallint REFERENCES dpt,
  par_id   integer REFERENCES cus,
  rep_id   integer REFERENCES emp,
  ka       char(1) NOT NULL DEFAULT 'N',
  pc       varchar(8),
  win_fr   time,
  win_to   time,
  pay_t    smallint NOT NULL DEFAULT 30,
  crt_dt   date NOT NULL,
  ctr_st   date,
  ctr_end  date,
  del_fl   char(1) NOT NULL DEFAULT 'N'
);

CREATE TABLE itm (
  itm_cd   char(6) PRIMARY KEY,
  itm_ds   varchar(40) NOT NULL,
  cat      smallint NOT NULL,
  own      char(1) NOT NULL,
  wgt_g    integer,
  rpl_p    integer,
  act      char(1) NOT NULL DEFAULT 'Y'
);

CREATE TABLE rte (
  rte_id   integer PRIMARY KEY,
  rte_cd   varchar(6) NOT NULL,
  dpt_id   smallint NOT NULL REFERENCES dpt,
  dow      smallint NOT NULL,
  act      char(1) NOT NULL DEFAULT 'Y'
);

CREATE TABLE drp (
  drp_id   bigint PRIMARY KEY,
  cus_id   integer NOT NULL REFERENCES cus,
  rte_id   integer NOT NULL REFERENCES rte,
  emp_id   integer REFERENCES emp,
  typ      smallint NOT NULL,
  stat     smallint NOT NULL,
  pln_dt   date NOT NULL,
  arr_ts   timestamp
);

CREATE TABLE drpl (
  drp_id   bigint NOT NULL REFERENCES drp,
  ln_no    smallint NOT NULL,
  itm_cd   char(6) NOT NULL REFERENCES itm,
  q_ord    integer NOT NULL DEFAULT 0,
  q_dlv    integer NOT NULL DEFAULT 0,
  q_sld    integer NOT NULL DEFAULT 0,
  q_rej    integer NOT NULL DEFAULT 0,
  PRIMARY KEY (drp_id, ln_no)
);

CREATE TABLE inv (
  inv_id   bigint PRIMARY KEY,
  inv_no   varchar(12) NOT NULL,
  cus_id   integer NOT NULL REFERENCES cus,
  typ      char(2) NOT NULL,
  stat     smallint NOT NULL,
  inv_dt   date NOT NULL,
  due_dt   date,
  pst_dt   date,
  per      char(6),
  net_p    bigint NOT NULL,
  vat_p    bigint NOT NULL,
  pd_p     bigint NOT NULL DEFAULT 0,
  pd_dt    date
);

CREATE TABLE invl (
  inv_id   bigint NOT NULL REFERENCES inv,
  ln_no    smallint NOT NULL,
  itm_cd   char(6) REFERENCES itm,
  ln_t     char(1) NOT NULL,
  qty      integer,
  net_p    bigint NOT NULL,
  PRIMARY KEY (inv_id, ln_no)
);

CREATE TABLE cmp (
  cmp_id   integer PRIMARY KEY,
  cus_id   integer NOT NULL REFERENCES cus,
  drp_id   bigint REFERENCES drp,
  rsn      smallint NOT NULL,
  sev      char(1) NOT NULL,
  stat     smallint NOT NULL,
  opn_ts   timestamp NOT NULL,
  cls_ts   timestamp,
  crd_p    integer
);
