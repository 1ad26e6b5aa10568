CREATE TABLE crm.customers (
  customer_id INTEGER PRIMARY KEY,
  full_name VARCHAR(120) NOT NULL,
  segment CHAR(1) NOT NULL,
  email VARCHAR(160),
  city VARCHAR(60) NOT NULL,
  created_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP,
  is_test BOOLEAN NOT NULL,
  paperless BOOLEAN NOT NULL
);

CREATE TABLE crm.tariffs (
  tariff_id INTEGER PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  kind CHAR(3) NOT NULL,
  list_price_mct INTEGER NOT NULL, -- per kWh
  base_fee_cents INTEGER NOT NULL,
  is_green BOOLEAN NOT NULL,
  valid_from DATE NOT NULL,
  valid_to DATE
);

CREATE TABLE metering.meters (
  meter_id INTEGER PRIMARY KEY,
  serial_no VARCHAR(20) NOT NULL,
  model VARCHAR(10) NOT NULL,
  grid_area VARCHAR(20) NOT NULL,
  city VARCHAR(60) NOT NULL,
  status CHAR(3) NOT NULL,
  installed_on DATE NOT NULL,
  removed_on DATE,
  firmware VARCHAR(12)
);

CREATE TABLE crm.contracts (
  contract_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES crm.customers (customer_id),
  meter_id INTEGER NOT NULL REFERENCES metering.meters (meter_id),
  tariff_id INTEGER NOT NULL REFERENCES crm.tariffs (tariff_id),
  status CHAR(3) NOT NULL,
  sales_channel VARCHAR(10) NOT NULL,
  signed_at TIMESTAMP NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE,
  end_reason CHAR(3),
  agreed_price_mct INTEGER NOT NULL
);

CREATE TABLE metering.monthly_usage (
  meter_id INTEGER NOT NULL REFERENCES metering.meters (meter_id),
  month_start DATE NOT NULL,
  import_wh BIGINT,
  export_wh BIGINT NOT NULL,
  quality CHAR(1) NOT NULL,
  PRIMARY KEY (meter_id, month_start)
);

CREATE TABLE metering.meter_events (
  event_id INTEGER PRIMARY KEY,
  meter_id INTEGER NOT NULL REFERENCES metering.meters (meter_id),
  event_code CHAR(3) NOT NULL,
  occurred_at TIMESTAMP NOT NULL,
  received_at TIMESTAMP NOT NULL
);

CREATE TABLE billing.invoices (
  invoice_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES crm.customers (customer_id),
  contract_id INTEGER NOT NULL REFERENCES crm.contracts (contract_id),
  period_start DATE NOT NULL,
  period_end DATE NOT NULL,
  issued_at TIMESTAMP NOT NULL,
  due_on DATE NOT NULL,
  paid_at TIMESTAMP,
  status CHAR(1) NOT NULL,
  net_cents BIGINT NOT NULL,
  vat_cents BIGINT NOT NULL,
  gross_cents BIGINT NOT NULL
);

CREATE TABLE billing.payments (
  payment_id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES billing.invoices (invoice_id),
  received_at TIMESTAMP NOT NULL,
  amount_cents BIGINT NOT NULL,
  method VARCHAR(4) NOT NULL,
  status VARCHAR(4) NOT NULL
);

CREATE TABLE support.agents (
  agent_id INTEGER PRIMARY KEY,
  agent_name VARCHAR(80) NOT NULL,
  team VARCHAR(30) NOT NULL,
  hired_on DATE NOT NULL,
  left_on DATE
);

CREATE TABLE support.tickets (
  ticket_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES crm.customers (customer_id),
  agent_id INTEGER REFERENCES support.agents (agent_id),
  topic CHAR(3) NOT NULL,
  priority SMALLINT NOT NULL, -- 1 = most urgent
  status CHAR(1) NOT NULL,
  opened_at TIMESTAMP NOT NULL,
  first_reply_at TIMESTAMP,
  closed_at TIMESTAMP,
  csat SMALLINT
);
