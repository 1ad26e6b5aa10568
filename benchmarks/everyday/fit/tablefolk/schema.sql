CREATE TABLE users (
  id INT NOT NULL PRIMARY KEY,
  first_name VARCHAR(60) NOT NULL,
  last_name VARCHAR(60) NOT NULL,
  email VARCHAR(160) NOT NULL,
  city VARCHAR(60),
  signup_at DATETIME NOT NULL,
  last_seen_at DATETIME,
  is_staff TINYINT NOT NULL,
  marketing_opt_in TINYINT NOT NULL,
  deleted_at DATETIME
);

CREATE TABLE restaurants (
  id INT NOT NULL PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  city VARCHAR(60) NOT NULL,
  country CHAR(2) NOT NULL,
  cuisine VARCHAR(30) NOT NULL,
  plan CHAR(1) NOT NULL,
  commission_bp INT NOT NULL,
  signed_on DATE NOT NULL,
  live_on DATE,
  closed_on DATE,
  is_demo TINYINT NOT NULL
);

CREATE TABLE menu_items (
  id INT NOT NULL PRIMARY KEY,
  restaurant_id INT NOT NULL,
  name VARCHAR(100) NOT NULL,
  category VARCHAR(20) NOT NULL,
  list_price_cents INT NOT NULL,
  is_vegetarian TINYINT NOT NULL,
  archived_at DATETIME,
  FOREIGN KEY (restaurant_id) REFERENCES restaurants (id)
);

CREATE TABLE couriers (
  id INT NOT NULL PRIMARY KEY,
  full_name VARCHAR(100) NOT NULL,
  vehicle CHAR(1) NOT NULL,
  city VARCHAR(60) NOT NULL,
  hired_on DATE NOT NULL,
  left_on DATE
);

CREATE TABLE reservations (
  id INT NOT NULL PRIMARY KEY,
  user_id INT,
  restaurant_id INT NOT NULL,
  party_size INT NOT NULL,
  booked_at DATETIME NOT NULL,
  starts_at DATETIME NOT NULL,
  status TINYINT NOT NULL,
  seated_at DATETIME,
  left_at DATETIME,
  source VARCHAR(10) NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id),
  FOREIGN KEY (restaurant_id) REFERENCES restaurants (id)
);

CREATE TABLE orders (
  id INT NOT NULL PRIMARY KEY,
  user_id INT NOT NULL,
  restaurant_id INT NOT NULL,
  courier_id INT,
  status CHAR(2) NOT NULL,
  placed_at DATETIME NOT NULL,
  picked_up_at DATETIME,
  delivered_at DATETIME,
  promo_code VARCHAR(20),
  subtotal_cents INT NOT NULL,
  discount_cents INT NOT NULL,
  delivery_fee_cents INT NOT NULL,
  tip_cents INT NOT NULL,
  commission_cents INT NOT NULL,
  distance_m INT,
  FOREIGN KEY (user_id) REFERENCES users (id),
  FOREIGN KEY (restaurant_id) REFERENCES restaurants (id),
  FOREIGN KEY (courier_id) REFERENCES couriers (id)
);

CREATE TABLE order_items (
  order_id INT NOT NULL,
  line_no INT NOT NULL,
  menu_item_id INT NOT NULL,
  quantity INT NOT NULL,
  unit_price_cents INT NOT NULL,
  PRIMARY KEY (order_id, line_no)
);

CREATE TABLE reviews (
  id INT NOT NULL PRIMARY KEY,
  restaurant_id INT NOT NULL,
  user_id INT NOT NULL,
  stars TINYINT NOT NULL,
  body TEXT,
  created_at DATETIME NOT NULL,
  hidden TINYINT NOT NULL,
  replied_at DATETIME
);

CREATE TABLE payouts (
  id INT NOT NULL PRIMARY KEY,
  restaurant_id INT NOT NULL,
  period_start DATE NOT NULL,
  period_end DATE NOT NULL,
  amount_cents INT NOT NULL,
  status VARCHAR(8) NOT NULL,
  created_at DATETIME NOT NULL,
  paid_at DATETIME
);
