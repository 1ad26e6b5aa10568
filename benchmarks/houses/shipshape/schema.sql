CREATE TABLE ss_core.customers (
  cust_id         INT64 NOT NULL,
  email           STRING,
  full_name       STRING,
  country         STRING,
  cust_type       STRING NOT NULL,
  created_ts      TIMESTAMP NOT NULL,
  erased_ts       TIMESTAMP,
  is_test         BOOL NOT NULL,
  ref_by_cust_id  INT64,
  newsletter      BOOL NOT NULL
);

CREATE TABLE ss_core.categories (
  cat_id         INT64 NOT NULL,
  cat_name       STRING NOT NULL,
  parent_cat_id  INT64
);

CREATE TABLE ss_core.suppliers (
  supp_id    INT64 NOT NULL,
  supp_name  STRING NOT NULL,
  country    STRING,
  ccy        STRING NOT NULL,
  lead_days  INT64,
  since      DATE,
  active     BOOL NOT NULL
);

CREATE TABLE ss_core.products (
  sku              STRING NOT NULL,
  title            STRING NOT NULL,
  cat_id           INT64 NOT NULL,
  main_supp_id     INT64,
  list_price_eur   NUMERIC,
  weight_g         INT64,
  tags             ARRAY<STRING>,
  launched_on      DATE,
  discontinued_on  DATE
);

CREATE TABLE ss_core.ord_hdr (
  ord_id        INT64 NOT NULL,
  cust_id       INT64,
  channel       STRING NOT NULL,
  ord_ts        TIMESTAMP NOT NULL,
  paid_ts       TIMESTAMP,
  ord_st        STRING NOT NULL,
  ship_to       STRUCT<city STRING, postcode STRING, country STRING>,
  ccy           STRING NOT NULL,
  fx_to_eur     NUMERIC NOT NULL,
  ship_fee      NUMERIC NOT NULL,
  voucher_code  STRING
)
PARTITION BY DATE(ord_ts);

CREATE TABLE ss_core.ord_line (
  ord_id      INT64 NOT NULL,
  line_no     INT64 NOT NULL,
  sku         STRING NOT NULL,
  qty         INT64 NOT NULL,
  unit_price  NUMERIC NOT NULL,
  disc_amt    NUMERIC NOT NULL,
  vat_rate    NUMERIC NOT NULL,
  line_st     STRING NOT NULL
)
CLUSTER BY ord_id;

CREATE TABLE ss_core.shipments (
  shp_id        INT64 NOT NULL,
  ord_id        INT64 NOT NULL,
  wh            STRING NOT NULL,
  carrier       STRING NOT NULL,
  trk_no        STRING,
  label_ts      TIMESTAMP NOT NULL,
  handed_ts     TIMESTAMP,
  delivered_ts  TIMESTAMP,
  cost_eur      NUMERIC
);

CREATE TABLE ss_core.returns (
  ret_id        INT64 NOT NULL,
  ord_id        INT64 NOT NULL,
  line_no       INT64 NOT NULL,
  qty           INT64 NOT NULL,
  reason_cd     STRING NOT NULL,
  ret_st        STRING NOT NULL,
  requested_ts  TIMESTAMP NOT NULL,
  received_ts   TIMESTAMP,
  refunded_ts   TIMESTAMP,
  refund_amt    NUMERIC
);

CREATE TABLE ss_core.po_hdr (
  po_id        INT64 NOT NULL,
  supp_id      INT64 NOT NULL,
  wh           STRING NOT NULL,
  buyer        STRING,
  po_date      DATE NOT NULL,
  promised_on  DATE,
  received_on  DATE,
  po_st        STRING NOT NULL,
  ccy          STRING NOT NULL,
  fx_to_eur    NUMERIC NOT NULL
);

CREATE TABLE ss_core.po_line (
  po_id      INT64 NOT NULL,
  line_no    INT64 NOT NULL,
  sku        STRING NOT NULL,
  qty_ord    INT64 NOT NULL,
  qty_recv   INT64 NOT NULL,
  unit_cost  NUMERIC NOT NULL
);

CREATE TABLE ss_core.wh_xfer (
  xfer_id     INT64 NOT NULL,
  sku         STRING NOT NULL,
  wh_from     STRING NOT NULL,
  wh_to       STRING NOT NULL,
  qty         INT64 NOT NULL,
  sent_on     DATE NOT NULL,
  arrived_on  DATE
);
