CREATE TABLE ops.cities (
  city_id INTEGER NOT NULL PRIMARY KEY,
  city_name VARCHAR(60) NOT NULL,
  country_code VARCHAR(2) NOT NULL,
  launched_on DATE NOT NULL
);

CREATE TABLE ops.zones (
  zone_id INTEGER NOT NULL PRIMARY KEY,
  city_id INTEGER NOT NULL,
  zone_name VARCHAR(80) NOT NULL,
  zone_type VARCHAR(1) NOT NULL,
  parking_capacity INTEGER,
  active_from DATE NOT NULL,
  active_to DATE
);

CREATE TABLE ops.vehicles (
  vehicle_id INTEGER NOT NULL PRIMARY KEY,
  serial_no VARCHAR(20) NOT NULL,
  vehicle_type VARCHAR(2) NOT NULL,
  model VARCHAR(40) NOT NULL,
  city_id INTEGER,
  status VARCHAR(1) NOT NULL,
  purchased_on DATE NOT NULL,
  in_service_at TIMESTAMP,
  retired_at TIMESTAMP,
  battery_pct INTEGER,
  odometer_m BIGINT NOT NULL,
  purchase_price_cents INTEGER NOT NULL
);

CREATE TABLE app.riders (
  rider_id INTEGER NOT NULL PRIMARY KEY,
  full_name VARCHAR(100) NOT NULL,
  email VARCHAR(120),
  home_city_id INTEGER,
  birth_year INTEGER,
  signup_at TIMESTAMP NOT NULL,
  first_unlock_at TIMESTAMP,
  acquisition_channel VARCHAR(20),
  is_staff BOOLEAN NOT NULL,
  deleted_at TIMESTAMP
);

CREATE TABLE app.rides (
  ride_id INTEGER NOT NULL PRIMARY KEY,
  rider_id INTEGER NOT NULL,
  vehicle_id INTEGER NOT NULL,
  city_id INTEGER NOT NULL,
  start_zone_id INTEGER,
  end_zone_id INTEGER,
  status SMALLINT NOT NULL,
  is_internal BOOLEAN NOT NULL,
  reserved_at TIMESTAMP,
  started_at TIMESTAMP,
  ended_at TIMESTAMP,
  duration_s INTEGER,
  distance_m INTEGER,
  list_fare_cents INTEGER,
  charged_cents INTEGER,
  promo_code_id INTEGER,
  rating SMALLINT
);

CREATE TABLE app.promo_codes (
  promo_code_id INTEGER NOT NULL PRIMARY KEY,
  code VARCHAR(20) NOT NULL,
  discount_pct INTEGER NOT NULL,
  valid_from DATE NOT NULL,
  valid_to DATE
);

CREATE TABLE app.passes (
  pass_id INTEGER NOT NULL PRIMARY KEY,
  rider_id INTEGER NOT NULL,
  pass_type VARCHAR(1) NOT NULL,
  price_cents INTEGER NOT NULL,
  bought_at TIMESTAMP NOT NULL,
  starts_on DATE NOT NULL,
  ends_on DATE NOT NULL,
  auto_renew BOOLEAN
);

CREATE TABLE fin.top_ups (
  top_up_id INTEGER NOT NULL PRIMARY KEY,
  rider_id INTEGER NOT NULL,
  status VARCHAR(1) NOT NULL,
  method VARCHAR(10) NOT NULL,
  requested_at TIMESTAMP NOT NULL,
  settled_at TIMESTAMP,
  amount_cents INTEGER NOT NULL,
  bonus_cents INTEGER
);

CREATE TABLE fin.refunds (
  refund_id INTEGER NOT NULL PRIMARY KEY,
  ride_id INTEGER NOT NULL,
  reason_code VARCHAR(3) NOT NULL,
  requested_at TIMESTAMP NOT NULL,
  refunded_at TIMESTAMP, -- null = not paid back (yet)
  amount_cents INTEGER NOT NULL
);

CREATE TABLE ops.maintenance_jobs (
  job_id INTEGER NOT NULL PRIMARY KEY,
  vehicle_id INTEGER NOT NULL,
  job_type VARCHAR(3) NOT NULL,
  technician VARCHAR(60),
  opened_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP,
  parts_cost_cents INTEGER
);
