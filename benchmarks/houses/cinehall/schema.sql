CREATE TABLE site (
  site_cd     char(3) PRIMARY KEY,
  site_name   varchar(60) NOT NULL,
  town        varchar(40) NOT NULL,
  region_cd   varchar(4) NOT NULL,
  opened_on   date NOT NULL,
  closed_on   date,
  gm_name     varchar(60)
);

CREATE TABLE scrn (
  scrn_id     integer PRIMARY KEY,
  site_cd     char(3) NOT NULL REFERENCES site,
  scrn_no     smallint NOT NULL,
  seats_tot   smallint NOT NULL,
  fmt_cd      varchar(4) NOT NULL,
  last_refurb date
);

CREATE TABLE film (
  film_id     integer PRIMARY KEY,
  title       varchar(120) NOT NULL,
  dist_nm     varchar(60) NOT NULL,
  cert        varchar(3),
  runtime_min smallint NOT NULL,
  released_on date NOT NULL,
  genre       varchar(20) NOT NULL,
  orig_lang   char(2) NOT NULL
);

CREATE TABLE showing (
  shw_id      bigint PRIMARY KEY,
  film_id     integer REFERENCES film,
  scrn_id     integer NOT NULL REFERENCES scrn,
  biz_date    date NOT NULL,
  starts_at   timestamp NOT NULL,
  cap         smallint NOT NULL,
  shw_typ     char(3) NOT NULL,
  shw_st      char(1) NOT NULL
);

CREATE TABLE member (
  member_id   bigint PRIMARY KEY,
  full_nm     varchar(80),
  email       varchar(120),
  tier_cd     char(1) NOT NULL,
  joined_on   date NOT NULL,
  home_site   char(3) NOT NULL REFERENCES site,
  closed_at   timestamp,
  merged_into bigint REFERENCES member
);

CREATE TABLE tkt_ord (
  ord_id      bigint PRIMARY KEY,
  site_cd     char(3) NOT NULL REFERENCES site,
  ord_at      timestamp NOT NULL,
  chan        char(3) NOT NULL,
  member_id   bigint REFERENCES member,
  ord_st      char(4) NOT NULL,
  book_fee_p  integer NOT NULL
);

CREATE TABLE tkt_line (
  tkt_id      bigint PRIMARY KEY,
  ord_id      bigint NOT NULL REFERENCES tkt_ord,
  shw_id      bigint NOT NULL REFERENCES showing,
  seat_lbl    varchar(5) NOT NULL,
  tkt_typ     char(3) NOT NULL,
  face_p      integer NOT NULL,
  paid_p      integer NOT NULL,
  tkt_st      char(1) NOT NULL,
  scanned_at  timestamp
);

CREATE TABLE snack_item (
  sku          varchar(8) PRIMARY KEY,
  item_name    varchar(60) NOT NULL,
  cat_cd       char(3) NOT NULL,
  list_p       integer NOT NULL,
  withdrawn_on date
);

CREATE TABLE snack_sale (
  snk_id      bigint PRIMARY KEY,
  site_cd     char(3) NOT NULL REFERENCES site,
  biz_date    date NOT NULL,
  sold_at     timestamp NOT NULL,
  till_no     smallint NOT NULL,
  member_id   bigint REFERENCES member,
  void_fl     char(1) NOT NULL
);

CREATE TABLE snack_line (
  snk_id      bigint NOT NULL REFERENCES snack_sale,
  line_no     smallint NOT NULL,
  sku         varchar(8) NOT NULL REFERENCES snack_item,
  qty         smallint NOT NULL,
  amt_p       integer NOT NULL,
  vat_p       integer NOT NULL,
  PRIMARY KEY (snk_id, line_no)
);

CREATE TABLE stk_xfer (
  xfer_id     integer PRIMARY KEY,
  sku         varchar(8) NOT NULL REFERENCES snack_item,
  from_site   char(3) NOT NULL REFERENCES site,
  to_site     char(3) NOT NULL REFERENCES site,
  qty         integer NOT NULL,
  sent_at     timestamp NOT NULL,
  recd_at     timestamp
);
