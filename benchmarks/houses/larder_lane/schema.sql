-- MySQL 8, schema `larder`. All DATETIME columns are UK local time.
CREATE TABLE schools (
  school_id      INT UNSIGNED NOT NULL PRIMARY KEY,
  name           VARCHAR(120) NOT NULL,
  la_code        CHAR(3) NOT NULL COMMENT 'local authority',
  phase          ENUM('PRI','SEC','SPE') NOT NULL,
  kitchen_id     SMALLINT UNSIGNED COMMENT 'kitchen that normally cooks for the school',
  contract_start DATE NOT NULL,
  contract_end   DATE NULL,
  roll_count     INT UNSIGNED COMMENT 'pupils on roll, school census',
  app_pupils     INT UNSIGNED COMMENT 'pupils registered in the app, refreshed nightly',
  is_demo        TINYINT(1) NOT NULL DEFAULT 0
) ENGINE=InnoDB;

CREATE TABLE pupils (
  pupil_id    INT UNSIGNED NOT NULL PRIMARY KEY,
  school_id   INT UNSIGNED NOT NULL,
  first_name  VARCHAR(60),
  last_name   VARCHAR(60),
  year_grp    TINYINT COMMENT '-1 nursery, 0 reception, 1..13',
  fsm_flag    TINYINT(1) NOT NULL DEFAULT 0,
  joined_on   DATE,
  left_on     DATE NULL,
  deleted_at  DATETIME NULL,
  FOREIGN KEY (school_id) REFERENCES schools(school_id)
) ENGINE=InnoDB;

CREATE TABLE menu_items (
  item_id    INT UNSIGNED NOT NULL PRIMARY KEY,
  item_name  VARCHAR(120) NOT NULL,
  category   CHAR(3) NOT NULL COMMENT 'MEA, VEG, JKT, PAC',
  cost_p     INT UNSIGNED NOT NULL COMMENT 'ingredient cost per portion',
  is_active  TINYINT(1) NOT NULL DEFAULT 1
) ENGINE=InnoDB;

CREATE TABLE meal_orders (
  order_id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  pupil_id      INT UNSIGNED NULL COMMENT 'null for staff meals',
  school_id     INT UNSIGNED NOT NULL,
  item_id       INT UNSIGNED NULL,
  session_code  CHAR(1) NOT NULL COMMENT 'B, L, T',
  ordered_at    DATETIME NOT NULL,
  service_date  DATE NOT NULL,
  status        CHAR(2) NOT NULL COMMENT 'PL, SV, NS, CX',
  funding       CHAR(3) NOT NULL COMMENT 'PAY, FSM, UIF, STF',
  price_p       INT UNSIGNED NOT NULL,
  KEY (service_date, school_id),
  FOREIGN KEY (school_id) REFERENCES schools(school_id)
) ENGINE=InnoDB;

CREATE TABLE wallet_txns (
  txn_id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  pupil_id    INT UNSIGNED NOT NULL,
  txn_type    CHAR(4) NOT NULL COMMENT 'TOP, MEAL, REF, ADJ',
  amount_p    INT NOT NULL COMMENT 'signed',
  status      VARCHAR(4) NOT NULL COMMENT 'OK, PEND, FAIL',
  created_at  DATETIME NOT NULL,
  FOREIGN KEY (pupil_id) REFERENCES pupils(pupil_id)
) ENGINE=InnoDB;

CREATE TABLE deliveries (
  delivery_id    INT UNSIGNED NOT NULL PRIMARY KEY,
  school_id      INT UNSIGNED NOT NULL,
  kitchen_id     SMALLINT UNSIGNED NOT NULL,
  delivery_date  DATE NOT NULL,
  due_at         DATETIME NOT NULL,
  arrived_at     DATETIME NULL,
  meals_sent     INT UNSIGNED NOT NULL,
  meals_returned INT UNSIGNED NOT NULL DEFAULT 0,
  temp_c10       SMALLINT NULL COMMENT 'core temperature on arrival',
  is_hot         TINYINT(1) NOT NULL,
  is_void        TINYINT(1) NOT NULL DEFAULT 0,
  FOREIGN KEY (school_id) REFERENCES schools(school_id)
) ENGINE=InnoDB;

CREATE TABLE staff (
  staff_id   INT UNSIGNED NOT NULL PRIMARY KEY,
  school_id  INT UNSIGNED NOT NULL,
  full_name  VARCHAR(120),
  role_code  CHAR(3) NOT NULL COMMENT 'COK, AST, MGR, AGY',
  hired_on   DATE NOT NULL,
  ended_on   DATE NULL
) ENGINE=InnoDB;

CREATE TABLE staff_shifts (
  shift_id     BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  staff_id     INT UNSIGNED NOT NULL,
  school_id    INT UNSIGNED NOT NULL COMMENT 'where the shift was worked',
  shift_date   DATE NOT NULL,
  mins_planned SMALLINT UNSIGNED NOT NULL,
  mins_worked  SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  absence_code CHAR(2) NULL COMMENT 'SK, UN, HO, TR',
  FOREIGN KEY (staff_id) REFERENCES staff(staff_id)
) ENGINE=InnoDB;

CREATE TABLE event_bookings (
  event_id      INT UNSIGNED NOT NULL PRIMARY KEY,
  client_name   VARCHAR(160) NOT NULL,
  booked_on     DATE NOT NULL,
  event_date    DATE NOT NULL,
  covers_quoted INT UNSIGNED NOT NULL,
  covers_final  INT UNSIGNED NULL,
  gross_p       INT UNSIGNED NOT NULL,
  net_p         INT UNSIGNED NOT NULL,
  status        CHAR(2) NOT NULL COMMENT 'QU, CF, DN, CX'
) ENGINE=InnoDB;
