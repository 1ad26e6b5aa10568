import random
from datetime import date
from datetime import datetime as D
from datetime import timedelta as T

NOW = D(2026, 8, 5, 9, 30)


def rows():
    r = random.Random(8051)
    s = lambda x: None if x is None else (x.strftime("%Y-%m-%d %H:%M:%S") if isinstance(x, D) else x.isoformat())

    def edge(t):
        if r.random() < 0.08:
            k = r.randrange(4)
            m0 = t.replace(day=1, hour=0, minute=0, second=0)
            t = [m0, m0 - T(seconds=1), m0 - T(hours=r.randint(4, 9)), t.replace(hour=0, minute=0, second=0)][k]
        return t

    def rt(a, b):
        return edge(a + T(seconds=r.randint(0, int((b - a).total_seconds()))))

    def addm(d, n):
        y, m = divmod(d.year * 12 + d.month - 1 + n, 12)
        m += 1
        last = (date(y + (m == 12), m % 12 + 1, 1) - T(days=1)).day
        return date(y, m, min(d.day, last))

    fi = "Ana Luis Carla Pedro Marta Joao Ines Sergio Aoife Sean Niamh Conor Lucia Diego Rita Tiago Elena Pablo Orla Cian Nuria Bruno Sofia Hugo Clara Nuno Laura Ivan Maeve Declan".split()
    la = "Moreira Vidal Santos Kelly Romero Duarte Byrne Castro Lopes Navarro Walsh Pinto Serrano Nolan Matos Iglesias Ryan Fonseca Ortega Doyle Prieto Amaral Quinn Herrera Barros Gallagher".split()
    names = [f"{a} {b}" for a in fi for b in la]
    r.shuffle(names)
    cities = {
        "ES": ["Madrid", "Valencia", "Sevilla", "Bilbao", "Zaragoza"],
        "PT": ["Lisboa", "Porto", "Braga", "Faro"],
        "IE": ["Dublin", "Cork", "Galway"],
    }
    w = {"ES": [9, 6, 4, 3, 2], "PT": [8, 7, 3, 1], "IE": [8, 4, 2]}
    cust = []
    for i in range(1, 621):
        c = r.choices(["ES", "PT", "IE"], [5, 3, 2])[0]
        test = r.random() < 0.05
        nm = names[i - 1]
        cust.append(
            dict(
                id=i,
                nm=("Test " + nm.split()[0] + str(i)) if test else nm,
                c=c,
                city=None if r.random() < 0.04 else r.choices(cities[c], w[c])[0],
                dob=date(1955, 1, 1) + T(days=r.randint(0, 18800)),
                emp=r.choices(["EMP", "SEL", "RET", "STU", "UNE", None], [55, 15, 10, 8, 5, 7])[0],
                mk=r.random() < 0.4,
                test=test,
                cr=rt(D(2024, 2, 1), NOW - T(hours=1)),
                de=None,
            )
        )
    prods = [
        (1, "PL", "Personal Loan", 100000, 2000000, 990, "2023-05-01", None),
        (2, "AL", "Auto Loan", 300000, 3500000, 720, "2023-05-01", None),
        (3, "HI", "Home Improvement Loan", 200000, 2500000, 850, "2024-01-15", None),
        (4, "DC", "Debt Consolidation", 300000, 3000000, 1150, "2024-06-01", None),
        (5, "EX", "Express Mini Loan", 30000, 150000, 1890, "2023-05-01", "2025-09-30"),
        (6, "GR", "Green Energy Loan", 200000, 2500000, 640, "2026-03-01", None),
    ]
    staff = [
        (1, "Marta Quintela", "UW", "2023-04-01", None),
        (2, "Rory Fennell", "UW", "2023-09-15", None),
        (3, "Ines Calado", "UW", "2024-02-01", None),
        (4, "Jorge Almenar", "UW", "2023-06-01", "2025-11-30"),
        (5, "Siobhan Tierney", "UW", "2025-10-01", None),
        (6, "Paulo Sequeira", "COL", "2023-05-15", None),
        (7, "Dolores Ferrandis", "COL", "2024-01-08", None),
        (8, "Eamon Hartnett", "COL", "2024-07-01", None),
        (9, "Lidia Montalvo", "COL", "2023-08-01", "2026-01-31"),
        (10, "Vasco Teixeira", "COL", "2025-03-03", None),
        (11, "Grainne Molloy", "COL", "2026-06-15", None),
        (12, "Alba Rincon", "CS", "2024-04-01", None),
        (13, "Filipe Nogueira", "CS", "2023-07-01", "2025-06-30"),
        (14, "Teresa Abad", "CS", "2025-09-01", None),
    ]
    pr = {p[0]: p for p in prods}
    apps, loans, inst, pays, cases, cont = [], [], [], [], [], []
    applicants = [c for c in cust if r.random() < 0.82]

    def payrow(lid, iid, amt, st, at, method=None):
        at = min(at, NOW - T(minutes=r.randint(1, 500)))
        pays.append(
            [
                lid,
                iid,
                amt,
                method or r.choices(["DD", "CARD", "BANK", "CASH"], [60, 22, 15, 3])[0],
                st,
                at,
                None if st != "S" else min(NOW.date(), at.date() + T(days=r.choices([0, 1, 2, 3], [4, 4, 1, 1])[0])),
            ]
        )

    for _ in range(1180):
        c = r.choice(applicants)
        cr = rt(max(c["cr"], D(2024, 3, 1)), NOW - T(minutes=30)) if c["cr"] < NOW - T(hours=2) else c["cr"]
        if cr < c["cr"]:
            cr = c["cr"]
        pid = r.choices([1, 2, 3, 4, 5, 6], [34, 18, 14, 14, 14, 6])[0]
        if (pid == 5 and cr > D(2025, 9, 29)) or (pid == 6 and cr < D(2026, 3, 1)):
            pid = 1
        p = pr[pid]
        req = r.randrange(p[3], int(p[3] + (p[4] - p[3]) * r.choice([0.2, 0.5, 1])), 5000)
        term = r.choice([3, 6]) if pid == 5 else r.choice([6, 9, 12, 12, 18, 24])
        st = r.choices(["DRF", "SUB", "APP", "DEC", "WDR", "EXP"], [8, 2, 52, 25, 8, 5])[0]
        sub = edge(cr + T(minutes=r.choice([r.randint(5, 90), r.randint(90, 4000)])))
        sub = max(sub, cr)
        dec = sub + T(minutes=r.randint(20, 12000))
        if sub > NOW:
            st = "DRF"
        elif dec > NOW and st not in ("DRF", "WDR") or st == "SUB":
            st = "REV" if r.random() < 0.6 and NOW - sub > T(hours=6) else "SUB"
            if NOW - sub > T(days=60):
                st = "REV" if r.random() < 0.5 else "WDR"
        if st == "WDR" and r.random() < 0.7 or st in ("DRF", "SUB", "REV"):
            dec = None
        if st == "DRF":
            sub = None
        if dec and dec > NOW:
            dec = None
        aid = len(apps) + 1
        off = None
        if st in ("REV", "APP", "DEC", "EXP"):
            o = [
                x[0]
                for x in staff
                if x[2] == "UW"
                and D.fromisoformat(x[3]) < (dec or NOW)
                and (not x[4] or D.fromisoformat(x[4]) > (dec or NOW))
            ]
            off = r.choice(o) if r.random() < 0.85 or st != "DEC" and r.random() < 0.5 else None
        appr = None
        if st in ("APP", "EXP"):
            appr = req if r.random() < 0.6 else int(req * r.choice([0.5, 0.75, 0.8]) // 5000 * 5000)
        apps.append(
            (
                aid,
                c["id"],
                pid,
                r.choices(["web", "app", "broker", "phone"], [45, 32, 15, 8])[0],
                req,
                appr,
                term,
                st,
                r.choices(["SCOR", "INCM", "FRAU", "DOCS"], [45, 30, 7, 18])[0] if st == "DEC" else None,
                off,
                c["test"],
                s(cr),
                s(sub),
                s(dec),
            )
        )
        if st != "APP" or c["test"] or r.random() < 0.1:
            continue
        sig = edge(dec + T(minutes=r.randint(30, 6000)))
        sig = max(sig, dec)
        if sig > NOW:
            continue
        lid = len(loans) + 1
        apr = p[5] + r.choice([-100, 0, 0, 50, 150, 300])
        L = [lid, f"LL-{20000 + lid * 7}", aid, c["id"], pid, appr, apr, term, 2, sig, None, None]
        loans.append(L)
        if r.random() < 0.05:
            L[8], L[11] = 6, min(NOW, sig + T(days=r.randint(1, 10)))
            continue
        dis = max(edge(sig + T(minutes=r.randint(60, 7000))), sig)
        if dis > NOW:
            L[8] = 1
            continue
        L[10] = dis
        kind = r.choices(["good", "slow", "early", "bad"], [42, 22, 10, 26])[0]
        stop = r.randint(0, max(1, term - 2)) if kind == "bad" else term
        eat = r.randint(1, term - 1) if kind == "early" else None
        miss, lastpay, ended = [], dis, None
        for k in range(1, term + 1):
            due = addm(dis.date(), k)
            pd = appr // term if k < term else appr - appr // term * (term - 1)
            idue = max(1, int(appr * (term - k + 1) / term * apr / 10000 / 12))
            iid = len(inst) + 1
            I = [iid, lid, k, due, pd, idue, 0, "open", None]
            inst.append(I)
            if ended:
                I[7] = "void"
                continue
            if k > stop:
                if due < NOW.date():
                    miss.append(I)
                    if r.random() < 0.25 and len(miss) == 1:
                        I[6], I[7] = (pd + idue) // r.choice([2, 3, 4]), "part"
                        payrow(lid, iid, I[6], "S", D(due.year, due.month, due.day, 15, 20) + T(days=2))
                continue
            lag = {
                "good": r.choice([-2, -1, 0, 0, 0, 0]),
                "early": 0,
                "slow": r.choice([0, 0, 1, 4, 9, 18, 33]),
                "bad": r.choice([0, 3, 12]),
            }[kind]
            at = D(due.year, due.month, due.day) + T(
                days=lag, seconds=r.choice([0, 86399, r.randint(0, 86399), r.randint(20000, 80000)])
            )
            at = max(at, lastpay)
            if at > NOW:
                continue
            lastpay = at
            I[6], I[7], I[8] = pd + idue, "paid", at
            if r.random() < 0.07:
                payrow(lid, iid, pd + idue, "R", at - T(days=r.randint(0, 3), hours=1), "DD")
            if r.random() < 0.08:
                h = (pd + idue) // 2
                payrow(lid, iid, h, "S", at - T(hours=r.randint(1, 30)))
                payrow(lid, iid, pd + idue - h, "S", at)
            else:
                payrow(lid, iid, pd + idue, "S", at)
            if eat == k:
                ended = max(at, min(at + T(days=r.randint(0, 12)), NOW - T(hours=2)))
                payrow(lid, None, appr - appr // term * k, "S", ended, "BANK")
                L[8], L[11] = 4, ended
        mine = inst[-term:]
        if not ended and all(x[7] == "paid" for x in mine):
            L[8], L[11] = 4, max(x[8] for x in mine)
        if len(miss) > 4:
            L[8] = 5
            d = miss[4][3]
            L[11] = D(d.year, d.month, d.day, r.choice([0, 16]), 0) + T(days=r.randint(0, 1))
            if L[11] > NOW:
                L[11] = NOW - T(hours=3)
            for x in mine:
                if x[7] in ("open", "part"):
                    x[7] = "void"
        elif any(x[7] in ("open", "part") and x[3] < NOW.date() - T(days=30) for x in mine):
            L[8] = 3
        trig = miss[0][3] if miss else (due if kind == "slow" and r.random() < 0.35 and False else None)
        if not miss and kind == "slow" and r.random() < 0.5:
            trig = mine[0][3]
        if trig:
            op = D(trig.year, trig.month, trig.day, r.choice([0, 8, 11, 17]), 0) + T(days=r.randint(5, 20))
            if op > NOW:
                continue
            cid = len(cases) + 1
            st_ = r.choices("SHL", [6, 3, 1])[0] if L[8] != 5 else r.choice("HL")
            cl, oc = None, None
            if L[8] == 5:
                cl, oc = L[11], "WO"
            elif L[8] != 3 and r.random() < 0.75:
                cl = op + T(days=r.randint(2, 60), hours=r.randint(0, 9))
                oc = r.choice(["CUR", "CUR", "PLN"])
                if cl > NOW:
                    cl, oc = None, None
            elif r.random() < 0.2:
                cl, oc = min(op + T(days=r.randint(5, 40)), NOW - T(days=1)), "PLN"
                cl = max(cl, op)
            o = [
                x[0]
                for x in staff
                if x[2] == "COL"
                and x[0] != 10
                and D.fromisoformat(x[3]) < op
                and (not x[4] or D.fromisoformat(x[4]) > op)
            ] or [6]
            ow = r.choice(o) if r.random() < 0.92 else None
            cases.append((cid, lid, ow, st_, oc, s(op), s(cl)))
            for _ in range(r.choice([0, 1, 2, 3, 4, 5, 7])):
                ct = op + T(seconds=r.randint(0, int(((cl or NOW) - op).total_seconds())))
                ch = r.choices("TSEL", [5, 3, 3, 1])[0]
                rs = (
                    r.choices(["NA", "RPC", "PTP", "REF"], [4, 3, 3, 1])[0]
                    if ch == "T"
                    else r.choices(["NA", "PTP", "REF"], [7, 2, 1])[0]
                )
                act = [
                    x[0]
                    for x in staff
                    if x[2] == "COL"
                    and D.fromisoformat(x[3]) < ct
                    and (not x[4] or D.fromisoformat(x[4]) > ct)
                    and not (x[0] == 10 and ct > D(2026, 4, 20))
                ]
                sf = (
                    None
                    if ch in "SE" and r.random() < 0.5
                    else (ow if ow in act and r.random() < 0.7 else r.choice(act or [6]))
                )
                cont.append(
                    (
                        len(cont) + 1,
                        cid,
                        sf,
                        ch,
                        rs,
                        s(ct),
                        r.randrange(5000, 60000, 500) if rs == "PTP" else None,
                        s(ct.date() + T(days=r.randint(3, 21))) if rs == "PTP" else None,
                    )
                )
    live = [L for L in loans if L[8] in (2, 3)]
    for L, t, st in zip(
        r.sample(live, 9),
        [
            D(2026, 8, 4),
            D(2026, 8, 4, 23, 59, 59),
            D(2026, 8, 4, 14, 5),
            D(2026, 8, 5),
            D(2026, 8, 3, 23, 59, 59),
            D(2026, 8, 4, 9, 1),
            D(2026, 8, 5, 8),
            D(2026, 8, 4, 18),
            D(2026, 8, 4, 20, 15),
        ],
        "RRRRRRPPP",
    ):
        x = [i for i in inst if i[1] == L[0]][0]
        pays.append([L[0], None, x[4] + x[5], "DD", st, t, None])
    livec = {L[3] for L in loans if L[8] in (1, 2, 3)}
    for c in cust:
        if c["id"] not in livec and not c["test"] and r.random() < 0.07 and c["cr"] < D(2026, 7, 1):
            c["de"] = rt(max(c["cr"], D(2025, 6, 1)), NOW - T(days=1))
            c["de"] = max(c["de"], c["cr"])
            c["nm"] = "[erased]"
    pays.sort(key=lambda x: x[5])
    return {
        "customers": [
            (
                c["id"],
                c["nm"],
                None if c["de"] or r.random() < 0.03 else f"user{c['id']}@mail.example",
                s(c["dob"]),
                c["c"],
                c["city"],
                c["emp"],
                c["mk"],
                c["test"],
                s(c["cr"]),
                s(c["de"]),
            )
            for c in cust
        ],
        "products": prods,
        "staff": staff,
        "applications": apps,
        "loans": [tuple(L[:9]) + tuple(s(x) for x in L[9:]) for L in loans],
        "instalments": [(*i[:3], s(i[3]), *i[4:8], s(i[8])) for i in inst],
        "payments": [(n + 1, *p[:5], s(p[5]), s(p[6])) for n, p in enumerate(pays)],
        "collection_cases": cases,
        "collection_contacts": cont,
    }
