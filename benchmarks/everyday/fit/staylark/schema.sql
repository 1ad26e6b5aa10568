CREATE TABLE stay.hotels (
  hotel_id INT64 NOT NULL,
  hotel_name STRING NOT NULL,
  city STRING NOT NULL,
  country_code STRING NOT NULL,
  stars INT64,
  property_type STRING NOT NULL,
  commission_bps INT64 NOT NULL,
  onboarded_on DATE NOT NULL,
  offboarded_on DATE,
  is_test BOOL NOT NULL
);

CREATE TABLE stay.room_types (
  room_type_id INT64 NOT NULL,
  hotel_id INT64 NOT NULL,
  room_name STRING NOT NULL,
  max_guests INT64 NOT NULL,
  unit_count INT64 NOT NULL,
  list_rate_cents INT64 NOT NULL
);

CREATE TABLE stay.guests (
  guest_id INT64 NOT NULL,
  first_name STRING NOT NULL,
  last_name STRING NOT NULL,
  email STRING,
  country_code STRING,
  loyalty_tier STRING NOT NULL,
  marketing_opt_in BOOL NOT NULL,
  signed_up_at TIMESTAMP NOT NULL,
  is_internal BOOL NOT NULL,
  deleted_at TIMESTAMP
);

CREATE TABLE stay.promotions (
  promo_id INT64 NOT NULL,
  promo_code STRING NOT NULL,
  discount_pct INT64 NOT NULL,
  valid_from DATE NOT NULL,
  valid_to DATE
);

CREATE TABLE stay.bookings (
  booking_id INT64 NOT NULL,
  booking_ref STRING NOT NULL,
  guest_id INT64 NOT NULL,
  hotel_id INT64 NOT NULL,
  room_type_id INT64 NOT NULL,
  channel_code STRING NOT NULL,
  status_code STRING NOT NULL,
  booked_at TIMESTAMP NOT NULL,
  check_in DATE NOT NULL,
  check_out DATE NOT NULL,
  adults INT64 NOT NULL,
  children INT64 NOT NULL,
  gross_amount_cents INT64 NOT NULL,
  net_amount_cents INT64 NOT NULL,
  promo_id INT64,
  cancelled_at TIMESTAMP,
  cancel_reason_code STRING,
  is_test BOOL NOT NULL
);

CREATE TABLE stay.payments (
  payment_id INT64 NOT NULL,
  booking_id INT64 NOT NULL,
  method STRING NOT NULL,
  state STRING NOT NULL,
  amount_cents INT64 NOT NULL,
  created_at TIMESTAMP NOT NULL,
  captured_at TIMESTAMP
);

CREATE TABLE stay.refunds (
  refund_id INT64 NOT NULL,
  payment_id INT64 NOT NULL,
  amount_cents INT64 NOT NULL,
  requested_at TIMESTAMP NOT NULL,
  settled_at TIMESTAMP
);

CREATE TABLE stay.reviews (
  review_id INT64 NOT NULL,
  booking_id INT64 NOT NULL,
  score INT64 NOT NULL,
  comment_text STRING,
  submitted_at TIMESTAMP NOT NULL,
  published_at TIMESTAMP,
  is_hidden BOOL NOT NULL
);

CREATE TABLE stay.support_tickets (
  ticket_id INT64 NOT NULL,
  guest_id INT64 NOT NULL,
  booking_id INT64,
  topic STRING NOT NULL,
  priority INT64 NOT NULL,
  opened_at TIMESTAMP NOT NULL,
  first_reply_at TIMESTAMP,
  closed_at TIMESTAMP
);
