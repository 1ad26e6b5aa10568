import random
from datetime import date, datetime, timedelta

NOW = datetime(2026, 2, 19, 8, 0)
TODAY = NOW.date()


def rows():
    R = random.Random(914)
    ws = [
        ("Pitwall Ancoats", "Manchester", "NO", 8),
        ("Pitwall Salford Road", "Manchester", "NO", 6),
        ("Pitwall Leeds", "Leeds", "NO", 10),
        ("Pitwall Sheffield", "Sheffield", "NO", 6),
        ("Pitwall Digbeth", "Birmingham", "MI", 12),
        ("Pitwall Derby", "Derby", "MI", 5),
        ("Pitwall Leicester", "Leicester", "MI", 6),
        ("Pitwall Bristol", "Bristol", "SO", 9),
        ("Pitwall Croydon", "London", "SO", 7),
        ("Pitwall Reading", "Reading", "SO", 8),
        ("Pitwall Cardiff", "Cardiff", "WA", 6),
        ("Pitwall Swansea", "Swansea", "WA", 4),
        ("Pitwall Glasgow", "Glasgow", "SC", 9),
        ("Pitwall Leith", "Edinburgh", "SC", 5),
        ("Pitwall Stockport", "Manchester", "NO", 4),
    ]
    W = []
    for i, (n, c, r, b) in enumerate(ws):
        on = date(2012 + i % 9, 1 + (i * 5) % 12, 1)
        if n.endswith("Leith"):
            on = date(2025, 2, 10)
        W.append((11 + i, n, c, r, b, on, {6: date(2025, 3, 31), 14: date(2024, 12, 31)}.get(i)))
    opened, closed = {w[0]: w[5] for w in W}, {w[0]: w[6] for w in W}
    fn = [
        "Aled",
        "Becky",
        "Callum",
        "Dawn",
        "Ewan",
        "Fiona",
        "Gareth",
        "Holly",
        "Imran",
        "Jess",
        "Kieran",
        "Lorna",
        "Mo",
        "Nia",
        "Owen",
        "Priya",
        "Rhys",
        "Sadia",
        "Tom",
        "Una",
        "Vikram",
        "Wendy",
    ]
    ln = [
        "Ashdown",
        "Bevan",
        "Crowther",
        "Dhillon",
        "Ellison",
        "Fraser",
        "Goodwin",
        "Hussain",
        "Irving",
        "Jenkins",
        "Kerr",
        "Lockwood",
        "Maddox",
        "Nolan",
        "Pritchard",
        "Quigley",
        "Rowntree",
        "Sykes",
        "Thorne",
        "Underhill",
        "Vance",
        "Whitlock",
    ]
    combos = [a + " " + b for a in fn for b in ln]
    R.shuffle(combos)
    M = []
    for i in range(78):
        w = W[i % 15]
        lo = max(w[5], date(2013, 1, 1))
        hi = w[6] - timedelta(days=200) if w[6] else TODAY
        h = lo + timedelta(days=R.randint(0, max(1, (hi - lo).days)))
        left = w[6]
        if left is None and R.random() < 0.17:
            left = min(TODAY - timedelta(days=R.randint(5, 500)), TODAY)
            left = None if left <= h else left
        M.append((501 + i, w[0], combos[i], R.choices("ATM", [22, 55, 23])[0], h, left))
    bn = [
        "Hartley Couriers Ltd",
        "Brightwater Plumbing",
        "Fenwick Taxis",
        "Oakmere Care Homes",
        "Redfern Foods",
        "Tarn Logistics",
        "Castle Electrical",
        "Dovetail Joinery",
        "Northgate Florists",
        "Severn Cleaning Co",
        "Pennine Pest Control",
        "Lowry Catering",
        "Clyde Scaffolding",
        "Taff Driving School",
        "Marlow Estates",
        "Quayside Glazing",
        "Bluebell Nurseries",
        "Kestrel Security",
        "Harbour Vets",
        "Stanley & Rowe Surveyors",
    ]
    cities = [
        "Manchester",
        "Leeds",
        "Sheffield",
        "Birmingham",
        "Derby",
        "Leicester",
        "Bristol",
        "London",
        "Reading",
        "Cardiff",
        "Swansea",
        "Glasgow",
        "Edinburgh",
    ]
    C, V, fleet = [], [], {}
    cars = [
        ("Fenmore", "Facet"),
        ("Fenmore", "Tramline"),
        ("Fenmore", "Fresca"),
        ("Vantrell", "Cosmo"),
        ("Vantrell", "Vireo"),
        ("Volgard", "Gale"),
        ("Volgard", "Pico"),
        ("Tokado", "Yorin"),
        ("Tokado", "Coronel"),
        ("Nishiro", "Lumen"),
        ("Nishiro", "Quarry"),
        ("BRW", "320"),
        ("Kivo", "Nimbus"),
        ("Telvo", "Mark 3"),
        ("Skarva", "Octane"),
        ("Perlan", "208"),
    ]
    vid = 20000
    for i in range(620):
        biz = i % 31 == 0
        nm = bn[i // 31] if biz else combos[100 + (i % 380)]
        cr = datetime(2022, 3, 1) + timedelta(minutes=R.randint(0, 60 * 24 * 1448))
        if biz and i < 400:
            cr = datetime(2022, 5, 3, 9, 30) + timedelta(days=i)
        if i % 41 == 7:
            cr = R.choice(
                [
                    datetime(2026, 1, 1),
                    datetime(2025, 12, 31, 16, 45),
                    datetime(2026, 1, 31, 15, 20),
                    datetime(2026, 2, 1),
                ]
            )
        de = None
        if R.random() < 0.06 and i != 0:
            de = min(cr + timedelta(days=R.randint(30, 500)), NOW - timedelta(days=2))
        cid = 3001 + i
        C.append(
            (
                cid,
                nm,
                "B" if biz else "P",
                R.choice(cities) if R.random() < 0.94 else None,
                None if R.random() < 0.12 else nm.lower().replace(" ", ".").replace("&", "and") + f"{i}@example.org",
                cr,
                de if de and de > cr else None,
            )
        )
        k = R.choice([3, 4, 5, 6, 7, 9, 12]) if biz else R.choices([0, 1, 2, 3], [6, 70, 20, 4])[0]
        if i == 0:
            k = 11
        for _ in range(k):
            vid += 1
            mk, mo = R.choice(cars)
            fu = (
                "E"
                if mo in ("Lumen", "Mark 3")
                else ("H" if mo in ("Nimbus", "Yorin") and R.random() < 0.7 else R.choice("PPD"))
            )
            fr = date(2009, 1, 1) + timedelta(days=R.randint(0, 6000))
            mot = None if R.random() < 0.07 else date(2026, 1, 1) + timedelta(days=R.randint(-60, 400))
            if R.random() < 0.04:
                mot = R.choice(
                    [date(2026, 3, 1), date(2026, 3, 31), date(2026, 2, 28), date(2026, 4, 1), date(2026, 2, 19)]
                )
            V.append(
                (
                    vid,
                    cid,
                    "".join(R.choice("ABCDEFGHJKLMNOPRSTUVWXY") for _ in range(2))
                    + f"{R.choice([9, 12, 15, 18, 20, 21, 22, 23, 61, 64, 66, 69, 71]):02d} "
                    + "".join(R.choice("ABCDEFGHJKLMNOPRSTUVWXYZ") for _ in range(3)),
                    mk,
                    mo,
                    fu,
                    None if R.random() < 0.05 else fr,
                    mot,
                )
            )
    cust = {c[0]: c for c in C}
    pn = [
        ("BRK", "Brake pads front"),
        ("BRK", "Brake pads rear"),
        ("BRK", "Brake disc 280mm"),
        ("BRK", "Brake fluid 1l"),
        ("BRK", "Caliper rear left"),
        ("ENG", "Timing belt kit"),
        ("ENG", "Spark plug set"),
        ("ENG", "Water pump"),
        ("ENG", "Engine oil 5W30 5l"),
        ("ENG", "Head gasket"),
        ("FLT", "Oil filter"),
        ("FLT", "Air filter"),
        ("FLT", "Cabin filter"),
        ("FLT", "Fuel filter"),
        ("TYR", "Tyre 195/65 R15"),
        ("TYR", "Tyre 205/55 R16"),
        ("TYR", "Tyre 225/45 R17"),
        ("TYR", "Van tyre 215/65 R16C"),
        ("TYR", "Valve set"),
        ("ELE", "Battery 60Ah"),
        ("ELE", "Battery 80Ah AGM"),
        ("ELE", "Alternator"),
        ("ELE", "Starter motor"),
        ("ELE", "Headlight bulb H7"),
        ("EXH", "Rear silencer"),
        ("EXH", "Lambda sensor"),
        ("EXH", "DPF filter"),
        ("EXH", "Exhaust clamp"),
        ("ELE", "Wiper motor"),
        ("BRK", "Handbrake cable"),
        ("ENG", "Carburettor kit"),
        ("ELE", "Cassette radio fuse"),
    ]
    prices = R.sample(range(6, 340), len(pn))
    P = [
        (
            701 + i,
            f"{c}-{1000 + i * 37}",
            n,
            c,
            round(pr + R.choice([0.0, 0.5, 0.99]), 2),
            round(pr * R.uniform(0.42, 0.78), 2),
            "Y" if i in (4, 13, 28, 30, 31) else "N",
        )
        for i, ((c, n), pr) in enumerate(zip(pn, prices))
    ]
    live_parts = [p for i, p in enumerate(P) if i not in (17, 30, 31)]
    lastmech = {}
    for m in M:
        lastmech.setdefault(m[1], []).append(m)
    sleeping = {c[0] for i, c in enumerate(C) if i % 7 == 2}
    never = {c[0] for i, c in enumerate(C) if i % 13 == 5}
    cand = [v for v in V if v[1] not in never]
    usual = {v[0]: R.choice(W)[0] for v in V}
    raw = []
    months = [datetime(y, m, 1) for y in (2023, 2024, 2025, 2026) for m in range(1, 13)]
    for k in range(5200):
        v = R.choice(cand)
        t = datetime(2023, 8, 1) + timedelta(days=R.randint(0, 933), minutes=R.randint(450, 1050))
        if R.random() < 0.1:
            t = datetime(2026, 2, 19, 7, 50) - timedelta(
                days=R.randint(0, 90), minutes=R.choice([0, 35, 90, 150]) - R.choice([0, 240, 420]) * 1
            )
        elif R.random() < 0.06:
            e = R.choice(months)
            t = e if R.random() < 0.3 else e - timedelta(hours=7, minutes=R.choice([0, 25]))
        if t > NOW:
            continue
        if t.weekday() == 6 and R.random() < 0.9:
            t -= timedelta(days=1)
        w = usual[v[0]] if R.random() < 0.85 else R.choice(W)[0]
        if (
            t.date() < opened[w]
            or (closed[w] and t.date() > closed[w] - timedelta(days=12))
            or t < cust[v[1]][5]
            or (cust[v[1]][6] and t > cust[v[1]][6])
        ):
            continue
        if v[1] in sleeping and t > datetime(2025, 1, 20):
            continue
        raw.append((t, v, w))
    raw.sort(key=lambda r: r[0])
    O, L, PL, I = [], [], [], []
    odo = {v[0]: R.randint(4000, 118000) for v in V}
    lid, plid, iid = 100000, 200000, 400000
    for k, (t, v, w) in enumerate(raw):
        oid = 60001 + k
        odo[v[0]] += R.randint(300, 6000)
        internal = R.random() < 0.05
        canc = R.random() < 0.06
        prom = (
            None if R.random() < 0.06 else (t + timedelta(days=R.choice([0, 1, 1, 2, 3, 5]))).replace(hour=17, minute=0)
        )
        done = t + timedelta(hours=R.choice([3, 6, 9, 26, 30, 50, 75, 120, 170])) + timedelta(minutes=R.randint(0, 59))
        if closed[w]:
            done = min(done, datetime(closed[w].year, closed[w].month, closed[w].day, 16))
        col = done + timedelta(hours=R.choice([1, 2, 18, 24, 48, 96]))
        age = (NOW - t).days
        if canc:
            st, done, col = 90, None, None
        elif done > NOW:
            st, done, col = R.choice([10, 20, 20, 30]), None, None
        elif age < 35 and R.random() < 0.12:
            st, done, col = R.choice([30, 30, 20]), None, None
        elif col > NOW or R.random() < 0.015:
            st, col = 40, None
        else:
            st = 50
        mech = [m for m in lastmech[w] if m[4] <= t.date() and (m[5] is None or m[5] >= t.date())]
        lead = R.choice(mech) if mech and R.random() < 0.95 else None
        O.append(
            (
                oid,
                f"WO{t.year % 100}-{k + 1:05d}",
                w,
                v[0],
                lead[0] if lead else None,
                st,
                t,
                prom,
                done,
                col,
                odo[v[0]] if R.random() < 0.93 else None,
                "Y" if internal else "N",
            )
        )
        tot = 0.0
        if st not in (10, 90) and mech:
            for _ in range(R.choice([1, 1, 2, 3])):
                lid += 1
                m = lead if lead and R.random() < 0.7 else R.choice(mech)
                end = done or NOW
                d = t.date() + timedelta(days=R.randint(0, max(0, (end.date() - t.date()).days)))
                uq = R.choice([3, 5, 8, 10, 12, 15, 20, 30, 45])
                uc = max(1, int(uq * R.uniform(0.7, 1.55)))
                rate = {"A": 48.0, "T": 72.5, "M": 95.0}[m[3]]
                L.append((lid, oid, m[0], d, uq, uc, rate))
                tot += uq / 10 * rate
            for p in R.sample(live_parts, R.choice([0, 1, 1, 2, 3, 4])):
                plid += 1
                d = t.date() + timedelta(days=R.randint(0, max(0, ((done or NOW).date() - t.date()).days)))
                q = R.choice([1, 1, 1, 2, 4])
                up = round(p[4] * R.choice([1, 1, 0.9, 0.85]), 2)
                wy = "Y" if R.random() < 0.08 else "N"
                PL.append((plid, oid, p[0], d, q, up, wy))
                if wy == "N":
                    tot += q * up
        if st in (40, 50) and not internal and tot > 0 and R.random() < 0.98:
            iss = done + timedelta(hours=R.choice([0, 1, 4, 20]), minutes=R.randint(0, 50))
            if R.random() < 0.03:
                iss = datetime(done.year + done.month // 12, done.month % 12 + 1, 1)
            if iss > NOW:
                continue

            def inv(doc, at, net, void, paid, due):
                nonlocal iid
                iid += 1
                net = round(net, 2)
                vat = round(net * 0.2, 2)
                I.append((iid, f"{doc}-{iid}", oid, doc, at, due, paid, net, vat, round(net + vat, 2), void))

            biz = cust[v[1]][2] == "B"
            due = iss.date() + timedelta(days=30 if biz else 7)
            paid = iss + timedelta(
                days=R.choice([0, 0, 0, 1, 3]) if not biz else R.randint(5, 45), minutes=R.randint(5, 300)
            )
            if paid > NOW or R.random() < 0.03:
                paid = None
            if R.random() < 0.04:
                inv("INV", iss, tot * R.choice([1, 1.1]), "Y", None, due)
            if R.random() < 0.04:
                inv("INV", iss, tot * 0.6, "N", paid, due)
                inv("INV", iss + timedelta(minutes=2), tot * 0.4, "N", paid, due)
            else:
                inv("INV", iss, tot, "N", paid, due)
            if R.random() < 0.05:
                at = iss + timedelta(days=R.randint(1, 20))
                if at < NOW:
                    inv("CRN", at, -tot * R.choice([0.1, 0.25, 1]), "N", None, at.date())
    A = []
    for i in range(2100):
        v = R.choice(cand)
        w = usual[v[0]]
        d = date(2024, 2, 1) + timedelta(days=R.randint(0, 780))
        if R.random() < 0.15:
            d = TODAY + timedelta(days=R.randint(-8, 20))
        if d.weekday() == 6:
            d += timedelta(days=1)
        s = datetime(d.year, d.month, d.day, R.choice([8, 8, 9, 10, 11, 13, 14, 16]), R.choice([0, 30]))
        cr = s - timedelta(days=R.randint(1, 40), minutes=R.randint(0, 500))
        if cr > NOW:
            cr = NOW - timedelta(hours=R.randint(14, 200), minutes=R.randint(0, 59))
        if d < opened[w] or (closed[w] and d > closed[w]) or cr < cust[v[1]][5] or cust[v[1]][6]:
            continue
        if s > NOW:
            st = R.choices(["BK", "CX"], [86, 14])[0]
        else:
            st = R.choices(["AR", "NS", "CX"], [78, 9, 13])[0]
        A.append([0, w, v[0], R.choice(["MOT", "MOT", "SVC", "SVC", "TYRE", "DIAG", "REP"]), cr, s, st])
    A.sort(key=lambda r: r[4])
    A = [tuple([9001 + i] + r[1:]) for i, r in enumerate(A)]
    return {
        "workshops": W,
        "mechanics": M,
        "customers": C,
        "vehicles": V,
        "work_orders": O,
        "labour_lines": L,
        "parts": P,
        "part_lines": PL,
        "invoices": I,
        "appointments": A,
    }
