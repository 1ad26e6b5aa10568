CREATE TABLE core.customers (
  customer_id INTEGER NOT NULL PRIMARY KEY,
  first_name VARCHAR NOT NULL,
  last_name VARCHAR NOT NULL,
  email VARCHAR,
  birth_date DATE,
  city VARCHAR,
  country_code VARCHAR(2) NOT NULL,
  marketing_opt_in BOOLEAN,
  is_test BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP
);

CREATE TABLE core.agents (
  agent_id INTEGER NOT NULL PRIMARY KEY,
  agent_name VARCHAR NOT NULL,
  channel VARCHAR(1) NOT NULL,
  region VARCHAR NOT NULL,
  hired_on DATE NOT NULL,
  left_on DATE
);

CREATE TABLE core.products (
  product_code VARCHAR NOT NULL PRIMARY KEY,
  product_name VARCHAR NOT NULL,
  line_of_business VARCHAR NOT NULL,
  launched_on DATE NOT NULL,
  retired_on DATE
);

CREATE TABLE core.policies (
  policy_id INTEGER NOT NULL PRIMARY KEY,
  policy_number VARCHAR NOT NULL,
  customer_id INTEGER NOT NULL REFERENCES core.customers (customer_id),
  product_code VARCHAR NOT NULL REFERENCES core.products (product_code),
  agent_id INTEGER REFERENCES core.agents (agent_id), -- null = sold directly online
  status VARCHAR(1) NOT NULL,
  created_at TIMESTAMP NOT NULL,
  issued_at TIMESTAMP,
  start_date DATE NOT NULL,
  end_date DATE NOT NULL,
  cancelled_at TIMESTAMP,
  tariff_premium_cents INTEGER NOT NULL,
  annual_premium_cents INTEGER NOT NULL,
  deductible_cents INTEGER NOT NULL,
  renewed_from_policy_id INTEGER
);

CREATE TABLE core.premium_invoices (
  invoice_id INTEGER NOT NULL PRIMARY KEY,
  policy_id INTEGER NOT NULL REFERENCES core.policies (policy_id),
  issued_on DATE NOT NULL,
  due_date DATE NOT NULL,
  paid_at TIMESTAMP,
  amount_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  status VARCHAR(1) NOT NULL,
  payment_method VARCHAR
);

CREATE TABLE core.vehicles (
  vehicle_id INTEGER NOT NULL PRIMARY KEY,
  policy_id INTEGER NOT NULL REFERENCES core.policies (policy_id),
  plate VARCHAR NOT NULL,
  make VARCHAR NOT NULL,
  model VARCHAR NOT NULL,
  fuel_type VARCHAR,
  year_built INTEGER
);

CREATE TABLE core.properties (
  property_id INTEGER NOT NULL PRIMARY KEY,
  policy_id INTEGER NOT NULL REFERENCES core.policies (policy_id),
  property_type VARCHAR NOT NULL,
  floor_area INTEGER,
  year_built INTEGER,
  has_alarm BOOLEAN
);

CREATE TABLE core.adjusters (
  adjuster_id INTEGER NOT NULL PRIMARY KEY,
  adjuster_name VARCHAR NOT NULL,
  team VARCHAR NOT NULL,
  is_active BOOLEAN NOT NULL
);

CREATE TABLE core.claims (
  claim_id INTEGER NOT NULL PRIMARY KEY,
  claim_number VARCHAR NOT NULL,
  policy_id INTEGER NOT NULL REFERENCES core.policies (policy_id),
  adjuster_id INTEGER REFERENCES core.adjusters (adjuster_id),
  loss_type VARCHAR(3) NOT NULL,
  status VARCHAR(1) NOT NULL,
  incident_date DATE NOT NULL,
  reported_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP,
  claimed_cents INTEGER,
  reserve_cents INTEGER NOT NULL,
  fraud_flag BOOLEAN
);

CREATE TABLE core.claim_payments (
  payment_id INTEGER NOT NULL PRIMARY KEY,
  claim_id INTEGER NOT NULL REFERENCES core.claims (claim_id),
  payment_type VARCHAR(1) NOT NULL,
  amount_cents INTEGER NOT NULL,
  approved_at TIMESTAMP NOT NULL,
  paid_at TIMESTAMP,
  voided_at TIMESTAMP
);
