import random
from datetime import date, datetime, timedelta

NOW = datetime(2026, 1, 28, 10)
TODAY = NOW.date()


def rows():
    r = random.Random(20260128)
    D = date
    clubs = [
        (1, "Altona", "Hamburg", "DE", 1450, D(2017, 3, 1), None),
        (2, "Winterhude", "Hamburg", "DE", 980, D(2021, 9, 1), None),
        (3, "Mitte", "Berlin", "DE", 2100, D(2018, 1, 15), None),
        (4, "Neukölln", "Berlin", "DE", 1320, D(2023, 1, 1), None),
        (5, "Sendling", "Munich", "DE", None, D(2019, 10, 1), None),
        (6, "Deutz", "Cologne", "DE", 860, D(2020, 2, 1), D(2025, 6, 30)),
        (7, "Praterstern", "Vienna", "AT", 1710, D(2022, 4, 1), None),
        (8, "Favoriten", "Vienna", "AT", 1150, D(2024, 5, 1), None),
        (9, "Noord", "Amsterdam", "NL", 1240, D(2023, 9, 15), None),
        (10, "Kralingen", "Rotterdam", "NL", 1010, D(2025, 10, 1), None),
    ]
    plans = [
        (1, "BAS", "Basic", 2990, 12, False),
        (2, "FLX", "Flex", 3990, 1, False),
        (3, "PRM", "Premium", 5490, 12, False),
        (4, "STU", "Student", 2490, 6, False),
        (5, "COR", "Corporate", 4490, 12, False),
        (6, "SPA", "Sauna", 990, 1, True),
    ]
    types = [
        (1, "Vinyasa Yoga", "Mind & Body"),
        (2, "Pilates", "Mind & Body"),
        (3, "Spinning", "Cardio"),
        (4, "HIIT", "Cardio"),
        (5, "Zamba", "Dance"),
        (6, "Barbell", "Strength"),
        (7, "Boxing", "Cardio"),
        (8, "Kettlebell", "Strength"),
        (9, "Aqua Fit", "Water"),
    ]
    fn = "Anna Ben Clara David Emil Femke Greta Hannes Ines Jonas Katja Lars Mila Nils Olga Paul Romy Sven Tessa Udo Vera Wim Yara Zeno Lotte Bram Sofie Luis Nora Max".split()
    ln = "Adler Becker Conrad Dietz Engel Fuchs Gruber Hofer Iversen Jansen Keller Lang Moser Nagel Otten Pichler Reuter Seidel Thoma Ulrich Visser Wolff Zander Bakker Maurer Kern".split()
    combos = [(a, b) for a in fn for b in ln]
    r.shuffle(combos)
    tfn = "Jana Marco Selin Tom Ayse Piet Kira Jan Milena Robin Sanne Viktor Lea Timo Dunja Erik Mara Leo Hanna Kofi Bea Ruben Ida Curt".split()
    tln = "Ostermann Rossi Yildiz Krause Demir Vries Lorenz Horn Petrovic Sauer Smit Novak Brandt Hahn Maric Lund Stein Winter Vogt Mensah Falk Dekker Berg Pohl".split()
    trainers = []
    for i in range(24):
        club = i % 10 + 1
        hired = D(2018, 1, 1) + timedelta(r.randrange(2700))
        if club == 10:
            hired = D(2025, 9, 15)
        hired = max(hired, clubs[club - 1][5])
        left = None
        if club == 6:
            left = D(2025, 6, 30)
        elif i in (4, 13, 18):
            left = D(2025, 3 + i % 8, 28)
        trainers.append(
            (i + 1, tfn[i], tln[i], club, r.choice([1, 1, 2, 2, 3]), r.randrange(2400, 5200, 50), hired, left)
        )

    def ts(d0, d1, h0=6, h1=22):
        d = d0 + timedelta(r.randrange(max((d1 - d0).days, 1)))
        return datetime(d.year, d.month, d.day, r.randrange(h0, h1), r.randrange(60), r.randrange(60))

    members, memberships, payments = [], [], []
    cityof = {c[0]: c[2] for c in clubs}
    N = 430
    edges = [
        datetime(2025, 12, 1),
        datetime(2025, 12, 31, 16, 20),
        datetime(2026, 1, 1),
        datetime(2025, 11, 30, 15, 45),
        datetime(2025, 11, 1),
        datetime(2025, 1, 1),
        datetime(2024, 12, 31, 18, 5),
        datetime(2025, 10, 31, 17, 0),
    ]
    mid = 0
    bdays = r.sample(range(0, 19000), N)
    for i in range(N):
        club = r.choices(range(1, 11), [9, 6, 10, 7, 6, 4, 8, 5, 6, 2])[0]
        lo = max(D(2023, 6, 1), clubs[club - 1][5] - timedelta(20))
        hi = D(2026, 1, 28) if club != 6 else D(2025, 4, 1)
        j = edges[i] if i < len(edges) else ts(lo, hi)
        if i < len(edges):
            club = 1 + i % 5
        test = i % 19 == 7
        dele = None
        if i % 21 == 5 and j < datetime(2025, 11, 1):
            dele = min(j + timedelta(days=r.randrange(100, 500)), datetime(2026, 1, 20, 11))
        f, l = combos[i]
        bd = None if i % 17 == 3 else D(1953, 1, 1) + timedelta(bdays[i])
        city = (
            cityof[club]
            if r.random() < 0.8
            else r.choice(["Potsdam", "Lübeck", "Graz", "Hamburg", "Berlin", "Haarlem", None])
        )
        members.append(
            (
                i + 1,
                f,
                l,
                None if i % 23 == 1 else f"{f}.{l}@example.org".lower(),
                r.choices(["f", "m", "d", None], [48, 44, 2, 6])[0],
                bd,
                city,
                club if i % 29 else None,
                r.choices(["social media", "friend", "walk-in", "search", "employer", None], [24, 30, 14, 19, 8, 5])[0],
                j,
                test,
                dele,
            )
        )
        if i % 26 == 11:
            continue

        def ship(plan, created, start, addon=False, force=None):
            nonlocal mid
            mid += 1
            listp = plans[plan - 1][3]
            fee = listp if r.random() < 0.55 else int(listp * r.choice([0.9, 0.8, 0.75]))
            st = force or r.choices("ANPTCX", [50, 8, 7, 4, 21, 10])[0]
            if not force and not addon and (TODAY - start).days <= 30 and mid % 3 == 0 and club != 6:
                st = "T"
            if st == "T" and (TODAY - start).days > 30:
                st = "A"
            if st in "CX" and (TODAY - start).days < 40:
                st = "A"
            end = canc = reason = None
            if st == "C":
                canc = ts(start + timedelta(7), TODAY)
                end = min(canc.date() + timedelta(r.choice([14, 30, 30, 60])), TODAY - timedelta(1))
                if end < canc.date():
                    end = canc.date()
            elif st == "N":
                canc = ts(max(start, D(2025, 11, 10)), TODAY)
                end = TODAY + timedelta(r.randrange(3, 80))
            elif st == "X":
                end = min(start + timedelta(r.choice([180, 365])), TODAY - timedelta(r.randrange(1, 30)))
            elif st == "T":
                end = start + timedelta(30)
            if club == 6 and (end is None or end > D(2025, 6, 30)):
                st, end = "C", D(2025, 6, 30)
                canc = canc if canc and canc < datetime(2025, 6, 30) else datetime(2025, 5, 31, 12, 0)
                if canc.date() < start:
                    canc = datetime(start.year, start.month, start.day, 12)
            if canc:
                if mid % 9 == 0 and datetime(2025, 12, 1) <= canc < datetime(2026, 1, 1):
                    canc = datetime(2025, 12, 31, 15, 30)
                reason = r.choices(
                    ["moved", "price", "no time", "injury", "competitor", None], [24, 30, 18, 10, 12, 6]
                )[0]
                if club == 6 and end == D(2025, 6, 30):
                    reason = "club closed"
            memberships.append((mid, i + 1, plan, club, st, fee, created, start, end, canc, reason))
            # fees
            y, m = start.year, start.month
            last = min(end or D(2026, 2, 1), D(2026, 2, 1))
            first = True
            while True:
                due = start if first else D(y, m, 1)
                if due > last:
                    break
                if st != "T" and due >= D(2024, 1, 1):
                    pay(i + 1, mid, "FEE", fee, due)
                    if first and not addon and r.random() < 0.5:
                        pay(i + 1, mid, "JOI", 1990, due)
                first = False
                m += 1
                if m == 13:
                    y, m = y + 1, 1
            return end

        def pay(me, ms, kind, gross, due):
            st = r.choices(["PD", "OP", "FL", "RF", "WO"], [91, 2, 3, 2, 1])[0]
            paid = ref = None
            if due > TODAY:
                st = "OP"
            elif st == "OP" and (TODAY - due).days > 120:
                st = "WO"
            if st in ("PD", "RF"):
                lag = r.choices([0, 1, 2, 5, 33], [40, 25, 20, 10, 5])[0]
                d = due + timedelta(lag)
                paid = datetime(d.year, d.month, d.day, r.randrange(0, 23), r.randrange(60))
                if r.random() < 0.03:
                    paid = datetime(d.year, d.month, 1)
                    if paid.date() < due:
                        paid = datetime(d.year, d.month, d.day, 17, 5)
                if paid > NOW:
                    paid, st = None, "OP"
            if st == "RF":
                ref = min(paid + timedelta(days=r.randrange(1, 40), hours=3), datetime(2026, 1, 27, 16))
                if ref <= paid:
                    ref = paid
            payments.append(
                [
                    me,
                    ms,
                    kind,
                    st,
                    r.choices(["sepa", "card", "webpay"], [7, 2, 1])[0]
                    if kind != "SHP"
                    else r.choice(["card", "cash"]),
                    gross,
                    round(gross / 1.19),
                    due,
                    paid,
                    ref,
                ]
            )

        plan = r.choices([1, 2, 3, 4, 5], [34, 22, 22, 13, 9])[0]
        start = j.date() + timedelta(r.choice([0, 0, 1, 4, 12]))
        start = max(start, clubs[club - 1][5]) if club != 6 else start
        if start > TODAY:
            start = TODAY
        e = ship(plan, j, start)
        if e and e < D(2025, 11, 20) and r.random() < 0.35 and club != 6:
            s2 = e + timedelta(r.randrange(5, 60))
            ship(
                r.choice([1, 2, 3]),
                datetime(s2.year, s2.month, s2.day, 12, 10) - timedelta(2),
                s2,
                force=r.choice("AAN"),
            )
        if i % 8 == 2 and club != 6:
            s3 = min(start + timedelta(r.randrange(0, 90)), TODAY)
            ship(
                6,
                datetime(s3.year, s3.month, s3.day, 9, 5) - timedelta(hours=2),
                s3,
                addon=True,
                force=r.choice("AAAC") if (TODAY - s3).days > 40 else "A",
            )
        # extras
        if i % 4 == 0:
            for _ in range(r.randrange(1, 6)):
                t = ts(max(j.date(), D(2024, 1, 1)), TODAY)
                k = r.choice(["PTR", "PTR", "SHP"])
                pay(
                    i + 1,
                    None,
                    k,
                    r.choice([6500, 7900, 12900]) if k == "PTR" else r.choice([350, 1290, 2490, 4900]),
                    t.date(),
                )
    r.shuffle(payments)
    payments = [tuple([n + 1] + p) for n, p in enumerate(payments)]
    # sessions
    sessions = []
    sid = 0
    for k in range(1500):
        if k < 40:
            d = D(2026, 1, 29) + timedelta(k % 14)
        elif k < 130:
            d = D(2026, 1, 1) + timedelta(r.randrange(28))
        else:
            d = D(2024, 2, 1) + timedelta(r.randrange((D(2026, 1, 28) - D(2024, 2, 1)).days))
        ok = [c[0] for c in clubs if c[5] <= d and not (c[6] and c[6] < d)]
        club = r.choice(ok)
        tr = [t[0] for t in trainers if t[3] == club and t[6] <= d and not (t[7] and t[7] < d)]
        trn = r.choice(tr) if tr and r.random() > 0.08 else None
        st_at = datetime(d.year, d.month, d.day, r.choice([7, 8, 9, 12, 17, 18, 18, 19, 20]), r.choice([0, 15, 30]))
        past = st_at < NOW
        st = r.choices(["D", "X"], [93, 7])[0] if past else r.choices(["S", "X"], [94, 6])[0]
        sid += 1
        sessions.append(
            (
                sid,
                r.choices(range(1, 10), [9, 6, 8, 7, 4, 5, 3, 3, 2])[0],
                club,
                trn,
                st_at,
                r.choice([30, 45, 60, 60, 75]),
                r.choice([8, 10, 12, 16, 20]),
                st,
            )
        )
    # bookings
    bookings = []
    bid = 0
    bookers = [m for m in members if m[0] % 5 != 0]
    for s in sessions:
        cand = [m for m in bookers if m[9] < s[4] - timedelta(days=1) and not (m[11] and m[11] < s[4])]
        local = [m for m in cand if m[7] == s[2]] or cand
        n = r.choices(range(0, 8), [5, 10, 18, 22, 20, 13, 8, 4])[0]
        if not local:
            continue
        for m in r.sample(local, min(n, len(local))):
            b = s[4] - timedelta(hours=r.randrange(2, 160), minutes=r.randrange(60))
            if b > NOW:
                b = NOW - timedelta(hours=r.randrange(1, 60))
            b = max(b, m[9])
            canc = None
            if s[7] == "S":
                st = r.choices(["BK", "CX", "WL"], [80, 12, 8])[0]
            elif s[7] == "X":
                st = "CX"
            else:
                st = r.choices(["AT", "NS", "CX", "LC", "WL"], [70, 11, 10, 5, 4])[0]
            if st in ("CX", "LC"):
                canc = min(b + (s[4] - b) * (0.95 if st == "LC" else r.random() * 0.6), NOW).replace(microsecond=0)
            bid += 1
            bookings.append((bid, s[0], m[0], b, st, canc))
    # check-ins
    checks = []
    weights = [r.choice([0, 1, 1, 2, 4, 8]) if m[0] % 13 else 0 for m in members]
    pool = r.choices(members, weights, k=4300)
    for n, m in enumerate(pool):
        lo = max(m[9].date(), D(2024, 1, 1))
        if n % 3 == 0:
            lo = max(lo, D(2025, 10, 1))
        hi = m[11].date() if m[11] else TODAY
        if m[0] % 7 == 0 and not m[11]:
            hi = D(2025, 10, 10)
        if hi <= lo:
            continue
        e = ts(lo, hi)
        c = m[7] or 3
        if r.random() < 0.12:
            c = r.choice([1, 3, 5, 7])
        if clubs[c - 1][6] and e.date() > clubs[c - 1][6] or e.date() < clubs[c - 1][5]:
            c = 3
        checks.append([m[0], c, e, None if r.random() < 0.06 else e + timedelta(minutes=r.randrange(18, 130))])
    live = [m for m in members if not m[11] and m[9] < datetime(2025, 6, 1) and m[0] % 7 and m[0] % 13]
    for h, d in [
        ((0, 0), D(2025, 12, 1)),
        ((0, 0), D(2026, 1, 1)),
        ((21, 59), D(2025, 12, 31)),
        ((0, 0), D(2026, 1, 27)),
        ((0, 0), D(2026, 1, 28)),
        ((16, 30), D(2025, 11, 30)),
        ((0, 0), D(2026, 1, 19)),
        ((20, 0), D(2026, 1, 25)),
        ((0, 0), D(2026, 1, 26)),
    ]:
        for m in r.sample(live, 2):
            checks.append([m[0], m[7] or 3, datetime(d.year, d.month, d.day, *h), None])
    for k in range(45):
        m = r.choice(live)
        d = TODAY - timedelta(r.choice([0, 1, 1, 1, 2, 3, 4]))
        e = datetime(d.year, d.month, d.day, r.randrange(6, 10) if d == TODAY else r.randrange(6, 22), r.randrange(60))
        checks.append([m[0], m[7] or 3, e, None if d == TODAY else e + timedelta(minutes=r.randrange(20, 120))])
    checks = [
        tuple([n + 1] + c)
        if clubs[c[1] - 1][6] is None or c[2].date() <= clubs[c[1] - 1][6]
        else tuple([n + 1, c[0], 3] + c[2:])
        for n, c in enumerate(checks)
    ]
    return dict(
        clubs=clubs,
        plans=plans,
        members=members,
        memberships=memberships,
        trainers=trainers,
        class_types=types,
        class_sessions=sessions,
        bookings=bookings,
        check_ins=checks,
        payments=payments,
    )
