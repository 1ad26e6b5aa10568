import random
from datetime import date, datetime, timedelta

NOW = datetime(2026, 7, 2, 10, 15)
TODAY = NOW.date()


def rows():
    R = random.Random(4711)
    cities = [
        ("Lisbon", "PT"),
        ("Porto", "PT"),
        ("Faro", "PT"),
        ("Madrid", "ES"),
        ("Barcelona", "ES"),
        ("Seville", "ES"),
        ("Rome", "IT"),
        ("Milan", "IT"),
        ("Florence", "IT"),
        ("Berlin", "DE"),
        ("Munich", "DE"),
        ("Paris", "FR"),
        ("Nice", "FR"),
        ("Vienna", "AT"),
    ]
    w1 = ["Casa", "Villa", "Hotel", "The", "Pensao", "Palais", "Maison", "Haus"]
    w2 = [
        "Mirante",
        "Aurora",
        "Bellini",
        "Tordo",
        "Sereia",
        "Linden",
        "Castell",
        "Olivo",
        "Marais",
        "Kestrel",
        "Lark",
        "Amber",
        "Juniper",
    ]
    names, hotels = set(), []
    for i in range(66):
        c, cc = cities[i % 14]
        if i == 0:
            n = "Casa Mirante"
        else:
            while True:
                n = R.choice(w1) + " " + R.choice(w2)
                if n not in names and n != "Casa Mirante":
                    break
        names.add(n)
        test = i in (20, 42, 45)
        if test:
            n = "TEST " + n
        pt = "HTL" if i == 0 else R.choices(["HTL", "APT", "HST", "BNB"], [50, 22, 13, 15])[0]
        stars = R.choice([3, 4, 4, 5, 2, 5, 3]) if pt in ("HTL", "APT") and R.random() < 0.92 else None
        if i in (0, 14, 28, 42):
            stars = [4, 5, 5, 5][(i // 14)]
        on = date(2023, 6, 1) + timedelta(days=R.randint(0, 600))
        off = None
        if i in (9, 17, 28, 36, 47, 55):
            off = date(2025, 5, 1) + timedelta(days=R.randint(0, 400))
        if i in (5, 30, 44):
            off = date(2026, 7, 31) + timedelta(days=R.choice([0, 31, 62]))
        if i == 55:
            off = date(2026, 6, 30)
        if i in (12, 24, 33, 50, 61, 65, 39):
            on = [
                date(2026, 6, 24),
                date(2026, 3, 1),
                date(2026, 4, 15),
                date(2026, 2, 28),
                date(2026, 5, 31),
                date(2026, 6, 1),
                date(2026, 3, 31),
            ][(12, 24, 33, 50, 61, 65, 39).index(i)]
        hotels.append((101 + i, n, c, cc, stars, pt, R.choice([1200, 1500, 1500, 1800, 2000]), on, off, test))
    rts, by_h, rid = [], {}, 1000
    rn = ["Single", "Double", "Twin", "Family Room", "Junior Suite", "Loft"]
    for h in hotels:
        k = 4 if h[0] == 101 else R.randint(1, 5)
        rates = R.sample(range(45, 320), k)
        for nme, rate in zip(R.sample(rn, k), rates):
            rid += 1
            mg = {
                "Single": 1,
                "Double": 2,
                "Twin": 2,
                "Family Room": R.choice([4, 5]),
                "Junior Suite": 3,
                "Loft": R.choice([2, 4]),
            }[nme]
            rt = (rid, h[0], nme, mg, R.randint(1, 14), rate * 100 + R.choice([0, 0, 50, 90]))
            rts.append(rt)
            by_h.setdefault(h[0], []).append(rt)
    fn = [
        "Anna",
        "Ben",
        "Clara",
        "David",
        "Elif",
        "Felix",
        "Greta",
        "Hugo",
        "Ines",
        "Jonas",
        "Katya",
        "Liam",
        "Marta",
        "Nils",
        "Olga",
        "Pedro",
        "Quinn",
        "Rosa",
        "Sven",
        "Tara",
        "Ugo",
        "Vera",
        "Wim",
        "Yara",
        "Zoe",
    ]
    ln = [
        "Almeida",
        "Bauer",
        "Costa",
        "Dubois",
        "Eriksen",
        "Ferrari",
        "Garcia",
        "Huber",
        "Ivanov",
        "Jansen",
        "Kowalski",
        "Lopez",
        "Moreau",
        "Novak",
        "Oliveira",
        "Petit",
        "Rossi",
        "Schmidt",
        "Torres",
        "Ulrich",
        "Vidal",
        "Weber",
        "Young",
        "Zanetti",
        "Fischer",
        "Marin",
        "Keller",
        "Bianchi",
        "Duarte",
        "Lang",
    ]
    combos = [(a, b) for a in fn for b in ln if (a, b) != ("Marta", "Kowalski")]
    R.shuffle(combos)
    combos[5] = ("Marta", "Kowalski")
    guests = []
    for i in range(620):
        a, b = combos[i]
        su = datetime(2023, 9, 1) + timedelta(minutes=R.randint(0, 60 * 24 * 1034))
        if i % 37 == 0:
            su = datetime(2026, 1, 1) if i % 2 else datetime(2025, 12, 31, 17, 40)
        if i == 5:
            su = datetime(2024, 1, 10, 12, 0)
        internal = i % 29 == 11
        dele = su + timedelta(days=R.randint(20, 300)) if R.random() < 0.07 and i != 5 else None
        if dele and dele > NOW:
            dele = NOW - timedelta(days=3)
        guests.append(
            (
                2001 + i,
                a,
                b,
                None if R.random() < 0.06 else f"{a}.{b}{i}@example.com".lower(),
                None
                if R.random() < 0.05
                else R.choice(["DE", "DE", "DE", "PT", "ES", "FR", "IT", "NL", "PL", "GB", "AT"]),
                R.choices("NSGP", [55, 25, 14, 6])[0],
                R.random() < 0.45,
                su,
                internal,
                dele,
            )
        )
    promos = [
        (1, "WELCOME10", 10, date(2023, 9, 1), None),
        (2, "SUMMER24", 15, date(2024, 5, 1), date(2024, 8, 31)),
        (3, "WINTER24", 20, date(2024, 11, 1), date(2025, 1, 31)),
        (4, "SUMMER25", 15, date(2025, 5, 1), date(2025, 8, 31)),
        (5, "CITY20", 20, date(2025, 9, 15), date(2026, 3, 31)),
        (6, "APPONLY", 12, date(2025, 6, 1), None),
        (7, "SUMMER26", 18, date(2026, 5, 1), date(2026, 8, 31)),
        (8, "FLASH30", 30, date(2026, 6, 10), date(2026, 6, 14)),
        (9, "AUTUMN26", 15, date(2026, 9, 1), date(2026, 11, 30)),
        (10, "LARK5", 5, date(2024, 1, 1), date(2026, 7, 2)),
    ]
    quiet = {107, 119, 133, 152}
    bookers = [g for i, g in enumerate(guests) if i % 8 != 3]
    wts = [R.choice([1, 1, 2, 3, 5]) for _ in bookers]
    raw = []
    edges = [datetime(y, m, 1) for y in (2024, 2025, 2026) for m in range(1, 13)]
    for _ in range(6400):
        g = R.choices(bookers, wts)[0]
        h = R.choice(hotels)
        t = datetime(2024, 3, 1) + timedelta(seconds=R.randint(0, int((NOW - datetime(2024, 3, 1)).total_seconds())))
        x = R.random()
        if x < 0.12:
            t = max(t, datetime(2026, 7, 2) - timedelta(days=abs(R.gauss(0, 75)))).replace(microsecond=0)
        elif x < 0.27:
            e = R.choice(edges)
            t = e if R.random() < 0.4 else e - timedelta(seconds=R.choice([1, 3600 * 7, 3600 * 9 + 120]))
        elif x < 0.29:
            t = datetime(t.year, t.month, t.day)
        t = t.replace(microsecond=0)
        if t < datetime(2024, 1, 1) or t > NOW:
            continue
        if t.date() < h[7] or (h[8] and t.date() >= h[8]) or t < g[7] or (g[9] and t > g[9]):
            continue
        if h[0] == 113 or (h[0] in quiet and t > datetime(2026, 3, 10)):
            continue
        raw.append((t, g, h))
    mk = next(g for g in guests if g[2] == "Kowalski" and g[1] == "Marta")
    for d in (40, 110, 200, 300, 420, 600):
        raw.append(
            (NOW - timedelta(days=d, hours=3), mk, hotels[(d * 7) % 50 if (d * 7) % 50 not in (20, 42, 45, 12) else 1])
        )
    raw.sort(key=lambda r: r[0])
    B, P, F, V = [], [], [], []
    pid, fid, vid = 50000, 70000, 90000
    for k, (t, g, h) in enumerate(raw):
        bid = 300001 + k
        rt = R.choice(by_h[h[0]])
        lead = min(int(R.expovariate(1 / 28)), 170)
        ci = t.date() + timedelta(days=lead)
        if R.random() < 0.05:
            ci = date(ci.year + ci.month // 12, ci.month % 12 + 1, 1)
        n = R.choices([1, 2, 3, 4, 5, 7, 14], [20, 28, 20, 12, 8, 10, 2])[0]
        co = ci + timedelta(days=n)
        ch = R.choices(["WEB", "APP", "PHN", "PTR", "COR"], [38, 30, 8, 16, 8])[0]
        if co <= TODAY:
            st = R.choices(["CHO", "CXL", "NSH"], [78, 17, 5])[0]
        elif ci < TODAY:
            st = R.choices(["INH", "CXL", "NSH"], [85, 11, 4])[0]
        elif ci == TODAY:
            st = R.choices(["CNF", "CXL", "INH"], [70, 20, 10])[0]
        else:
            st = R.choices(["CNF", "PND", "CXL"], [70, 13, 17])[0]
        promo = None
        if R.random() < 0.3:
            ok = [
                p
                for p in promos
                if p[3] <= t.date() and (p[4] is None or p[4] >= t.date()) and (p[1] != "APPONLY" or ch == "APP")
            ]
            promo = R.choice(ok) if ok else None
        gross = int(rt[5] * n * (1 - (promo[2] if promo else 0) / 100) * R.choice([1, 1, 0.95, 0.9, 1.1, 1.2]))
        net = gross - gross * h[6] // 10000
        can = rsn = None
        if st == "CXL":
            lim = min(NOW, datetime(ci.year, ci.month, ci.day, 18))
            can = t + (lim - t) * R.random() if lim > t else t
            can = can.replace(microsecond=0)
            rsn = (
                None
                if R.random() < 0.12
                else R.choices(["PLAN", "PRICE", "ILL", "HOTL", "PAY"], [44, 22, 14, 11, 9])[0]
            )
        test = h[9] or g[8] or R.random() < 0.015
        ad = R.randint(1, min(3, rt[3]))
        kids = R.choice([0, 0, 1, 2]) if rt[3] >= 3 else 0
        B.append(
            (
                bid,
                "SL" + format(bid * 7919 % 1679616, "06X"),
                g[0],
                h[0],
                rt[0],
                ch,
                st,
                t,
                ci,
                co,
                ad,
                kids,
                gross,
                net,
                promo[0] if promo else None,
                can,
                rsn,
                test,
            )
        )
        caps = []
        if not (st == "PND" or (ch == "COR" and R.random() < 0.7) or R.random() < 0.06):
            m = R.choices(["card", "webpay", "transfer"], [70, 22, 8])[0]
            pt = t + timedelta(seconds=R.randint(20, 900))
            if R.random() < 0.12:
                pid += 1
                P.append((pid, bid, m, "failed", gross, t + timedelta(seconds=8), None))
            parts = [gross] if R.random() < 0.88 else [gross // 3, gross - gross // 3]
            for a in parts:
                pid += 1
                cap = pt + timedelta(hours=R.choice([0, 0, 1, 8, 20, 30, 49]))
                if cap > NOW or (st == "CXL" and R.random() < 0.4):
                    P.append((pid, bid, m, "authorized", a, min(pt, NOW), None))
                else:
                    P.append((pid, bid, m, "captured", a, pt, cap))
                    caps.append((pid, a, cap))
        if st == "CXL" or R.random() < 0.02:
            for p, a, cap in caps:
                rq = max(cap, can or cap) + timedelta(hours=R.randint(1, 60))
                for am in [a] if R.random() < 0.85 else [a // 2, a // 4]:
                    if rq > NOW:
                        continue
                    se = rq + timedelta(days=R.randint(1, 14), hours=R.randint(0, 23))
                    if se > NOW or R.random() < 0.04:
                        se = None
                    fid += 1
                    F.append((fid, p, am, rq, se))
        if st == "CHO" and R.random() < 0.46:
            su = datetime(co.year, co.month, co.day, 11) + timedelta(hours=R.randint(1, 240))
            if su < NOW:
                pu = su + timedelta(hours=R.randint(2, 70))
                if pu > NOW or R.random() < 0.08:
                    pu = None
                vid += 1
                V.append(
                    (
                        vid,
                        bid,
                        R.choices(range(1, 11), [2, 2, 3, 4, 6, 9, 16, 24, 20, 14])[0],
                        None
                        if R.random() < 0.4
                        else R.choice(["lovely stay", "noisy street", "great breakfast", "ok", "would come back"]),
                        su,
                        pu,
                        pu is not None and R.random() < 0.06,
                    )
                )
    T = []
    good = [b for b in B if not b[17]]
    gint = {g[0] for g in guests if g[8]}
    outs = [g[0] for g in guests if not g[8]]
    for i in range(640):
        b = R.choice(good) if R.random() < 0.8 else None
        if b:
            o = b[7] + timedelta(minutes=R.randint(5, 60 * 24 * 40))
        else:
            o = datetime(2024, 4, 1) + timedelta(minutes=R.randint(0, 60 * 24 * 821))
        if i % 9 == 0:
            o = datetime(2026, 5, 25) + timedelta(minutes=R.randint(0, 60 * 24 * 38))
            b = None
        if o > NOW:
            continue
        if i % 40 == 7:
            o = datetime(2026, 6, 1) if i % 80 == 7 else datetime(2026, 6, 30, 16, 20)
            b = None
        fr = o + timedelta(minutes=int(R.expovariate(1 / 260)) + 3)
        if fr > NOW or R.random() < 0.05:
            fr = None
        cl = (fr or o) + timedelta(minutes=R.randint(10, 9000))
        if cl > NOW or R.random() < 0.06:
            cl = None
        T.append(
            [
                0,
                b[2] if b else R.choice(outs),
                b[0] if b else None,
                R.choice(["change", "change", "refund", "refund", "checkin", "invoice", "other"]),
                R.choices([1, 2, 3, 4], [10, 22, 50, 18])[0],
                o,
                fr,
                cl,
            ]
        )
    T.sort(key=lambda r: r[5])
    T = [tuple([8001 + i] + r[1:]) for i, r in enumerate(T)]
    return {
        "hotels": hotels,
        "room_types": rts,
        "guests": guests,
        "promotions": promos,
        "bookings": B,
        "payments": P,
        "refunds": F,
        "reviews": V,
        "support_tickets": T,
    }
