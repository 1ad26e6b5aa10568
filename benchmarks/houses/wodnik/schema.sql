CREATE TABLE dbo.Customer (
  CustomerId INT NOT NULL PRIMARY KEY,
  CustomerNo VARCHAR(12) NOT NULL,
  FullName NVARCHAR(120) NOT NULL,
  CustTypeCd CHAR(1) NOT NULL,
  Email NVARCHAR(120) NULL,
  Phone VARCHAR(20) NULL,
  OpenedDt DATE NOT NULL,
  ClosedDt DATE NOT NULL,
  TestFlg CHAR(1) NOT NULL
);
CREATE TABLE dbo.Premise (
  PremiseId INT NOT NULL PRIMARY KEY,
  CustomerId INT NULL REFERENCES dbo.Customer(CustomerId),
  AddressLine NVARCHAR(200) NOT NULL,
  DistrictCd CHAR(2) NOT NULL,
  PremTypeCd CHAR(1) NOT NULL,
  ConnectedDt DATE NOT NULL,
  DisconnectedDt DATE NULL
);
CREATE TABLE dbo.Tariff (
  TariffId INT NOT NULL PRIMARY KEY,
  TariffCd VARCHAR(8) NOT NULL,
  TariffName NVARCHAR(60) NOT NULL,
  UnitPrice DECIMAL(8,4) NOT NULL,
  StandingCharge DECIMAL(8,2) NOT NULL,
  ValidFrom DATE NOT NULL,
  ValidTo DATE NULL
);
CREATE TABLE dbo.Meter (
  MeterId INT NOT NULL PRIMARY KEY,
  PremiseId INT NULL REFERENCES dbo.Premise(PremiseId),
  TariffId INT NULL REFERENCES dbo.Tariff(TariffId),
  SerialNo VARCHAR(24) NOT NULL,
  MeterTypeCd CHAR(3) NOT NULL,
  InstalledDt DATE NULL,
  RemovedDt DATE NULL,
  StatusCd CHAR(1) NOT NULL
);
CREATE TABLE dbo.Reading (
  ReadingId BIGINT NOT NULL PRIMARY KEY,
  MeterId INT NOT NULL REFERENCES dbo.Meter(MeterId),
  ReadDt DATE NOT NULL,
  ReadValue DECIMAL(12,3) NOT NULL,
  ConsumptionQty BIGINT NULL,
  ReadTypeCd CHAR(1) NOT NULL,
  StatusCd CHAR(1) NOT NULL
);
CREATE TABLE dbo.Bill (
  BillId BIGINT NOT NULL PRIMARY KEY,
  CustomerId INT NOT NULL REFERENCES dbo.Customer(CustomerId),
  PremiseId INT NOT NULL REFERENCES dbo.Premise(PremiseId),
  IssueDt DATE NULL,
  DueDt DATE NULL,
  PeriodFrom DATE NOT NULL,
  PeriodTo DATE NOT NULL,
  NetAmt BIGINT NOT NULL,
  GrossAmt BIGINT NOT NULL,
  StatusCd TINYINT NOT NULL
);
CREATE TABLE dbo.Payment (
  PaymentId BIGINT NOT NULL PRIMARY KEY,
  CustomerId INT NOT NULL REFERENCES dbo.Customer(CustomerId),
  BillId BIGINT NULL REFERENCES dbo.Bill(BillId),
  PaidDt DATE NOT NULL,
  PostedDt DATE NULL,
  Amt BIGINT NOT NULL,
  MethodCd CHAR(2) NOT NULL,
  StatusCd CHAR(1) NOT NULL
);
CREATE TABLE dbo.Crew (
  CrewId INT NOT NULL PRIMARY KEY,
  CrewName NVARCHAR(60) NOT NULL,
  DepotCd CHAR(1) NOT NULL,
  IsContractor BIT NOT NULL,
  IsActive BIT NOT NULL
);
CREATE TABLE dbo.Incident (
  IncidentId INT NOT NULL PRIMARY KEY,
  DistrictCd CHAR(2) NOT NULL,
  PremiseId INT NULL REFERENCES dbo.Premise(PremiseId),
  IncTypeCd CHAR(3) NOT NULL,
  ReportedTs DATETIME2(0) NOT NULL,
  AttendedTs DATETIME2(0) NULL,
  ClosedTs DATETIME2(0) NULL,
  CrewId INT NULL REFERENCES dbo.Crew(CrewId),
  StatusCd CHAR(3) NOT NULL,
  LossQty DECIMAL(12,1) NULL,
  DupOfIncidentId INT NULL REFERENCES dbo.Incident(IncidentId)
);
