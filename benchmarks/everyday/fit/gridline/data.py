import calendar
import random
from datetime import date, datetime
from datetime import timedelta as td

TODAY = datetime(2026, 9, 17, 8, 30)
FIRST = "Anna Lukas Marta Jonas Eva Paul Ines Felix Klara Tobias Nora Emil Greta Simon Lea Oskar Hanna David Rosa Max".split()
LAST = "Aigner Brandl Czerny Dorfer Ebner Fuchsl Gruber Huemer Irsigler Jandl Koller Leitgeb Mayrhofer Neubauer Oberlin Pichler".split()
CITIES = ["Graz", "Linz", "Salzburg", "Villach", "Wels", "Innsbruck"]
AREA = {"Graz": "Sued", "Villach": "Sued", "Linz": "Nord", "Wels": "Nord", "Salzburg": "West", "Innsbruck": "West"}


def ts(d):
    return d.strftime("%Y-%m-%d %H:%M:%S")


def ds(d):
    return d.strftime("%Y-%m-%d")


def rows():
    r = random.Random(917)

    def moment(a, b):
        return a + td(seconds=r.randint(0, int((b - a).total_seconds())))

    edges = [
        datetime(2025, 12, 31, 15, 40),
        datetime(2026, 1, 1),
        datetime(2026, 8, 31, 16, 20),
        datetime(2026, 9, 1),
        datetime(2025, 6, 30, 23, 59, 59),
        datetime(2026, 7, 1),
        datetime(2026, 7, 31, 17, 5),
        datetime(2025, 1, 1),
    ]
    names = [f + " " + l for f in FIRST for l in LAST]
    r.shuffle(names)
    names.remove("Klara Ebner")
    names.remove("Paul Huemer")
    names[16:16] = ["Klara Ebner"]
    names[43:43] = ["Paul Huemer"]
    cust, seg, made = [], {}, {}
    for i in range(1, 301):
        s = r.choices("RBF", [70, 20, 10])[0]
        c = edges[i % 8] if i % 19 == 5 else moment(datetime(2024, 1, 5), datetime(2026, 9, 16))
        n = names[i - 1]
        if i in (17, 44):
            c = datetime(2025, 2, 3 + i % 5, 10, 12)
        test = i % 20 == 7
        dele = None
        if i % 17 == 3:
            dele = ts(min(c + td(days=r.randint(30, 400)), datetime(2026, 9, 10, 12)))
        em = None if r.random() < 0.12 else n.lower().replace(" ", ".") + "@mail.example"
        if test:
            n = "QA Account %02d" % (i // 20)
            em = "qa%d@gridline.example" % i
        elif s == "B":
            n = (
                n
                if i in (17, 44)
                else n.split()[1] + " " + r.choice(["Bakery", "Metalworks", "Hotel", "Print", "Logistics"]) + " %d" % i
            )
        if i in (17, 44):
            s = "R"
        seg[i], made[i] = s, c
        cust.append((i, n, s, em, r.choice(CITIES), ts(c), dele, test, r.random() < 0.6))
    tariffs = [
        (1, "Alpin Fix 12", "FIX", 28500, 490, False, "2023-01-01", None),
        (2, "Alpin Fix 24", "FIX", 27900, 490, False, "2023-01-01", None),
        (3, "Flow Green", "VAR", 26400, 590, True, "2023-06-01", None),
        (4, "Flow Basic", "VAR", 25100, 390, False, "2023-01-01", "2025-12-31"),
        (5, "Night Owl", "TOU", 24300, 690, False, "2024-03-01", None),
        (6, "Sun Share", "TOU", 25900, 650, True, "2024-09-01", None),
        (7, "Pro Green", "FIX", 23800, 1290, True, "2023-01-01", None),
        (8, "Farm Flex", "VAR", 23100, 990, False, "2023-01-01", None),
        (9, "Heat Pump Plus", "TOU", 22700, 590, True, "2026-09-01", None),
        (10, "Retro 2019", "FIX", 31900, 390, False, "2019-01-01", "2022-12-31"),
    ]
    tw = [14, 12, 18, 9, 9, 8, 8, 7, 0, 0]
    meters, mcity = [], {}
    cons = []

    def new_meter(city, since, lab):
        m = len(meters) + 1
        inst = since.date() - td(days=r.randint(3, 300))
        st = "LAB" if lab else r.choices(["ONL", "FLT"], [93, 7])[0]
        meters.append(
            [
                m,
                "%s%06d" % ("LAB-" if lab else "GL", 210000 + m * 37),
                r.choice(["SM1", "SM2", "SM2", "SM3"]),
                AREA[city],
                city,
                st,
                ds(inst),
                None,
                None if r.random() < 0.08 else r.choice(["2.1.0", "2.4.3", "3.0.1"]),
            ]
        )
        return m

    def add(c, m, signed, start, end, status, reason):
        t = r.choices(range(1, 11), tw)[0]
        agreed = tariffs[t - 1][3] + r.choice([0, 0, -500, -1200, 800, 1500, 2300])
        cons.append(
            (
                len(cons) + 1,
                c,
                m,
                t,
                status,
                r.choices(["web", "phone", "door", "partner"], [50, 20, 8, 22])[0],
                ts(signed),
                ds(start),
                ds(end) if end else None,
                reason,
                agreed,
            )
        )

    for c in cust:
        i, lab = c[0], c[7]
        if i % 12 == 2 and i not in (17, 44):
            continue
        for k in range(1 if c[6] else r.choices([1, 2, 3], [72, 22, 6])[0]):
            signed = made[i] + td(hours=r.randint(1, 60)) if k == 0 else moment(made[i], TODAY)
            if signed > TODAY:
                signed = TODAY - td(hours=r.randint(2, 20))
            start = signed.date() + td(days=r.randint(10, 45))
            if r.random() < 0.4:
                start = (start.replace(day=1) + td(days=32)).replace(day=1)
            m = new_meter(c[4], signed, lab)
            u = 0.9 if i in (17, 44) else r.random()
            if c[6] and k == 0 and start < TODAY.date():
                e = min(start + td(days=r.randint(20, 300)), date(2026, 9, 12))
                e = max(e, start)
                add(i, m, signed, start, e, "TRM", r.choice(["PRC", "MOV", "SWI", "DEC", "NPY"]))
                continue
            if start > TODAY.date():
                add(i, m, signed, start, None, "CAN" if u < 0.25 or c[6] else "PND", None)
            elif u < 0.06:
                add(i, m, signed, start, None, "CAN", None)
            elif u < 0.30:
                e = start + td(days=r.randint(40, 500))
                if r.random() < 0.3:
                    e = e.replace(day=calendar.monthrange(e.year, e.month)[1])
                if e >= TODAY.date():
                    add(i, m, signed, start, e, "ACT", None)
                else:
                    add(
                        i,
                        m,
                        signed,
                        start,
                        e,
                        "TRM",
                        r.choices(["PRC", "MOV", "SWI", "DEC", "NPY"], [35, 30, 20, 5, 10])[0],
                    )
                    if r.random() < 0.4:
                        s2 = datetime(e.year, e.month, e.day, 9) - td(days=5)
                        st2 = e + td(days=1)
                        add(i, m, s2, st2, None, "PND" if st2 > TODAY.date() else "ACT", None)
                    elif r.random() < 0.5:
                        meters[m - 1][5] = "REM"
                        meters[m - 1][7] = ds(min(e + td(days=20), date(2026, 9, 15)))
            elif u < 0.34:
                add(i, m, signed, start, None, "SUS", None)
            else:
                add(i, m, signed, start, None, "ACT", None)
    for _ in range(14):
        new_meter(r.choice(CITIES), moment(datetime(2024, 6, 1), datetime(2026, 9, 1)), False)
    usage = []
    months = [date(2024 + (6 + k) // 12, (6 + k) % 12 + 1, 1) for k in range(26)]  # 2024-07 .. 2026-08
    mseg = {c[2]: seg[c[1]] for c in cons}
    for m in meters:
        solar = r.random() < 0.25
        base = {"R": 260000, "B": 1900000, "F": 900000}[mseg.get(m[0], "R")] * r.uniform(0.5, 1.7)
        for mo in months:
            if ds(mo) < m[6] or (m[7] and ds(mo) > m[7]):
                continue
            q = r.choices("MEX", [88, 9, 3])[0]
            season = {12: 1.4, 1: 1.5, 2: 1.3, 6: 0.8, 7: 0.75, 8: 0.8}.get(mo.month, 1)
            imp = int(base * season * r.uniform(0.8, 1.2))
            exp = int(imp * r.uniform(0.2, 1.5) * (1 if 4 <= mo.month <= 9 else 0.2)) if solar else 0
            if q == "X":
                imp = None if r.random() < 0.3 else imp * 900
            usage.append((m[0], ds(mo), imp, exp, q))
    ev = []
    for k in range(1, 2401):
        o = moment(datetime(2024, 8, 1), datetime(2026, 9, 17, 8, 0))
        if k % 60 == 0:
            o = r.choice(edges)
        if k % 45 == 0:
            o = moment(datetime(2026, 9, 13, 18), datetime(2026, 9, 17, 7))
        rec = min(o + td(seconds=r.choice([5, 40, 600, 9000, 90000, 170000])), datetime(2026, 9, 17, 8, 25))
        live = meters[r.randrange(len(meters) - 6)]
        ev.append((k, live[0], r.choices(["PWL", "PWR", "TMP", "COM"], [33, 31, 8, 28])[0], ts(o), ts(rec)))
    inv, pay = [], []
    for c in cons:
        if c[4] in ("PND", "CAN"):
            continue
        kb = {"R": 260, "B": 1900, "F": 900}[seg[c[1]]] * r.uniform(0.5, 1.7)
        for mo in months:
            last = mo.replace(day=calendar.monthrange(mo.year, mo.month)[1])
            if ds(last) < c[7] or (c[8] and ds(mo) > c[8]):
                continue
            iss = datetime(last.year, last.month, last.day, r.randint(6, 18), r.randint(0, 59)) + td(
                days=r.choice([0, 0, 1, 2, 3, 5])
            )
            if r.random() < 0.02:
                iss = datetime(last.year, last.month, last.day) + td(days=1)
            due = iss.date() + td(days=14)
            net = int(kb * r.uniform(0.75, 1.3) * c[10] / 1000 + tariffs[c[3] - 1][4])
            vat = round(net * 0.2)
            age = (TODAY - iss).days
            if age < 25:
                st = r.choices("OPV", [60, 36, 4])[0]
            elif age < 90:
                st = r.choices("OPVD", [5, 82, 4, 9])[0]
            else:
                st = r.choices("PVDWO", [89, 4, 3, 3, 1])[0]
            if c[1] == 17 and mo in (date(2026, 7, 1), date(2026, 5, 1)):
                st = "D"
            pd = None
            n = len(inv) + 1
            g = net + vat
            if st == "P":
                pd = iss + td(days=r.randint(1, 30), hours=r.randint(0, 12))
                if pd > TODAY:
                    pd = moment(iss, TODAY)
                me = r.choices(["SEPA", "CARD", "BANK", "CASH"], [60, 15, 20, 5])[0]
                if r.random() < 0.07:
                    pay.append((len(pay) + 1, n, ts(iss + (pd - iss) * 0.4), g, "SEPA", "ret"))
                if r.random() < 0.12:
                    a = g // 3
                    pay.append((len(pay) + 1, n, ts(iss + (pd - iss) * 0.6), a, me, "ok"))
                    pay.append((len(pay) + 1, n, ts(pd), g - a, me, "ok"))
                else:
                    pay.append((len(pay) + 1, n, ts(pd), g, me, "ok"))
            elif st == "D" and r.random() < 0.6:
                pay.append((len(pay) + 1, n, ts(min(iss + td(days=13), TODAY - td(hours=3))), g, "SEPA", "ret"))
            elif st == "O" and r.random() < 0.2:
                pay.append((len(pay) + 1, n, ts(TODAY - td(hours=r.randint(1, 60))), g, "BANK", "pend"))
            inv.append((n, c[1], c[0], ds(mo), ds(last), ts(iss), ds(due), ts(pd) if pd else None, st, net, vat, g))
    ag = [
        "Birgit Sailer",
        "Cem Aydin",
        "Doris Moser",
        "Erik Vogl",
        "Franka Reiter",
        "Georg Wimmer",
        "Helga Strobl",
        "Ivo Petric",
        "Julia Kern",
        "Karl Zangl",
        "Lena Thaler",
    ]
    teams = [
        "First Line",
        "First Line",
        "First Line",
        "Billing",
        "Billing",
        "Field",
        "Field",
        "First Line",
        "Billing",
        "First Line",
        "Field",
    ]
    agents = [
        (
            k + 1,
            a,
            teams[k],
            ds(date(2021, 3, 1) + td(days=r.randint(0, 1500))),
            {2: "2026-02-28", 7: "2025-11-15", 10: "2026-09-30"}.get(k),
        )
        for k, a in enumerate(ag)
    ]
    tickets = []
    pool = [c[0] for c in cust if not c[7] and c[0] % 6 != 4]
    for k in range(1, 1501):
        o = moment(datetime(2024, 8, 1), datetime(2026, 9, 17, 8, 0))
        if k % 70 == 0:
            o = r.choice(edges)
        if k % 90 == 0:
            o = datetime(2026, 9, 16, r.randint(0, 23), r.randint(0, 59))
        if k % 110 == 0:
            o = datetime(2026, 9, 14, r.randint(0, 23), r.randint(0, 59))
        cid = r.choice(pool)
        while made[cid] > o:
            cid = r.choice(pool)
        age = (TODAY - o).days
        st = r.choices(
            "NPWSC", [30, 25, 20, 15, 10] if age < 6 else [1, 3, 4, 30, 62] if age < 120 else [0, 0.5, 0.5, 9, 90]
        )[0]
        rep = None if st == "N" else min(o + td(minutes=int(r.lognormvariate(4.6, 1))), TODAY - td(minutes=5))
        cl = min(rep + td(hours=r.randint(1, 160)), TODAY - td(minutes=2)) if st in "SC" else None
        okag = [a[0] for a in agents if a[3] <= ds(o) and (not a[4] or a[4] > ds(o))]
        tickets.append(
            (
                k,
                cid,
                None if st == "N" and r.random() < 0.6 else r.choice(okag),
                r.choices(["BIL", "MET", "MOV", "OUT", "TAR"], [38, 18, 16, 13, 15])[0],
                r.choices([1, 2, 3, 4], [8, 22, 50, 20])[0],
                st,
                ts(o),
                ts(rep) if rep else None,
                ts(cl) if cl else None,
                r.choices([1, 2, 3, 4, 5], [9, 10, 18, 33, 30])[0] if cl and r.random() < 0.5 else None,
            )
        )
    return {
        "customers": cust,
        "tariffs": tariffs,
        "meters": [tuple(m) for m in meters],
        "contracts": cons,
        "monthly_usage": usage,
        "meter_events": ev,
        "invoices": inv,
        "payments": pay,
        "agents": agents,
        "tickets": tickets,
    }


if __name__ == "__main__":
    for k, v in rows().items():
        print(k, len(v))
