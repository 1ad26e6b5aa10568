import random
from datetime import date
from datetime import datetime as D
from datetime import timedelta as T

NOW = D(2026, 11, 3, 15, 0)


def rows():
    r = random.Random(1103)
    s = lambda x: None if x is None else (x.strftime("%Y-%m-%d %H:%M:%S") if isinstance(x, D) else x.isoformat())

    def edge(t):
        if r.random() < 0.07:
            m0 = t.replace(day=1, hour=0, minute=0, second=0)
            t = [
                m0,
                m0 - T(seconds=1),
                m0 - T(hours=r.randint(4, 9)),
                t.replace(hour=0, minute=0, second=0),
                t.replace(hour=23, minute=59, second=59),
            ][r.randrange(5)]
        return t

    def rt(a, b, skew=1.0):
        return edge(a + T(seconds=int((r.random() ** skew) * (b - a).total_seconds())))

    a1 = "Bright Cedar North Velvet Copper Harbor Maple Quiet Silver Urban Lark Mosaic Pixel Granite Juniper Solar Tidal Willow".split()
    a2 = "Outfitters Foods Labs Travel Bikes Dental Studio Books Logistics Fitness Media Coffee".split()
    nm = [f"{x} {y}" for x in a1 for y in a2]
    r.shuffle(nm)
    price = {"free": 0, "team": 1900, "biz": 4900, "ent": 9900}
    acc = []
    for i in range(1, 91):
        plan = r.choices(list(price), [22, 40, 26, 12])[0]
        seats = {"free": r.randint(1, 3), "team": r.randint(2, 10), "biz": r.randint(5, 25), "ent": r.randint(20, 90)}[
            plan
        ]
        lp = price[plan]
        npz = lp if r.random() < 0.55 else int(lp * r.choice([0.9, 0.85, 0.8, 0.7]))
        su = rt(D(2024, 5, 1), D(2026, 10, 30), 1.1)
        act = None if r.random() < 0.12 else su + T(hours=r.randint(1, 500))
        if act and act > NOW:
            act = None
        ch = None
        if r.random() < 0.16 and su < D(2026, 8, 1):
            ch = rt(max(su + T(days=60), D(2025, 6, 1)), NOW - T(days=1))
            if act and act > ch:
                act = su + T(hours=1)
        acc.append(
            [
                i,
                nm[i - 1],
                r.choices(["US", "GB", "DE", "CA", "NL", "AU"], [40, 18, 14, 12, 9, 7])[0],
                r.choice(["retail", "travel", "health", "software", "food", None]),
                plan,
                seats,
                lp,
                npz,
                r.choice(["Priya Nandakumar", "Tom Ashdown", "Yuki Ferreira"])
                if plan in ("biz", "ent") and r.random() < 0.9
                else None,
                0,
                su,
                act,
                ch,
            ]
        )
    for i in range(91, 97):
        p = r.choice(["biz", "ent", "team"])
        acc.append(
            [
                i,
                f"Helpwell Demo {i - 90}",
                "US",
                None,
                p,
                25,
                price[p],
                price[p],
                None,
                1,
                rt(D(2024, 5, 1), D(2026, 10, 1)),
                D(2026, 10, 2),
                D(2026, 9, 1) if i == 96 else None,
            ]
        )
    for a in acc:
        if a[0] % 30 == 7 and a[9] == 0:
            a[10] = D(2026, 10, 31, 16, 20)
            a[11] = a[12] = None
    ag = []
    f = "Amira Ben Chloe Dmitri Esther Farid Gwen Hector Isla Jonas Keiko Liam Mina Noor Oscar Petra Quentin Rosa Stefan Thea Umar Vera Wes Ximena Yara Zane".split()
    l = "Abbott Brandt Cruz Dawson Eklund Fisher Gupta Holm Ito Jansen Keller Lowe Mercer Novak Okafor Park Reyes Shah Turner Ueda".split()
    an = [f"{x} {y}" for x in f for y in l]
    r.shuffle(an)
    agof = {}
    for a in acc:
        if a[9]:
            continue
        for k in range(max(1, min(a[5], r.randint(1, 5)))):
            role = "O" if k == 0 else r.choices("LAV", [2, 7, 2])[0]
            cr = a[10] if k == 0 else rt(a[10], min(NOW - T(hours=3), (a[12] or NOW)))
            cr = max(cr, a[10])
            de = rt(cr, NOW - T(hours=1)) if r.random() < 0.13 and k else a[12]
            de = max(de, cr) if de else None
            if a[12] and de and de > a[12]:
                de = a[12]
            ll = (
                None
                if r.random() < 0.09
                else cr + (((de or NOW) - cr) * (1 - r.random() ** 4 if r.random() < 0.6 else 1 - r.random() * 0.03))
            )
            row = [
                len(ag) + 1,
                a[0],
                an[len(ag)],
                role,
                r.choice(["Tier 1", "Tier 1", "Tier 2", "Billing", None]),
                cr,
                ll.replace(microsecond=0) if ll else None,
                de,
            ]
            ag.append(row)
            agof.setdefault(a[0], []).append(row)
    pol = [
        (1, "Urgent standard", 1, 30, 240, 1),
        (2, "High standard", 2, 120, 720, 1),
        (3, "Normal standard", 3, 480, 2880, 1),
        (4, "Low standard", 4, 1440, 7200, 1),
        (5, "Urgent legacy", 1, 60, 480, 0),
        (6, "High legacy", 2, 240, 1440, 0),
    ]
    P = {p[0]: p for p in pol}
    subj = [
        "Refund for order",
        "Cannot log in",
        "Where is my parcel",
        "Invoice question",
        "Cancel my plan",
        "App crashes on start",
        "Change delivery address",
        "Password reset mail missing",
        "Wrong item received",
        "Feature question",
    ]
    tk, rp, sl, cs, tg, inv = [], [], [], [], [], []
    users = [a for a in acc if not a[9] and a[11]]
    wt = [min(40, a[5]) ** 0.5 * r.uniform(0.4, 2) for a in users]
    for a in users:
        if r.random() < 0.06:
            wt[users.index(a)] = 0
    t_list = []
    for _ in range(2600):
        a = r.choices(users, wt)[0]
        end = min(NOW - T(minutes=3), a[12] or NOW)
        lo = max(a[11], D(2024, 6, 1))
        c = rt(lo, end, 0.75)
        t_list.append((min(max(c, lo), end), a))
    for _ in range(40):
        a = r.choice([x for x in users if not x[12]])
        d = r.choice([D(2026, 11, 2), D(2026, 11, 2), D(2026, 10, 31), D(2026, 10, 30)])
        t_list.append((max(a[11], d + T(seconds=r.choice([0, 86399, r.randint(20000, 80000)]))), a))
    t_list = [x for x in t_list if x[0] < NOW]
    t_list.sort(key=lambda x: (x[0], x[1][0]))
    for c, a in t_list:
        tid = 50000 + len(tk) + 1
        pri = r.choices([1, 2, 3, 4], [8, 20, 55, 17])[0]
        ch = r.choices([1, 2, 3, 4, 5], [42, 24, 10, 18, 6])[0]
        spam = r.random() < 0.05
        dele = c + T(hours=r.randint(1, 300)) if r.random() < 0.04 else None
        if dele and dele > NOW:
            dele = None
        cand = [x for x in agof[a[0]] if x[3] != "V" and x[5] <= c and (not x[7] or x[7] > c)] or [agof[a[0]][0]]
        cand = [x for x in cand if x[0] % 23 != 5] or cand
        g = r.choices(cand, [2 + (x[0] * 7) % 5 for x in cand])[0]
        pid = pri if c >= D(2025, 7, 1) or pri > 2 else pri + 4
        tgt = P[pid]
        fr = (
            c + T(seconds=int(tgt[3] * 60 * r.choice([0.1, 0.3, 0.5, 0.8, 0.95, 1, 1.4, 2.2]) * r.uniform(0.7, 1)))
            if r.random() < 0.95
            else None
        )
        so = (fr or c) + T(seconds=int(tgt[4] * 60 * r.choice([0.1, 0.2, 0.4, 0.6, 0.8, 1.1, 1.8]) * r.uniform(0.6, 1)))
        so = edge(so)
        so = max(so, fr or c)
        unsol = r.random() < (0.02 if c < D(2026, 9, 1) else 0.15)
        if fr and fr > NOW:
            fr = None
        if so > NOW or unsol:
            so = None
        if spam:
            fr = so = None
        assigned = True
        if so:
            cl = so + T(days=4)
            st = "C" if cl <= NOW else "S"
            cl = cl if cl <= NOW else None
        else:
            cl = None
            st = r.choices("NOPH", [2 if not fr else 0, 4, 3, 1])[0]
            if spam:
                st = "N"
        if st == "N" or (st in "OP" and r.random() < 0.08):
            assigned = False
        tk.append(
            [
                tid,
                a[0],
                g[0] if assigned else None,
                f"user{r.randint(1, 420)}@inbox.example",
                r.choice(subj),
                ch,
                pri,
                st,
                r.choices([0, 1, 2, 3], [82, 12, 4, 2])[0] if so else 0,
                int(spam),
                s(c),
                s(fr),
                s(so),
                s(cl),
                s(dele),
            ]
        )
        if spam or dele:
            continue
        for tag in r.sample(
            ["refund", "bug", "shipping", "billing", "vip", "login", "feature-request"],
            r.choices([0, 1, 2, 3], [30, 40, 22, 8])[0],
        ):
            tg.append((tid, tag))
        if r.random() < 0.3:
            rp.append([tid, "bot", None, 1, r.randint(60, 300), c + T(seconds=r.randint(1, 9))])
        if fr:
            rp.append([tid, "agent", g[0], 1, r.randint(80, 1500), fr])
            for _ in range(r.choices([0, 1, 2, 3], [45, 30, 15, 10])[0] if r.random() < 0.6 else 0):
                at = fr + T(seconds=int(((so or NOW) - fr).total_seconds() * r.random()))
                w = r.choices(["agent", "requester", "note"], [3, 4, 2])[0]
                rp.append(
                    [
                        tid,
                        "requester" if w == "requester" else "agent",
                        None if w == "requester" else r.choice([g, g, r.choice(cand)])[0],
                        int(w != "note"),
                        r.randint(20, 1200),
                        at,
                    ]
                )
        canc = r.random() < 0.03
        for metric, tm, lim in (("FR", fr, tgt[3]), ("RES", so, tgt[4])):
            if r.random() < 0.03:
                continue
            due = c + T(minutes=lim)
            if canc:
                x = ("cancelled", None, None)
            elif tm:
                e = int((tm - c).total_seconds() // 60)
                x = ("met" if tm <= due else "breached", e, tm)
            else:
                x = ("running" if due > NOW else "breached", None, None)
            sl.append((tid, pid, metric, x[0], x[1], s(due), s(x[2])))
        if so and so < NOW - T(hours=2) and r.random() < 0.6:
            of = so + T(hours=1)
            ans = r.random() < 0.55
            ra = edge(of + T(minutes=r.randint(2, 6000))) if ans else None
            ra = max(ra, of) if ra else None
            if ra and ra > NOW:
                ra = None
            sc = r.choices([1, 2, 3, 4, 5], [7, 6, 12, 30, 45])[0] if ra else None
            cs.append(
                (
                    len(cs) + 1,
                    tid,
                    g[0],
                    sc,
                    r.choice(["Thanks, quick and kind", "Took too long", "Solved my problem", "Still not happy"])
                    if sc and r.random() < 0.3
                    else None,
                    s(of),
                    s(ra),
                )
            )
    rp.sort(key=lambda x: (x[5], x[0]))
    for a in acc:
        if a[4] == "free" or a[9]:
            continue
        y, m = a[10].year, a[10].month
        while True:
            m += 1
            if m == 13:
                y, m = y + 1, 1
            ps = date(y, m, 1)
            if ps > date(2026, 11, 1) or (a[12] and ps > a[12].date()):
                break
            iss = D(y, m, 1) + T(hours=r.choice([0, 0, 2, 9, 26]))
            pas = iss - T(hours=r.randint(1, 10)) if r.random() < 0.12 else iss
            amt = max(1, a[5] - r.choice([0, 0, 0, 1])) * a[7]
            age = (NOW - iss).days
            st = (
                r.choices(["paid", "issued", "void"], [94, 2.5, 3.5])[0]
                if age > 45
                else r.choices(["paid", "issued", "void", "draft"], [45, 42, 4, 9])[0]
            )
            pd = None
            if st == "paid":
                pd = edge(pas + T(minutes=r.randint(60, 40000)))
                pd = max(pd, pas)
                if pd > NOW:
                    st, pd = "issued", None
            inv.append(
                (
                    len(inv) + 1,
                    a[0],
                    s(ps),
                    amt,
                    st,
                    None if st == "draft" else s(pas),
                    None if st == "draft" else s(pas.date() + T(days=30 if a[4] == "ent" else 14)),
                    s(pd),
                )
            )
    return {
        "accounts": [tuple(x[:10]) + tuple(s(y) for y in x[10:]) for x in acc],
        "agents": [tuple(x[:5]) + tuple(s(y) for y in x[5:]) for x in ag],
        "tickets": [tuple(x) for x in tk],
        "replies": [(n + 1, *x[:5], s(x[5])) for n, x in enumerate(rp)],
        "sla_policies": pol,
        "ticket_slas": sl,
        "csat_ratings": cs,
        "ticket_tags": tg,
        "invoices": inv,
    }
