import random
from datetime import date, datetime
from datetime import timedelta as TD

NOW = datetime(2026, 8, 26, 17, 30, 0)
TODAY = NOW.date()


def rows():
    r = random.Random(82617)

    def edge(t, p=1.0):
        x = r.random() / p
        n = t
        if x < 0.015:
            n = datetime(t.year, t.month, 1)
        elif x < 0.04:
            nx = datetime(t.year + t.month // 12, t.month % 12 + 1, 1)
            n = r.choice([nx - TD(seconds=1), nx - TD(hours=r.randint(2, 9), minutes=41)])
        elif x < 0.05:
            n = datetime(t.year, t.month, t.day)
        elif x < 0.06:
            n = datetime(t.year, t.month, t.day, 23, 59, 59)
        return n if n < NOW else t

    def back(t):
        return t if t < NOW else NOW - TD(minutes=r.randint(1, 3000))

    def moment(lo, hi, grow=0.75):
        """a random moment between two datetimes, more of them late; daytime mostly"""
        s = (hi - lo).total_seconds()
        t = lo + TD(seconds=s * r.random() ** grow)
        h = r.choices(range(24), [2, 1, 1, 1, 1, 2, 4, 9, 11, 7, 5, 6, 8, 7, 6, 7, 9, 12, 11, 8, 6, 5, 4, 3])[0]
        t = t.replace(hour=h, minute=r.randint(0, 59), second=r.randint(0, 59), microsecond=0)
        return t if lo <= t < hi else (lo + TD(seconds=r.randint(0, int(s)))).replace(microsecond=0)

    cities = [
        (1, "Lisbon", "PT", date(2023, 4, 3)),
        (2, "Porto", "PT", date(2023, 9, 18)),
        (3, "Antwerp", "BE", date(2023, 5, 15)),
        (4, "Ghent", "BE", date(2024, 3, 1)),
        (5, "Lyon", "FR", date(2024, 5, 20)),
        (6, "Graz", "AT", date(2025, 4, 7)),
        (7, "Salzburg", "AT", date(2026, 10, 1)),
    ]
    cw = [9, 6, 8, 5, 7, 3]
    zn = {
        1: "Rossio Belem Alfama Graca Oriente Chiado Estrela",
        2: "Ribeira Boavista Foz Bolhao Campanha",
        3: "Zuid Eilandje Berchem Groenplaats Centraal Linkeroever",
        4: "Korenmarkt Vrijdagmarkt Dampoort Blaarmeersen",
        5: "Bellecour Part-Dieu Confluence Perrache Croix-Rousse Gerland",
        6: "Hauptplatz Jakomini Lend Geidorf",
    }
    zones = []
    for c, ns in zn.items():
        for k, n in enumerate(ns.split()):
            t = "PPPPSPN"[k] if k != 3 or c % 2 else "S"
            f = max(cities[c - 1][3], date(2023, 6, 1)) + TD(days=r.choice([0, 0, 30, 200, 330]))
            zones.append((len(zones) + 101, c, n, t, r.choice([8, 12, 16, 20, 24, 30]) if t == "P" else None, f, None))
    for i, e in ((3, date(2025, 12, 31)), (9, date(2026, 6, 30)), (21, date(2026, 12, 31))):
        zones[i] = zones[i][:6] + (e,)
    zby = {c: [z[0] for z in zones if z[1] == c and z[3] != "N"] for c in zn}
    models = {
        "SC": [("Zap S2", 62000), ("Zap S3", 71000), ("Nimble One", 55000)],
        "EB": [("Glide E", 148000), ("Glide E+", 169000)],
        "CB": [("Mule 400", 365000)],
    }
    vehicles, act = [], []
    for i in range(1, 331):
        ty = r.choices(["SC", "EB", "CB"], [60, 33, 7])[0]
        m, pr = r.choice(models[ty])
        c = r.choices(range(1, 7), cw)[0]
        lo = max(cities[c - 1][3], date(2024, 1, 5))
        pu = lo + TD(days=r.randint(0, (date(2026, 7, 20) - lo).days))
        if r.random() < 0.45:
            pu = lo + TD(days=r.randint(0, 60))
        ins = datetime(pu.year, pu.month, pu.day, 6) + TD(
            days=r.randint(2, 40), hours=r.randint(0, 5), minutes=r.randint(0, 59)
        )
        st = r.choices("ARMLXS", [60, 8, 11, 5, 11, 5])[0]
        if ins >= NOW:
            st = "S"
        ret = None
        if st == "S":
            ins, pu = None, date(2026, 5, 1) + TD(days=r.randint(0, 100))
        if st in "XL" and st != "S":
            ret = moment(ins + (NOW - ins) * 0.4, NOW) if st == "X" else None
        end = ret or (moment(ins + (NOW - ins) * 0.5, NOW) if st == "L" else NOW) if ins else None
        vehicles.append(
            [
                i,
                "VR%s%05d" % (ty, 10000 + i * 7),
                ty,
                m,
                c if st != "S" or r.random() < 0.3 else None,
                st,
                pu,
                ins,
                ret,
                None if st in "XLS" or r.random() < 0.03 else r.randint(4, 100),
                0,
                int(pr * r.uniform(0.92, 1.06)),
            ]
        )
        if ins:
            act.append((i, ty, c, ins, end))
    byc = {c: [a for a in act if a[2] == c and a[0] % 47] for c in range(1, 7)}
    promos = [
        (1, "WELCOME50", 50, date(2024, 1, 1), None),
        (2, "SUMMER24", 20, date(2024, 6, 1), date(2024, 8, 31)),
        (3, "SUMMER25", 25, date(2025, 6, 1), date(2025, 8, 31)),
        (4, "STUDENT15", 15, date(2024, 9, 1), None),
        (5, "RAINYDAY", 30, date(2025, 10, 1), date(2026, 3, 31)),
        (6, "SUMMER26", 20, date(2026, 6, 1), date(2026, 8, 31)),
        (7, "NIGHTOWL", 10, date(2026, 2, 1), None),
        (8, "AUTUMN26", 20, date(2026, 9, 15), date(2026, 11, 30)),
    ]
    fn = "Ana Bruno Clara Diogo Elsa Filip Greta Hugo Ines Jonas Katrin Luis Marta Noor Oscar Paula Rui Sofia Thijs Ugo Vera Wim Xenia Yann Zita Beatriz Camille Emma Louis Tiago".split()
    ln = "Almeida Baptista Costa Dubois Engel Faria Girard Huber Janssens Lambert Moreau Nunes Oliveira Pauwels Ramos Silva Steiner Tavares Verbeke Wagner Zeman Claes Martins Rossel".split()
    riders, rd = [], {}
    for i in range(1, 621):
        c = r.choices(range(1, 7), cw)[0]
        lo = datetime.combine(max(cities[c - 1][3], date(2024, 2, 1)), datetime.min.time())
        su = edge(moment(lo, NOW, 0.9))
        dl = back(su + TD(days=r.randint(10, 400), hours=3)) if r.random() < 0.06 else None
        if dl and dl <= su:
            dl = None
        staff = r.random() < 0.04
        a, b = r.choice(fn), r.choice(ln)
        ch = r.choices(["organic", "referral", "ads", "partner", None], [5, 3, 4, 1, 1])[0]
        riders.append(
            [
                i,
                a + " " + b,
                None if r.random() < 0.03 else "%s.%s%d@post.example" % (a.lower(), b.lower(), i),
                c if r.random() > 0.07 else None,
                None if r.random() < 0.08 else r.randint(1958, 2008),
                su,
                None,
                ch,
                staff,
                dl,
            ]
        )
        rd[i] = (c, su, dl or NOW, staff, r.lognormvariate(0, 1.1))
    rides = []
    ids = list(rd)
    wt = [
        0 if r.random() < 0.15 else rd[i][4] * (6 if rd[i][3] else 1) * max(0.15, min(1, (NOW - rd[i][1]).days / 400))
        for i in ids
    ]
    odo = {}
    used = {}
    fare = {"SC": (100, 22), "EB": (100, 19), "CB": (200, 28)}
    while len(rides) < 4000:
        i = r.choices(ids, wt)[0]
        home, su, end, staff, _ = rd[i]
        c = home if r.random() < 0.9 else r.randint(1, 6)
        lo = max(su, datetime.combine(cities[c - 1][3], datetime.min.time()))
        if (end - lo).total_seconds() < 7200:
            wt[ids.index(i)] *= 0.8
            continue
        t = edge(moment(lo + TD(minutes=4), end))
        if t < lo:
            continue
        if t.weekday() != 5 and r.random() < 0.16:  # Saturdays are busiest
            continue
        if t.month in (12, 1, 2) and r.random() < 0.4:
            continue
        vs = [a for a in byc[c] if a[3] <= t < a[4]]
        if not vs:
            continue
        v = r.choice(vs)
        internal = staff and r.random() < 0.75
        if v[0] % 53 == 0 and not internal:
            continue  # only ever moved by staff
        st = r.choices([3, 4, 5], [84, 9, 7])[0]
        res = t - TD(seconds=r.randint(20, 560)) if (r.random() < 0.4 or st == 4) else None
        z1 = r.choice(zby[c]) if r.random() < 0.85 else None
        z2 = r.choice(zby[c]) if r.random() < 0.8 else None
        if st == 4:
            rides.append([0, i, v[0], c, z1, None, 4, internal, res, None, None, None, None, None, None, None, None])
            continue
        d = r.randint(8, 59) if st == 5 else int(r.lognormvariate(6.5, 0.6)) + 61
        e = t + TD(seconds=d)
        if e >= NOW:
            continue
        dist = r.randint(0, 60) if st == 5 else int(d * r.uniform(2, 4.8))
        base, per = fare[v[1]]
        lf = None if st == 5 else base + per * -(-d // 60)
        pc, chg = None, (0 if st == 5 else lf)
        if st == 3 and not internal:
            ok = [p for p in promos if p[3] <= t.date() and (p[4] is None or t.date() <= p[4]) and p[0] != 1]
            if r.random() < 0.16:
                p = r.choice(ok + [promos[0]])
                pc, chg = p[0], lf - lf * p[2] // 100
            elif r.random() < 0.07:
                chg = 0
        if internal:
            chg = 0 if r.random() < 0.5 else lf or 0
        rides.append(
            [
                0,
                i,
                v[0],
                c,
                z1,
                z2,
                st,
                internal,
                res,
                t,
                e,
                d,
                dist if r.random() > 0.02 else None,
                lf,
                chg,
                pc,
                r.choices([1, 2, 3, 4, 5], [1, 1, 2, 5, 8])[0] if st == 3 and r.random() < 0.35 else None,
            ]
        )
        odo[v[0]] = odo.get(v[0], 0) + dist
        if i not in used or t < used[i]:
            used[i] = t
    # the last days are busy, and some rides are going on or reserved just now
    busy = [i for i in ids if wt[i - 1] and rd[i][2] == NOW and (NOW - rd[i][1]).days > 3]
    rent = [x[0] for x in vehicles if x[5] == "R" and x[0] % 47 and x[0] % 53 and x[7] < NOW - TD(days=1)]
    for k, vid in enumerate(rent[:22]):
        i = busy[k * 3]
        c = vehicles[vid - 1][4]
        t = NOW - TD(minutes=r.randint(1, 70), seconds=r.randint(0, 50))
        rides.append(
            [
                0,
                i,
                vid,
                c,
                r.choice(zby[c]),
                None,
                2,
                k % 9 == 4,
                None if k % 3 else t - TD(minutes=3),
                t,
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            ]
        )
        if i not in used:
            used[i] = t
    for k in range(11):
        v = r.choice([a for a in act if vehicles[a[0] - 1][5] == "A"])
        rides.append(
            [
                0,
                busy[k * 3 + 1],
                v[0],
                v[2],
                r.choice(zby[v[2]]),
                None,
                1,
                k == 5,
                NOW - TD(minutes=r.randint(0, 9), seconds=12),
                None,
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            ]
        )
    rides.sort(key=lambda x: x[9] or x[8])
    for n, x in enumerate(rides):
        x[0] = 200001 + n
    for x in riders:
        x[6] = used.get(x[0])
    for x in vehicles:
        x[10] = odo.get(x[0], 0) * 3 + (r.randint(0, 900000) if x[7] else 0)
    passes, tops = [], []
    for i in ids:
        home, su, end, staff, _ = rd[i]
        w = wt[i - 1]
        for _ in range(r.choices([0, 1, 2, 4, 7], [60, 20, 10, 6, 4])[0] if w else 0):
            b = edge(moment(su, end, 0.6))
            if b < su:
                continue
            ty = r.choices("DWM", [4, 3, 4])[0]
            s = b.date() + TD(days=r.choice([0, 0, 0, 1, 5, 12]))
            passes.append(
                (
                    i,
                    ty,
                    {"D": 690, "W": 1990, "M": 3990}[ty] + (300 if b.year == 2026 and ty == "M" else 0),
                    b,
                    s,
                    s + TD(days={"D": 0, "W": 6, "M": 29}[ty]),
                    None if ty == "D" else r.random() < 0.4,
                )
            )
        for _ in range(min(16, int(r.random() * 9 * (w**0.5)) if w else r.choice([0, 0, 0, 1]))):
            q = edge(moment(su, end, 0.8))
            if q < su:
                continue
            st = r.choices("SPFR", [86, 1, 9, 4])[0]
            if (NOW - q).total_seconds() < 50 * 3600 and r.random() < 0.5:
                st = "P"
            sd = None
            if st in "SR":
                sd = q + TD(minutes=r.choice([0, 0, 1, 2, 15, 600, 1500, 2900]), seconds=r.randint(1, 50))
                if sd >= NOW:
                    st, sd = "P", None
            am = r.choice([500, 1000, 1000, 1500, 2000, 2000, 3000, 5000])
            tops.append(
                (
                    i,
                    st,
                    r.choices(["card", "webpay", "phonepay", "voucher"], [5, 2, 4, 1])[0],
                    q,
                    sd,
                    am,
                    None if am < 2000 else r.choice([0, 100, 200, 500, None]),
                )
            )
    passes.sort(key=lambda x: x[3])
    tops.sort(key=lambda x: x[3])
    passes = [(4001 + n,) + x for n, x in enumerate(passes)]
    tops = [(80001 + n,) + x for n, x in enumerate(tops)]
    refunds = []
    for x in rides:
        if x[6] == 3 and not x[7] and x[14] and r.random() < 0.075:
            for k in range(1 if r.random() < 0.85 else 2):
                q = back(edge(x[10] + TD(hours=r.randint(0, 60), minutes=9)))
                if q < x[10]:
                    q = x[10]
                p = q + TD(hours=r.randint(1, 140))
                refunds.append(
                    (
                        x[0],
                        r.choice(["VEH", "VEH", "GPS", "DUP", "GOO"]),
                        q,
                        None if p >= NOW or r.random() < 0.15 else p,
                        x[14] if k == 0 and r.random() < 0.5 else x[14] // 2,
                    )
                )
    refunds.sort(key=lambda x: x[2])
    refunds = [(600 + n,) + x for n, x in enumerate(refunds)]
    jobs = []
    for a in act:
        if r.random() < 0.12:
            continue
        for _ in range(r.choices([1, 2, 3, 5, 8], [4, 4, 3, 2, 1])[0]):
            o = edge(moment(a[3], a[4]))
            if o < a[3]:
                continue
            cl = o + TD(hours=r.choice([2, 5, 9, 26, 50, 120, 300]), minutes=r.randint(0, 59))
            if cl >= NOW:
                cl = None
            jobs.append(
                (
                    a[0],
                    r.choices(["BAT", "BRK", "TYR", "ELE", "INS"], [4, 3, 5, 2, 4])[0],
                    None
                    if r.random() < 0.06
                    else r.choice(["Nuno Reis", "Sara Pinto", "Koen Maes", "Bea Lenz", "Pierre Roche", "Tine Baert"]),
                    o,
                    cl,
                    None
                    if cl is None or r.random() < 0.08
                    else r.choice([0, r.randint(400, 9000), r.randint(900, 22000)]),
                )
            )
        if vehicles[a[0] - 1][5] == "M" and a[3] < NOW - TD(days=2):
            jobs.append(
                (
                    a[0],
                    r.choice(["BAT", "ELE", "BRK"]),
                    r.choice(["Nuno Reis", "Koen Maes", None]),
                    max(a[3], NOW - TD(days=r.randint(0, 20), hours=r.randint(1, 20))),
                    None,
                    None,
                )
            )
    jobs.sort(key=lambda x: x[3])
    jobs = [(30001 + n,) + x for n, x in enumerate(jobs)]
    return {
        "cities": cities,
        "zones": zones,
        "vehicles": [tuple(x) for x in vehicles],
        "riders": [tuple(x) for x in riders],
        "rides": [tuple(x) for x in rides],
        "promo_codes": promos,
        "passes": passes,
        "top_ups": tops,
        "refunds": refunds,
        "maintenance_jobs": jobs,
    }
