import random
from datetime import date, datetime
from datetime import timedelta as TD


def rows():
    R = random.Random(2306)
    now = datetime(2026, 6, 23, 7, 45)
    today = now.date()
    cities = {
        "NL": ["Rotterdam", "Utrecht", "Eindhoven", "Zwolle"],
        "BE": ["Antwerp", "Ghent", "Liege"],
        "DE": ["Cologne", "Bremen", "Dortmund"],
        "LU": ["Luxembourg"],
    }
    a = [
        "Bluefern",
        "Oakmere",
        "Tilda",
        "Norrvik",
        "Castello",
        "Pepperbox",
        "Hagedoorn",
        "Kestrel",
        "Ambermill",
        "Vandaal",
        "Lumio",
        "Sable",
        "Quillon",
        "Riverton",
        "Marwick",
        "Zonnehof",
    ]
    b = ["Foods", "Interiors", "Pharma", "Tools"]
    names = [x + " " + y for y in b for x in a]
    ams = ["Mirjam de Wit", "Jonas Brandt", "Chloe Peeters", "Samir Haddad"]
    C = []
    for i, n in enumerate(names, 1):
        cc = R.choices(["NL", "BE", "DE", "LU"], [28, 16, 16, 4])[0]
        test = i in (17, 40, 58)
        su = date(2023, 9, 1) + TD(days=R.randrange(0, 900))
        if i in (5, 6):
            su = date(2025, 12, 31)
        if i in (15, 33):
            cc, su = "DE", date(2025, 4, 30 if i == 15 else 12)
        if i == 58:
            cc, su = "DE", date(2025, 8, 1)
        if i == 7:
            su = date(2026, 1, 1)
        dl = datetime(2026, R.randrange(1, 6), 14, 15, 30) if i in (9, 23, 33, 51) else None
        am = R.choice(ams) if R.random() > 0.12 else None
        if i == 1:
            am, cc, su = "Jonas Brandt", "NL", date(2023, 11, 2)
        if i in (17, 23):
            am = None
        seg = "ENT" if i in (9, 40) else R.choices(["ENT", "MID", "SMB"], [1, 2, 4])[0]
        C.append((i, ("TEST " if test else "") + n, cc, R.choice(cities[cc]), seg, am, su, int(test), dl))
    D = [
        (1, "RTM", "Rotterdam Hub", "Rotterdam", "NL", date(2019, 3, 1), None),
        (2, "UTC", "Utrecht Oost", "Utrecht", "NL", date(2020, 6, 15), None),
        (3, "ANR", "Antwerp Noord", "Antwerp", "BE", date(2020, 1, 6), None),
        (4, "GNT", "Ghent Dok", "Ghent", "BE", date(2022, 9, 1), date(2026, 9, 30)),
        (5, "CGN", "Cologne West", "Cologne", "DE", date(2021, 4, 1), None),
        (6, "BRE", "Bremen Hafen", "Bremen", "DE", date(2023, 2, 1), None),
        (7, "ZWL", "Zwolle Zuid", "Zwolle", "NL", date(2019, 10, 1), date(2025, 8, 31)),
    ]
    dep_city = {
        1: ["Rotterdam", "The Hague", "Delft"],
        2: ["Utrecht", "Amersfoort"],
        3: ["Antwerp", "Mechelen"],
        4: ["Ghent", "Bruges"],
        5: ["Cologne", "Bonn", "Dortmund"],
        6: ["Bremen", "Oldenburg"],
        7: ["Zwolle", "Apeldoorn"],
    }
    V = []
    for i in range(1, 49):
        t = R.choices("VRAB", [6, 3, 2, 1])[0]
        f = (
            "HUM"
            if t == "B" and R.random() < 0.4
            else "ELE"
            if t == "B"
            else R.choice(["DSL", "DSL", "ELE", "CNG"])
            if t != "A"
            else "DSL"
        )
        pay = {"V": 900, "R": 6500, "A": 22000, "B": 120}[t] + i * 3
        dep = (i - 1) % 7 + 1
        ret = None
        if dep == 7 or i % 9 == 0:
            ret = date(2025, 8, 31) if dep == 7 else date(2026, 1, 31)
        V.append(
            (
                i,
                "%s-%03d-%s" % (R.choice("VNT"), 100 + i * 7, R.choice(["XB", "KL", "PD"])),
                t,
                f,
                pay,
                dep,
                date(2019, 4, 1) + TD(days=i * 37 + R.randrange(30)),
                ret,
            )
        )
    fn = ["Lena", "Pieter", "Youssef", "Katrin", "Tom", "Anouk", "Mehmet", "Sofie"]
    ln = ["Vogt", "Jansen", "Claes", "Richter", "Bakker", "Maes", "Yilmaz"]
    Dr, idle = [], (8, 19, 30, 41)
    for i in range(1, 57):
        dep = (i - 1) % 7 + 1
        h = date(2021, 1, 4) + TD(days=R.randrange(0, 1080))
        left = None
        if dep == 7:
            left = date(2025, 8, 31)
        elif i % 11 == 0:
            left = date(2026, 2, 28)
        elif i in (13, 25):
            left = date(2026, 7, 31)
        lic = today + TD(days=R.randrange(-20, 1500)) if R.random() > 0.06 else None
        if i in (2, 9, 16):
            lic = today + TD(days=20 + i)
        if i == 11:
            lic = date(2026, 8, 1)
        if i == 33:
            lic = date(2026, 7, 9)
        if i == 1:
            lic = date(2028, 5, 1)
        Dr.append(
            (i, fn[(i - 1) % 8] + " " + ln[((i - 1) // 8) % 7], dep, R.choices(["EMP", "SUB"], [3, 1])[0], h, left, lic)
        )
    start = datetime(2024, 4, 1)
    span = (now - start).total_seconds()
    never = {12, 27, 44, 61, 58, 51}
    w = [0 if c[0] in never else R.choice([0.3, 0.6, 1, 1.6, 3]) for c in C]
    for k in (17, 40):
        w[k - 1] = 3.2
    quiet = {20, 36, 47}
    edges = [
        datetime(2026, 5, 31, 16, 20),
        datetime(2026, 6, 1),
        datetime(2026, 5, 1),
        datetime(2026, 4, 30, 15),
        datetime(2026, 4, 30, 23, 59, 59),
        datetime(2026, 6, 22),
        datetime(2026, 6, 22, 23, 59, 59),
        datetime(2026, 6, 23),
        datetime(2026, 1, 1),
        datetime(2025, 12, 31, 17, 5),
        datetime(2026, 3, 31, 18),
        datetime(2026, 4, 1),
        datetime(2026, 6, 15),
        datetime(2026, 6, 21, 20),
        datetime(2026, 3, 25),
        datetime(2026, 5, 24, 0, 0),
    ]
    S, stops, routes, rkey = [], [], [], {}

    def route(dep, d):
        k = (dep, d)
        if k in rkey and R.random() < 0.85:
            return rkey[k]
        cand = [
            x
            for x in Dr
            if x[2] == dep
            and x[4] <= d
            and (x[5] is None or x[5] >= d)
            and not (x[0] in idle and d > date(2026, 5, 10))
        ]
        cand = cand or [x for x in Dr if x[2] == dep]
        veh = [v for v in V if v[5] == dep and v[6] <= d and (v[7] is None or v[7] >= d)] or [
            v for v in V if v[5] == dep
        ]
        st = datetime(d.year, d.month, d.day, 5, R.randrange(60))
        live = d == today
        routes.append(
            (
                len(routes) + 1,
                d,
                dep,
                R.choice(cand)[0],
                R.choice(veh)[0],
                "A" if live else "C",
                st,
                None if live else st + TD(minutes=R.randrange(240, 600)),
                None if live else R.randrange(18000, 240000),
            )
        )
        rkey[k] = len(routes)
        return rkey[k]

    seq = {}

    def stop(sid, dep, at, out, why=None):
        r = route(dep, at.date())
        seq[r] = seq.get(r, 0) + 1
        stops.append((len(stops) + 1, r, sid, seq[r], None if out in ("N", None) else at, out, why))

    N = 3600
    times = sorted([start + TD(seconds=int(span * R.random() ** 0.75)) for _ in range(N - 4 * len(edges))] + edges * 4)

    def wk(x):
        return (
            x + TD(days=7 - x.weekday())
            if x.weekday() >= 5 and x < now - TD(days=10) and x.time() != datetime.min.time() and R.random() < 0.55
            else x
        )

    times = sorted(x if x in edges else wk(x) for x in times)
    yday = 0
    for i, bk in enumerate(times, 1):
        while True:
            c = R.choices(C, w)[0]
            if c[0] in quiet and bk > datetime(2026, 3, 1):
                continue
            if c[8] and bk > c[8]:
                continue
            if c[6] > bk.date() and R.random() < 0.9:
                continue
            break
        force = 0
        if bk.date() == date(2026, 6, 22):
            yday += 1
            if yday in (2, 9):
                c = C[16]
            if yday in (3, 6):
                force = 90
            if yday == 5:
                force = -1
        if i == 2900:
            c, force = C[26], -1
        sv = R.choices(["SD", "ND", "EC", "PL"], [2, 5, 4, 2])[0]
        deps = [1, 2, 3, 4, 5, 6] + ([7] if bk < datetime(2025, 8, 25) else [])
        o, d = R.choice(deps), R.choice(deps + [1, 3])
        h = {"SD": 9, "ND": 30, "EC": 100, "PL": 76}[sv]
        prom = bk + TD(hours=h)
        u = R.random()
        pick = bk + TD(minutes=R.randrange(30, 360 if sv == "SD" else 900))
        dl = prom + TD(minutes=int(R.gauss(-150, 140)))
        if dl <= pick:
            dl = pick + TD(minutes=45)
        st = 40
        if u < 0.06 or force == 90:
            st = 90
        elif u < 0.085:
            st = 60
        elif u < 0.115:
            st = 50
        elif u < 0.125:
            st = 20
        if R.random() < 0.02:
            dl = max(prom, pick + TD(minutes=20))
        if st == 90:
            pick = dl = None
        elif pick > now:
            st, pick, dl = 10, None, None
        elif st != 40 or dl > now:
            dl = None
            if st == 40 or (st in (50, 60) and prom > now - TD(days=2)):
                st = R.choice([20, 30])
        wt = R.randrange(60000, 780000) if sv == "PL" else R.randrange(200, 29000)
        ch = int(wt * R.choice([1, 1, 1.2, 1.6]))
        pr = R.randrange(4500, 32000) if sv == "PL" else R.randrange(480, 4200) * (2 if sv == "SD" else 1)
        de = bk + TD(hours=5) if R.random() < 0.04 and bk < now - TD(hours=6) else None
        if force == -1:
            de = bk + TD(hours=2)
        S.append(
            (
                i,
                "HL%09d" % (i * 7919 % 10**9),
                c[0],
                sv,
                o,
                d,
                R.choice(dep_city[d]),
                st,
                bk,
                pick,
                prom,
                dl,
                R.choices([1, 2, 3, 6], [7, 2, 1, 1])[0],
                wt,
                ch,
                pr,
                de,
            )
        )
        nf = R.choices([0, 1, 2], [80, 15, 5])[0]
        why = lambda: R.choices(["NH", "WA", "RF", "NA"], [6, 2, 1, 1])[0]
        if st == 40:
            for k in range(nf, 0, -1):
                t = dl - TD(hours=22 * k)
                if t > pick:
                    stop(i, d, t, "F", why())
            if R.random() < 0.05 and dl - TD(hours=24) > pick:
                stop(i, d, dl - TD(hours=24), "N")
            stop(i, d, dl, "D")
        elif st == 50:
            for k in range(3):
                t = prom + TD(hours=24 * k - 2)
                if t < now:
                    stop(i, d, t, "F", why())
        elif st == 30:
            stop(i, d, now - TD(minutes=5), None)
    for k in range(120):
        dep = R.choice([1, 2, 3, 4, 5, 6])
        d = date(2025, 1, 1) + TD(days=R.randrange(535))
        dr = R.choice([x for x in Dr if x[2] == dep and (x[5] is None or x[5] >= d) and x[0] not in idle])
        routes.append(
            (len(routes) + 1, d, dep, dr[0], R.choice([v for v in V if v[5] == dep])[0], "X", None, None, None)
        )
    for j, dd in ((8, date(2026, 6, 10)), (19, date(2026, 6, 24))):
        routes.append(
            (
                len(routes) + 1,
                dd,
                Dr[j - 1][2],
                j,
                [v for v in V if v[5] == Dr[j - 1][2]][0][0],
                "X" if j == 8 else "P",
                None,
                None,
                None,
            )
        )
    for dep in (1, 2, 3, 5, 6):
        dr = [x for x in Dr if x[2] == dep and x[5] is None and x[0] not in idle][0]
        routes.append(
            (
                len(routes) + 1,
                date(2026, 6, 25),
                dep,
                dr[0],
                [v for v in V if v[5] == dep and v[7] is None][0][0],
                "P",
                None,
                None,
                None,
            )
        )
    CL = []
    for s in S:
        if s[7] == 90 or not s[9]:
            continue
        p = 0.8 if s[7] == 60 else 0.05
        if R.random() > p:
            continue
        ty = "LST" if s[7] == 60 else R.choice(["DMG", "DMG", "LAT"])
        op = s[10] + TD(days=R.randrange(1, 20), hours=R.randrange(10))
        if op > now:
            continue
        amt = R.randrange(2000, 90000)
        cl = op + TD(days=R.randrange(3, 50))
        st = R.choices("PX", [6, 4])[0]
        if cl > now or R.random() < 0.05:
            st, cl = R.choice("NR"), None
        CL.append((len(CL) + 1, s[0], ty, st, amt, int(amt * R.choice([1, 0.8, 0.5])) if st == "P" else None, op, cl))
    I = []
    for y, m in [(2024 + (k // 12), k % 12 + 1) for k in range(4, 29)]:
        for c in C:
            if c[0] in never or R.random() < 0.18:
                continue
            iss = date(y + (m == 12), m % 12 + 1, 1) - TD(days=R.choice([0, 0, 1, 3]))
            due = iss + TD(days=30 if c[4] != "ENT" else 60)
            net = R.randrange(9000, 260000)
            paid = due + TD(days=int(R.gauss(-4, 12)))
            if paid <= iss:
                paid = iss + TD(days=2)
            st = "PD"
            if R.random() < 0.03:
                st, paid = "VD", None
            elif paid > today or R.random() < 0.025:
                st, paid = "IS", None
            if (y, m) == (2026, 5) and R.random() < 0.15:
                st, iss, due, paid = "DR", None, None, None
            I.append((len(I) + 1, "H%d-%05d" % (y, len(I) + 1), c[0], st, iss, due, paid, net, int(net * 0.21)))
    return {
        "Customers": C,
        "Depots": D,
        "Vehicles": V,
        "Drivers": Dr,
        "Shipments": S,
        "Routes": routes,
        "RouteStops": stops,
        "Claims": CL,
        "Invoices": I,
    }
