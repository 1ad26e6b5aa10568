CREATE TABLE workshops (
  workshop_id NUMBER(10) NOT NULL,
  workshop_name VARCHAR2(80) NOT NULL,
  city VARCHAR2(60) NOT NULL,
  region_code VARCHAR2(2) NOT NULL,
  bays NUMBER(3) NOT NULL,
  opened_on DATE NOT NULL,
  closed_on DATE
);

CREATE TABLE mechanics (
  mechanic_id NUMBER(10) NOT NULL,
  workshop_id NUMBER(10) NOT NULL,
  full_name VARCHAR2(80) NOT NULL,
  grade_code VARCHAR2(1) NOT NULL,
  hired_on DATE NOT NULL,
  left_on DATE
);

CREATE TABLE customers (
  customer_id NUMBER(10) NOT NULL,
  customer_name VARCHAR2(120) NOT NULL,
  customer_type VARCHAR2(1) NOT NULL,
  city VARCHAR2(60),
  email VARCHAR2(120),
  created_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP
);

CREATE TABLE vehicles (
  vehicle_id NUMBER(10) NOT NULL,
  customer_id NUMBER(10) NOT NULL,
  reg_plate VARCHAR2(10) NOT NULL,
  make VARCHAR2(40) NOT NULL,
  model VARCHAR2(40) NOT NULL,
  fuel_code VARCHAR2(1) NOT NULL,
  first_reg_on DATE,
  mot_due_on DATE
);

CREATE TABLE work_orders (
  wo_id NUMBER(10) NOT NULL,
  wo_number VARCHAR2(12) NOT NULL,
  workshop_id NUMBER(10) NOT NULL,
  vehicle_id NUMBER(10) NOT NULL,
  lead_mechanic_id NUMBER(10),
  status_code NUMBER(2) NOT NULL,
  opened_at TIMESTAMP NOT NULL,
  promised_at TIMESTAMP,
  completed_at TIMESTAMP,
  collected_at TIMESTAMP,
  odometer_miles NUMBER(7),
  is_internal CHAR(1) NOT NULL
);

CREATE TABLE labour_lines (
  labour_line_id NUMBER(10) NOT NULL,
  wo_id NUMBER(10) NOT NULL,
  mechanic_id NUMBER(10) NOT NULL,
  worked_on DATE NOT NULL,
  units_quoted NUMBER(5) NOT NULL,
  units_clocked NUMBER(5) NOT NULL,
  rate_per_hour NUMBER(8,2) NOT NULL
);

CREATE TABLE parts (
  part_id NUMBER(10) NOT NULL,
  sku VARCHAR2(20) NOT NULL,
  part_name VARCHAR2(80) NOT NULL,
  category_code VARCHAR2(4) NOT NULL,
  list_price NUMBER(8,2) NOT NULL,
  cost_price NUMBER(8,2) NOT NULL,
  discontinued CHAR(1) NOT NULL
);

CREATE TABLE part_lines (
  part_line_id NUMBER(10) NOT NULL,
  wo_id NUMBER(10) NOT NULL,
  part_id NUMBER(10) NOT NULL,
  fitted_on DATE NOT NULL,
  qty NUMBER(5) NOT NULL,
  unit_price NUMBER(8,2) NOT NULL,
  under_warranty CHAR(1) NOT NULL
);

CREATE TABLE invoices (
  invoice_id NUMBER(10) NOT NULL,
  invoice_no VARCHAR2(14) NOT NULL,
  wo_id NUMBER(10) NOT NULL,
  doc_type VARCHAR2(3) NOT NULL,
  issued_at TIMESTAMP NOT NULL,
  due_on DATE NOT NULL,
  paid_at TIMESTAMP,
  net_amount NUMBER(10,2) NOT NULL,
  vat_amount NUMBER(10,2) NOT NULL,
  gross_amount NUMBER(10,2) NOT NULL,
  is_void CHAR(1) NOT NULL
);

CREATE TABLE appointments (
  appointment_id NUMBER(10) NOT NULL,
  workshop_id NUMBER(10) NOT NULL,
  vehicle_id NUMBER(10) NOT NULL,
  service_code VARCHAR2(4) NOT NULL,
  created_at TIMESTAMP NOT NULL,
  scheduled_at TIMESTAMP NOT NULL,
  status_code VARCHAR2(2) NOT NULL
);
