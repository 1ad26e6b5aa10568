CREATE TABLE dbo.staff (
  staff_id INT NOT NULL PRIMARY KEY,
  nm NVARCHAR(80) NOT NULL,
  team NVARCHAR(30) NOT NULL,
  start_dt DATE NOT NULL,
  left_dt DATE NULL
);

CREATE TABLE dbo.owner (
  owner_id INT NOT NULL PRIMARY KEY,
  name NVARCHAR(120) NOT NULL,
  kind CHAR(1) NOT NULL,
  email NVARCHAR(120) NULL,
  joined_dt DATE NOT NULL
);

CREATE TABLE dbo.building (
  bldg_id INT NOT NULL PRIMARY KEY,
  bldg_cd VARCHAR(8) NOT NULL UNIQUE,
  name NVARCHAR(80) NOT NULL,
  street NVARCHAR(120) NOT NULL,
  postcode VARCHAR(8) NOT NULL,
  city NVARCHAR(40) NOT NULL,
  yr_built SMALLINT NULL,
  floors TINYINT NOT NULL,
  has_lift BIT NOT NULL,
  freeholder_id INT NOT NULL REFERENCES dbo.owner (owner_id)
);

CREATE TABLE dbo.unit (
  unit_id INT NOT NULL PRIMARY KEY,
  bldg_id INT NOT NULL REFERENCES dbo.building (bldg_id),
  unit_no VARCHAR(10) NOT NULL,
  owner_id INT NOT NULL REFERENCES dbo.owner (owner_id),
  beds TINYINT NOT NULL,
  area_m2 DECIMAL(6,1) NULL,
  epc CHAR(1) NULL,
  asking_pcm DECIMAL(9,2) NULL,
  st_cd CHAR(3) NOT NULL
);

CREATE TABLE dbo.tenant (
  tenant_id INT NOT NULL PRIMARY KEY,
  first_nm NVARCHAR(60) NOT NULL,
  last_nm NVARCHAR(60) NOT NULL,
  email NVARCHAR(120) NULL,
  phone VARCHAR(24) NULL,
  dob DATE NULL,
  erased_at DATETIME2(0) NULL
);

CREATE TABLE dbo.lease (
  lease_id INT NOT NULL PRIMARY KEY,
  unit_id INT NOT NULL REFERENCES dbo.unit (unit_id),
  st CHAR(1) NOT NULL,
  src_cd CHAR(3) NOT NULL,
  neg_id INT NULL REFERENCES dbo.staff (staff_id),
  signed_dt DATE NULL,
  start_dt DATE NOT NULL,
  end_dt DATE NOT NULL,
  vacated_dt DATE NULL,
  rent_pcm DECIMAL(9,2) NOT NULL,
  deposit DECIMAL(9,2) NOT NULL,
  prev_lease_id INT NULL REFERENCES dbo.lease (lease_id)
);

CREATE TABLE dbo.lease_tenant (
  lease_id INT NOT NULL REFERENCES dbo.lease (lease_id),
  tenant_id INT NOT NULL REFERENCES dbo.tenant (tenant_id),
  role CHAR(1) NOT NULL,
  PRIMARY KEY (lease_id, tenant_id)
);

CREATE TABLE dbo.rent_charge (
  chg_id INT NOT NULL PRIMARY KEY,
  lease_id INT NOT NULL REFERENCES dbo.lease (lease_id),
  typ CHAR(3) NOT NULL,
  due_dt DATE NOT NULL,
  amt DECIMAL(9,2) NOT NULL,
  waived_dt DATE NULL
);

CREATE TABLE dbo.rent_pmt (
  pmt_id INT NOT NULL PRIMARY KEY,
  lease_id INT NOT NULL REFERENCES dbo.lease (lease_id),
  typ CHAR(3) NOT NULL,
  amt DECIMAL(9,2) NOT NULL,
  recd_dt DATE NOT NULL,
  cleared_dt DATE NULL,
  method VARCHAR(10) NOT NULL,
  keyed_by INT NULL REFERENCES dbo.staff (staff_id),
  del_flg CHAR(1) NOT NULL DEFAULT 'N'
);

CREATE TABLE dbo.contractor (
  contr_id INT NOT NULL PRIMARY KEY,
  name NVARCHAR(80) NOT NULL,
  trade NVARCHAR(30) NOT NULL,
  phone VARCHAR(24) NULL,
  email NVARCHAR(120) NULL,
  ins_expiry DATE NULL,
  is_active BIT NOT NULL
);

CREATE TABLE dbo.maint_job (
  job_id INT NOT NULL PRIMARY KEY,
  bldg_id INT NOT NULL REFERENCES dbo.building (bldg_id),
  unit_id INT NULL REFERENCES dbo.unit (unit_id),
  contr_id INT NULL REFERENCES dbo.contractor (contr_id),
  rep_by INT NULL REFERENCES dbo.tenant (tenant_id),
  prio TINYINT NOT NULL,
  st CHAR(3) NOT NULL,
  descr NVARCHAR(400) NULL,
  reported_at DATETIME2(0) NOT NULL,
  done_at DATETIME2(0) NULL,
  closed_at DATETIME2(0) NULL,
  quote_amt DECIMAL(9,2) NULL,
  inv_amt DECIMAL(9,2) NULL,
  inv_dt DATE NULL,
  chg_to CHAR(1) NULL
);
