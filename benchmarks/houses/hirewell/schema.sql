create table client (
  client_id integer primary key,
  name varchar(120) not null,
  sector varchar(60),
  country_cd char(2) not null,
  ws_kind char(1) not null,
  acct_mgr_id integer,
  signed_on date,
  notice_on date,
  churned_on date
);

create table usr (
  user_id integer primary key,
  client_id integer references client (client_id),
  full_name varchar(120) not null,
  email varchar(160) not null unique,
  role varchar(20) not null,
  created_at timestamp not null,
  last_login_at timestamp,
  disabled_at timestamp
);

alter table client add foreign key (acct_mgr_id) references usr (user_id);

create table subscr (
  sub_id integer primary key,
  client_id integer not null references client (client_id),
  plan_cd varchar(12) not null,
  state varchar(10) not null check (state in ('trial', 'active', 'past_due', 'ended')),
  bill_cycle char(1) not null,
  seats integer not null,
  list_ct integer not null,
  amt_ct integer not null,
  started_on date not null,
  ended_on date
);

create table job (
  job_id integer primary key,
  client_id integer not null references client (client_id),
  job_kind char(3) not null,
  title varchar(160) not null,
  dept varchar(80),
  city varchar(80),
  country_cd char(2),
  status varchar(10) not null check (status in ('draft', 'open', 'on_hold', 'closed')),
  headcount integer not null default 1,
  opened_on date,
  closed_on date,
  hiring_mgr_id integer references usr (user_id),
  recruiter_id integer references usr (user_id)
);

create table candidate (
  cand_id bigint primary key,
  full_name varchar(120),
  email varchar(160),
  city varchar(80),
  country_cd char(2),
  created_at timestamp not null,
  dup_of_id bigint references candidate (cand_id),
  anon_at timestamp
);

create table stage (
  stage_cd char(3) primary key,
  label varchar(60) not null,
  sort_no smallint not null,
  is_final boolean not null
);

create table rej_reason (
  reason_cd varchar(8) primary key,
  label varchar(80) not null,
  is_cand_side boolean not null,
  active boolean not null
);

create table appl (
  appl_id bigint primary key,
  job_id integer not null references job (job_id),
  cand_id bigint not null references candidate (cand_id),
  src_cd char(2) not null,
  status char(1) not null,
  cur_stage_cd char(3) not null references stage (stage_cd),
  created_at timestamp not null,
  applied_at timestamp not null,
  rejected_at timestamp,
  reason_cd varchar(8) references rej_reason (reason_cd),
  hired_at timestamp,
  start_on date
);

create table stage_hist (
  hist_id bigint primary key,
  appl_id bigint not null references appl (appl_id),
  from_stage_cd char(3) references stage (stage_cd),
  to_stage_cd char(3) not null references stage (stage_cd),
  moved_at timestamp not null,
  moved_by_id integer references usr (user_id),
  is_undo boolean not null default false
);

create table intv (
  intv_id bigint primary key,
  appl_id bigint not null references appl (appl_id),
  kind varchar(12) not null check (kind in ('phone', 'video', 'onsite')),
  interviewer_id integer not null references usr (user_id),
  organiser_id integer references usr (user_id),
  sched_for timestamp not null,
  held_at timestamp,
  canceled_at timestamp,
  dur_min smallint,
  score numeric(3,1)
);

create table offer (
  offer_id bigint primary key,
  appl_id bigint not null references appl (appl_id),
  version_no smallint not null,
  status varchar(10) not null check (status in ('draft', 'sent', 'accepted', 'declined', 'expired', 'pulled')),
  sent_at timestamp,
  answered_at timestamp,
  base_amt numeric(12,2) not null,
  pay_per char(1) not null,
  ccy char(3) not null,
  unique (appl_id, version_no)
);
