CREATE TABLE hv_core.centers (
  center_id INT64 NOT NULL,
  center_name STRING NOT NULL,
  city STRING,
  state_code STRING,
  beds INT64,
  opened_on DATE,
  closed_on DATE,
  is_training BOOL
);
CREATE TABLE hv_core.donors (
  donor_id INT64 NOT NULL,
  full_name STRING,
  sex_cd INT64,
  birth_date DATE,
  blood_group STRING,
  home_center_id INT64,
  referred_by_donor_id INT64,
  registered_at TIMESTAMP,
  status_cd STRING,
  is_test_account BOOL,
  deleted_at TIMESTAMP
);
CREATE TABLE hv_core.screenings (
  screening_id INT64 NOT NULL,
  donor_id INT64,
  center_id INT64,
  screened_at TIMESTAMP,
  result_cd STRING,
  hematocrit_pct NUMERIC,
  protein_g_dl NUMERIC,
  weight_kg NUMERIC
);
CREATE TABLE hv_core.deferrals (
  deferral_id INT64 NOT NULL,
  donor_id INT64,
  screening_id INT64,
  reason_cd STRING,
  kind_cd STRING,
  starts_on DATE,
  ends_on DATE,
  lifted_at TIMESTAMP
);
CREATE TABLE hv_core.donations (
  donation_id INT64 NOT NULL,
  donor_id INT64,
  center_id INT64,
  phlebotomist_id INT64,
  started_at TIMESTAMP,
  finished_at TIMESTAMP,
  outcome_cd INT64,
  volume_gross_ml INT64,
  volume_net_ml INT64
);
CREATE TABLE hv_core.payments (
  payment_id INT64 NOT NULL,
  donor_id INT64,
  donation_id INT64,
  kind_cd STRING,
  status_cd STRING,
  amount_cents INT64,
  created_at TIMESTAMP,
  loaded_at TIMESTAMP
);
CREATE TABLE hv_core.staff (
  staff_id INT64 NOT NULL,
  center_id INT64,
  full_name STRING,
  role_cd STRING,
  hired_on DATE,
  terminated_on DATE
);
CREATE TABLE hv_core.shipments (
  shipment_id INT64 NOT NULL,
  center_id INT64,
  status_cd INT64,
  shipped_at TIMESTAMP,
  received_at TIMESTAMP,
  litres_shipped NUMERIC,
  litres_accepted NUMERIC,
  is_deleted BOOL
);
