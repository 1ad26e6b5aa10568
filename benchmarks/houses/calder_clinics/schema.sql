CREATE TABLE dbo.Clinics (
  ClinicId int NOT NULL PRIMARY KEY,
  ClinicCode char(3) NOT NULL,
  ClinicName nvarchar(80) NOT NULL,
  City nvarchar(50) NOT NULL,
  Kind char(1) NOT NULL,
  OpenedOn date NULL,
  ClosedOn date NULL
);
CREATE TABLE dbo.Clinicians (
  ClinicianId int NOT NULL PRIMARY KEY,
  FullName nvarchar(100) NOT NULL,
  Discipline varchar(4) NOT NULL,
  Grade tinyint NULL,
  ContractType char(2) NOT NULL,
  HomeClinicId int NULL REFERENCES dbo.Clinics(ClinicId),
  StartedOn date NOT NULL,
  EndedOn date NULL,
  RegistrationExpiry date NULL
);
CREATE TABLE dbo.Patients (
  PatientId int NOT NULL PRIMARY KEY,
  FullName nvarchar(100) NOT NULL,
  DateOfBirth date NULL,
  Postcode varchar(8) NULL,
  ReferralSource char(2) NULL,
  RegisteredAt datetime2 NOT NULL,
  FirstSeenOn date NULL,
  IsDummy bit NOT NULL DEFAULT 0,
  IsDeleted bit NOT NULL DEFAULT 0
);
CREATE TABLE dbo.Services (
  ServiceId int NOT NULL PRIMARY KEY,
  ServiceCode varchar(10) NOT NULL,
  ServiceName nvarchar(80) NOT NULL,
  Category char(3) NOT NULL,
  ListPricePence int NOT NULL,
  IsActive bit NOT NULL DEFAULT 1
);
CREATE TABLE dbo.Payers (
  PayerId int NOT NULL PRIMARY KEY,
  PayerName nvarchar(100) NOT NULL,
  PayerType char(1) NOT NULL,
  TermsDays smallint NULL,
  IsActive bit NOT NULL DEFAULT 1
);
CREATE TABLE dbo.Appointments (
  AppointmentId bigint NOT NULL PRIMARY KEY,
  PatientId int NOT NULL REFERENCES dbo.Patients(PatientId),
  ClinicianId int NOT NULL REFERENCES dbo.Clinicians(ClinicianId),
  ClinicId int NOT NULL REFERENCES dbo.Clinics(ClinicId),
  ServiceId int NOT NULL REFERENCES dbo.Services(ServiceId),
  StatusCode varchar(12) NOT NULL DEFAULT 'booked',
  BookedAtUtc datetime2 NOT NULL,
  StartsAtUtc datetime2 NOT NULL,
  CancelledAtUtc datetime2 NULL,
  SlotMin smallint NOT NULL,
  DurationMin smallint NULL,
  IsRemote bit NOT NULL DEFAULT 0,
  IsDeleted bit NOT NULL DEFAULT 0
);
CREATE TABLE dbo.Invoices (
  InvoiceId bigint NOT NULL PRIMARY KEY,
  PatientId int NOT NULL REFERENCES dbo.Patients(PatientId),
  AppointmentId bigint NULL REFERENCES dbo.Appointments(AppointmentId),
  PayerId int NOT NULL REFERENCES dbo.Payers(PayerId),
  InvoiceDate date NOT NULL,
  DueDate date NOT NULL,
  AmountPence int NOT NULL,
  ApprovedPence int NOT NULL,
  State char(1) NOT NULL DEFAULT 'O'
);
CREATE TABLE dbo.Payments (
  PaymentId bigint NOT NULL PRIMARY KEY,
  InvoiceId bigint NOT NULL REFERENCES dbo.Invoices(InvoiceId),
  PaidOn date NOT NULL,
  AmountPence int NOT NULL,
  Method char(2) NOT NULL,
  IsReversed bit NOT NULL DEFAULT 0
);
