CREATE TABLE lending.customers (
    customer_id integer PRIMARY KEY,
    full_name text NOT NULL,
    email text,
    date_of_birth date,
    country char(2) NOT NULL,
    city text,
    employment varchar(3),
    marketing_opt_in boolean NOT NULL,
    is_test boolean NOT NULL,
    created_at timestamp NOT NULL,
    deleted_at timestamp
);

CREATE TABLE lending.products (
    product_id integer PRIMARY KEY,
    code varchar(4) NOT NULL,
    name text NOT NULL,
    min_amount_cents bigint NOT NULL,
    max_amount_cents bigint NOT NULL,
    base_apr_bps integer NOT NULL,
    launched_on date NOT NULL,
    retired_on date
);

CREATE TABLE lending.staff (
    staff_id integer PRIMARY KEY,
    full_name text NOT NULL,
    team varchar(3) NOT NULL,
    hired_on date NOT NULL,
    left_on date
);

CREATE TABLE lending.applications (
    application_id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES lending.customers (customer_id),
    product_id integer NOT NULL REFERENCES lending.products (product_id),
    channel varchar(8) NOT NULL,
    requested_amount_cents bigint NOT NULL,
    approved_amount_cents bigint,
    term_months smallint NOT NULL,
    status varchar(3) NOT NULL,
    decline_reason varchar(4),
    officer_id integer REFERENCES lending.staff (staff_id),
    is_test boolean NOT NULL,
    created_at timestamp NOT NULL,
    submitted_at timestamp,
    decided_at timestamp
);

CREATE TABLE lending.loans (
    loan_id integer PRIMARY KEY,
    loan_no varchar(12) NOT NULL,
    application_id integer NOT NULL REFERENCES lending.applications (application_id),
    customer_id integer NOT NULL REFERENCES lending.customers (customer_id),
    product_id integer NOT NULL REFERENCES lending.products (product_id),
    principal_cents bigint NOT NULL,
    apr_bps integer NOT NULL,
    term_months smallint NOT NULL,
    status smallint NOT NULL,
    signed_at timestamp NOT NULL,
    disbursed_at timestamp,
    closed_at timestamp
);

CREATE TABLE lending.instalments (
    instalment_id integer PRIMARY KEY,
    loan_id integer NOT NULL REFERENCES lending.loans (loan_id),
    seq_no smallint NOT NULL,
    due_date date NOT NULL,
    principal_due_cents bigint NOT NULL,
    interest_due_cents bigint NOT NULL,
    paid_cents bigint NOT NULL,
    status varchar(4) NOT NULL,
    paid_at timestamp
);

CREATE TABLE lending.payments (
    payment_id integer PRIMARY KEY,
    loan_id integer NOT NULL REFERENCES lending.loans (loan_id),
    instalment_id integer REFERENCES lending.instalments (instalment_id),
    amount_cents bigint NOT NULL,
    method varchar(4) NOT NULL,
    status char(1) NOT NULL,
    received_at timestamp NOT NULL,
    booked_on date
);

CREATE TABLE lending.collection_cases (
    case_id integer PRIMARY KEY,
    loan_id integer NOT NULL REFERENCES lending.loans (loan_id),
    staff_id integer REFERENCES lending.staff (staff_id),
    stage char(1) NOT NULL,
    outcome varchar(3),
    opened_at timestamp NOT NULL,
    closed_at timestamp
);

CREATE TABLE lending.collection_contacts (
    contact_id integer PRIMARY KEY,
    case_id integer NOT NULL REFERENCES lending.collection_cases (case_id),
    staff_id integer REFERENCES lending.staff (staff_id),
    channel char(1) NOT NULL,
    result varchar(3) NOT NULL,
    contacted_at timestamp NOT NULL,
    promised_cents bigint,
    promised_for date
);
