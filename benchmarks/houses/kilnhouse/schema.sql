-- kh_production_ro (MySQL 8.0), dumped without indexes
CREATE TABLE studios (
  id bigint NOT NULL AUTO_INCREMENT,
  name varchar(80) NOT NULL,
  slug varchar(80) NOT NULL,
  city varchar(60) DEFAULT NULL,
  country_code char(2) NOT NULL DEFAULT 'US',
  time_zone varchar(40) NOT NULL DEFAULT 'America/Los_Angeles',
  kind tinyint NOT NULL DEFAULT 0,
  wheel_count smallint DEFAULT NULL,
  opened_on date DEFAULT NULL,
  closed_on date DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE people (
  id bigint NOT NULL AUTO_INCREMENT,
  email varchar(160) NOT NULL,
  full_name varchar(120) DEFAULT NULL,
  role tinyint NOT NULL DEFAULT 0,
  state tinyint NOT NULL DEFAULT 0,
  home_studio_id bigint DEFAULT NULL,
  referred_by_id bigint DEFAULT NULL,
  marketing_opt_in tinyint(1) NOT NULL DEFAULT 0,
  is_internal tinyint(1) NOT NULL DEFAULT 0,
  last_visit_at datetime(6) DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE plans (
  id bigint NOT NULL AUTO_INCREMENT,
  name varchar(60) NOT NULL,
  tier tinyint NOT NULL,
  price_cents int NOT NULL,
  billing_interval tinyint NOT NULL DEFAULT 1,
  included_firings smallint NOT NULL DEFAULT 0,
  is_public tinyint(1) NOT NULL DEFAULT 1,
  retired_at datetime(6) DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE memberships (
  id bigint NOT NULL AUTO_INCREMENT,
  person_id bigint NOT NULL,
  plan_id bigint NOT NULL,
  studio_id bigint NOT NULL,
  previous_membership_id bigint DEFAULT NULL,
  status tinyint NOT NULL DEFAULT 0,
  price_cents int NOT NULL,
  started_on date DEFAULT NULL,
  paused_until date DEFAULT NULL,
  ended_on date DEFAULT NULL,
  cancel_reason tinyint DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE workshops (
  id bigint NOT NULL AUTO_INCREMENT,
  studio_id bigint NOT NULL,
  instructor_id bigint DEFAULT NULL,          -- people.id
  title varchar(140) NOT NULL,
  kind tinyint NOT NULL DEFAULT 0,
  level tinyint NOT NULL DEFAULT 0,
  status tinyint NOT NULL DEFAULT 0,
  starts_at datetime(6) NOT NULL,
  ends_at datetime(6) NOT NULL,
  seats smallint NOT NULL,
  price_cents int NOT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE bookings (
  id bigint NOT NULL AUTO_INCREMENT,
  workshop_id bigint NOT NULL,
  person_id bigint NOT NULL,
  seats_booked smallint NOT NULL DEFAULT 1,
  status tinyint NOT NULL DEFAULT 0,
  channel tinyint NOT NULL DEFAULT 0 COMMENT '0 web, 1 desk, 2 partner, 3 phone',
  price_cents int NOT NULL,
  attended_at datetime(6) DEFAULT NULL,
  cancelled_at datetime(6) DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE kiln_loads (
  id bigint NOT NULL AUTO_INCREMENT,
  studio_id bigint NOT NULL,
  kiln_name varchar(40) NOT NULL,
  cone varchar(6) DEFAULT NULL,
  firing_type tinyint NOT NULL COMMENT '0 bisque, 1 glaze, 2 test',
  status tinyint NOT NULL DEFAULT 0,
  loaded_at datetime(6) DEFAULT NULL,
  finished_at datetime(6) DEFAULT NULL,
  fired_by_id bigint DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE pieces (
  id bigint NOT NULL AUTO_INCREMENT,
  person_id bigint NOT NULL,
  studio_id bigint NOT NULL,
  bisque_load_id bigint DEFAULT NULL,
  glaze_load_id bigint DEFAULT NULL,
  weight_g int NOT NULL DEFAULT 0,
  stage tinyint NOT NULL DEFAULT 0,
  ready_at datetime(6) DEFAULT NULL,
  failed_at datetime(6) DEFAULT NULL,
  collected_at datetime(6) DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE charges (
  id bigint NOT NULL AUTO_INCREMENT,
  person_id bigint DEFAULT NULL,
  studio_id bigint NOT NULL,
  chargeable_type varchar(40) NOT NULL,
  chargeable_id bigint DEFAULT NULL,
  amount_cents int NOT NULL,
  tax_cents int NOT NULL DEFAULT 0,
  refunded_cents int NOT NULL DEFAULT 0,
  status tinyint NOT NULL DEFAULT 0,
  captured_at datetime(6) DEFAULT NULL,
  refunded_at datetime(6) DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE notes (
  id bigint NOT NULL AUTO_INCREMENT,
  subject_type varchar(40) NOT NULL,
  subject_id bigint NOT NULL,
  author_id bigint DEFAULT NULL,
  kind tinyint NOT NULL DEFAULT 0,
  body text,
  resolved_at datetime(6) DEFAULT NULL,
  created_at datetime(6) NOT NULL,
  updated_at datetime(6) NOT NULL,
  deleted_at datetime(6) DEFAULT NULL,
  PRIMARY KEY (id)
);
