CREATE TABLE dbo.Branch (
  branch_cd char(3) NOT NULL PRIMARY KEY,
  branch_name nvarchar(80) NOT NULL,
  city nvarchar(60) NOT NULL,
  region_cd char(1) NOT NULL,
  has_lab bit NOT NULL,
  opened_on date NOT NULL,
  closed_on date NULL
);

CREATE TABLE dbo.Doctor (
  doctor_id int NOT NULL PRIMARY KEY,
  full_name nvarchar(120) NOT NULL,
  specialty nvarchar(60) NOT NULL,
  clinic_name nvarchar(120) NULL,
  city nvarchar(60) NULL,
  phone varchar(30) NULL,
  email varchar(120) NULL,
  active bit NOT NULL
);

CREATE TABLE dbo.Insurer (
  insurer_id int NOT NULL PRIMARY KEY,
  insurer_name nvarchar(100) NOT NULL,
  ins_type char(3) NOT NULL,
  pay_terms_days smallint NOT NULL,
  contract_end date NULL
);

CREATE TABLE dbo.Patient (
  patient_id int NOT NULL PRIMARY KEY,
  first_name nvarchar(60) NOT NULL,
  last_name nvarchar(60) NOT NULL,
  birth_date date NULL,
  sex_cd char(1) NULL,
  city nvarchar(60) NULL,
  is_test bit NOT NULL,
  merged_into int NULL REFERENCES dbo.Patient (patient_id),
  created_at datetime2(0) NOT NULL
);

CREATE TABLE dbo.TestCat (
  test_cd varchar(10) NOT NULL PRIMARY KEY,
  test_name nvarchar(120) NOT NULL,
  dept_cd char(2) NOT NULL,
  sample_type varchar(10) NOT NULL,
  list_price decimal(9,2) NOT NULL,
  tat_hours smallint NOT NULL,
  discontinued bit NOT NULL
);

CREATE TABLE dbo.Req (
  req_id int NOT NULL PRIMARY KEY,
  req_no varchar(14) NOT NULL UNIQUE,
  patient_id int NOT NULL REFERENCES dbo.Patient (patient_id),
  ref_doctor_id int NULL REFERENCES dbo.Doctor (doctor_id),
  copy_doctor_id int NULL REFERENCES dbo.Doctor (doctor_id),
  insurer_id int NULL REFERENCES dbo.Insurer (insurer_id),
  collect_branch_cd char(3) NOT NULL REFERENCES dbo.Branch (branch_cd),
  lab_branch_cd char(3) NOT NULL REFERENCES dbo.Branch (branch_cd),
  prio_cd char(1) NOT NULL,
  status_cd tinyint NOT NULL,
  doc_dt date NULL,
  reg_at datetime2(0) NOT NULL,
  del_flg bit NOT NULL
);

CREATE TABLE dbo.Sample (
  sample_id int NOT NULL PRIMARY KEY,
  barcode varchar(20) NOT NULL UNIQUE,
  req_id int NOT NULL REFERENCES dbo.Req (req_id),
  sample_type varchar(10) NOT NULL,
  collected_at datetime2(0) NULL,
  received_at datetime2(0) NULL,
  reject_cd char(3) NULL
);

CREATE TABLE dbo.ReqTest (
  req_test_id int NOT NULL PRIMARY KEY,
  req_id int NOT NULL REFERENCES dbo.Req (req_id),
  test_cd varchar(10) NOT NULL REFERENCES dbo.TestCat (test_cd),
  sample_id int NULL REFERENCES dbo.Sample (sample_id),
  status_cd char(1) NOT NULL,
  list_amt decimal(9,2) NOT NULL,
  net_amt decimal(9,2) NOT NULL,
  result_at datetime2(0) NULL,
  validated_at datetime2(0) NULL,
  rerun_of int NULL REFERENCES dbo.ReqTest (req_test_id)
);

CREATE TABLE dbo.Invoice (
  inv_id int NOT NULL PRIMARY KEY,
  inv_no varchar(16) NOT NULL UNIQUE,
  doc_type char(2) NOT NULL,
  req_id int NOT NULL REFERENCES dbo.Req (req_id),
  insurer_id int NULL REFERENCES dbo.Insurer (insurer_id),
  amt_cents int NOT NULL,
  issued_on date NULL,
  due_on date NULL,
  status_cd char(1) NOT NULL
);

CREATE TABLE dbo.Pmt (
  pmt_id int NOT NULL PRIMARY KEY,
  inv_id int NOT NULL REFERENCES dbo.Invoice (inv_id),
  paid_on date NOT NULL,
  amt_cents int NOT NULL,
  method_cd char(2) NOT NULL,
  bounced bit NOT NULL
);

CREATE TABLE dbo.CourierRun (
  run_id int NOT NULL PRIMARY KEY,
  from_branch_cd char(3) NOT NULL REFERENCES dbo.Branch (branch_cd),
  to_branch_cd char(3) NOT NULL REFERENCES dbo.Branch (branch_cd),
  sent_at datetime2(0) NOT NULL,
  arrived_at datetime2(0) NULL,
  n_tubes smallint NOT NULL,
  temp_alarm bit NOT NULL
);
