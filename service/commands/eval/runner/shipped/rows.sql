INSERT INTO ports VALUES
    (1, 'Larvik', 'Norway'), (2, 'Skagen', 'Denmark'), (3, 'Bergen', 'Norway'), (4, 'Hull', 'England'),
    (5, 'Visby', 'Sweden');
INSERT INTO ferries VALUES
    (1, 'Alma', 420, '1998-04-12'), (2, 'Brage', 900, '2011-09-30'), (3, 'Cecilie', 260, '2004-02-29'),
    (4, 'Dronning', 1200, '2019-06-01');
INSERT INTO routes VALUES (1, 1, 2, 225), (2, 2, 1, 230), (3, 3, 4, 1440), (4, 4, 3, 1450), (5, 5, 2, 610);
INSERT INTO sailings VALUES
    (1, 1, 1, '2024-12-30', 'arrived'), (2, 1, 2, '2025-01-04', 'arrived'), (3, 2, 2, '2025-01-05', 'cancelled'),
    (4, 3, 4, '2025-02-11', 'arrived'), (5, 4, 4, '2025-02-13', 'arrived'), (6, 1, 1, '2025-03-02', 'cancelled'),
    (7, 2, 1, '2025-03-03', 'arrived'), (8, 3, 2, '2025-07-19', 'arrived');
INSERT INTO passengers VALUES
    (1, 'Ida', 'Norway'), (2, 'Omar', 'Denmark'), (3, 'Petra', 'Sweden'), (4, 'Quentin', NULL), (5, 'Rut', 'Norway'),
    (6, 'Sven', 'Sweden');
INSERT INTO tickets VALUES
    (1, 1, 1, 40.0, 'economy', 0), (2, 1, 2, 40.0, 'economy', 0), (3, 2, 1, 95.0, 'cabin', 0),
    (4, 2, 3, 45.0, 'economy', 0), (5, 3, 4, 45.0, 'economy', 1), (6, 4, 5, 310.0, 'cabin', 0),
    (7, 4, 2, 150.0, 'economy', 0), (8, 5, 5, 290.0, 'cabin', 0), (9, 6, 3, 42.5, 'economy', 1),
    (10, 7, 1, 41.0, 'economy', 0), (11, 8, 4, 160.0, 'economy', 0), (12, 8, 3, 330.0, 'cabin', 1);
