CREATE TABLE hr.sites (
  site_code VARCHAR(4) NOT NULL,
  site_name NVARCHAR(60) NOT NULL,
  city NVARCHAR(60) NOT NULL,
  country_code CHAR(2) NOT NULL
);

CREATE TABLE hr.departments (
  dept_id INT NOT NULL,
  dept_name NVARCHAR(60) NOT NULL,
  cost_center VARCHAR(10) NULL,
  parent_dept_id INT NULL,
  closed_on DATE NULL
);

CREATE TABLE hr.employees (
  employee_id INT NOT NULL,
  first_name NVARCHAR(60) NOT NULL,
  last_name NVARCHAR(60) NOT NULL,
  dept_id INT NOT NULL,
  site_code VARCHAR(4) NULL,  -- NULL: fully remote
  job_title NVARCHAR(80) NULL,
  manager_id INT NULL,
  emp_type_cd CHAR(1) NOT NULL,
  status_cd CHAR(1) NOT NULL,
  gender_cd CHAR(1) NULL,
  birth_date DATE NULL,
  hire_date DATE NOT NULL,
  original_hire_date DATE NOT NULL,
  notice_date DATE NULL,
  last_working_day DATE NULL,
  leave_reason_cd VARCHAR(3) NULL,
  fte_pct INT NOT NULL,
  is_test TINYINT NOT NULL
);

CREATE TABLE hr.salaries (
  salary_id INT NOT NULL,
  employee_id INT NOT NULL,
  annual_base_cents BIGINT NOT NULL,
  effective_from DATE NOT NULL,
  effective_to DATE NULL,
  approved_at DATETIME2 NULL
);

CREATE TABLE hr.absences (
  absence_id INT NOT NULL,
  employee_id INT NOT NULL,
  type_cd VARCHAR(3) NOT NULL,
  status_cd CHAR(1) NOT NULL,
  start_date DATE NOT NULL,
  end_date DATE NOT NULL,
  absence_minutes INT NOT NULL,
  requested_at DATETIME2 NOT NULL,
  decided_at DATETIME2 NULL
);

CREATE TABLE hr.requisitions (
  req_id INT NOT NULL,
  dept_id INT NOT NULL,
  title NVARCHAR(80) NOT NULL,
  status_cd CHAR(1) NOT NULL,
  opened_on DATE NOT NULL,
  filled_on DATE NULL
);

CREATE TABLE hr.applications (
  application_id INT NOT NULL,
  req_id INT NOT NULL,
  candidate_name NVARCHAR(80) NOT NULL,
  source_cd VARCHAR(3) NULL,
  stage_cd CHAR(1) NOT NULL,
  applied_at DATETIME2 NOT NULL,
  closed_at DATETIME2 NULL
);

CREATE TABLE pay.payroll_runs (
  run_id INT NOT NULL,
  period_month DATE NOT NULL,
  run_type_cd CHAR(1) NOT NULL,
  status_cd CHAR(1) NOT NULL,
  pay_date DATE NOT NULL
);

CREATE TABLE pay.payslips (
  payslip_id INT NOT NULL,
  run_id INT NOT NULL,
  employee_id INT NOT NULL,
  gross_cents BIGINT NOT NULL,
  net_cents BIGINT NOT NULL,
  employer_cost_cents BIGINT NOT NULL,
  issued_at DATETIME2 NOT NULL,
  voided_at DATETIME2 NULL
);

CREATE TABLE pay.overtime (
  overtime_id INT NOT NULL,
  employee_id INT NOT NULL,
  work_date DATE NOT NULL,
  overtime_minutes INT NOT NULL,
  premium_bps INT NOT NULL,
  status_cd CHAR(1) NOT NULL,
  entered_at DATETIME2 NOT NULL
);
