CREATE TABLE dbo.Customers (
    CustomerId INT NOT NULL PRIMARY KEY,
    CustomerName NVARCHAR(120) NOT NULL,
    CountryCode CHAR(2) NOT NULL,
    City NVARCHAR(80) NOT NULL,
    Segment VARCHAR(3) NOT NULL,
    AccountManager NVARCHAR(80) NULL,
    SignedUpOn DATE NOT NULL,
    IsTest TINYINT NOT NULL,
    DeletedAt DATETIME2 NULL
);

CREATE TABLE dbo.Depots (
    DepotId INT NOT NULL PRIMARY KEY,
    DepotCode CHAR(3) NOT NULL,
    DepotName NVARCHAR(80) NOT NULL,
    City NVARCHAR(80) NOT NULL,
    CountryCode CHAR(2) NOT NULL,
    OpenedOn DATE NOT NULL,
    ClosedOn DATE NULL
);

CREATE TABLE dbo.Vehicles (
    VehicleId INT NOT NULL PRIMARY KEY,
    PlateNo VARCHAR(12) NOT NULL,
    VehicleType CHAR(1) NOT NULL,
    FuelType VARCHAR(3) NOT NULL,
    PayloadKg INT NOT NULL,
    DepotId INT NOT NULL,
    InServiceFrom DATE NOT NULL,
    RetiredOn DATE NULL
);

CREATE TABLE dbo.Drivers (
    DriverId INT NOT NULL PRIMARY KEY,
    FullName NVARCHAR(100) NOT NULL,
    DepotId INT NOT NULL,
    EmploymentType CHAR(3) NOT NULL,
    HiredOn DATE NOT NULL,
    LeftOn DATE NULL,
    LicenceExpiresOn DATE NULL
);

CREATE TABLE dbo.Shipments (
    ShipmentId INT NOT NULL PRIMARY KEY,
    TrackingNo VARCHAR(20) NOT NULL,
    CustomerId INT NOT NULL,
    ServiceCode CHAR(2) NOT NULL,
    OriginDepotId INT NOT NULL,
    DestDepotId INT NOT NULL,
    DestCity NVARCHAR(80) NOT NULL,
    StatusCode SMALLINT NOT NULL, -- see data dictionary
    BookedAt DATETIME2 NOT NULL,
    PickedUpAt DATETIME2 NULL,
    PromisedBy DATETIME2 NOT NULL,
    DeliveredAt DATETIME2 NULL,
    Pieces INT NOT NULL,
    WeightGrams INT NOT NULL,
    ChargeableGrams INT NOT NULL,
    PriceCents INT NOT NULL,
    DeletedAt DATETIME2 NULL
);

CREATE TABLE dbo.Routes (
    RouteId INT NOT NULL PRIMARY KEY,
    RouteDate DATE NOT NULL,
    DepotId INT NOT NULL,
    DriverId INT NOT NULL,
    VehicleId INT NOT NULL,
    StatusCode CHAR(1) NOT NULL,
    StartedAt DATETIME2 NULL,
    FinishedAt DATETIME2 NULL,
    DistanceMeters INT NULL
);

CREATE TABLE dbo.RouteStops (
    StopId INT NOT NULL PRIMARY KEY,
    RouteId INT NOT NULL,
    ShipmentId INT NOT NULL,
    StopSeq INT NOT NULL,
    ArrivedAt DATETIME2 NULL,
    Outcome CHAR(1) NULL,
    FailReason CHAR(2) NULL
);

CREATE TABLE dbo.Claims (
    ClaimId INT NOT NULL PRIMARY KEY,
    ShipmentId INT NOT NULL,
    ClaimType CHAR(3) NOT NULL,
    StatusCode CHAR(1) NOT NULL,
    ClaimedCents INT NOT NULL,
    PaidCents INT NULL,
    OpenedAt DATETIME2 NOT NULL,
    ClosedAt DATETIME2 NULL
);

CREATE TABLE dbo.Invoices (
    InvoiceId INT NOT NULL PRIMARY KEY,
    InvoiceNo VARCHAR(16) NOT NULL,
    CustomerId INT NOT NULL,
    StatusCode CHAR(2) NOT NULL,
    IssuedOn DATE NULL,
    DueOn DATE NULL,
    PaidOn DATE NULL,
    NetCents INT NOT NULL,
    VatCents INT NOT NULL
);
