CREATE TABLE depots (
  depot_id INT NOT NULL PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  city VARCHAR(60) NOT NULL,
  capacity_tonnes INT NOT NULL,
  has_cold_store TINYINT NOT NULL
);

CREATE TABLE growers (
  grower_id INT NOT NULL PRIMARY KEY,
  name VARCHAR(120) NOT NULL,
  county VARCHAR(40) NOT NULL,
  email VARCHAR(120),
  joined_on DATE NOT NULL,
  is_organic TINYINT NOT NULL,
  farm_size_ha DECIMAL(8,1),
  status CHAR(1) NOT NULL
);

CREATE TABLE products (
  product_id INT NOT NULL PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  category VARCHAR(20) NOT NULL,
  shelf_life_days INT
);

CREATE TABLE lots (
  lot_id INT NOT NULL PRIMARY KEY,
  lot_no VARCHAR(16) NOT NULL,
  grower_id INT NOT NULL,
  product_id INT NOT NULL,
  harvested_on DATE NOT NULL,
  listed_at DATETIME NOT NULL,
  weight_g BIGINT NOT NULL,
  ask_price_cents INT NOT NULL,
  status CHAR(2) NOT NULL,
  deleted_at DATETIME,
  FOREIGN KEY (grower_id) REFERENCES growers (grower_id),
  FOREIGN KEY (product_id) REFERENCES products (product_id)
);

CREATE TABLE inspections (
  inspection_id INT NOT NULL PRIMARY KEY,
  lot_id INT NOT NULL,
  inspector VARCHAR(60) NOT NULL,
  inspected_at DATETIME NOT NULL,
  grade CHAR(1) NOT NULL,
  moisture_bp INT,
  FOREIGN KEY (lot_id) REFERENCES lots (lot_id)
);

CREATE TABLE buyers (
  buyer_id INT NOT NULL PRIMARY KEY,
  name VARCHAR(120) NOT NULL,
  buyer_type CHAR(3) NOT NULL,
  city VARCHAR(60) NOT NULL,
  country_code CHAR(2) NOT NULL,
  created_at DATETIME NOT NULL,
  credit_limit_cents BIGINT,
  is_test TINYINT NOT NULL,
  deleted_at DATETIME
);

CREATE TABLE orders (
  order_id INT NOT NULL PRIMARY KEY,
  buyer_id INT NOT NULL,
  channel VARCHAR(10) NOT NULL,
  status CHAR(2) NOT NULL,
  created_at DATETIME NOT NULL,
  placed_at DATETIME, -- null until the basket is submitted
  cancelled_at DATETIME,
  delivery_fee_cents INT NOT NULL,
  FOREIGN KEY (buyer_id) REFERENCES buyers (buyer_id)
);

CREATE TABLE order_items (
  order_item_id INT NOT NULL PRIMARY KEY,
  order_id INT NOT NULL,
  lot_id INT NOT NULL,
  qty_g BIGINT NOT NULL,
  price_cents INT NOT NULL, -- per kg
  line_total_cents BIGINT NOT NULL,
  FOREIGN KEY (order_id) REFERENCES orders (order_id),
  FOREIGN KEY (lot_id) REFERENCES lots (lot_id)
);

CREATE TABLE deliveries (
  delivery_id INT NOT NULL PRIMARY KEY,
  order_id INT NOT NULL,
  depot_id INT NOT NULL,
  driver_name VARCHAR(60),
  status CHAR(1) NOT NULL,
  scheduled_for DATETIME NOT NULL,
  dispatched_at DATETIME,
  delivered_at DATETIME,
  distance_km DECIMAL(7,2),
  FOREIGN KEY (order_id) REFERENCES orders (order_id),
  FOREIGN KEY (depot_id) REFERENCES depots (depot_id)
);

CREATE TABLE payments (
  payment_id INT NOT NULL PRIMARY KEY,
  order_id INT NOT NULL,
  amount_cents BIGINT NOT NULL,
  method VARCHAR(15) NOT NULL,
  status CHAR(1) NOT NULL,
  issued_at DATETIME NOT NULL,
  due_on DATE NOT NULL,
  paid_at DATETIME,
  FOREIGN KEY (order_id) REFERENCES orders (order_id)
);
