CREATE TABLE cinemas (
    cinema_id INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    city VARCHAR NOT NULL,
    country_code VARCHAR NOT NULL,
    opened_on DATE NOT NULL,
    closed_on DATE,
    is_test BOOLEAN NOT NULL
);

CREATE TABLE screens (
    screen_id INTEGER PRIMARY KEY,
    cinema_id INTEGER NOT NULL,
    label VARCHAR NOT NULL,
    format_code VARCHAR NOT NULL,
    seat_count INTEGER NOT NULL,
    out_of_service BOOLEAN NOT NULL
);

CREATE TABLE films (
    film_id INTEGER PRIMARY KEY,
    title VARCHAR NOT NULL,
    distributor VARCHAR,
    genre VARCHAR NOT NULL,
    runtime_min INTEGER,
    original_language VARCHAR NOT NULL,
    release_date DATE
);

CREATE TABLE showtimes (
    showtime_id INTEGER PRIMARY KEY,
    film_id INTEGER NOT NULL,
    screen_id INTEGER NOT NULL,
    published_at TIMESTAMP NOT NULL,
    starts_at TIMESTAMP NOT NULL,
    status_code VARCHAR NOT NULL
);

CREATE TABLE members (
    member_id INTEGER PRIMARY KEY,
    first_name VARCHAR NOT NULL,
    last_name VARCHAR NOT NULL,
    email VARCHAR,
    tier_code VARCHAR NOT NULL,
    home_cinema_id INTEGER,
    birth_date DATE,
    points_balance INTEGER NOT NULL,
    joined_at TIMESTAMP NOT NULL,
    deleted_at TIMESTAMP,
    is_staff BOOLEAN NOT NULL
);

CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    cinema_id INTEGER NOT NULL,
    member_id INTEGER,
    channel_code VARCHAR NOT NULL,
    status_code VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL,
    paid_at TIMESTAMP,
    refunded_at TIMESTAMP,
    booking_fee_cents INTEGER NOT NULL,
    discount_cents INTEGER NOT NULL,
    total_cents INTEGER NOT NULL
);

CREATE TABLE tickets (
    ticket_id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL,
    showtime_id INTEGER NOT NULL,
    seat_label VARCHAR,
    type_code VARCHAR NOT NULL,
    list_price_cents INTEGER NOT NULL,
    net_price_cents INTEGER NOT NULL,
    scanned_at TIMESTAMP,
    voided_at TIMESTAMP
);

CREATE TABLE products (
    sku VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL,
    category_code VARCHAR NOT NULL,
    list_price_cents INTEGER NOT NULL,
    discontinued_on DATE
);

CREATE TABLE snack_lines (
    line_id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL,
    sku VARCHAR NOT NULL,
    quantity INTEGER NOT NULL,
    unit_price_cents INTEGER NOT NULL
);

CREATE TABLE points_ledger (
    entry_id INTEGER PRIMARY KEY,
    member_id INTEGER NOT NULL,
    order_id INTEGER,
    reason_code VARCHAR NOT NULL,
    points INTEGER NOT NULL,
    booked_at TIMESTAMP NOT NULL
);
