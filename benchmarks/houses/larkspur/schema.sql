CREATE TABLE facility (
  facility_id INT NOT NULL PRIMARY KEY,
  fac_code VARCHAR(8) NOT NULL,
  fac_name VARCHAR(80) NOT NULL,
  city VARCHAR(60),
  region_cd TINYINT,
  status_cd CHAR(1) NOT NULL,
  open_date DATE,
  close_date DATE,
  is_test TINYINT(1) NOT NULL DEFAULT 0,
  created_at DATETIME NOT NULL
);

CREATE TABLE unit (
  unit_id INT NOT NULL PRIMARY KEY,
  facility_id INT NOT NULL,
  unit_no VARCHAR(10) NOT NULL,
  kind_cd CHAR(1) NOT NULL,
  size_cls VARCHAR(3),
  area_sqft DECIMAL(7,1) NOT NULL,
  floor_no SMALLINT,
  state_cd CHAR(1) NOT NULL,
  list_rate_c INT,
  web_rate_c INT,
  deleted_at DATETIME,
  FOREIGN KEY (facility_id) REFERENCES facility (facility_id)
);

CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  cust_no VARCHAR(12) NOT NULL,
  cust_type TINYINT NOT NULL,
  full_name VARCHAR(120) NOT NULL,
  company_name VARCHAR(120),
  email VARCHAR(160),
  phone VARCHAR(40),
  city VARCHAR(60),
  is_test TINYINT(1) NOT NULL DEFAULT 0,
  created_at DATETIME NOT NULL,
  deleted_at DATETIME
);

CREATE TABLE lease (
  lease_id INT NOT NULL PRIMARY KEY,
  lease_no VARCHAR(12) NOT NULL,
  customer_id INT NOT NULL,
  unit_id INT NOT NULL,
  lease_st SMALLINT NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE,
  move_in_date DATE,
  notice_date DATE,
  move_out_date DATE,
  rent_c INT NOT NULL,
  promo_cd VARCHAR(8),
  ins_cd CHAR(1) NOT NULL,
  created_at DATETIME NOT NULL,
  deleted_at DATETIME,
  FOREIGN KEY (customer_id) REFERENCES customer (customer_id),
  FOREIGN KEY (unit_id) REFERENCES unit (unit_id)
);

CREATE TABLE invoice (
  invoice_id INT NOT NULL PRIMARY KEY,
  inv_no VARCHAR(14) NOT NULL,
  lease_id INT NOT NULL,
  inv_type CHAR(1) NOT NULL,
  inv_st CHAR(1) NOT NULL,
  period_start DATE NOT NULL,
  period_end DATE NOT NULL,
  issued_at DATETIME,
  due_date DATE,
  net_c INT NOT NULL,
  gross_c INT NOT NULL,
  wo_date DATE,
  deleted_at DATETIME,
  FOREIGN KEY (lease_id) REFERENCES lease (lease_id)
);

CREATE TABLE payment (
  payment_id INT NOT NULL PRIMARY KEY,
  invoice_id INT NOT NULL,
  method_cd TINYINT NOT NULL,
  pay_st TINYINT NOT NULL,
  amount_c INT NOT NULL,
  paid_at DATETIME NOT NULL,
  gateway_ref VARCHAR(40),
  FOREIGN KEY (invoice_id) REFERENCES invoice (invoice_id)
);

CREATE TABLE gate_event (
  event_id BIGINT NOT NULL PRIMARY KEY,
  facility_id INT NOT NULL,
  unit_id INT,
  customer_id INT,
  evt_cd SMALLINT NOT NULL,
  evt_at DATETIME NOT NULL,
  device_no VARCHAR(12),
  FOREIGN KEY (facility_id) REFERENCES facility (facility_id)
);

CREATE TABLE enquiry (
  enquiry_id INT NOT NULL PRIMARY KEY,
  facility_id INT NOT NULL,
  source_cd CHAR(1) NOT NULL,
  status_cd TINYINT NOT NULL,
  is_dup TINYINT(1) NOT NULL DEFAULT 0,
  quote_c INT,
  created_at DATETIME NOT NULL,
  contacted_at DATETIME,
  closed_at DATETIME,
  lease_id INT,
  FOREIGN KEY (facility_id) REFERENCES facility (facility_id)
);
