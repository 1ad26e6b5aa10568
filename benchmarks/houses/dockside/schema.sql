CREATE TABLE terminals (
  terminal_id smallint PRIMARY KEY,
  code varchar(5) NOT NULL UNIQUE,
  name text NOT NULL,
  country_code char(2) NOT NULL,
  tz_name text NOT NULL,
  quay_length_m integer NOT NULL,
  yard_capacity_teu integer NOT NULL,
  opened_on date
);

CREATE TABLE customers (
  cust_id integer PRIMARY KEY,
  name text NOT NULL,
  cust_type varchar(4) NOT NULL,
  country_code char(2),
  payment_terms_days integer,
  is_test boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz
);

CREATE TABLE vessels (
  vessel_id integer PRIMARY KEY,
  imo_no varchar(7),
  vessel_name text NOT NULL,
  operator_id integer NOT NULL REFERENCES customers (cust_id),
  teu_capacity integer,
  loa_m numeric(6,2),
  flag char(2),
  is_training boolean NOT NULL DEFAULT false
);

CREATE TABLE vessel_calls (
  call_id integer PRIMARY KEY,
  vessel_id integer NOT NULL REFERENCES vessels (vessel_id),
  terminal_id smallint NOT NULL REFERENCES terminals (terminal_id),
  voyage_no varchar(12),
  pro_forma_arr timestamptz NOT NULL,
  eta timestamptz,
  ata timestamptz,
  atd timestamptz,
  call_status varchar(3) NOT NULL,
  moves_planned integer,
  moves_actual integer
);

CREATE TABLE containers (
  container_id bigint PRIMARY KEY,
  container_no char(11) NOT NULL,
  iso_type char(4),
  size_ft smallint NOT NULL,
  is_reefer boolean NOT NULL DEFAULT false,
  owner_id integer REFERENCES customers (cust_id),
  tare_kg integer,
  removed_at timestamptz
);

CREATE TABLE container_visits (
  visit_id bigint PRIMARY KEY,
  container_id bigint NOT NULL REFERENCES containers (container_id),
  terminal_id smallint NOT NULL REFERENCES terminals (terminal_id),
  bill_to_cust integer REFERENCES customers (cust_id),
  category char(1) NOT NULL,
  load_status char(1) NOT NULL,
  in_at timestamptz,
  out_at timestamptz,
  in_mode char(1),
  out_mode char(1),
  in_call_id integer REFERENCES vessel_calls (call_id),
  out_call_id integer REFERENCES vessel_calls (call_id),
  gross_weight_kg integer,
  vgm_kg integer,
  imdg_class varchar(4),
  yard_block varchar(6),
  free_until date
);

CREATE TABLE gate_moves (
  move_id bigint PRIMARY KEY,
  visit_id bigint REFERENCES container_visits (visit_id),
  terminal_id smallint NOT NULL REFERENCES terminals (terminal_id),
  direction varchar(3) NOT NULL,
  move_status varchar(4) NOT NULL,
  reject_reason text,
  truck_plate varchar(12),
  haulier_code varchar(10),
  lane_no smallint,
  arrived_at timestamptz NOT NULL,
  completed_at timestamptz
);

CREATE TABLE storage_invoices (
  invoice_id integer PRIMARY KEY,
  invoice_no varchar(20) NOT NULL,
  cust_id integer NOT NULL REFERENCES customers (cust_id),
  terminal_id smallint NOT NULL REFERENCES terminals (terminal_id),
  status varchar(6) NOT NULL,
  issued_on date,
  due_on date,
  paid_on date,
  currency char(3) NOT NULL,
  fx_to_eur numeric(10,6) NOT NULL,
  net_cents bigint NOT NULL,
  vat_cents bigint NOT NULL,
  total_cents bigint NOT NULL,
  credit_of_invoice_id integer REFERENCES storage_invoices (invoice_id)
);

CREATE TABLE storage_invoice_lines (
  inv_line_id bigint PRIMARY KEY,
  invoice_id integer NOT NULL REFERENCES storage_invoices (invoice_id),
  visit_id bigint REFERENCES container_visits (visit_id),
  charge_code varchar(3) NOT NULL,
  days_charged integer,
  rate_cents integer,
  amount_cents bigint NOT NULL
);

CREATE TABLE incidents (
  incident_id integer PRIMARY KEY,
  terminal_id smallint NOT NULL REFERENCES terminals (terminal_id),
  occurred_at timestamptz NOT NULL,
  reported_at timestamptz,
  reported_by text,
  kind varchar(3) NOT NULL,
  severity smallint NOT NULL,
  visit_id bigint REFERENCES container_visits (visit_id),
  call_id integer REFERENCES vessel_calls (call_id),
  lost_days integer,
  closed_at timestamptz,
  description text
);
