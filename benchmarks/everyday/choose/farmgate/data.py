import bisect
import random
from datetime import date
from datetime import datetime as D
from datetime import timedelta as T


def rows():
    r = random.Random(4711)
    NOW = D(2026, 9, 3, 7)
    S = lambda d: None if d is None else d.strftime("%Y-%m-%d %H:%M:%S")

    def rt(a, b):
        return a + T(seconds=r.randint(0, max(1, int((b - a).total_seconds()))))

    edges = [
        D(2026, 8, 1),
        D(2026, 7, 31, 23, 59, 59),
        D(2026, 8, 31, 15, 40),
        D(2026, 8, 31, 23, 59, 59),
        D(2026, 9, 1),
        D(2026, 7, 31, 16, 5),
        D(2026, 7, 1),
        D(2026, 6, 30, 17, 20),
        D(2026, 1, 1),
        D(2025, 12, 31, 18, 30),
        D(2025, 8, 31, 16, 0),
        D(2025, 8, 1),
        D(2025, 9, 1),
        D(2026, 9, 2),
        D(2026, 9, 2, 23, 59, 59),
        D(2026, 9, 3),
        D(2026, 8, 24),
        D(2026, 8, 30, 21, 0),
        D(2026, 8, 23, 22, 0),
    ]
    depots = [
        (1, "Cork North Hub", "Cork", 180, 1),
        (2, "Limerick Dock", "Limerick", 120, 0),
        (3, "Dublin West", "Dublin", 180, 1),
        (4, "Galway Yard", "Galway", 75, 0),
        (5, "Tralee Store", "Tralee", 60, 1),
        (6, "Belfast Link", "Belfast", 95, 1),
    ]
    counties = ["Cork", "Kerry", "Limerick", "Tipperary", "Galway", "Wexford", "Meath", "Waterford"]
    fn = [
        "Murphy",
        "Kelleher",
        "OShea",
        "Brosnan",
        "Hurley",
        "Twomey",
        "Lacey",
        "Quirke",
        "Hennessy",
        "Cullen",
        "Mannion",
        "Furlong",
        "Devane",
        "Roche",
        "Ahern",
    ]
    pl = ["Hill", "Glen", "Meadow", "Orchard", "Brook", "Cross", "Rath", "Lough", "Castle", "Upper"]
    ft = ["Farm", "Growers", "Produce", "Fields"]
    names = [f"{a} {b} {c}" for a in fn for b in pl for c in ft]
    r.shuffle(names)
    jd = r.sample(range((date(2026, 8, 31) - date(2019, 1, 1)).days), 118)
    jdates = [date(2019, 1, 1) + T(days=x) for x in jd] + [date(2026, 1, 1), date(2025, 12, 31)]
    jdates = list(dict.fromkeys(jdates))
    for i in range(14):
        jdates[i] = date(2026, 1, 9) + T(days=16 * i)
    growers = []
    for i in range(len(jdates)):
        st = r.choices("ASL", [85, 6, 9])[0]
        nm = names[i]
        email = None if r.random() < 0.12 else nm.lower().replace(" ", ".") + "@mail.test"
        growers.append(
            (
                i + 1,
                nm,
                counties[min(7, int(r.expovariate(0.35)))],
                email,
                str(jdates[i]),
                int(r.random() < 0.35),
                None if r.random() < 0.08 else round(r.uniform(2, 140), 1),
                st,
            )
        )
    P = [
        ("Rooster Potatoes", "vegetables", 90, 85),
        ("Queen Potatoes", "vegetables", 45, 110),
        ("Carrots", "vegetables", 40, 95),
        ("Parsnips", "vegetables", 35, 130),
        ("Leeks", "vegetables", 14, 190),
        ("Kale", "vegetables", 7, 320),
        ("Broccoli", "vegetables", 10, 240),
        ("Onions", "vegetables", 120, 80),
        ("Cabbage", "vegetables", 21, 75),
        ("Beetroot", "vegetables", 50, 120),
        ("Bramley Apples", "fruit", 100, 160),
        ("Elstar Apples", "fruit", 80, 170),
        ("Strawberries", "fruit", 4, 620),
        ("Raspberries", "fruit", 3, 980),
        ("Blackcurrants", "fruit", 6, 540),
        ("Plums", "fruit", 9, 310),
        ("Milling Wheat", "grain", 365, 28),
        ("Oats", "grain", 400, 31),
        ("Malting Barley", "grain", 330, 26),
        ("Farmhouse Cheddar", "dairy", 150, 1250),
        ("Raw Milk", "dairy", 3, 90),
        ("Cultured Butter", "dairy", 42, 890),
        ("Honey", "pantry", None, 1400),
        ("Rapeseed Oil", "pantry", 270, 640),
    ]
    products = [(i + 1, n, c, s) for i, (n, c, s, _) in enumerate(P)]
    start = D(2024, 3, 1)
    act = [g[0] for g in growers if g[0] % 11 != 0]  # every 11th grower never lists
    few = act[:]
    lt = sorted([rt(start, NOW) for _ in range(1480)] + edges)
    lots = []
    for i, t in enumerate(lt):
        g = r.choice(few) if r.random() < 0.6 else r.choice(few[:30])
        p = r.randrange(24)
        age = (NOW - t).days
        st = r.choices(["LS", "SO", "WD", "EX"], [70, 20, 6, 4] if age < 60 else [2, 66, 12, 20])[0]
        dl = t + T(hours=r.randint(1, 30)) if r.random() < 0.05 else None
        if dl and dl > NOW:
            dl = None
        w = r.randint(200, 9000) * 1000 + r.choice([0, 250, 500])
        if P[p][1] == "grain":
            w *= 4
        lots.append(
            (
                i + 1,
                f"L{t:%y}-{i + 1:05d}",
                g,
                p + 1,
                str((t - T(days=r.randint(0, 6))).date()),
                S(t),
                w,
                max(10, int(P[p][3] * r.uniform(0.85, 1.2))),
                st,
                S(dl),
            )
        )
    good = [(lt[i], l) for i, l in enumerate(lots) if l[9] is None]
    gt = [x[0] for x in good]
    inspectors = ["Brendan Foley", "Aoife Kiely", "Maurice Tighe", "Sinead Daly"]
    ins = []
    for i, l in enumerate(lots):
        if r.random() < 0.13:
            continue
        t = lt[i] + T(hours=r.randint(1, 30), minutes=r.randint(0, 59))
        g = r.choices("E12X", [30, 40, 20, 10])[0]
        for k in range(r.choices([1, 2, 3], [60, 28, 12])[0]):
            if t > NOW:
                break
            ins.append(
                [
                    l[0],
                    r.choices(inspectors, [35, 28, 22, 15])[0],
                    t,
                    g,
                    None if r.random() < 0.15 else r.randint(700, 2200),
                ]
            )
            t = t + T(hours=r.randint(10, 90), minutes=r.randint(1, 59))
            if r.random() < 0.6:
                g = r.choices("E12X", [20, 30, 30, 20])[0]
    for k, e in enumerate(edges):
        c = [l for j, l in enumerate(lots) if lt[j] < e - T(days=1)]
        ins.append([r.choice(c[-120:])[0], inspectors[k % 4], e, "E12X"[k % 4], 1200 + k])
    for k in range(3):
        ins.append([lots[-60 - k * 7][0], "Brendan Foley", D(2026, 9, 2, 9 + 2 * k, 15), "12X"[k], 1500])
    seen = set()
    ins2 = []
    for x in sorted(ins, key=lambda x: x[2]):
        if (x[0], x[2]) in seen:
            continue
        seen.add((x[0], x[2]))
        ins2.append(x)
    inspections = [(i + 1, a, b, S(t), g, m) for i, (a, b, t, g, m) in enumerate(ins2)]
    # buyers
    ba = [
        "Harbour",
        "Old Mill",
        "Green",
        "Stone",
        "River",
        "Market",
        "Copper",
        "Saint",
        "Blue",
        "Anchor",
        "Linden",
        "Crane",
        "Rowan",
        "Salt",
        "North",
    ]
    bb = {
        "RES": ["Kitchen", "Bistro", "Grill", "Table"],
        "RET": ["Grocers", "Larder", "Pantry Shop", "Food Store"],
        "WHO": ["Wholesale", "Trading", "Fresh Supply"],
        "SCH": ["National School", "College", "Academy"],
    }
    cities = [
        ("Cork", "IE", 30),
        ("Dublin", "IE", 34),
        ("Limerick", "IE", 12),
        ("Galway", "IE", 12),
        ("Belfast", "GB", 10),
        ("Derry", "GB", 5),
        ("Brest", "FR", 6),
    ]
    buyers = []
    B = []
    used = set()
    for i in range(200):
        ty = r.choices(["RES", "RET", "WHO", "SCH"], [45, 30, 12, 13])[0]
        c = r.choices(cities, [x[2] for x in cities])[0]
        n = f"{r.choice(ba)} {r.choice(bb[ty])}"
        if n in used:
            n += f" {c[0]}"
        while n in used:
            n += " " + r.choice(ba)
        used.add(n)
        test = int(i % 20 == 7)
        if test:
            n = f"ZZ Test {i}"
        cr = rt(D(2024, 2, 1), D(2026, 8, 20)) if r.random() < 0.6 else rt(D(2024, 2, 1), D(2024, 9, 1))
        if i in (31, 32, 33):
            cr = [D(2026, 8, 1), D(2026, 8, 31, 14, 30), D(2026, 7, 31, 23, 59, 59)][i - 31]
        dele = None
        if i % 16 == 5 and cr < D(2026, 4, 1):
            dele = rt(cr + T(days=60), D(2026, 8, 25)) if cr + T(days=60) < D(2026, 8, 25) else None
        stop = dele or NOW
        if i % 9 == 4 and cr < D(2025, 12, 1):
            stop = min(stop, rt(cr + T(days=20), D(2026, 5, 20)))
        kind = "never" if i % 15 == 2 else "draft" if i % 50 == 9 else "one" if i % 25 == 11 else "many"
        buyers.append(
            (
                i + 1,
                n,
                ty,
                c[0],
                c[1],
                S(cr),
                None if r.random() < 0.15 else r.choice([200000, 500000, 1000000, 2500000]),
                test,
                S(dele),
            )
        )
        B.append((i + 1, cr, stop, kind, test, ty, r.choice([0.4, 1, 1, 2, 4])))
    many = [b for b in B if b[3] == "many"]
    raw = []
    for b in B:
        if b[3] == "one":
            raw.append((b, rt(b[1], b[2]), None))
        if b[3] == "draft":
            for _ in range(2):
                raw.append((b, rt(b[1], b[2]), "DR"))
    for _ in range(3000):
        b = r.choices(many, [x[6] * max(0.1, (x[2] - x[1]).days / 400) for x in many])[0]
        raw.append((b, rt(b[1], b[2]), None))
    nt = [b for b in many if b[2] == NOW and b[1] < D(2025, 7, 1) and not b[4]]
    for e in edges:
        for _ in range(3):
            raw.append((r.choice(nt), e, None))
    for h in range(8):
        raw.append((r.choice(nt), D(2026, 9, 2, 8 + h, 11), None))
    for h in range(3):
        raw.append((r.choice(nt), D(2026, 9, 3, 4 + h % 3, 5 + h), None))
    raw.sort(key=lambda x: x[1])
    orders = []
    items = []
    deliv = []
    pays = []
    drivers = ["Pat Nagle", "Ewa Nowak", "Tom Curtin", "Grace Obi", "Liam Hogan", "Marta Silva", "Declan Roe"]
    for i, (b, t, force) in enumerate(raw):
        oid = i + 1
        st = force or r.choices(["OK", "CX", "RJ", "DR"], [81, 9, 4, 6])[0]
        placed = t
        created = t - T(minutes=r.choice([2, 7, 15, 40, 300, 1500, 4000]))
        if created < b[1]:
            created = b[1] if b[1] <= t else t
        canc = None
        sched = None
        if st == "DR":
            created, placed = t, None
        elif st == "CX":
            canc = t + T(minutes=r.choice([30, 200, 900, 2500, 6000]))
            if canc > NOW:
                canc = None
                st = "OK"
        ch = r.choices(["web", "app", "phone"], [52, 28, 20])[0]
        fee = r.choice([0, 0, 450, 450, 900, 1200])
        total = 0
        k = bisect.bisect_right(gt, t)
        nit = r.choices([1, 2, 3, 4, 5], [25, 30, 25, 12, 8])[0]
        for lot in r.sample(good[max(0, k - 60) : max(k, 12)], nit):
            l = lot[1]
            q = r.choice([5, 10, 15, 20, 25, 40, 60]) * 1000 * (6 if b[5] == "WHO" else 1) + r.choice([0, 0, 0, 500])
            pr = max(5, int(l[7] * r.choice([1, 1, 1, 0.95, 0.9, 0.85, 1.05])))
            tot = round(q * pr / 1000)
            total += tot
            items.append((len(items) + 1, oid, l[0], q, pr, tot))
        if st == "OK":
            sched = (t + T(days=r.randint(1, 4))).replace(
                hour=r.choice([6, 8, 9, 10, 12, 14, 16]), minute=r.choice([0, 30]), second=0
            )
            dep = r.choices([1, 2, 3, 4, 5, 6], [28, 14, 30, 10, 8, 10])[0]
            late = r.random() < 0.24
            dv = sched + T(minutes=r.randint(1, 190) if late else -r.randint(0, 70))
            dist = None if r.random() < 0.04 else round(r.uniform(3, 210), 2)
            drv = r.choice(drivers)
            nf = r.random()
            if nf < 0.08 and dv < NOW:
                deliv.append((oid, dep, drv, "F", sched, sched - T(minutes=r.randint(20, 180)), None, dist))
                if nf < 0.012:
                    dv = None
                else:
                    sched += T(days=1)
                    dv += T(days=1)
            if dv is None:
                st = "CF"
            elif dv <= NOW:
                st = "DL"
                deliv.append((oid, dep, drv, "D", sched, min(dv, sched) - T(minutes=r.randint(20, 180)), dv, dist))
            else:
                st = "CF"
                if sched - T(minutes=150) < NOW:
                    deliv.append((oid, dep, drv, "T", sched, NOW - T(minutes=r.randint(5, 60)), None, dist))
                else:
                    deliv.append((oid, dep, drv if r.random() < 0.6 else None, "P", sched, None, None, None))
            if not b[4]:
                amt = total + fee
                parts = [amt] if r.random() < 0.8 else [amt // 2, amt - amt // 2]
                for j, a in enumerate(parts):
                    iss = t + T(days=r.randint(0, 3) + 14 * j, minutes=r.randint(0, 500))
                    if iss > NOW:
                        continue
                    meth = r.choices(["bank_transfer", "direct_debit", "card"], [45, 35, 20])[0]
                    pd = iss + T(days=r.randint(1, 48), minutes=r.randint(0, 900))
                    x = r.random()
                    if x < 0.03:
                        ps, pd = "V", None
                    elif x < 0.07 or pd > NOW:
                        ps, pd = "O", None
                    else:
                        ps = "P"
                    pays.append([oid, a, meth, ps, iss, (iss + T(days=30)).date(), pd])
        orders.append((oid, b[0], ch, st, S(created), S(placed), S(canc), fee))
    # edge moments
    for k, e in enumerate(edges):
        c = [j for j, d in enumerate(deliv) if d[3] == "D" and abs((d[6] - e).total_seconds()) < 9 * 86400]
        j = r.choice(c)
        d = deliv[j]
        deliv[j] = d[:4] + (e - T(minutes=10) if k % 2 else e, e - T(minutes=100), e, d[7])
        c = [p for p in pays if p[3] == "P" and abs((p[6] - e).total_seconds()) < 12 * 86400 and p[4] < e]
        r.choice(c)[6] = e
        c = [p for p in pays if p[3] == "P" and abs((p[4] - e).total_seconds()) < 9 * 86400 and p[6] > e]
        if c:
            p = r.choice(c)
            p[4] = e
            p[5] = (e + T(days=30)).date()
    opn = [p for p in pays if p[3] == "O"]
    opn[-40][5] = date(2026, 9, 3)
    opn[-41][5] = date(2026, 9, 2)
    deliveries = [(i + 1, a, b_, c, s, S(x), S(y), S(z), q) for i, (a, b_, c, s, x, y, z, q) in enumerate(deliv)]
    payments = [(i + 1, a, m, me, s, S(x), str(y), S(z)) for i, (a, m, me, s, x, y, z) in enumerate(pays)]
    return dict(
        depots=depots,
        growers=growers,
        products=products,
        lots=lots,
        inspections=inspections,
        buyers=buyers,
        orders=orders,
        order_items=items,
        deliveries=deliveries,
        payments=payments,
    )
