-- The sample database: a small shop. It is also a script for the sqlite3 shell:
--     sqlite3 shop.db < sample.sql

CREATE TABLE customer (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    city    TEXT,
    since   TEXT NOT NULL  -- a date, as in 2024-03-01
);

CREATE TABLE product (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    price   REAL NOT NULL CHECK (price >= 0),
    picture BLOB
);

CREATE TABLE purchase (
    id       INTEGER PRIMARY KEY,
    customer INTEGER NOT NULL REFERENCES customer (id),
    product  INTEGER NOT NULL REFERENCES product (id),
    pieces   INTEGER NOT NULL DEFAULT 1,
    day      TEXT NOT NULL
);

CREATE INDEX purchase_by_customer ON purchase (customer, day);

CREATE VIEW sales AS
SELECT product.name AS product, sum(pieces) AS pieces, round(sum(pieces * price), 2) AS revenue
FROM purchase JOIN product ON product.id = purchase.product
GROUP BY product.id;

INSERT INTO customer VALUES
    (1, 'Ada Lovelace', 'London', '2023-12-10'),
    (2, 'Blaise Pascal', 'Paris', '2024-06-19'),
    (3, 'Grace Hopper', NULL, '2024-12-09'),
    (4, 'Konrad Zuse', 'Berlin', '2025-06-22');

INSERT INTO product VALUES
    (1, 'Abacus', 24.90, x'89504e470d0a1a0a'),
    (2, 'Punched cards, 100', 7.50, NULL),
    (3, 'Relay', 3.20, NULL),
    (4, 'Nanosecond of wire', 0.30, NULL);

INSERT INTO purchase (customer, product, pieces, day) VALUES
    (1, 1, 1, '2025-01-15'), (1, 2, 12, '2025-02-03'), (2, 1, 2, '2025-02-03'),
    (3, 4, 1000, '2025-03-21'), (4, 3, 2600, '2025-05-12'), (1, 2, 8, '2025-06-30');
