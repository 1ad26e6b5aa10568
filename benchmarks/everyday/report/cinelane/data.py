import random
from datetime import date, datetime, timedelta

NOW = datetime(2026, 12, 9, 12, 0, 0)
START = datetime(2024, 6, 1)


def rows():
    r = random.Random(4711)
    f = lambda d: None if d is None else d.strftime("%Y-%m-%d %H:%M:%S")
    out = {}
    cin = [
        (1, "Cinelane Docklands", "Dublin", "IE", "2011-05-12", None, False),
        (2, "Cinelane Rathmines", "Dublin", "IE", "2016-10-06", None, False),
        (3, "Cinelane Cork", "Cork", "IE", "2014-03-20", None, False),
        (4, "Cinelane Galway", "Galway", "IE", "2019-11-28", None, False),
        (5, "Cinelane Amsterdam Noord", "Amsterdam", "NL", "2013-09-05", None, False),
        (6, "Cinelane Utrecht", "Utrecht", "NL", "2017-02-16", None, False),
        (7, "Cinelane Rotterdam", "Rotterdam", "NL", "2015-06-25", None, False),
        (8, "Cinelane Antwerp", "Antwerp", "BE", "2018-04-19", None, False),
        (9, "Cinelane Ghent", "Ghent", "BE", "2021-09-30", None, False),
        (10, "Cinelane Leuven", "Leuven", "BE", "2020-02-13", "2025-09-30", False),
        (99, "ZZ Till Training", "Dublin", "IE", "2010-01-01", None, True),
    ]
    out["cinemas"] = cin
    nscr = {1: 8, 2: 4, 3: 5, 4: 4, 5: 7, 6: 5, 7: 6, 8: 5, 9: 4, 10: 3, 99: 2}
    only_std = {2, 4, 10, 99}
    screens, sid = [], 100
    for c in cin:
        for k in range(1, nscr[c[0]] + 1):
            sid += 1
            if c[0] in only_std or k > 2:
                fm = "STD" if c[0] in only_std or r.random() < 0.8 else "DLX"
            else:
                fm = "IMX" if k == 1 else "DLX"
            seats = {"STD": r.randrange(80, 241, 4), "IMX": r.randrange(220, 381, 6), "DLX": r.randrange(48, 97, 4)}[fm]
            screens.append((sid, c[0], "Screen %d" % k, fm, seats, (c[0], k) in {(7, 6), (1, 8), (5, 3)}))
    out["screens"] = screens
    titles = [
        "Saltwater Choir",
        "The Ninth Lantern",
        "Kite Season",
        "Midnight at Pier Four",
        "Bram en de Maan",
        "Hollow Orchard",
        "Paper Tigers' Parade",
        "Low Tide",
        "The Glass Referee",
        "Vuurtoren",
        "Granite Heart",
        "Robo Pups",
        "Robo Pups 2",
        "Under the Static",
        "A Cold Supper",
        "Nachttrein naar Gent",
        "The Beekeeper's Alibi",
        "Stormwatch",
        "Luna & Otto",
        "The Quiet Floor",
        "Skerry",
        "Last Bus to Clifden",
        "Zilver",
        "Ember Protocol",
        "Ember Protocol: Ash",
        "Grandad's Spaceship",
        "The Cellar Beneath",
        "Marrow",
        "Two Left Skates",
        "Les Voisins du Dessus",
        "Dust Opera",
        "Velvet Getaway",
        "The Understudy's Wife",
        "Polder",
        "Snow Day Heist",
        "Crown of Reeds",
        "The Long Rehearsal",
        "Winterhaven",
    ]
    genres = [
        "Drama",
        "Fantasy",
        "Family",
        "Thriller",
        "Family",
        "Horror",
        "Comedy",
        "Drama",
        "Comedy",
        "Drama",
        "Action",
        "Family",
        "Family",
        "Horror",
        "Drama",
        "Thriller",
        "Comedy",
        "Action",
        "Family",
        "Horror",
        "Drama",
        "Comedy",
        "Thriller",
        "Action",
        "Action",
        "Family",
        "Horror",
        "Horror",
        "Comedy",
        "Comedy",
        "Drama",
        "Action",
        "Drama",
        "Thriller",
        "Comedy",
        "Fantasy",
        "Drama",
        "Fantasy",
    ]
    nl = {"Bram en de Maan", "Vuurtoren", "Nachttrein naar Gent", "Zilver", "Polder"}
    dist = ["Northgate Pictures", "Harbour Film", "Lumen Distribution", "Kestrel Releasing", None]
    films = []
    for i, t in enumerate(titles):
        rel = (
            date(2024, 3, 7) + timedelta(days=7 * (i * 4)) if i < 36 else [date(2026, 12, 24), date(2027, 2, 4)][i - 36]
        )
        rt = 84 + (i * 37) % 61
        if t == "Crown of Reeds":
            rt = 187
        if t in ("Winterhaven",):
            rt = None
        films.append(
            (
                i + 1,
                t,
                dist[(i * 3) % 5],
                genres[i],
                rt,
                "nl" if t in nl else "fr" if t.startswith("Les") else "en",
                str(rel),
            )
        )
    out["films"] = films
    rel = {x[0]: datetime.fromisoformat(x[6]) for x in films}
    # showtimes
    starts = []
    for _ in range(1050):
        starts.append(START + timedelta(days=r.randrange(0, 880)))
    for _ in range(420):
        starts.append(datetime(2026, 9, 20) + timedelta(days=r.randrange(0, 80)))
    for _ in range(40):
        starts.append(datetime(2026, 12, 9))
    for _ in range(150):
        starts.append(datetime(2026, 12, 10) + timedelta(days=r.randrange(0, 28)))
    live = [s for s in screens]
    shows, sh = [], 20000
    never_galway = set(r.sample(range(1, 37), 7))
    for d in starts:
        d = d + timedelta(
            minutes=r.choice(
                [11 * 60, 13 * 60 + 30, 14 * 60, 16 * 60 + 15, 18 * 60, 19 * 60 + 30, 20 * 60 + 45, 22 * 60]
            )
        )
        while True:
            s = r.choice(live)
            if s[1] == 99 and r.random() < 0.2:
                continue
            if s[1] == 10 and d > datetime(2025, 9, 30):
                continue
            break
        cand = [
            i for i in rel if rel[i] <= d and not (s[1] == 4 and i in never_galway) and not (s[1] == 9 and i % 6 == 0)
        ]
        rec = [i for i in cand if (d - rel[i]).days < 120]
        fi = r.choice(rec) if rec and r.random() < 0.85 else r.choice(cand)
        st = r.choices(["ON", "CAN", "PRV"], [86, 9, 5])[0]
        sh += 1
        shows.append((sh, fi, s[0], d - timedelta(days=r.randrange(8, 35), hours=r.randrange(0, 10)), d, st))
    for d in [
        "2026-11-01 00:00:00",
        "2026-11-30 16:15:00",
        "2026-10-31 22:00:00",
        "2025-12-31 22:00:00",
        "2026-12-01 00:00:00",
        "2026-01-01 00:00:00",
    ]:
        for st in ("ON", "CAN"):
            sh += 1
            dd = datetime.fromisoformat(d)
            shows.append(
                (
                    sh,
                    30 if dd.year == 2026 and dd.month > 6 else 20,
                    r.choice([101, 109, 114, 125]),
                    dd - timedelta(days=14),
                    dd,
                    st,
                )
            )
    out["showtimes"] = [(a, b, c, f(d), f(e), g) for a, b, c, d, e, g in shows]
    scin = {s[0]: s[1] for s in screens}
    # members
    fn = [
        "Aoife",
        "Niamh",
        "Conor",
        "Sean",
        "Ciara",
        "Liam",
        "Sanne",
        "Daan",
        "Lotte",
        "Bram",
        "Femke",
        "Jeroen",
        "Wout",
        "Elise",
        "Thomas",
        "Marie",
        "Pieter",
        "Noor",
        "Eva",
        "Oisin",
    ]
    ln = [
        "Brennan",
        "Doyle",
        "Murphy",
        "Keane",
        "Walsh",
        "de Vries",
        "Bakker",
        "Visser",
        "Smit",
        "Peeters",
        "Maes",
        "Claes",
        "Jacobs",
        "Byrne",
        "van Dijk",
        "Mulder",
        "Wouters",
        "Nolan",
    ]
    mem = [
        [
            501,
            "Aoife",
            "Brennan",
            "aoife.brennan@mail.example",
            "G",
            1,
            "1988-02-29",
            0,
            datetime(2024, 6, 3, 10),
            None,
            False,
        ]
    ]
    for i in range(520):
        while True:
            a, b = r.choice(fn), r.choice(ln)
            if (a, b) != ("Aoife", "Brennan"):
                break
        j = datetime(2023, 9, 1) + timedelta(minutes=r.randrange(0, 1195 * 1440))
        if j > NOW:
            j = NOW - timedelta(days=r.randrange(1, 30))
        if i == 3:
            j = datetime(2026, 1, 1)
        if i == 4:
            j = datetime(2025, 12, 31, 23, 59, 59)
        if i == 5:
            j = datetime(2026, 11, 30, 17, 5)
        dl = min(NOW - timedelta(hours=5), j + timedelta(days=r.randrange(20, 700))) if r.random() < 0.07 else None
        mem.append(
            [
                502 + i,
                a,
                b,
                None if r.random() < 0.06 else "%s.%s%d@mail.example" % (a.lower(), b.lower().replace(" ", ""), i),
                r.choices("BSG", [62, 26, 12])[0],
                None if r.random() < 0.12 else r.randrange(1, 11),
                None if r.random() < 0.15 else str(date(1950, 1, 1) + timedelta(days=r.randrange(0, 21500))),
                0,
                j,
                dl,
                r.random() < 0.05,
            ]
        )
    buyers = [m for m in mem if r.random() < 0.72]
    if mem[0] not in buyers:
        buyers.append(mem[0])
    heavy = r.sample(buyers, 45) + [mem[0]] * 2
    last_ok = {m[0]: (datetime(2026, 7, 1) if r.random() < 0.3 and m[0] != 501 else NOW) for m in buyers}
    # products
    prod = [
        ("POP-S", "Small Popcorn", "POP", 450, None),
        ("POP-L", "Large Popcorn", "POP", 690, None),
        ("POP-C", "Caramel Popcorn", "POP", 750, None),
        ("DRK-COL", "Cola", "DRK", 420, None),
        ("DRK-WAT", "Still Water", "DRK", 280, None),
        ("DRK-SLU", "Blue Slush", "DRK", 480, "2026-03-31"),
        ("DRK-BEER", "Draught Beer", "DRK", 590, None),
        ("SWT-MIX", "Pick and Mix", "SWT", 520, None),
        ("SWT-CHO", "Chocolate Buttons", "SWT", 360, None),
        ("SWT-LIQ", "Liquorice Ropes", "SWT", 310, "2025-08-31"),
        ("HOT-NAC", "Nachos", "HOT", 720, None),
        ("HOT-DOG", "Hot Dog", "HOT", 640, None),
        ("HOT-PIZ", "Pizza Slice", "HOT", 560, "2026-10-15"),
    ]
    out["products"] = prod
    w = [14, 22, 8, 18, 12, 4, 6, 9, 7, 3, 12, 7, 4]

    def wc(cid):
        x = list(w)
        if cid in (8, 9, 10):
            x[10] += 12
        if cid in (5, 6, 7):
            x[3] += 10
        return x

    # orders
    raw = []
    sellable = [s for s in shows if s[5] != "PRV" and s[4] < NOW + timedelta(days=20)]
    for _ in range(1900):
        s = r.choice(sellable)
        if s[5] == "CAN" and r.random() < 0.5:
            s = r.choice(sellable)
        lead = r.choice([20, 45, 120, 300, 1440, 2 * 1440, 5 * 1440, 7 * 1440]) + r.randrange(0, 200)
        c = max(s[3], s[4] - timedelta(minutes=lead))
        c = c.replace(second=r.randrange(60))
        if c > NOW - timedelta(minutes=30):
            c = NOW - timedelta(minutes=r.randrange(40, 7 * 1440))
            if c < s[3]:
                continue
        raw.append((c, s, None))
    for _ in range(480):
        c = START + timedelta(minutes=r.randrange(0, 920 * 1440 + 700))
        if r.random() < 0.3:
            c = datetime(2026, 10, 1) + timedelta(minutes=r.randrange(0, 69 * 1440))
        if c > NOW - timedelta(hours=1):
            continue
        cc = r.choice([x for x in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99) if not (x == 10 and c > datetime(2025, 9, 29))])
        raw.append((c, None, cc))
    for p in [
        "2026-11-30 15:40:00",
        "2026-11-30 23:59:59",
        "2026-12-01 00:00:00",
        "2026-10-31 23:59:59",
        "2026-11-01 00:00:00",
        "2026-12-08 00:00:00",
        "2026-12-07 23:59:59",
        "2026-12-08 23:59:59",
        "2026-12-09 00:00:00",
        "2025-12-31 17:30:00",
        "2026-01-01 00:00:00",
        "2026-09-30 16:20:00",
        "2026-10-01 00:00:00",
        "2025-09-30 18:00:00",
        "2026-12-05 00:00:00",
        "2026-12-06 00:00:00",
        "2026-12-03 00:00:00",
        "2026-07-01 00:00:00",
    ]:
        p = datetime.fromisoformat(p)
        s = min([x for x in sellable if x[4] > p and x[5] == "ON" and scin[x[2]] != 99], key=lambda x: x[4])
        raw.append((p - timedelta(minutes=3), s, p))
    raw.sort(key=lambda x: x[0])
    orders, tix, lines, led = [], [], [], []
    oid, tid, lid, eid = 300000, 700000, 0, 0
    base = {"A": 1350, "C": 850, "S": 1050, "U": 1000, "F": 1350}
    bal = {}

    def ledger(m, o, why, pts, at):
        nonlocal eid
        eid += 1
        bal[m] = bal.get(m, 0) + pts
        led.append((eid, m, o, why, pts, f(at)))

    for m in mem:
        if r.random() < 0.5:
            ledger(m[0], None, "BON", 50, m[8])
    for c, s, x in raw:
        oid += 1
        fixed = x if isinstance(x, datetime) else None
        cid = scin[s[2]] if s else x
        st = "P" if fixed else r.choices("PRXN", [82, 6, 8, 4])[0]
        if s and s[5] == "CAN":
            st = r.choices("RXP", [80, 15, 5])[0]
        ch = r.choices(["WEB", "APP", "KSK", "BOX"], [34, 31, 20, 15] if s else [3, 14, 33, 50])[0]
        m = None
        if r.random() < 0.68:
            for _ in range(6):
                k = r.choice(heavy) if r.random() < 0.35 else r.choice(buyers)
                if (cid != 99 or k[10]) and k[8] < c < last_ok[k[0]] and (k[9] is None or c < k[9]):
                    m = k[0]
                    break
        paid = fixed or (c + timedelta(minutes=r.randrange(1, 9), seconds=r.randrange(60)) if st in "PR" else None)
        if paid and paid > NOW:
            paid = NOW - timedelta(minutes=2)
        ref = None
        if st == "R":
            ref = min(NOW - timedelta(minutes=1), paid + timedelta(hours=r.randrange(2, 400)))
        tot = disc = fee = 0
        if s:
            n = r.choices([1, 2, 3, 4], [30, 42, 15, 13])[0]
            row, seat = r.choice("CDEFGH"), r.randrange(1, 14)
            for q in range(n):
                tid += 1
                ty = r.choices("ACSUF", [56, 17, 8, 15, 4])[0]
                lp = base[ty] + (300 if [z for z in screens if z[0] == s[2]][0][3] == "IMX" else 0)
                np_ = 0 if ty == "F" else lp - (r.choice([100, 200, 250]) if r.random() < 0.25 else 0)
                vo = (
                    paid + timedelta(minutes=r.randrange(5, 15))
                    if st == "P" and n > 1 and q == n - 1 and r.random() < 0.12
                    else None
                )
                sc = None
                if st == "P" and vo is None and s[5] == "ON" and s[4] < NOW and r.random() < 0.91:
                    sc = s[4] - timedelta(minutes=r.randrange(-9, 25))
                if vo is None:
                    tot += np_
                    disc += lp - np_
                tix.append(
                    (tid, oid, s[0], None if r.random() < 0.04 else "%s%d" % (row, seat + q), ty, lp, np_, f(sc), f(vo))
                )
            if ch in ("WEB", "APP"):
                fee = 75 * n
        if not s or r.random() < 0.4:
            for sku in dict.fromkeys(r.choices(range(13), wc(cid), k=r.choices([1, 2, 3], [40, 40, 20])[0])):
                p = prod[sku]
                if p[4] and str(c.date()) > p[4]:
                    p = prod[1 if sku != 5 else 3]
                lid += 1
                up = p[3] - (40 if c < datetime(2025, 7, 1) else 0)
                if r.random() < 0.15:
                    up -= 50
                q = r.choices([1, 2, 3], [66, 27, 7])[0]
                tot += q * up
                lines.append((lid, oid, p[0], q, up))
        tot += fee
        orders.append((oid, cid, m, ch, st, f(c), f(paid), f(ref), fee, disc, tot))
        if m and paid:
            ledger(m, oid, "ERN", tot // 100, paid)
            if st == "R":
                ledger(m, oid, "ADJ", -(tot // 100), ref)
            elif r.random() < 0.08:
                ledger(
                    m,
                    None,
                    "RDM",
                    -min(bal[m], r.choice([20, 50])),
                    min(NOW, paid + timedelta(days=r.randrange(1, 30))),
                )
            elif r.random() < 0.03:
                ledger(m, None, "EXP", -min(bal[m], 10), min(NOW, paid + timedelta(days=200)))
    for m in mem:
        m[7] = bal.get(m[0], 0)
    out["members"] = [tuple(m[:8] + [f(m[8]), f(m[9]), m[10]]) for m in mem]
    out["orders"], out["tickets"], out["snack_lines"], out["points_ledger"] = orders, tix, lines, led
    return out
