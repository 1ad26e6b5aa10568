CREATE TABLE registry.terms (
    term_code VARCHAR(6) NOT NULL,
    term_name VARCHAR(40) NOT NULL,
    starts_on DATE NOT NULL,
    ends_on DATE NOT NULL
);

CREATE TABLE registry.programmes (
    programme_id INTEGER NOT NULL,
    programme_code VARCHAR(8) NOT NULL,
    programme_name VARCHAR(100) NOT NULL,
    faculty VARCHAR(30) NOT NULL,
    degree_level VARCHAR(1) NOT NULL,
    is_active BOOLEAN NOT NULL
);

CREATE TABLE registry.students (
    student_id INTEGER NOT NULL,
    student_no VARCHAR(10) NOT NULL,
    first_name VARCHAR(60) NOT NULL,
    last_name VARCHAR(60) NOT NULL,
    email VARCHAR(120),
    programme_id INTEGER NOT NULL,
    country_code VARCHAR(2) NOT NULL,
    birth_date DATE,
    status VARCHAR(1) NOT NULL,
    admitted_on DATE NOT NULL,
    graduated_on DATE,
    is_test BOOLEAN NOT NULL,
    merged_at TIMESTAMP_NTZ
);

CREATE TABLE registry.staff (
    staff_id INTEGER NOT NULL,
    full_name VARCHAR(100) NOT NULL,
    faculty VARCHAR(30) NOT NULL,
    job_title VARCHAR(40) NOT NULL,
    fte_pct INTEGER NOT NULL,
    hired_on DATE NOT NULL,
    left_on DATE
);

CREATE TABLE registry.courses (
    course_id INTEGER NOT NULL,
    course_code VARCHAR(8) NOT NULL,
    title VARCHAR(100) NOT NULL,
    faculty VARCHAR(30) NOT NULL,
    credits NUMBER(4,1) NOT NULL,
    contact_hours INTEGER NOT NULL,
    is_retired BOOLEAN NOT NULL
);

CREATE TABLE registry.sections (
    section_id INTEGER NOT NULL,
    course_id INTEGER NOT NULL,
    term_code VARCHAR(6) NOT NULL,
    section_no INTEGER NOT NULL,
    lead_staff_id INTEGER,
    delivery_mode VARCHAR(1) NOT NULL,
    weekday VARCHAR(3) NOT NULL,
    capacity INTEGER NOT NULL,
    cancelled_at TIMESTAMP_NTZ
);

CREATE TABLE registry.enrolments (
    enrolment_id INTEGER NOT NULL,
    student_id INTEGER NOT NULL,
    section_id INTEGER NOT NULL,
    status VARCHAR(3) NOT NULL, -- ENR, CMP, DRP, WTL, AUD
    enrolled_at TIMESTAMP_NTZ NOT NULL,
    dropped_at TIMESTAMP_NTZ,
    grade_exam NUMBER(5,1),
    grade_final NUMBER(5,1)
);

CREATE TABLE finance.tuition_invoices (
    invoice_id INTEGER NOT NULL,
    student_id INTEGER NOT NULL,
    term_code VARCHAR(6) NOT NULL,
    amount_cents INTEGER NOT NULL,
    issued_at TIMESTAMP_NTZ NOT NULL,
    due_on DATE NOT NULL,
    paid_at TIMESTAMP_NTZ,
    is_void BOOLEAN NOT NULL
);

CREATE TABLE library.items (
    item_id INTEGER NOT NULL,
    barcode VARCHAR(12) NOT NULL,
    title VARCHAR(120) NOT NULL,
    item_type VARCHAR(1) NOT NULL,
    subject VARCHAR(30),
    acquired_on DATE NOT NULL,
    replacement_cents INTEGER NOT NULL,
    withdrawn_on DATE
);

CREATE TABLE library.loans (
    loan_id INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    student_id INTEGER NOT NULL,
    borrowed_at TIMESTAMP_NTZ NOT NULL,
    due_at TIMESTAMP_NTZ NOT NULL,
    returned_at TIMESTAMP_NTZ,
    renewals INTEGER NOT NULL,
    fine_cents INTEGER NOT NULL,
    fine_waived BOOLEAN NOT NULL,
    fine_paid_at TIMESTAMP_NTZ
);
