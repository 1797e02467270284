CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    customer TEXT NOT NULL,
    placed TEXT NOT NULL,
    status TEXT NOT NULL
) STRICT;

CREATE TABLE lines (
    order_id TEXT NOT NULL REFERENCES orders (id),
    item TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    cents INTEGER NOT NULL CHECK (cents >= 0)
) STRICT;

INSERT INTO orders VALUES
    ('A-1039', 'Grace Hopper', '2026-07-01', 'delivered'),
    ('A-1040', 'Alan Turing', '2026-07-14', 'shipped'),
    ('A-1041', 'Ada Lovelace', '2026-07-20', 'paid');

INSERT INTO lines VALUES
    ('A-1039', 'Sea otters: a field guide', 1, 2450),
    ('A-1040', 'Chess clock', 2, 3900),
    ('A-1041', 'Poster: otters at play', 3, 900),
    ('A-1041', 'Punched cards, box of 100', 1, 1250);
