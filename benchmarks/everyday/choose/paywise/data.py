import random
from datetime import date as D
from datetime import datetime as DT
from datetime import timedelta as TD


def rows():
    R = random.Random(20260421)
    T = D(2026, 4, 21)
    NOW = DT(2026, 4, 21, 11)
    rd = lambda a, b: a + TD(days=R.randrange(max(1, (b - a).days + 1)))
    rt = lambda a, b: a + TD(minutes=R.randrange(max(1, int((b - a).total_seconds() // 60))))
    sites = [
        ("HAM", "Harbour Yard", "Hamburg", "DE"),
        ("MUC", "South Depot", "Munich", "DE"),
        ("ROT", "Delta Works", "Rotterdam", "NL"),
        ("GDN", "Baltic Hub", "Gdansk", "PL"),
        ("LYS", "Rhone Office", "Lyon", "FR"),
        ("VIE", "Danube Office", "Vienna", "AT"),
    ]
    depts = [
        (1, "Operations", "1000", None, None),
        (2, "Field Service", "1100", 1, None),
        (3, "Logistics", "1200", 1, None),
        (4, "Workshop", "1300", 1, None),
        (5, "Finance", "2000", None, None),
        (6, "Payroll", "2100", 5, None),
        (7, "People & Culture", "3000", None, None),
        (8, "IT", "4000", None, None),
        (9, "Sales", "5000", None, None),
        (10, "Marketing", "5100", 9, None),
        (11, "Print Room", "6000", 1, D(2025, 6, 30)),
        (12, "Legal", None, None, None),
        (13, "Innovation Lab", "7000", None, None),
    ]
    titles = {
        1: ["Operations Manager", "Planner"],
        2: ["Service Technician", "Senior Technician", "Field Coordinator"],
        3: ["Driver", "Dispatcher", "Warehouse Clerk"],
        4: ["Welder", "Mechanic", "Workshop Lead"],
        5: ["Controller", "Accountant"],
        6: ["Payroll Specialist"],
        7: ["Recruiter", "HR Partner"],
        8: ["Developer", "System Administrator", "Data Engineer"],
        9: ["Account Manager", "Sales Assistant"],
        10: ["Content Editor", "Marketing Manager"],
        11: ["Print Operator"],
        12: ["Counsel"],
    }
    fn = "Anna Bogdan Clara Dirk Emma Felix Gesa Hanna Igor Julia Karim Lena Marek Nora Otto Paula Quirin Rieke Stefan Thea Urs Vanessa Wout Zofia".split()
    ln = "Adler Bakker Czarny Dietz Evers Fischer Gomez Huber Iversen Jung Kowalska Lange Mulder Noack Oertel Peters Quast Roth Sander Tietz Urban Vogel Wilk Zander".split()
    nm = [(a, b) for a in fn for b in ln]
    R.shuffle(nm)
    edge_h = [
        D(2026, 1, 1),
        D(2026, 3, 1),
        D(2026, 3, 31),
        D(2026, 4, 1),
        D(2025, 10, 1),
        D(2025, 9, 30),
        D(2026, 3, 16),
        D(2026, 3, 2),
        D(2026, 2, 1),
        D(2026, 2, 15),
    ]
    edge_l = [
        D(2026, 3, 31),
        D(2025, 12, 31),
        D(2026, 1, 1),
        D(2026, 3, 1),
        D(2025, 9, 30),
        D(2025, 10, 1),
        D(2026, 2, 28),
        D(2026, 3, 15),
        D(2025, 1, 1),
        D(2026, 4, 15),
    ]
    E = []
    for i in range(1, 341):
        f, l = nm[i - 1]
        d = R.choices(range(1, 13), [12, 60, 45, 42, 20, 9, 14, 25, 32, 11, 5, 3])[0]
        ty = R.choices("PFCI", [72, 13, 10, 5])[0]
        st = R.choices("ALTO", [66, 4, 27, 3])[0]
        h = rd(D(2014, 1, 1), D(2023, 12, 31)) if R.random() < 0.55 else rd(D(2024, 1, 1), T)
        if st != "O" and edge_h and i % 17 == 2 and ty != "C":
            h = edge_h.pop()
        n = lw = rs = None
        if st == "T":
            lw = rd(max(h + TD(days=5), D(2023, 9, 1)), T - TD(days=1)) if h < D(2026, 4, 10) else h + TD(days=2)
            if lw >= T:
                lw = T - TD(days=1)
            if edge_l and ty != "C" and h < D(2024, 10, 1):
                lw = edge_l.pop()
            n = max(h, lw - TD(days=R.choice([0, 14, 30, 60, 90])))
            rs = R.choices(["RES", "DIS", "END", "RET", None], [50, 13, 20, 12, 5])[0]
        elif st == "O":
            h = T + TD(days=R.choice([10, 10, 41, 72, R.randrange(3, 100)]))
        elif st == "A" and R.random() < 0.05 and h < D(2026, 1, 1):
            n = rd(D(2026, 2, 1), T)
            lw = T + TD(days=R.randrange(4, 80))
            rs = R.choice(["RES", "RES", "RET"])
        oh = h
        if R.random() < 0.09 and st != "O":
            oh = h - TD(days=R.randrange(300, 3000))
        if d == 11 and st != "T":
            d = 3
        test = i % 20 == 13
        fte = R.choices([100, 80, 75, 50, 60], [74, 11, 5, 7, 3])[0]
        if ty == "I":
            fte = 100
        E.append(
            [
                i + 1000,
                "Test" if test and i % 40 == 13 else f,
                l,
                d,
                R.choices(["HAM", "MUC", "ROT", "GDN", "LYS", None], [35, 20, 17, 14, 8, 6])[0],
                R.choice(titles[d]) if R.random() > 0.03 else None,
                None,
                ty,
                st,
                R.choices(["F", "M", "X", None], [40, 54, 2, 4])[0],
                rd(D(1961, 1, 1), D(2004, 12, 31)) if R.random() > 0.02 else None,
                h,
                oh,
                n,
                lw,
                rs,
                fte,
                int(test),
            ]
        )
    E[9][1:3] = ["Marek", "Kowalczyk"]
    E[9][3] = 2
    E[9][4] = "HAM"
    E[9][5] = "Field Coordinator"
    E[9][7:9] = ["P", "A"]
    E[9][11] = E[9][12] = D(2016, 5, 1)
    E[9][13] = E[9][14] = E[9][15] = None
    E[9][17] = 0
    E[20][1:3] = ["Hanna", "Feldkamp"]
    E[20][3] = 5
    E[20][7:9] = ["P", "A"]
    E[20][11] = E[20][12] = D(2019, 10, 1)
    E[20][13] = E[20][14] = E[20][15] = None
    E[20][17] = 0
    heads = {}
    for e in E:
        if e[8] == "A" and e[7] == "P" and not e[17] and e[3] not in heads and e[14] is None and e[11] < D(2025, 6, 1):
            heads[e[3]] = e[0]
    heads[2] = E[9][0]
    heads[5] = E[20][0]
    for e in E:
        m = heads.get(e[3])
        e[6] = m if m != e[0] and R.random() > 0.04 else (None if m == e[0] else m)
    # a few technicians report elsewhere
    for e in E:
        if e[10] and e[10] > e[12] - TD(days=6700):
            e[10] = e[12] - TD(days=6700 + R.randrange(6000))
    employees = [tuple(e) for e in E]
    sal = []
    cur = {}
    sid = 0
    base = {1: 62, 2: 46, 3: 38, 4: 42, 5: 61, 6: 52, 7: 54, 8: 70, 9: 58, 10: 51, 11: 36, 12: 82}
    for e in employees:
        if e[7] == "C":
            continue
        end = e[14] if e[8] == "T" else None
        b = int(base[e[3]] * R.uniform(0.8, 1.45) * 1000) if e[7] != "I" else 24000
        b = b // 10 * 10
        s = e[11]
        k = 0
        hist = []
        starts = [s]
        for y in (2023, 2024, 2025, 2026):
            for c in (D(y, 1, 1), D(y, 4, 1)):
                if (
                    c > s
                    and (end is None or c < end)
                    and c <= T
                    and R.random() < (0.42 if c.month == 1 else 0.2)
                    and e[7] != "I"
                ):
                    starts.append(c)
        for j, a in enumerate(starts):
            sid += 1
            nx = starts[j + 1] - TD(days=1) if j + 1 < len(starts) else (end if e[8] == "T" else None)
            sal.append(
                (
                    sid,
                    e[0],
                    b * 100,
                    a,
                    nx,
                    DT(a.year, a.month, a.day, 9) - TD(days=R.randrange(3, 40)) if R.random() > 0.05 else None,
                )
            )
            hist.append((a, b * 100))
            b = int(b * R.uniform(1.015, 1.09)) // 10 * 10
        cur[e[0]] = hist
    runs = []
    slips = []
    rid = 200
    ps = 40000
    y, m = 2024, 4
    while (y, m) <= (2026, 4):
        p = D(y, m, 1)
        nx = D(y + (m == 12), m % 12 + 1, 1)
        kinds = ["R"]
        if m in (12, 6):
            kinds.append("B")
        if m % 4 == 1:
            kinds.append("O")
        if (y, m) in ((2025, 2), (2026, 2)):
            kinds.append("V")
        for k in kinds:
            rid += 1
            st = "C" if (y, m) < (2026, 4) else "P"
            kt = k
            if k == "V":
                kt, st = "R", "V"
            pd = {
                "R": nx + TD(days=R.choice([-1, -2, 1, 2, 0])),
                "B": p + TD(days=14),
                "O": nx + TD(days=9),
                "V": nx - TD(days=3),
            }[k]
            runs.append((rid, p, kt, st, pd))
            for e in employees:
                if e[7] == "C" or e[8] == "O" or e[11] >= nx or (e[14] and e[14] < p):
                    continue
                if k != "R" and R.random() > {"B": 0.45, "O": 0.05, "V": 0.3}[k]:
                    continue
                if e[3] % 3 == 0 and R.random() < 0.28:
                    continue  # site without data in this extract
                bb = [b for a, b in cur[e[0]] if a < nx][-1]
                g = round(bb * e[16] / 100 / 12 * R.uniform(0.995, 1.06))
                if k == "B":
                    g = round(g * R.uniform(0.4, 1.3))
                if k == "O":
                    g = round(g * R.uniform(0.02, 0.15))
                ps += 1
                iss = DT(nx.year, nx.month, nx.day) - TD(days=R.randrange(1, 6)) + TD(hours=R.randrange(7, 18))
                if st == "P":
                    iss = NOW - TD(hours=R.randrange(1, 60))
                v = iss + TD(days=2, hours=3) if R.random() < 0.025 and st == "C" else None
                slips.append((ps, rid, e[0], g, round(g * R.uniform(0.58, 0.71)), round(g * 1.207), iss, v))
                if v:
                    ps += 1
                    slips.append(
                        (
                            ps,
                            rid,
                            e[0],
                            round(g * 0.97),
                            round(g * 0.97 * 0.64),
                            round(g * 0.97 * 1.207),
                            v + TD(hours=1),
                            None,
                        )
                    )
        y, m = (y + 1, 1) if m == 12 else (y, m + 1)
    # thin out to keep it light: keep all of the last 14 months, 45 % of persons before
    keep = {r[0] for r in runs if r[1] >= D(2025, 1, 1)}
    slips = [s for s in slips if s[1] in keep or s[2] % 5 < 2]
    ab = []
    aid = 0
    never = set(e[0] for e in employees if e[0] % 11 == 4)
    for e in employees:
        if e[7] == "C" and R.random() < 0.8 or e[8] == "O" or e[0] in never:
            continue
        lo = max(e[11], D(2024, 1, 1))
        hi = e[14] if e[8] == "T" else D(2026, 9, 15)
        if lo >= hi:
            continue
        for _ in range(R.choice([1, 3, 5, 7, 9]) * max(1, (min(hi, T) - lo).days // 300 or 1) // 1):
            ty = R.choices(["VAC", "SIC", "PAR", "UNP"], [55, 36, 4, 5])[0]
            s = rd(lo, hi) if ty == "VAC" else rd(lo, min(hi, T))
            if ty == "SIC" and s.weekday() > 4:
                s = max(lo, s - TD(days=s.weekday() - R.choice([0, 0, 1, 4])))
            n = {
                "VAC": R.choice([1, 2, 3, 5, 10, 15]),
                "SIC": R.choice([1, 1, 2, 3, 5]),
                "PAR": R.choice([20, 40, 60]),
                "UNP": R.choice([1, 5, 10]),
            }[ty]
            st = R.choices("ADWR", [80, 6, 6, 8])[0]
            if ty == "SIC":
                st = "A" if R.random() < 0.95 else "W"
            if s < T - TD(days=60) and st == "R":
                st = "A"
            req = (
                DT(s.year, s.month, s.day, 8) - TD(days=R.randrange(3, 70))
                if ty != "SIC"
                else DT(s.year, s.month, s.day, 7, R.randrange(60))
            )
            req = min(req, NOW - TD(hours=R.randrange(3, 200)))
            aid += 1
            ab.append(
                (
                    aid,
                    e[0],
                    ty,
                    st,
                    s,
                    s + TD(days=n - 1 + 2 * (n // 5)),
                    n * 480 * e[16] // 100 if R.random() > 0.1 else 240,
                    req,
                    None if st == "R" else min(req + TD(hours=R.randrange(2, 120)), NOW),
                )
            )
    for k, (s, t) in enumerate(
        [
            (D(2026, 4, 1), "SIC"),
            (D(2026, 3, 31), "SIC"),
            (D(2026, 3, 1), "SIC"),
            (D(2026, 4, 20), "SIC"),
            (D(2026, 4, 20), "SIC"),
            (D(2026, 4, 21), "SIC"),
            (D(2026, 4, 19), "SIC"),
            (D(2026, 4, 13), "SIC"),
            (D(2026, 4, 20), "VAC"),
        ]
    ):
        e = [x for x in employees if x[8] == "A" and x[7] != "C" and x[0] not in never and x[11] < D(2026, 2, 1)][
            k * 7 + 3
        ]
        aid += 1
        ab.append(
            (
                aid,
                e[0],
                t,
                "A",
                s,
                s + TD(days=2),
                1440,
                DT(s.year, s.month, s.day, 6, 30),
                DT(s.year, s.month, s.day, 9),
            )
        )
    ot = []
    oid = 0
    elig = [e for e in employees if e[3] in (2, 3, 4, 8) and e[7] != "I" and e[8] != "O" and e[0] % 7 != 1]
    for _ in range(2300):
        e = R.choice(elig)
        lo = max(e[11], D(2024, 2, 1))
        hi = min(e[14] or T, T)
        if lo >= hi:
            continue
        w = rd(lo, hi)
        if R.random() < 0.03:
            w = min(hi, max(lo, R.choice([D(2026, 3, 31), D(2026, 4, 1), D(2025, 12, 31), D(2026, 1, 1)])))
        st = R.choices("ARD", [80, 9, 11])[0] if w > D(2026, 2, 20) else R.choices("AD", [90, 10])[0]
        oid += 1
        ot.append(
            (
                oid,
                e[0],
                w,
                R.choice([30, 45, 60, 75, 90, 120, 120, 150, 180, 240, 480]),
                R.choice([0, 2500, 2500, 5000]) if w.weekday() < 6 else 10000,
                st,
                min(NOW, DT(w.year, w.month, w.day, 18) + TD(days=R.choice([0, 0, 1, 3, 9]), minutes=R.randrange(300))),
            )
        )
    rq = []
    rid2 = 700
    for _ in range(90):
        rid2 += 1
        o = rd(D(2024, 1, 1), T - TD(days=3))
        d = R.choice([1, 2, 2, 2, 3, 3, 4, 4, 5, 7, 8, 8, 9, 9, 10, 6])
        st = R.choices("OHFX", [22, 8, 60, 10])[0]
        fo = None
        if st == "F":
            fo = o + TD(days=R.randrange(14, 130))
            if fo > T:
                st, fo = "O", None
        if st == "O" and o < D(2025, 6, 1):
            st, fo = "F", o + TD(days=R.randrange(30, 120))
        rq.append((rid2, d, R.choice(titles[d]), st, o, fo))
    for j, (o, fo) in enumerate(
        [(D(2026, 1, 7), D(2026, 3, 31)), (D(2025, 11, 3), D(2026, 1, 1)), (D(2025, 10, 1), D(2025, 12, 31))]
    ):
        r = rq[j * 11]
        rq[j * 11] = (r[0], r[1], r[2], "F", o, fo)
    ap = []
    apid = 10000
    for r in rq:
        if r[0] % 13 == 5:
            continue
        end = DT.combine(r[5], DT.min.time()) if r[5] else NOW
        for k in range(R.choice([2, 4, 7, 10, 16, 24])):
            apid += 1
            a = rt(DT.combine(r[4], DT.min.time()), min(end, NOW))
            stg = R.choices(
                "NIORW", [18 if r[3] == "O" else 0.01, 14 if r[3] == "O" else 0.01, 4 if r[3] == "O" else 0.01, 55, 12]
            )[0]
            if k == 0 and r[3] == "F":
                stg = "H"
            if k == 1 and (r[3] == "O" and r[0] % 3 == 0 or r[3] == "H" and r[0] % 4 == 0):
                stg = "O"
            cl = min(NOW, a + TD(days=R.randrange(1, 40), hours=R.randrange(20))) if stg in "RWH" else None
            if stg == "H":
                cl = end
            ap.append(
                (
                    apid,
                    r[0],
                    " ".join(R.choice(nm)),
                    R.choices(["REF", "JOB", "AGY", "WEB", None], [18, 42, 12, 22, 6])[0],
                    stg,
                    a,
                    cl,
                )
            )
    return dict(
        sites=sites,
        departments=depts,
        employees=employees,
        salaries=sal,
        absences=ab,
        requisitions=rq,
        applications=ap,
        payroll_runs=runs,
        payslips=slips,
        overtime=ot,
    )
