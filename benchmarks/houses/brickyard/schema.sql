CREATE TABLE dbo.Depot (
  DepotCd char(3) NOT NULL PRIMARY KEY,
  DepotName varchar(40) NOT NULL,
  Region varchar(20) NOT NULL,
  OpenedOn date NOT NULL,
  ClosedOn date NULL
);

CREATE TABLE dbo.Staff (
  StaffId int NOT NULL PRIMARY KEY,
  StaffName varchar(60) NOT NULL,
  DepotCd char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  JobCd char(3) NOT NULL,
  StartOn date NOT NULL,
  LeftOn date NULL
);

CREATE TABLE dbo.TradeAcct (
  AcctNo varchar(8) NOT NULL PRIMARY KEY,
  AcctName varchar(80) NOT NULL,
  AcctType char(1) NOT NULL,
  HomeDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  RepId int NULL REFERENCES dbo.Staff(StaffId),
  Phone varchar(20) NULL,
  TermsDays smallint NOT NULL,
  CreditLimit decimal(12,2) NOT NULL,
  OnStop bit NOT NULL DEFAULT 0,
  OpenedOn date NOT NULL,
  ClosedOn date NULL
);

CREATE TABLE dbo.Product (
  Sku varchar(12) NOT NULL PRIMARY KEY,
  Descr varchar(100) NOT NULL,
  CatCd char(3) NOT NULL,
  Uom varchar(6) NOT NULL,
  ListPrice decimal(10,2) NOT NULL,
  Discontinued bit NOT NULL DEFAULT 0
);

CREATE TABLE dbo.QuoteHdr (
  QuoteNo int NOT NULL,
  RevNo tinyint NOT NULL,
  AcctNo varchar(8) NOT NULL REFERENCES dbo.TradeAcct(AcctNo),
  DepotCd char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  StaffId int NOT NULL REFERENCES dbo.Staff(StaffId),
  QuotedAt datetime2(0) NOT NULL,
  ValidTo date NOT NULL,
  Status char(1) NOT NULL,
  NetValue decimal(12,2) NOT NULL,
  PRIMARY KEY (QuoteNo, RevNo)
);

CREATE TABLE dbo.SOHdr (
  OrderNo int NOT NULL PRIMARY KEY,
  AcctNo varchar(8) NOT NULL REFERENCES dbo.TradeAcct(AcctNo),
  SellDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  ShipDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  TakenBy int NULL REFERENCES dbo.Staff(StaffId),
  Chan char(3) NOT NULL,
  Fulfil char(1) NOT NULL,
  OrderedAt datetime2(0) NOT NULL,
  ReqDate date NULL,
  Status char(1) NOT NULL,
  QuoteNo int NULL,
  CustRef varchar(30) NULL,
  IsDel bit NOT NULL DEFAULT 0
);

CREATE TABLE dbo.SOLine (
  OrderNo int NOT NULL REFERENCES dbo.SOHdr(OrderNo),
  LnNo smallint NOT NULL,
  Sku varchar(12) NOT NULL REFERENCES dbo.Product(Sku),
  QtyOrd decimal(10,3) NOT NULL,
  QtyDel decimal(10,3) NOT NULL,
  CostPence bigint NOT NULL,
  NetPence bigint NOT NULL,
  PRIMARY KEY (OrderNo, LnNo)
);

CREATE TABLE dbo.Delivery (
  DelNo int NOT NULL PRIMARY KEY,
  OrderNo int NOT NULL REFERENCES dbo.SOHdr(OrderNo),
  FromDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  DriverId int NULL REFERENCES dbo.Staff(StaffId),
  VehReg varchar(8) NULL,
  PlanDate date NOT NULL,
  DespAt datetime2(0) NULL,
  DelivAt datetime2(0) NULL,
  Status char(1) NOT NULL,
  FailCd char(2) NULL
);

CREATE TABLE dbo.Rtn (
  RtnNo int NOT NULL PRIMARY KEY,
  OrderNo int NOT NULL,
  LnNo smallint NOT NULL,
  Qty decimal(10,3) NOT NULL,
  ReasonCd char(3) NOT NULL,
  RtnAt datetime2(0) NOT NULL,
  InDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  Outcome char(1) NULL,
  FOREIGN KEY (OrderNo, LnNo) REFERENCES dbo.SOLine(OrderNo, LnNo)
);

CREATE TABLE dbo.CreditNote (
  CnNo int NOT NULL PRIMARY KEY,
  AcctNo varchar(8) NOT NULL REFERENCES dbo.TradeAcct(AcctNo),
  OrderNo int NULL REFERENCES dbo.SOHdr(OrderNo),
  RtnNo int NULL REFERENCES dbo.Rtn(RtnNo),
  CnType char(3) NOT NULL,
  Status char(1) NOT NULL,
  RaisedOn date NOT NULL,
  PostedOn date NULL,
  NetAmt decimal(12,2) NOT NULL
);

CREATE TABLE dbo.StockTrf (
  TrfNo int NOT NULL PRIMARY KEY,
  FromDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  ToDepot char(3) NOT NULL REFERENCES dbo.Depot(DepotCd),
  Sku varchar(12) NOT NULL REFERENCES dbo.Product(Sku),
  Qty decimal(10,3) NOT NULL,
  SentOn date NOT NULL,
  RecvOn date NULL
);
