CREATE TABLE clubs (
  club_id integer PRIMARY KEY,
  name text NOT NULL,
  city text NOT NULL,
  country_code char(2) NOT NULL,
  floor_sqm integer,
  opened_on date NOT NULL,
  closed_on date
);

CREATE TABLE plans (
  plan_id integer PRIMARY KEY,
  code text NOT NULL,
  name text NOT NULL,
  list_price_cents integer NOT NULL,
  min_term_months integer NOT NULL,
  is_addon boolean NOT NULL
);

CREATE TABLE members (
  member_id integer PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text,
  gender char(1),
  birth_date date,
  city text,
  home_club_id integer REFERENCES clubs (club_id),
  referral_source text,
  joined_at timestamp NOT NULL,
  is_test boolean NOT NULL,
  deleted_at timestamp
);

CREATE TABLE memberships (
  membership_id integer PRIMARY KEY,
  member_id integer NOT NULL REFERENCES members (member_id),
  plan_id integer NOT NULL REFERENCES plans (plan_id),
  club_id integer NOT NULL REFERENCES clubs (club_id),
  status char(1) NOT NULL, -- A N P T C X
  monthly_fee_cents integer NOT NULL,
  created_at timestamp NOT NULL,
  start_date date NOT NULL,
  end_date date,
  cancelled_at timestamp,
  cancel_reason text
);

CREATE TABLE trainers (
  trainer_id integer PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  club_id integer NOT NULL REFERENCES clubs (club_id),
  level smallint NOT NULL,
  hourly_rate_cents integer NOT NULL,
  hired_on date NOT NULL,
  left_on date
);

CREATE TABLE class_types (
  class_type_id integer PRIMARY KEY,
  name text NOT NULL,
  category text NOT NULL
);

CREATE TABLE class_sessions (
  session_id integer PRIMARY KEY,
  class_type_id integer NOT NULL REFERENCES class_types (class_type_id),
  club_id integer NOT NULL REFERENCES clubs (club_id),
  trainer_id integer REFERENCES trainers (trainer_id),
  starts_at timestamp NOT NULL,
  duration_min integer NOT NULL,
  capacity integer NOT NULL,
  status char(1) NOT NULL
);

CREATE TABLE bookings (
  booking_id integer PRIMARY KEY,
  session_id integer NOT NULL REFERENCES class_sessions (session_id),
  member_id integer NOT NULL REFERENCES members (member_id),
  booked_at timestamp NOT NULL,
  status char(2) NOT NULL,
  cancelled_at timestamp
);

CREATE TABLE check_ins (
  check_in_id integer PRIMARY KEY,
  member_id integer NOT NULL REFERENCES members (member_id),
  club_id integer NOT NULL REFERENCES clubs (club_id),
  entered_at timestamp NOT NULL,
  left_at timestamp
);

CREATE TABLE payments (
  payment_id integer PRIMARY KEY,
  member_id integer NOT NULL REFERENCES members (member_id),
  membership_id integer REFERENCES memberships (membership_id),
  kind char(3) NOT NULL,
  status char(2) NOT NULL,
  method text,
  gross_cents integer NOT NULL,
  net_cents integer NOT NULL,
  due_date date NOT NULL,
  paid_at timestamp,
  refunded_at timestamp
);
