CREATE TABLE sucursales (
  suc_id         smallint PRIMARY KEY,
  nombre         varchar(60) NOT NULL,
  tipo           char(1) NOT NULL,
  municipio      varchar(50),
  m2             numeric(7,1),
  renta_mensual  numeric(10,2),
  apertura       date NOT NULL,
  cierre         date
);

CREATE TABLE empleados (
  id_emp   integer PRIMARY KEY,
  nombre   varchar(100) NOT NULL,
  puesto   char(3) NOT NULL,
  suc_id   smallint REFERENCES sucursales (suc_id),
  ingreso  date NOT NULL,
  baja     date
);

CREATE TABLE rutas (
  id_ruta    integer PRIMARY KEY,
  clave      varchar(6) NOT NULL UNIQUE,
  nombre     varchar(60) NOT NULL,
  chofer_id  integer REFERENCES empleados (id_emp),
  km_ruta    numeric(6,1),
  activa     boolean NOT NULL DEFAULT true
);

CREATE TABLE clientes (
  id_cliente     integer PRIMARY KEY,
  nom_comercial  varchar(120) NOT NULL,
  rfc            varchar(13) NOT NULL,
  giro           char(3) NOT NULL,
  id_ruta        integer REFERENCES rutas (id_ruta),
  municipio      varchar(50),
  lim_credito    numeric(12,2),
  dias_credito   smallint NOT NULL DEFAULT 0,
  alta           date NOT NULL,
  baja           date,
  es_prueba      boolean NOT NULL DEFAULT false
);

CREATE TABLE productos (
  sku                 varchar(10) PRIMARY KEY,
  descr               varchar(80) NOT NULL,
  fam                 char(3) NOT NULL,
  pza_x_charola       smallint NOT NULL,
  precio_charola_ctv  integer,
  precio_pza          numeric(8,2),
  activo              boolean NOT NULL DEFAULT true
);

CREATE TABLE pedidos (
  folio         bigint PRIMARY KEY,
  id_cliente    integer NOT NULL REFERENCES clientes (id_cliente),
  id_ruta       integer REFERENCES rutas (id_ruta),
  origen        varchar(3) NOT NULL,
  capturado_en  timestamptz NOT NULL,
  prometido_en  timestamptz NOT NULL,
  entregado_en  timestamptz,
  est           char(2) NOT NULL,
  moneda        char(3) NOT NULL DEFAULT 'MXN',
  tc            numeric(10,4) NOT NULL DEFAULT 1,
  importe_ctv   bigint NOT NULL,
  borrado_en    timestamptz
);

CREATE TABLE ped_reng (
  folio       bigint NOT NULL REFERENCES pedidos (folio),
  reng        smallint NOT NULL,
  sku         varchar(10) NOT NULL REFERENCES productos (sku),
  tipo        char(1) NOT NULL DEFAULT 'V',
  cant_ped    integer NOT NULL,
  cant_surt   integer NOT NULL DEFAULT 0,
  cant_dev    integer NOT NULL DEFAULT 0,
  precio_ctv  integer NOT NULL,
  PRIMARY KEY (folio, reng)
);

CREATE TABLE cobros (
  id_cobro   bigint PRIMARY KEY,
  folio      bigint NOT NULL REFERENCES pedidos (folio),
  fecha      date NOT NULL,
  monto      numeric(12,2) NOT NULL,
  metodo     varchar(3) NOT NULL,
  cancelado  boolean NOT NULL DEFAULT false
);

CREATE TABLE tickets (
  id_ticket   bigint PRIMARY KEY,
  suc_id      smallint NOT NULL REFERENCES sucursales (suc_id),
  caja        smallint NOT NULL,
  cajero_id   integer NOT NULL REFERENCES empleados (id_emp),
  fecha_hora  timestamp NOT NULL,
  jornada     date NOT NULL,
  forma_pago  char(1) NOT NULL,
  total       numeric(10,2) NOT NULL,
  iva         numeric(10,2) NOT NULL DEFAULT 0,
  estatus     char(1) NOT NULL,
  tarj_lealtad varchar(12)
);

CREATE TABLE ticket_det (
  id_ticket  bigint NOT NULL REFERENCES tickets (id_ticket),
  lin        smallint NOT NULL,
  sku        varchar(10) NOT NULL REFERENCES productos (sku),
  pzas       integer NOT NULL,
  importe    numeric(10,2) NOT NULL,
  PRIMARY KEY (id_ticket, lin)
);

CREATE TABLE traspasos (
  id_trasp     bigint PRIMARY KEY,
  suc_origen   smallint NOT NULL REFERENCES sucursales (suc_id),
  suc_destino  smallint NOT NULL REFERENCES sucursales (suc_id),
  sku          varchar(10) NOT NULL REFERENCES productos (sku),
  pzas_env     integer NOT NULL,
  pzas_rec     integer,
  enviado_en   timestamp NOT NULL,
  recibido_en  timestamp
);
