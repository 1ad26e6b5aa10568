import random
from datetime import date, datetime
from datetime import timedelta as TD

NOW = datetime(2026, 5, 27, 8, 0, 0)
TODAY = NOW.date()


def rows():
    r = random.Random(5271)

    def ts(d, lo=6, hi=22):
        return datetime(d.year, d.month, d.day, r.randint(lo, hi), r.randint(0, 59), r.randint(0, 59))

    def edge(t):
        """now and then move a moment onto a month or day edge (never past now)"""
        x = r.random()
        n = t
        if x < 0.03:
            n = datetime(t.year, t.month, 1)
        elif x < 0.07:
            nx = datetime(t.year + t.month // 12, t.month % 12 + 1, 1)
            n = r.choice([nx - TD(seconds=1), nx - TD(hours=r.randint(2, 9), minutes=17)])
        elif x < 0.09:
            n = datetime(t.year, t.month, t.day)
        elif x < 0.11:
            n = datetime(t.year, t.month, t.day, 23, 59, 59)
        return n if n < NOW else t

    def back(t):
        return t if t < NOW else NOW - TD(minutes=r.randint(1, 20000))

    fn = "Anna Bram Ciara Daan Eoin Femke Gijs Hanna Isa Joris Kevin Lotte Maeve Niall Orla Pieter Quinten Roos Sean Tess Ursula Victor Wout Yara Zoe Aoife Bart Conor Dries Elke".split()
    ln = "Bakker Byrne Claes Doyle Dekker Evers Fagan Gallagher Hendriks Ivens Jansen Kelly Lambrecht Maes Murphy Nolan Otten Peeters Quinn Ryan Smits Timmer Ulens Visser Walsh Ypma Zwart Goossens Kavanagh Mulder".split()
    cities = [
        ("Amsterdam", "NL", 9),
        ("Rotterdam", "NL", 7),
        ("Utrecht", "NL", 5),
        ("Eindhoven", "NL", 3),
        ("Antwerp", "BE", 6),
        ("Ghent", "BE", 4),
        ("Leuven", "BE", 2),
        ("Dublin", "IE", 8),
        ("Cork", "IE", 3.3),
        ("Galway", "IE", 2),
    ]
    customers = []
    for i in range(1, 681):
        c = r.choices(cities, [x[2] for x in cities])[0]
        test = r.random() < 0.05
        cr = edge(ts(date(2023, 10, 1) + TD(days=r.randint(0, 960))))
        cr = back(cr)
        dl = None
        if r.random() < 0.06:
            dl = back(cr + TD(days=r.randint(20, 500), hours=r.randint(0, 9)))
            if dl <= cr:
                dl = None
        a, b = r.choice(fn), r.choice(ln)
        customers.append(
            (
                i,
                "QA" if test else a,
                ("Test%d" % i) if test else b,
                None
                if r.random() < 0.04
                else ("qa%d@safekeep.example" % i if test else "%s.%s%d@mail.example" % (a.lower(), b.lower(), i)),
                None if r.random() < 0.03 else date(1942, 1, 1) + TD(days=r.randint(0, 23800)),
                None if r.random() < 0.02 else c[0],
                c[1],
                r.choice([True, False, False, None]),
                test,
                cr,
                dl,
            )
        )
    an = [
        "Marieke Vos",
        "Tom Brennan",
        "Sofie Adams",
        "Declan Moore",
        "Ruud Kramer",
        "Leen Wouters",
        "Fiona Tracey",
        "Hugo Prins",
        "Nele Baert",
        "Paul Sheridan",
        "Brokerhuis Delta",
        "Harbour Brokers",
        "Van Loon Advies",
        "Liffey Cover",
        "Scheldt Broking",
        "Polder Assurantie",
        "PolisPrikker",
        "CompareCo",
        "Karin Boon",
        "Mick Farrell",
        "Atlantic Brokers",
        "Ilse Raman",
    ]
    agents = []
    for i, n in enumerate(an, 1):
        ch = "C" if n in ("PolisPrikker", "CompareCo") else ("B" if i in (11, 12, 13, 14, 15, 16, 21) else "T")
        h = date(2019, 3, 1) + TD(days=r.randint(0, 1700)) if i < 19 else date(2024, 1, 8) + TD(days=r.randint(0, 600))
        agents.append(
            (
                i,
                n,
                ch,
                ["North", "South", "West", "East"][i % 4],
                h,
                {5: date(2025, 8, 31), 9: date(2026, 1, 15)}.get(i),
            )
        )
    products = [
        ("HOM-BAS", "Home Basic", "HOME", date(2018, 1, 1), None),
        ("HOM-PLUS", "Home Plus", "HOME", date(2019, 6, 1), None),
        ("HOM-RENT", "Renters", "HOME", date(2021, 4, 1), None),
        ("HOM-HOL", "Holiday Home", "HOME", date(2020, 5, 1), date(2025, 6, 30)),
        ("MOT-TPL", "Motor Third Party", "MOTOR", date(2018, 1, 1), None),
        ("MOT-FULL", "Motor Full", "MOTOR", date(2018, 1, 1), None),
        ("MOT-MOTO", "Motorbike", "MOTOR", date(2022, 3, 1), None),
        ("MOT-CLS", "Classic Car", "MOTOR", date(2026, 4, 1), None),
    ]
    lob = {p[0]: p[2] for p in products}
    base = {
        "HOM-BAS": 24000,
        "HOM-PLUS": 41000,
        "HOM-RENT": 14000,
        "HOM-HOL": 32000,
        "MOT-TPL": 46000,
        "MOT-FULL": 88000,
        "MOT-MOTO": 31000,
        "MOT-CLS": 52000,
    }
    policies, vehicles, properties, invoices = [], [], [], []
    cars = [
        ("Volgard", "Gale"),
        ("Volgard", "Pico"),
        ("Tokado", "Yorin"),
        ("Tokado", "Coronel"),
        ("Opaline", "Cosmo"),
        ("Renoire", "Clover"),
        ("Telvo", "Mark 3"),
        ("Kivo", "Piccolo"),
        ("Volund", "V60"),
        ("Skarva", "Octane"),
    ]
    bikes = [("Yamori", "MT-07"), ("Hokuto", "CB500"), ("BRW", "R1250")]

    def addp(c, code, ag, st, created, issued, sd, ed, canc, tar, ann, ded, ren):
        pid = len(policies) + 1001
        if (ag == 5 and created.date() > date(2025, 8, 20)) or (ag == 9 and created.date() > date(2026, 1, 5)):
            ag = 1  # portfolio handed over when the agent left
        if ag == 15 and created.date() > date(2026, 2, 1) and st != "Q":
            ag = 14
        policies.append(
            (
                pid,
                "SK-%d-%05d" % (created.year, pid),
                c[0],
                code,
                ag,
                st,
                created,
                issued,
                sd,
                ed,
                canc,
                tar,
                ann,
                ded,
                ren,
            )
        )
        return pid

    def things(pid, code, car, home):
        if lob[code] == "MOTOR":
            vehicles.append((len(vehicles) + 1, pid) + car)
        else:
            properties.append((len(properties) + 1, pid) + home)

    insured = []
    codes = ["HOM-BAS", "HOM-PLUS", "HOM-RENT", "HOM-HOL", "MOT-TPL", "MOT-FULL", "MOT-MOTO"]
    for c in customers:
        for _ in range(r.choices([0, 1, 2, 3, 4], [22, 45, 22, 8, 3])[0]):
            code = r.choices(codes, [5, 5, 4, 1, 6, 6, 2])[0]
            ag = (
                None
                if r.random() < 0.3
                else r.choices(range(1, 21), [9, 8, 7, 7, 5, 6, 5, 4, 3, 4, 6, 5, 5, 4, 3, 2, 6, 5, 2, 2])[0]
            )
            first = max(c[9].date(), date(2024, 1, 2)) + TD(days=r.randint(0, 240))
            if c[10] and first > c[10].date():
                continue
            if first > TODAY:
                continue
            if code == "HOM-HOL" and first > date(2025, 6, 30):
                code = "HOM-RENT"
            created = edge(ts(first))
            if created > NOW:
                continue
            mk = r.choice(bikes) if code == "MOT-MOTO" else r.choice(cars)
            car = (
                "%s-%03d-%s"
                % (r.choice("ABGHKLNPRS") + r.choice("BDFGJKLNRT"), r.randint(1, 999), r.choice("BDFGHJKLNP")),
                mk[0],
                mk[1],
                "electric"
                if mk[0] == "Telvo"
                else (None if r.random() < 0.05 else r.choice(["petrol", "petrol", "diesel", "hybrid"])),
                None if r.random() < 0.03 else r.randint(2004, 2025),
            )
            home = (
                r.choice(["apartment", "apartment", "terraced", "detached"]) if code != "HOM-HOL" else "chalet",
                None if r.random() < 0.05 else r.randint(38, 240),
                None
                if r.random() < 0.06
                else r.choice([r.randint(1905, 1949), r.randint(1950, 2022), r.randint(1950, 2022)]),
                r.choice([True, False, None, False]),
            )
            tar = int(base[code] * r.uniform(0.75, 1.4) / 10) * 10
            ann = tar - int(tar * r.choice([0, 0, 0.05, 0.08, 0.1, 0.15, 0.2]))
            ded = r.choice([0, 15000, 25000, 50000])
            if r.random() < 0.16:
                sd = created.date() + TD(days=r.randint(1, 30))
                pid = addp(
                    c,
                    code,
                    ag,
                    "Q",
                    created,
                    None,
                    sd,
                    sd.replace(year=sd.year + 1, day=min(sd.day, 28)) - TD(days=1),
                    None,
                    tar,
                    ann,
                    ded,
                    None,
                )
                things(pid, code, car, home)
                continue
            issued = back(edge(created + TD(hours=r.randint(0, 190), minutes=r.randint(1, 59))))
            if issued < created:
                issued = created
            sd = issued.date() + TD(days=r.randint(0, 32))
            prev = None
            while True:
                ed = sd.replace(year=sd.year + 1, day=min(sd.day, 28)) - TD(days=1)
                canc = None
                x = r.random()
                if sd > TODAY:
                    st = "F"
                else:
                    st = "A" if ed >= TODAY else "X"
                    span = (min(ed, TODAY) - sd).days
                    if span > 20 and x < 0.11:
                        canc = edge(ts(sd + TD(days=r.randint(5, span - 5))))
                        if canc >= NOW or canc.date() < sd:
                            canc = ts(sd + TD(days=5))
                        st = "C"
                    elif span > 90 and x < 0.16:
                        st = "L"
                pid = addp(c, code, ag, st, created, issued, sd, ed, canc, tar, ann, ded, prev)
                things(pid, code, car, home)
                if not c[8]:
                    insured.append(pid)
                    f = r.choices([1, 4, 12], [35, 55, 10])[0]
                    meth = r.choices(["DD", "CC", "BT"], [6, 2, 2])[0]
                    for k in range(f):
                        io = sd + TD(days=int(365 / f * k)) - TD(days=10)
                        if io < issued.date():
                            io = issued.date()
                        if io > TODAY or (canc and io > canc.date()):
                            break
                        if r.random() < 0.05:
                            io = io.replace(day=1)
                        due = io + TD(days=21)
                        amt = ann // f
                        y = r.random()
                        ist, pa = "P", back(edge(ts(io + TD(days=r.choice([1, 3, 7, 12, 14, 18, 20, 21, 22, 28, 40])))))
                        if pa.date() < io:
                            pa = ts(io, 0, 7)
                        if st == "L" and k == f - 1 and f > 1:
                            ist, pa = "W", None
                        elif y < 0.04:
                            ist, pa = "V", None
                        elif y < 0.07 or (io > TODAY - TD(days=45) and y < 0.6):
                            ist, pa = "O", None
                        elif y < 0.08:
                            ist, pa = "W", None
                        invoices.append(
                            (
                                len(invoices) + 50001,
                                pid,
                                io,
                                due,
                                pa,
                                amt,
                                round(amt * 0.17),
                                ist,
                                meth if pa else (meth if r.random() < 0.5 else None),
                            )
                        )
                        if st == "L" and ist == "W":
                            break
                if st == "A" and (ed - TODAY).days < 40 and r.random() < 0.4:
                    pass
                elif st != "X" or r.random() < 0.25 or c[10]:
                    break
                created = back(edge(ts(ed - TD(days=r.randint(8, 35)))))
                issued = back(edge(created + TD(hours=r.randint(1, 100))))
                if issued < created:
                    issued = created
                sd = ed + TD(days=1)
                prev = pid
                tar = int(tar * 1.04)
                ann = tar - int(tar * r.choice([0, 0.05, 0.08, 0.1, 0.15, 0.2]))
    # classic car: quotes only so far
    for k in range(9):
        c = customers[40 + k * 7]
        cr = ts(date(2026, 4, 3) + TD(days=k * 5))
        pid = addp(
            c,
            "MOT-CLS",
            None if k % 2 else 17,
            "Q",
            cr,
            None,
            cr.date() + TD(days=9),
            cr.date() + TD(days=373),
            None,
            52000,
            52000,
            25000,
            None,
        )
        vehicles.append((len(vehicles) + 1, pid, "OL-%03d-D" % k, "Volund", "Avenue", "petrol", 1968))
    adjusters = [
        (i, n, t, a)
        for i, (n, t, a) in enumerate(
            [
                ("Marta Kuiper", "Motor", True),
                ("Brian Lacey", "Motor", True),
                ("Ines Declerck", "Motor", True),
                ("Joost Blom", "Home", True),
                ("Sinead Foley", "Home", True),
                ("Karel Nys", "Home", True),
                ("Petra Haas", "Large loss", True),
                ("Owen Tully", "Large loss", False),
                ("Wendy Slot", "Motor", False),
                ("Rik Tanghe", "Home", True),
            ],
            1,
        )
    ]
    pol = {p[0]: p for p in policies}
    claims, pays = [], []

    def pay(cid, ty, amt, app, paid, void):
        pays.append((len(pays) + 9001, cid, ty, amt, app, paid, void))

    for pid in insured:
        p = pol[pid]
        if p[5] == "F":
            continue
        for _ in range(r.choices([0, 1, 2, 3], [48, 34, 13, 5])[0]):
            last = min(p[9], TODAY, p[10].date() if p[10] else p[9])
            if (last - p[8]).days < 2:
                continue
            inc = p[8] + TD(days=r.randint(0, (last - p[8]).days))
            rep = back(edge(ts(inc + TD(days=r.choice([0, 0, 1, 1, 2, 3, 5, 9, 30])))))
            if rep.date() < inc:
                rep = ts(inc, 0, 7)
            home = lob[p[3]] == "HOME"
            lt = (
                r.choices(["WAT", "FIR", "THE", "STO", "GLA", "VAN"], [8, 2, 4, 6, 2, 1])[0]
                if home
                else r.choices(["COL", "THE", "GLA", "STO", "VAN", "FIR"], [9, 2, 5, 2, 3, 1])[0]
            )
            age = (TODAY - rep.date()).days
            if age < 12:
                st = r.choice("NNAAW")
            elif age < 90:
                st = r.choice("NAAPPSSSRW")
            else:
                st = r.choices("APSRW", [3, 4, 70, 15, 8])[0]
            cl = None
            if st in "SRW":
                cl = back(edge(rep + TD(days=r.randint(1, 75), hours=r.randint(0, 20))))
                if cl < rep:
                    cl = rep + TD(minutes=40)
            amt = int(r.lognormvariate(12.0 if lt != "FIR" else 13.6, 0.8))
            cmt = None if r.random() < 0.05 else amt
            adj = (
                None
                if st == "N" and r.random() < 0.6
                else r.choice([4, 4, 5, 6, 7, 8, 10] if home else [1, 1, 2, 3, 7, 9])
            )
            cid = len(claims) + 7001
            claims.append(
                (
                    cid,
                    "CL%06d" % (cid * 3),
                    pid,
                    adj,
                    lt,
                    st,
                    inc,
                    rep,
                    cl,
                    cmt,
                    0 if st in "RW" else int(amt * r.uniform(0.5, 1.1)),
                    None if st == "N" else r.random() < 0.09,
                )
            )
            if st in "PS":
                for k in range(r.choice([1, 1, 2, 3])):
                    ap = back(edge(rep + TD(days=r.randint(1, 40), hours=r.randint(0, 9))))
                    if ap < rep:
                        ap = rep + TD(minutes=30)
                    pd = ap + TD(days=r.randint(0, 9), hours=r.randint(1, 12))
                    if pd >= NOW or (st == "P" and r.random() < 0.35):
                        pd = None
                    else:
                        pd = edge(pd)
                        if pd < ap:
                            pd = ap
                    vo = None
                    if r.random() < 0.05:
                        vo, pd = back(ap + TD(days=12)), (pd if r.random() < 0.5 else None)
                    pay(
                        cid,
                        "E" if k and r.random() < 0.5 else "I",
                        int(amt * r.uniform(0.2, 0.6)) if k == 0 else int(amt * r.uniform(0.05, 0.2)),
                        ap,
                        pd,
                        vo,
                    )
                if st == "S" and lt in ("COL", "THE") and r.random() < 0.25:
                    ap = back(cl + TD(days=20))
                    pay(cid, "R", -int(amt * r.uniform(0.1, 0.3)), ap, back(ap + TD(days=4)), None)
    return {
        "customers": customers,
        "agents": agents,
        "products": products,
        "policies": policies,
        "premium_invoices": invoices,
        "vehicles": vehicles,
        "properties": properties,
        "adjusters": adjusters,
        "claims": claims,
        "claim_payments": pays,
    }
