CREATE TABLE customers (
  customer_id bigint PRIMARY KEY,
  name text NOT NULL,
  segment_code char(1) NOT NULL,
  city text,
  created_at timestamp NOT NULL,
  is_test boolean NOT NULL DEFAULT false,
  deleted_at timestamp
);
CREATE TABLE sites (
  site_id bigint PRIMARY KEY,
  customer_id bigint NOT NULL REFERENCES customers,
  address text,
  city text,
  region_cd char(1) NOT NULL
);
CREATE TABLE lifts (
  lift_id bigint PRIMARY KEY,
  site_id bigint NOT NULL REFERENCES sites,
  serial_no text NOT NULL,
  manufacturer text,
  drive_type_cd smallint,
  installed_on date,
  commissioned_on date,
  status_cd smallint NOT NULL,
  floors smallint,
  rated_load_kg integer,
  deleted_at timestamp
);
CREATE TABLE contracts (
  contract_id bigint PRIMARY KEY,
  customer_id bigint NOT NULL REFERENCES customers,
  lift_id bigint NOT NULL REFERENCES lifts,
  plan_cd char(1) NOT NULL,
  state_cd smallint NOT NULL,
  start_date date NOT NULL,
  end_date date,
  cancelled_at timestamp,
  monthly_fee_cents integer NOT NULL,
  list_fee_cents integer NOT NULL
);
CREATE TABLE technicians (
  technician_id bigint PRIMARY KEY,
  full_name text NOT NULL,
  home_region_cd char(1),
  hired_on date NOT NULL,
  left_on date,
  is_subcontractor boolean NOT NULL DEFAULT false
);
CREATE TABLE tickets (
  ticket_id bigint PRIMARY KEY,
  lift_id bigint NOT NULL REFERENCES lifts,
  type_cd char(1) NOT NULL,
  status_cd smallint NOT NULL,
  reported_at timestamp NOT NULL,
  opened_at timestamp NOT NULL,
  arrived_at timestamp,
  resolved_at timestamp,
  assigned_technician_id bigint REFERENCES technicians,
  is_test boolean NOT NULL DEFAULT false,
  deleted_at timestamp
);
CREATE TABLE visits (
  visit_id bigint PRIMARY KEY,
  lift_id bigint NOT NULL REFERENCES lifts,
  ticket_id bigint REFERENCES tickets,
  technician_id bigint NOT NULL REFERENCES technicians,
  visit_kind char(2) NOT NULL,
  outcome_cd smallint,
  scheduled_for date,
  performed_at timestamp,
  labour_minutes integer
);
CREATE TABLE invoices (
  invoice_id bigint PRIMARY KEY,
  customer_id bigint NOT NULL REFERENCES customers,
  contract_id bigint REFERENCES contracts,
  invoice_no text NOT NULL,
  doc_type char(3) NOT NULL,
  status_cd char(1) NOT NULL,
  issued_on date NOT NULL,
  due_on date,
  paid_on date,
  net_cents bigint NOT NULL,
  gross_cents bigint NOT NULL
);
