CREATE TABLE shops (
  shop_id INT NOT NULL PRIMARY KEY,
  shop_code VARCHAR(8) NOT NULL UNIQUE,
  shop_name VARCHAR(80) NOT NULL,
  city VARCHAR(60) NOT NULL,
  region VARCHAR(40) NOT NULL,
  kind ENUM('own','franchise') NOT NULL,
  sqm SMALLINT,
  manager_name VARCHAR(80),
  opened_on DATE NOT NULL,
  closed_on DATE
);

CREATE TABLE shop_day (
  shop_id INT NOT NULL,
  bus_date DATE NOT NULL,
  visitors INT NOT NULL,
  served INT NOT NULL,
  avg_wait_sec INT,
  staff_hours DECIMAL(5,1),
  PRIMARY KEY (shop_id, bus_date),
  FOREIGN KEY (shop_id) REFERENCES shops (shop_id)
);

CREATE TABLE tariff (
  tariff_code VARCHAR(12) NOT NULL PRIMARY KEY,
  tariff_name VARCHAR(60) NOT NULL,
  product_line ENUM('mobile','broadband') NOT NULL,
  list_price_ct INT NOT NULL,
  data_gb INT,
  min_term_months TINYINT NOT NULL,
  sold_from DATE NOT NULL,
  sold_to DATE
);

CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  cust_no VARCHAR(12) NOT NULL UNIQUE,
  cust_type CHAR(1) NOT NULL,
  first_name VARCHAR(50),
  last_name VARCHAR(50),
  company_name VARCHAR(100),
  email VARCHAR(120),
  birth_date DATE,
  postcode VARCHAR(8),
  city VARCHAR(60),
  created_at DATETIME NOT NULL,
  deleted_at DATETIME,
  is_test TINYINT NOT NULL DEFAULT 0
);

CREATE TABLE contracts (
  contract_id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL,
  tariff_code VARCHAR(12) NOT NULL,
  shop_id INT,
  status_cd CHAR(2) NOT NULL,
  signed_at DATETIME,
  start_date DATE,
  min_term_end DATE,
  notice_given_on DATE,
  end_date DATE,
  monthly_fee_ct INT NOT NULL,
  FOREIGN KEY (customer_id) REFERENCES customer (customer_id),
  FOREIGN KEY (tariff_code) REFERENCES tariff (tariff_code),
  FOREIGN KEY (shop_id) REFERENCES shops (shop_id)
);

CREATE TABLE sim_card (
  iccid VARCHAR(20) NOT NULL PRIMARY KEY,
  contract_id INT,
  shop_id INT,
  msisdn VARCHAR(16),
  sim_kind ENUM('nano','esim') NOT NULL,
  sim_status ENUM('stock','active','blocked','retired') NOT NULL,
  activated_at DATETIME,
  retired_at DATETIME,
  FOREIGN KEY (contract_id) REFERENCES contracts (contract_id),
  FOREIGN KEY (shop_id) REFERENCES shops (shop_id)
);

CREATE TABLE usage_daily (
  iccid VARCHAR(20) NOT NULL,
  usage_date DATE NOT NULL,
  zone VARCHAR(4) NOT NULL,
  contract_id INT NOT NULL,
  data_mb DECIMAL(12,2) NOT NULL DEFAULT 0,
  voice_sec INT NOT NULL DEFAULT 0,
  sms_cnt INT NOT NULL DEFAULT 0,
  PRIMARY KEY (iccid, usage_date, zone),
  FOREIGN KEY (iccid) REFERENCES sim_card (iccid),
  FOREIGN KEY (contract_id) REFERENCES contracts (contract_id)
);

CREATE TABLE invoice (
  invoice_id INT NOT NULL PRIMARY KEY,
  invoice_no VARCHAR(16) NOT NULL UNIQUE,
  customer_id INT NOT NULL,
  contract_id INT NOT NULL,
  inv_type CHAR(1) NOT NULL,
  inv_status CHAR(1) NOT NULL,
  invoice_date DATE NOT NULL,
  due_date DATE NOT NULL,
  net_ct INT NOT NULL,
  gross_ct INT NOT NULL,
  FOREIGN KEY (customer_id) REFERENCES customer (customer_id),
  FOREIGN KEY (contract_id) REFERENCES contracts (contract_id)
);

CREATE TABLE payments (
  payment_id INT NOT NULL PRIMARY KEY,
  invoice_id INT NOT NULL,
  paid_on DATE NOT NULL,
  amount_ct INT NOT NULL,
  method VARCHAR(10) NOT NULL,
  pay_status ENUM('pending','booked','returned') NOT NULL,
  FOREIGN KEY (invoice_id) REFERENCES invoice (invoice_id)
);

CREATE TABLE trouble_ticket (
  ticket_id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL,
  contract_id INT,
  shop_id INT,
  channel VARCHAR(8) NOT NULL,
  category VARCHAR(4) NOT NULL,
  prio TINYINT NOT NULL,
  status VARCHAR(4) NOT NULL,
  opened_at DATETIME NOT NULL,
  resolved_at DATETIME,
  closed_at DATETIME,
  FOREIGN KEY (customer_id) REFERENCES customer (customer_id),
  FOREIGN KEY (contract_id) REFERENCES contracts (contract_id),
  FOREIGN KEY (shop_id) REFERENCES shops (shop_id)
);
