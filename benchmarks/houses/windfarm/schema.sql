CREATE TABLE farm (
  farm_id INT NOT NULL PRIMARY KEY,
  code CHAR(3) NOT NULL UNIQUE,
  name VARCHAR(80) NOT NULL,
  province VARCHAR(60) NOT NULL,
  country CHAR(2) NOT NULL,
  grid_mw DECIMAL(7,2) NOT NULL,
  cod_on DATE NOT NULL,
  sold_on DATE NULL
) ENGINE=InnoDB;

CREATE TABLE wtg (
  wtg_id INT NOT NULL PRIMARY KEY,
  farm_id INT NOT NULL,
  tag VARCHAR(12) NOT NULL UNIQUE,
  maker VARCHAR(40) NOT NULL,
  model VARCHAR(40) NOT NULL,
  hub_m DECIMAL(5,1) NOT NULL,
  rated_kw INT NOT NULL,
  cap_kw INT NOT NULL,
  comm_on DATE NOT NULL,
  decom_on DATE NULL,
  kind CHAR(1) NOT NULL,
  FOREIGN KEY (farm_id) REFERENCES farm (farm_id)
) ENGINE=InnoDB;

CREATE TABLE rdg_10m (
  wtg_id INT NOT NULL,
  ts DATETIME NOT NULL,
  p_kw DECIMAL(8,2) NULL,
  ws_ms DECIMAL(5,2) NULL,
  nac_temp_c DECIMAL(5,2) NULL,
  qual TINYINT NOT NULL,
  PRIMARY KEY (wtg_id, ts),
  FOREIGN KEY (wtg_id) REFERENCES wtg (wtg_id)
) ENGINE=InnoDB;

CREATE TABLE prod_day (
  wtg_id INT NOT NULL,
  day DATE NOT NULL,
  rev SMALLINT NOT NULL,
  kwh_gross DECIMAL(12,2) NOT NULL,
  kwh_net DECIMAL(12,2) NOT NULL,
  loaded_at DATETIME NOT NULL,
  PRIMARY KEY (wtg_id, day, rev),
  FOREIGN KEY (wtg_id) REFERENCES wtg (wtg_id)
) ENGINE=InnoDB;

CREATE TABLE outg (
  out_id BIGINT NOT NULL PRIMARY KEY,
  wtg_id INT NOT NULL,
  beg_at DATETIME NOT NULL,
  end_at DATETIME NULL,
  cat CHAR(1) NOT NULL,
  cause_cd VARCHAR(8) NULL,
  lost_kwh DECIMAL(12,2) NULL,
  voided TINYINT(1) NOT NULL DEFAULT 0,
  FOREIGN KEY (wtg_id) REFERENCES wtg (wtg_id)
) ENGINE=InnoDB;

CREATE TABLE crew (
  crew_id INT NOT NULL PRIMARY KEY,
  crew_name VARCHAR(60) NOT NULL,
  base_farm_id INT NOT NULL,
  contractor VARCHAR(80) NULL,
  formed_on DATE NOT NULL,
  disbanded_on DATE NULL,
  FOREIGN KEY (base_farm_id) REFERENCES farm (farm_id)
) ENGINE=InnoDB;

CREATE TABLE tech (
  tech_id INT NOT NULL PRIMARY KEY,
  crew_id INT NULL,
  full_name VARCHAR(120) NOT NULL,
  is_lead TINYINT(1) NOT NULL,
  hired_on DATE NOT NULL,
  left_on DATE NULL,
  hv_cert_until DATE NULL,
  FOREIGN KEY (crew_id) REFERENCES crew (crew_id)
) ENGINE=InnoDB;

CREATE TABLE crew_loan (
  loan_id INT NOT NULL PRIMARY KEY,
  crew_id INT NOT NULL,
  from_farm_id INT NOT NULL,
  to_farm_id INT NOT NULL,
  beg_on DATE NOT NULL,
  end_on DATE NULL,
  FOREIGN KEY (crew_id) REFERENCES crew (crew_id),
  FOREIGN KEY (from_farm_id) REFERENCES farm (farm_id),
  FOREIGN KEY (to_farm_id) REFERENCES farm (farm_id)
) ENGINE=InnoDB;

CREATE TABLE wo (
  wo_id BIGINT NOT NULL PRIMARY KEY,
  wo_no VARCHAR(16) NOT NULL UNIQUE,
  wtg_id INT NOT NULL,
  out_id BIGINT NULL,
  typ CHAR(1) NOT NULL,
  prio TINYINT NOT NULL,
  st TINYINT NOT NULL,
  crew_id INT NULL,
  raised_by INT NULL,
  signed_by INT NULL,
  raised_at DATETIME NOT NULL,
  due_on DATE NULL,
  done_at DATETIME NULL,
  closed_at DATETIME NULL,
  deleted_at DATETIME NULL,
  FOREIGN KEY (wtg_id) REFERENCES wtg (wtg_id),
  FOREIGN KEY (out_id) REFERENCES outg (out_id),
  FOREIGN KEY (crew_id) REFERENCES crew (crew_id),
  FOREIGN KEY (raised_by) REFERENCES tech (tech_id),
  FOREIGN KEY (signed_by) REFERENCES tech (tech_id)
) ENGINE=InnoDB;

CREATE TABLE wo_visit (
  visit_id BIGINT NOT NULL PRIMARY KEY,
  wo_id BIGINT NOT NULL,
  crew_id INT NOT NULL,
  on_site_at DATETIME NOT NULL,
  off_site_at DATETIME NULL,
  FOREIGN KEY (wo_id) REFERENCES wo (wo_id),
  FOREIGN KEY (crew_id) REFERENCES crew (crew_id)
) ENGINE=InnoDB;

CREATE TABLE wo_cost (
  line_id BIGINT NOT NULL PRIMARY KEY,
  wo_id BIGINT NOT NULL,
  kind CHAR(3) NOT NULL,
  amt_c BIGINT NOT NULL,
  on_warranty TINYINT(1) NOT NULL,
  booked_on DATE NOT NULL,
  FOREIGN KEY (wo_id) REFERENCES wo (wo_id)
) ENGINE=InnoDB;
