import random
from datetime import date as D
from datetime import datetime as DT
from datetime import timedelta as TD


def rows():
    R = random.Random(20260514)
    NOW = DT(2026, 5, 14, 6, 20)

    def ts(a, b):
        return a + TD(seconds=R.randrange(max(1, int((b - a).total_seconds()))))

    edges = [
        DT(2026, 4, 1),
        DT(2026, 4, 30, 16, 45),
        DT(2026, 4, 30, 23, 59, 59),
        DT(2026, 5, 1),
        DT(2026, 3, 31, 15, 10),
        DT(2026, 1, 1),
        DT(2025, 12, 31, 18, 30),
        DT(2025, 1, 1),
        DT(2025, 3, 31, 23, 59, 59),
        DT(2026, 5, 13),
        DT(2026, 5, 13, 23, 59, 59),
        DT(2026, 5, 14),
        DT(2026, 5, 6),
        DT(2026, 5, 6, 21, 5),
        DT(2026, 5, 4),
        DT(2026, 5, 10, 20, 0),
        DT(2026, 5, 11),
    ]
    fn = "Ana Ben Carla Dario Elif Finn Greta Hugo Ines Jonas Kira Luca Mara Nils Olga Pavel Rosa Sven Tara Uwe Vera Wim Yara Zoe".split()
    ln = "Abel Brandt Costa Dubois Ek Ferraz Gruber Hansen Ito Jansen Klein Lopes Moreau Nowak Okoye Petrov Quist Rossi Silva Thorn".split()
    cs = ["DE"] * 28 + ["US"] * 20 + ["BR"] * 18 + ["FR"] * 12 + ["GB"] * 12 + ["SE"] * 7 + [None] * 3
    names = [f"{a} {b}" for a in fn for b in ln]
    R.shuffle(names)
    listeners = []
    for i in range(1, 461):
        s = ts(DT(2023, 11, 1), NOW - TD(hours=2)) if i > len(edges) else edges[i - 1]
        if i % 7 == 0:
            s = ts(DT(2026, 1, 1), NOW)
        internal = i % 19 == 3
        dele = ts(s, NOW) if R.random() < 0.07 else None
        n = names[i - 1]
        listeners.append(
            (
                i,
                n if R.random() > 0.02 else None,
                n.lower().replace(" ", ".") + ("@beatpress.example" if internal else "@mail.example"),
                R.choice(cs),
                R.choice([None] + list(range(1958, 2011))),
                s,
                R.randrange(1, i) if i > 20 and R.random() < 0.2 else None,
                internal,
                dele,
            )
        )
    listeners[100] = (
        101,
        "Greta Lindqvist",
        "greta.lindqvist@mail.example",
        "SE",
        1988,
        DT(2024, 2, 3, 9, 0),
        None,
        False,
        None,
    )
    plans = [
        ("IND", "Individual", 1099, 1),
        ("DUO", "Duo", 1499, 2),
        ("FAM", "Family", 1799, 6),
        ("STU", "Student", 599, 1),
        ("HIF", "HiFi", 1999, 1),
    ]
    lp = {p[0]: p[2] for p in plans}
    subs = []
    pays = []
    sid = 5000
    pid = 90000
    ce = [
        DT(2026, 1, 1),
        DT(2026, 3, 31, 17, 20),
        DT(2026, 4, 1),
        DT(2025, 12, 31, 23, 59),
        DT(2026, 3, 31, 23, 59, 59),
        DT(2026, 4, 30, 15, 0),
        DT(2026, 4, 3, 11, 0),
        DT(2026, 4, 19, 19, 0),
    ]

    def bill(sub, start, end, last):
        nonlocal pid
        t = start
        n = 0
        while t < end and t < NOW:
            pid += 1
            a = sub[4]
            tax = round(a * 19 / 119)
            paid = t + TD(hours=R.choice([0, 1, 5, 30, 80, 200]), minutes=R.randrange(60))
            r = R.random()
            if r < 0.86 and paid < NOW:
                st = "S"
            elif r < 0.92:
                st = "F"
            elif r < 0.95 and paid < NOW:
                st = "R"
            else:
                st = "O" if t > NOW - TD(days=60) else "S"
            if st in "SR" and paid >= NOW:
                st = "O"
            if last == "D" and t > NOW - TD(days=35):
                st = R.choice("OF")
            pays.append(
                (
                    pid,
                    sub[0],
                    a,
                    tax,
                    st,
                    R.choice(["card", "card", "webpay", "sepa", None]),
                    t,
                    paid if st in "SR" else None,
                )
            )
            n += 1
            t = t + TD(days=30)

    for l in listeners:
        if R.random() < 0.27 and l[0] != 101:
            continue
        t = l[5] + TD(days=R.choice([0, 0, 1, 3, 20]))
        k = R.choice([1, 1, 1, 2])
        for j in range(k):
            if t >= NOW:
                break
            pl = R.choices(["IND", "DUO", "FAM", "STU", "HIF"], [45, 11, 22, 16, 6])[0]
            net = lp[pl] if R.random() < 0.7 else round(lp[pl] * R.choice([0.5, 0.8, 0.9]))
            sid += 1
            final = j == k - 1
            if final and l[8] is None:
                st = R.choices("ADTPX", [62, 6, 9, 5, 18])[0]
                if l[0] == 101:
                    st = "A"
            else:
                st = "X"
            can = end = None
            e = NOW
            if st == "T":
                t = max(t, NOW - TD(days=R.randrange(1, 13), hours=R.randrange(20)))
            if st == "X":
                hi = l[8] or NOW
                can = ts(t, max(t + TD(hours=1), hi))
                if can >= NOW:
                    can = NOW - TD(hours=1)
                if ce and t < DT(2025, 10, 1) and l[8] is None and not l[7]:
                    can = ce.pop()
                end = can + TD(days=R.randrange(0, 30))
                e = can
            s = (sid, l[0], pl, st, net, t, can, end)
            subs.append(s)
            if st != "T":
                bill(s, t, e, st)
            t = e + TD(days=R.randrange(5, 60))
    # month-edge payments
    act = [s for s in subs if s[3] == "A" and s[5] < DT(2024, 12, 1)]
    for x, (iss, pd) in zip(
        act,
        [
            (DT(2026, 3, 31, 22), DT(2026, 4, 1)),
            (DT(2026, 4, 29), DT(2026, 4, 30, 16, 30)),
            (DT(2026, 4, 30, 20), DT(2026, 5, 1)),
            (DT(2026, 3, 30), DT(2026, 3, 31, 23, 59, 59)),
            (DT(2024, 12, 31), DT(2025, 1, 1)),
            (DT(2025, 12, 31, 9), DT(2025, 12, 31, 17)),
        ],
    ):
        pid += 1
        pays.append((pid, x[0], x[4], round(x[4] * 19 / 119), "S", "card", iss, pd))
    lab = [
        ("Northlight Records", "SE", 1800, D(2026, 12, 31)),
        ("Cobalt Tape", "DE", 1550, D(2026, 3, 31)),
        ("Palmeira Discos", "BR", 1625, D(2027, 6, 30)),
        ("Velvet Antler", "US", 2100, D(2026, 8, 15)),
        ("Rue Onze", "FR", 1500, D(2028, 1, 31)),
        ("Grey Harbour", "GB", 1450, D(2025, 12, 31)),
        ("Sundial Music", "US", 1975, None),
        ("Kessel & Sons", "DE", 1700, D(2027, 12, 31)),
        ("Tin Orchard", "GB", 1325, D(2026, 11, 1)),
        ("Mar Azul", "BR", 1600, None),
        ("Static Bloom", "US", 1880, D(2029, 4, 30)),
        ("Fjordkind", "SE", 1400, D(2027, 2, 28)),
    ]
    labels = [(i + 1,) + x for i, x in enumerate(lab)]
    an = [
        "Luma Vale",
        "Os Vizinhos",
        "Kid Marmalade",
        "Paper Lanterns",
        "DJ Kolibri",
        "Ines Farrow",
        "The Slow Ferries",
        "Nacht Kiosk",
        "Maré Baixa",
        "Tall Daughter",
        "Copper Mint",
        "Rio Sem Fim",
        "Hollow Avenue",
        "Sable & Finch",
        "Quartet Okra",
        "MC Tambor",
        "Blue Hyena",
        "Lisbon Static",
        "Petite Orage",
        "Northern Mail",
        "Ghost Kitchen",
        "Omar Belize",
        "Silver Pagoda",
        "Tante Emma",
        "Wildflower Tax",
        "Young Cassette",
        "Zeta Club",
        "Ada Monroe",
        "Brass Weather",
        "Cinema Fox",
        "Dune Parade",
        "Elke Sturm",
        "Felt Piano",
        "Gold Teeth Gary",
        "Harbor Lights Trio",
        "Ivory Ramen",
        "Juno Pike",
        "Karo Vinter",
        "Loop Family",
        "Mint Casino",
    ]
    ac = ["US", "DE", "BR", "GB", "FR", "SE"]
    artists = []
    for i, n in enumerate(an):
        lid = None if i % 8 == 5 else R.randrange(1, 12)
        artists.append(
            (
                i + 1,
                n,
                lid,
                "BR"
                if n in ("Os Vizinhos", "Maré Baixa", "Rio Sem Fim", "MC Tambor")
                else (R.choice(ac) if R.random() > 0.05 else None),
                D(2023, 6, 1) + TD(days=i * 25 + R.randrange(20)),
            )
        )
    w1 = "Midnight Paper Golden Empty Second Neon Little Broken Summer Velvet Silent Copper".split()
    w2 = "Train Garden Letters Summer Mirror Ocean Street Machine Radio Window Fire Parade".split()
    tt = [f"{a} {b}" for a in w1 for b in w2 if a != b]
    R.shuffle(tt)
    tt = tt + [x + " (Remix)" for x in tt]
    tracks = []
    for i in range(1, 241):
        a = R.choices(range(1, 39), [40 - k for k in range(1, 39)])[0]  # artists 39,40 have no tracks
        rel = D(2023, 1, 1) + TD(days=R.randrange(1225))
        if i % 29 == 0:
            rel = D(2026, 4, 30)
        if i % 31 == 0:
            rel = D(2025, 1, 1)
        td = (
            ts(max(DT(2024, 6, 1), DT(rel.year, rel.month, rel.day)), NOW)
            if R.random() < 0.07 and rel < D(2026, 4, 1)
            else None
        )
        if i == 44:
            td = DT(2026, 1, 1)
        if i == 45:
            td = DT(2025, 12, 31, 23, 59, 59)
        tracks.append(
            (
                7000 + i,
                a,
                tt[i - 1],
                R.choices(["POP", "HH", "ROC", "ELE", "JAZ", "CLA", "LAT", None], [28, 20, 16, 16, 6, 4, 12, 4])[0],
                R.randrange(95000, 420000) + i,
                R.random() < 0.22,
                rel,
                DT(rel.year, rel.month, rel.day) - TD(days=R.randrange(-3, 40), hours=R.randrange(20)),
                td,
            )
        )
    tracks[9] = tracks[9][:2] + (tracks[2][2],) + tracks[9][3:]
    tracks[2] = tracks[2][:1] + (3,) + tracks[2][2:]
    tracks[9] = tracks[9][:1] + (5,) + tracks[9][2:]
    tracks = [(t[:6] + (max(t[6], D(2023, 1, 1)),) + t[7:]) for t in tracks]
    # Felt Piano (33) and Ivory Ramen (36): only short plays
    short = {33, 36}
    wts = [1 / (1 + (k * 37 % 240)) ** 0.75 for k in range(240)]
    plays = []
    pid2 = 0
    lw = [1 / (1 + (k * 53 % 460)) ** 0.35 if k % 9 else 0 for k in range(460)]

    def addplay(t, li=None):
        nonlocal pid2
        for _ in range(50):
            l = listeners[li - 1] if li else R.choices(listeners, lw)[0]
            tr = R.choices(tracks, wts)[0]
            if (
                l[5] <= t
                and (l[8] is None or t < l[8])
                and DT(tr[6].year, tr[6].month, tr[6].day) <= t
                and (tr[8] is None or t < tr[8])
            ):
                break
        else:
            return
        r = R.random()
        ms = (
            tr[4]
            if r < 0.62
            else R.randrange(1500, 29999)
            if r < 0.84
            else R.choice([30000, 30000, 29999, 31000, R.randrange(30001, tr[4])])
        )
        if tr[1] in short:
            ms = R.randrange(2000, 29999)
        pid2 += 1
        plays.append(
            (
                pid2,
                l[0],
                tr[0],
                t,
                ms,
                ms < tr[4] and R.random() < 0.8,
                R.choices(["M", "D", "W", "S", "C", None], [52, 15, 11, 9, 8, 5])[0],
                R.choices("PSLR", [45, 17, 20, 18])[0],
            )
        )

    for _ in range(1500):
        addplay(ts(DT(2024, 1, 1), DT(2025, 11, 1)))
    for _ in range(1500):
        addplay(ts(DT(2025, 11, 1), DT(2026, 4, 1)))
    for _ in range(620):
        addplay(ts(DT(2026, 4, 1), DT(2026, 5, 1)))
    for _ in range(330):
        addplay(ts(DT(2026, 5, 1), NOW))
    for e in edges:
        for _ in range(3):
            addplay(e)
    for _ in range(14):
        addplay(ts(DT(2026, 5, 13), DT(2026, 5, 14)))
    fol = set()
    follows = []
    for _ in range(1100):
        l = R.choice(listeners)
        a = R.choices(range(1, 41), [60 - k for k in range(1, 41)])[0]
        if (l[0], a) in fol:
            continue
        fol.add((l[0], a))
        t = ts(l[5], NOW)
        follows.append((l[0], a, t, ts(t, NOW) if R.random() < 0.15 else None))
    roy = []
    st = 300
    y, m = 2024, 1
    while (y, m) <= (2026, 4):
        for l in labels:
            if l[0] == 12:
                continue  # Fjordkind never had a statement
            st += 1
            g = R.randrange(4, 60) * 1000000 + R.randrange(1000000)
            g = g * (3 if l[0] in (4, 7) else 2)
            n = round(g * R.choice([0.85, 0.9, 1, 0.74]))
            nx = D(y + (m == 12), m % 12 + 1, 1)
            iss = nx + TD(days=R.randrange(8, 25))
            pd = iss + TD(days=R.choice([6, 14, 20, 30, 45]))
            if l[0] == 7 and m == 2:
                iss = nx + TD(days=9)
                pd = D(y, 3, 31)
            s = "PD"
            if pd >= D(2026, 5, 14):
                s = "IS"
                pd = None
            elif R.random() < 0.04:
                s = "DP"
                pd = None
            elif R.random() < 0.02:
                s = "IS"
                pd = None
            if iss > D(2026, 5, 14):
                s = "DR"
                iss = None
                pd = None
            roy.append((st, l[0], D(y, m, 1), g, n, s, iss, pd))
        y, m = (y + 1, 1) if m == 12 else (y, m + 1)
    return dict(
        listeners=listeners,
        plans=plans,
        subscriptions=subs,
        payments=pays,
        labels=labels,
        artists=artists,
        tracks=tracks,
        plays=plays,
        follows=follows,
        royalty_statements=roy,
    )
