-- Dentalia practice system, SQL Server 2019
CREATE TABLE dbo.Clinic (
  ClinicID    int           NOT NULL PRIMARY KEY,
  ClinicName  nvarchar(80)  NOT NULL,
  RegionCd    char(2)       NOT NULL,
  OpenDt      date          NOT NULL,
  CloseDt     date          NULL,
  IsTraining  bit           NOT NULL DEFAULT 0
);
CREATE TABLE dbo.Patient (
  PatID         int           NOT NULL PRIMARY KEY,
  LastName      nvarchar(80)  NOT NULL,
  FirstName     nvarchar(80)  NULL,
  BirthDt       date          NOT NULL,
  RegDt         date          NOT NULL,
  FirstVisitDt  date          NULL,
  HomeClinicID  int           NOT NULL REFERENCES dbo.Clinic(ClinicID),
  PatStatusCd   char(1)       NOT NULL,
  IsDummy       bit           NOT NULL DEFAULT 0,
  IsDeleted     bit           NOT NULL DEFAULT 0
);
CREATE TABLE dbo.Practitioner (
  PracID    int           NOT NULL PRIMARY KEY,
  PracName  nvarchar(80)  NOT NULL,
  RoleCd    char(3)       NOT NULL,
  ClinicID  int           NOT NULL REFERENCES dbo.Clinic(ClinicID),
  StartDt   date          NOT NULL,
  LeaveDt   date          NULL,
  FteBp     int           NOT NULL
);
CREATE TABLE dbo.Appt (
  ApptID       int           NOT NULL PRIMARY KEY,
  PatID        int           NOT NULL REFERENCES dbo.Patient(PatID),
  PracID       int           NOT NULL REFERENCES dbo.Practitioner(PracID),
  ClinicID     int           NOT NULL REFERENCES dbo.Clinic(ClinicID),
  ApptTypeCd   char(3)       NOT NULL,
  StatusCd     tinyint       NOT NULL,
  BookedOn     datetime2(0)  NOT NULL,
  ApptStart    datetime2(0)  NOT NULL,
  CancelledOn  datetime2(0)  NULL,
  SlotMin      smallint      NOT NULL,
  ActualMin    smallint      NULL,
  IsDeleted    bit           NOT NULL DEFAULT 0
);
CREATE TABLE dbo.TreatCode (
  TreatCd      varchar(8)     NOT NULL PRIMARY KEY,
  Descr        nvarchar(120)  NOT NULL,
  CatCd        char(3)        NOT NULL,
  ListPriceCt  int            NOT NULL
);
CREATE TABLE dbo.Treatment (
  TreatID    int         NOT NULL PRIMARY KEY,
  PatID      int         NOT NULL REFERENCES dbo.Patient(PatID),
  ApptID     int         NULL REFERENCES dbo.Appt(ApptID),
  PracID     int         NOT NULL REFERENCES dbo.Practitioner(PracID),
  TreatCd    varchar(8)  NOT NULL REFERENCES dbo.TreatCode(TreatCd),
  PlannedDt  date        NULL,
  DoneDt     date        NULL,
  FeeCt      int         NOT NULL,
  DiscBp     int         NOT NULL DEFAULT 0,
  IsDeleted  bit         NOT NULL DEFAULT 0
);
CREATE TABLE dbo.Invoice (
  InvID       int      NOT NULL PRIMARY KEY,
  PatID       int      NOT NULL REFERENCES dbo.Patient(PatID),
  ClinicID    int      NOT NULL REFERENCES dbo.Clinic(ClinicID),
  InvDt       date     NOT NULL,
  DueDt       date     NOT NULL,
  StatusCd    char(2)  NOT NULL,
  TotalCt     int      NOT NULL,
  InsurerCt   int      NOT NULL,
  PatientCt   int      NOT NULL,
  WriteOffDt  date     NULL
);
CREATE TABLE dbo.Payment (
  PayID       int      NOT NULL PRIMARY KEY,
  InvID       int      NOT NULL REFERENCES dbo.Invoice(InvID),
  PaidOn      date     NOT NULL,
  PostedOn    date     NULL,
  AmtCt       int      NOT NULL,
  MethodCd    char(2)  NOT NULL,
  IsReversed  bit      NOT NULL DEFAULT 0
);
CREATE TABLE dbo.Recall (
  RecallID   int      NOT NULL PRIMARY KEY,
  PatID      int      NOT NULL REFERENCES dbo.Patient(PatID),
  TypeCd     char(3)  NOT NULL,
  DueDt      date     NOT NULL,
  SentOn     date     NULL,
  OutcomeCd  char(1)  NULL,
  IsDeleted  bit      NOT NULL DEFAULT 0
);
