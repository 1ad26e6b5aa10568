CREATE TABLE venues (
  venue_id INT64 NOT NULL,
  name STRING NOT NULL,
  city STRING NOT NULL,
  country_code STRING NOT NULL,
  venue_type STRING,
  capacity INT64,
  wheelchair_places INT64,
  has_seatmap BOOL,
  partner_since DATE,
  closed_on DATE
);

CREATE TABLE events (
  event_id INT64 NOT NULL,
  venue_id INT64 NOT NULL,
  title STRING NOT NULL,
  cat STRING,
  ev_status STRING NOT NULL,
  onsale_at TIMESTAMP,
  starts_at TIMESTAMP,
  starts_local DATETIME,
  cancelled_at TIMESTAMP,
  is_test BOOL NOT NULL
);

CREATE TABLE event_seats (
  seat_id INT64 NOT NULL,
  event_id INT64 NOT NULL,
  section_code STRING,
  row_lbl STRING,
  seat_no STRING,
  tier STRING,
  face_minor INT64,
  seat_state STRING NOT NULL
);

CREATE TABLE customers (
  customer_id INT64 NOT NULL,
  email STRING,
  country STRING,
  lang STRING,
  signup_ts TIMESTAMP NOT NULL,
  marketing_optin BOOL NOT NULL,
  is_staff BOOL NOT NULL,
  deleted_at TIMESTAMP
);

CREATE TABLE orders (
  order_id INT64 NOT NULL,
  customer_id INT64 NOT NULL,
  placed_at TIMESTAMP NOT NULL,
  paid_at TIMESTAMP,
  order_status STRING NOT NULL,
  channel STRING,
  currency STRING NOT NULL,
  total_minor INT64 NOT NULL,
  delivery_minor INT64 NOT NULL,
  charged_minor INT64 NOT NULL,
  gift_card_id INT64,
  is_test BOOL NOT NULL
);

CREATE TABLE tickets (
  ticket_id INT64 NOT NULL,
  order_id INT64 NOT NULL,
  event_id INT64 NOT NULL,
  seat_id INT64,
  holder_id INT64 NOT NULL,
  price_minor INT64 NOT NULL,
  fee_minor INT64 NOT NULL,
  tkt_status STRING NOT NULL,
  scanned_at TIMESTAMP
);

CREATE TABLE resale_listings (
  listing_id INT64 NOT NULL,
  ticket_id INT64 NOT NULL,
  seller_id INT64 NOT NULL,
  buyer_id INT64,
  listed_at TIMESTAMP NOT NULL,
  sold_at TIMESTAMP,
  listing_state STRING NOT NULL,
  currency STRING NOT NULL,
  ask_minor INT64 NOT NULL,
  sold_minor INT64,
  commission_minor INT64
);

CREATE TABLE refunds (
  refund_id INT64 NOT NULL,
  order_id INT64 NOT NULL,
  ticket_id INT64 NOT NULL,
  requested_at TIMESTAMP NOT NULL,
  paid_out_at TIMESTAMP,
  amount_minor INT64 NOT NULL,
  reason STRING,
  refund_status STRING NOT NULL,
  refund_to STRING
);

CREATE TABLE gift_cards (
  gift_card_id INT64 NOT NULL,
  code STRING NOT NULL,
  buyer_id INT64,
  issued_at TIMESTAMP NOT NULL,
  expires_on DATE,
  currency STRING NOT NULL,
  initial_minor INT64 NOT NULL,
  balance_minor INT64 NOT NULL,
  is_promo BOOL NOT NULL,
  voided_at TIMESTAMP
);

CREATE TABLE fx_daily (
  rate_date DATE NOT NULL,
  currency STRING NOT NULL,
  eur_per_unit NUMERIC NOT NULL
);
