CREATE TABLE clinic (
  clinic_id   smallint PRIMARY KEY,
  code        char(3) NOT NULL UNIQUE,
  name        text NOT NULL,
  city        text NOT NULL,
  opened_on   date NOT NULL,
  closed_on   date,
  n_rooms     smallint
);

CREATE TABLE owner (
  owner_id        integer PRIMARY KEY,
  first_name      text,
  last_name       text NOT NULL,
  email           text,
  phone           text,
  postcode        text,
  city            text,
  home_clinic_id  smallint REFERENCES clinic,
  created_at      timestamptz NOT NULL,
  merged_into     integer REFERENCES owner,
  mkt_optin       boolean NOT NULL DEFAULT false
);

CREATE TABLE staff (
  staff_id   integer PRIMARY KEY,
  clinic_id  smallint NOT NULL REFERENCES clinic,
  full_name  text NOT NULL,
  role       text NOT NULL CHECK (role IN ('vet','nurse','reception','manager')),
  hired_on   date NOT NULL,
  left_on    date
);

CREATE TABLE animal (
  animal_id      integer PRIMARY KEY,
  owner_id       integer NOT NULL REFERENCES owner,
  name           text,
  species        text NOT NULL CHECK (species IN ('dog','cat','rabbit','bird','reptile','other')),
  breed          text,
  sex            char(2),
  born_on        date,
  died_on        date,
  chip_no        text,
  wt_kg          numeric(5,2),
  ins_policy_no  text,
  created_at     timestamptz NOT NULL
);

CREATE TABLE proc_cat (
  proc_code     text PRIMARY KEY,
  descr         text NOT NULL,
  grp           text NOT NULL,
  list_price_c  integer NOT NULL,
  vat_pct       numeric(4,1) NOT NULL,
  std_min       smallint,
  active        boolean NOT NULL DEFAULT true
);

CREATE TABLE appt (
  appt_id      bigint PRIMARY KEY,
  clinic_id    smallint NOT NULL REFERENCES clinic,
  animal_id    integer NOT NULL REFERENCES animal,
  vet_id       integer REFERENCES staff (staff_id),
  booked_by    integer REFERENCES staff (staff_id),
  booked_at    timestamptz NOT NULL,
  starts_at    timestamp NOT NULL,
  ends_at      timestamp NOT NULL,
  checkin_at   timestamp,
  checkout_at  timestamp,
  st           char(2) NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('consult','vaccination','surgery','dental','emergency','followup'))
);

CREATE TABLE treatment (
  treatment_id  bigint PRIMARY KEY,
  appt_id       bigint NOT NULL REFERENCES appt,
  proc_code     text NOT NULL REFERENCES proc_cat,
  done_by       integer REFERENCES staff (staff_id),
  assist_by     integer REFERENCES staff (staff_id),
  done_at       timestamp NOT NULL,
  qty           numeric(6,2) NOT NULL DEFAULT 1,
  price_c       integer NOT NULL,
  disc_pct      numeric(5,2) NOT NULL DEFAULT 0,
  void_yn       char(1) NOT NULL DEFAULT 'N'
);

CREATE TABLE inv_hdr (
  inv_id     bigint PRIMARY KEY,
  inv_no     text NOT NULL UNIQUE,
  clinic_id  smallint NOT NULL REFERENCES clinic,
  owner_id   integer NOT NULL REFERENCES owner,
  appt_id    bigint REFERENCES appt,
  inv_date   date NOT NULL,
  due_on     date NOT NULL,
  st         smallint NOT NULL,
  net_c      integer NOT NULL,
  vat_c      integer NOT NULL,
  gross_c    integer NOT NULL,
  credit_of  bigint REFERENCES inv_hdr (inv_id)
);

CREATE TABLE pay (
  pay_id   bigint PRIMARY KEY,
  inv_id   bigint NOT NULL REFERENCES inv_hdr,
  paid_at  timestamptz NOT NULL,
  amount   numeric(10,2) NOT NULL,
  method   text NOT NULL CHECK (method IN ('card','cash','transfer','insurer')),
  state    text NOT NULL CHECK (state IN ('ok','failed','reversed'))
);

CREATE TABLE stock_item (
  sku            text PRIMARY KEY,
  descr          text NOT NULL,
  item_grp       text NOT NULL CHECK (item_grp IN ('drug','vaccine','food','consumable')),
  supplier       text,
  unit           text NOT NULL,
  cost_eur       numeric(8,2),
  reorder_at     integer,
  is_controlled  boolean NOT NULL DEFAULT false,
  disc_on        date
);

CREATE TABLE stock_mv (
  mv_id           bigint PRIMARY KEY,
  sku             text NOT NULL REFERENCES stock_item,
  clinic_id       smallint NOT NULL REFERENCES clinic,
  mv_type         char(1) NOT NULL,
  qty             numeric(10,2) NOT NULL,
  moved_at        timestamp NOT NULL,
  peer_clinic_id  smallint REFERENCES clinic (clinic_id),
  treatment_id    bigint REFERENCES treatment,
  lot_no          text,
  expires_on      date
);
