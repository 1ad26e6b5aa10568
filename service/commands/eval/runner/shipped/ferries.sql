CREATE TABLE ports (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE ferries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, seats INTEGER NOT NULL, built DATE NOT NULL);
CREATE TABLE routes (
    id INTEGER PRIMARY KEY,
    from_port INTEGER NOT NULL REFERENCES ports (id),
    to_port INTEGER NOT NULL REFERENCES ports (id),
    minutes INTEGER NOT NULL
);
CREATE TABLE sailings (
    id INTEGER PRIMARY KEY,
    route_id INTEGER NOT NULL REFERENCES routes (id),
    ferry_id INTEGER NOT NULL REFERENCES ferries (id),
    sailed_on DATE NOT NULL,
    status TEXT NOT NULL
);
CREATE TABLE passengers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY,
    sailing_id INTEGER NOT NULL REFERENCES sailings (id),
    passenger_id INTEGER NOT NULL REFERENCES passengers (id),
    price REAL NOT NULL,
    class TEXT NOT NULL,
    refunded INTEGER NOT NULL
);
