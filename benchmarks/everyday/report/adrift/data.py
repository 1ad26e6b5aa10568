import random
from datetime import date, datetime, timedelta

NOW = datetime(2026, 10, 19, 9, 10)
TODAY = NOW.date()


def rows():
    r = random.Random(20261019)
    D = date
    mg = "Priya Raman,Oskar Lindqvist,Hugo Marchetti,Nadia Boateng,Ellen Voss,Samir Haddad,Keiko Tanabe,Dylan Prescott,Ruth Amsel,Ivo Kolar".split(
        ","
    )
    managers = [
        (
            i + 1,
            n,
            ["London", "Berlin", "New York", "Toronto"][i % 4],
            D(2021, 2, 1) + timedelta(i * 131),
            D(2026, 3, 31) if i == 8 else D(2025, 9, 30) if i == 5 else None,
        )
        for i, n in enumerate(mg)
    ]
    a1 = "Brightleaf,Northgate,Copperpot,Velora,Tidewell,Harbour & Finch,Lumeny,Pinestack,Quillon,Sundrift,Ostra,Merrowfield,Kestrelbank,Oakbarrel,Zephira".split(
        ","
    )
    a2 = {
        "retail": "Shops",
        "travel": "Travel",
        "finance": "Finance",
        "gaming": "Games",
        "food": "Foods",
        "auto": "Motors",
        "health": "Health",
    }
    names, accounts = set(), []

    def ts(lo, hi):
        d = lo + timedelta(r.randrange(max((hi - lo).days, 1)))
        return datetime(d.year, d.month, d.day, r.randrange(6, 21), r.randrange(60), r.randrange(60))

    for i in range(84):
        ind = r.choice(list(a2))
        while True:
            n = r.choice(a1) + " " + a2[ind]
            if n not in names:
                break
            ind = r.choice(list(a2))
        names.add(n)
        t = r.choices(["ADV", "AGY"], [78, 22])[0]
        if i % 20 == 9:
            t, n = "INT", "Adrift " + ["House", "QA", "Demo", "Sandbox"][i // 20]
        elif t == "AGY":
            n = n.split()[0] + " " + a2[ind] + " Media"
        created = ts(D(2024, 3, 1), D(2026, 10, 17))
        if i < 45:
            created = ts(D(2023, 6, 1), D(2025, 2, 1))
        if i == 50:
            created = datetime(2026, 9, 30, 17, 30)
        if i == 51:
            created = datetime(2026, 10, 1)
        if i == 52:
            created = datetime(2026, 9, 1)
        if i == 53:
            created = datetime(2026, 1, 1)
        closed = (
            ts(max(created.date() + timedelta(200), D(2025, 6, 1)), D(2026, 10, 1))
            if i % 11 == 4 and created < datetime(2025, 9, 1)
            else None
        )
        accounts.append(
            (
                i + 1,
                n,
                t,
                None if i % 19 == 3 or t == "INT" else ind,
                r.choices(["US", "CA", "GB", "DE", "FR", "NL", "SE"], [26, 9, 18, 17, 10, 7, 5])[0],
                None if i % 13 == 6 else r.choices(range(1, 11), [9, 8, 7, 7, 6, 2, 6, 5, 1, 4])[0],
                r.choice([800, 1000, 1200, 1250, 1500, 1800]),
                r.choice([None, 500000, 1000000, 2500000, 5000000]),
                created,
                closed,
            )
        )
    themes = "Spring Sale,Summer Push,Brand Lift,Back to School,Black Friday,Always On,App Install,Holiday,Launch,Retargeting,Winter Deals,Loyalty".split(
        ","
    )
    campaigns, creatives, delivery, changes = [], [], [], []
    cid = crid = chid = 0
    for a in accounts:
        if a[0] % 12 == 8:
            continue
        n = r.choices([1, 2, 3, 4, 5, 6, 8], [8, 12, 16, 14, 10, 8, 4])[0]
        for k in range(n):
            cid += 1
            lo = max(a[8].date(), D(2024, 7, 1))
            hi = a[9].date() if a[9] else TODAY
            cr = ts(lo, hi) if hi > lo else a[8]
            start = cr.date() + timedelta(r.randrange(0, 25))
            if cid % 17 == 0:
                start = D(2026, 9, 1)
            if cid % 23 == 0:
                start = D(2026, 9, 30)
            if cid % 29 == 0:
                start = D(2026, 10, 1)
            if cid % 37 == 0:
                start = D(2026, 10, 19) + timedelta(r.randrange(2, 30))
            if start < cr.date():
                cr = datetime(start.year, start.month, start.day, 8, 30) - timedelta(days=3)
                if cr < a[8]:
                    start, cr = a[8].date() + timedelta(2), a[8]
            if cr > NOW:
                cr = NOW - timedelta(hours=5)
            end = None if r.random() < 0.15 else start + timedelta(r.choice([13, 20, 30, 45, 60, 90, 120]))
            if a[9] and (end is None or end > a[9].date()):
                end = max(a[9].date(), start)
            if end and end < TODAY:
                st = r.choices(["END", "REJ", "PAU"], [90, 5, 5])[0]
            elif start > TODAY:
                st = "DRF"
            else:
                st = r.choices(["LIV", "PAU", "DRF", "REJ"], [76, 13, 7, 4])[0]
            deleted = cid % 18 == 5
            ch = r.choices(["DSP", "VID", "NAT", "AUD"], [42, 29, 19, 10])[0]
            budget = r.choice([150000, 250000, 400000, 500000, 800000, 1000000, 1500000, 3000000])
            campaigns.append(
                (
                    cid,
                    a[0],
                    f"{r.choice(themes)} {start.year}" + ("" if k % 3 else f" {chr(65 + k)}"),
                    ch,
                    r.choice(["awareness", "traffic", "conversions", "conversions", None]),
                    st,
                    budget,
                    cr,
                    start,
                    end,
                    deleted,
                )
            )

            # status log
            def chg(o, nw, t, by=True):
                nonlocal chid
                if t > NOW:
                    return
                chid += 1
                changes.append((chid, cid, o, nw, (a[5] if by and r.random() < 0.8 else None), t))

            chg(None, "DRF", cr)
            sdt = datetime(start.year, start.month, start.day, 0, 5)
            if st == "REJ":
                chg("DRF", "REJ", cr + timedelta(hours=r.randrange(2, 60)))
            elif st != "DRF":
                sdt = max(sdt, cr + timedelta(minutes=20))
                chg("DRF", "LIV", sdt, r.random() < 0.4)
                last = end if end and end < TODAY else TODAY
                if r.random() < 0.3 and (last - start).days > 8:
                    p = sdt + timedelta(days=r.randrange(2, (last - start).days - 3), hours=r.randrange(8, 18))
                    chg("LIV", "PAU", p)
                    chg("PAU", "LIV", p + timedelta(days=r.randrange(1, 3), hours=1))
                if st == "PAU":
                    chg("LIV", "PAU", datetime(last.year, last.month, last.day, 8, 15))
                if st == "END":
                    chg("LIV", "END", datetime(last.year, last.month, last.day, 23, 59), False)
            # creatives
            for _ in range(r.choices([0, 1, 2, 3, 4], [6, 30, 34, 20, 10])[0]):
                crid += 1
                sub = cr + timedelta(hours=r.randrange(0, 70), minutes=r.randrange(60))
                if sub > NOW:
                    sub = NOW - timedelta(hours=2)
                old = sub < datetime(2026, 10, 12)
                rs = r.choices(["A", "R", "P"], [82, 16, 2] if old else [35, 10, 55])[0]
                rev = None if rs == "P" else sub + timedelta(minutes=r.randrange(15, 3200))
                if rev and rev > NOW:
                    rs, rev = "P", None
                f = {"DSP": "banner", "NAT": "native", "VID": "video", "AUD": "audio"}[ch]
                if ch == "DSP" and r.random() < 0.25:
                    f = "html5"
                w, h = (
                    r.choice([(300, 250), (728, 90), (160, 600), (1080, 1080)])
                    if f not in ("audio", "video")
                    else (1920, 1080)
                    if f == "video"
                    else (None, None)
                )
                creatives.append(
                    (
                        crid,
                        cid,
                        f,
                        w,
                        h,
                        r.choice([6000, 15000, 20000, 30000]) if f in ("video", "audio") else None,
                        rs,
                        sub,
                        rev,
                    )
                )
            # delivery
            if st in ("DRF", "REJ") or start > TODAY:
                continue
            last = min(end or TODAY, TODAY - timedelta(1))
            if st == "PAU" and not (end and end < TODAY):
                last = min(last, TODAY - timedelta(r.randrange(5, 40)))
            if st == "LIV" and cid % 8 == 2:
                last = min(last, D(2026, 10, 15) - timedelta(r.choice([0, 0, 1, 4])))
            span = (last - start).days + 1
            if span <= 0:
                continue
            pixel = cid % 6 != 1
            scale = r.choice([0.4, 0.8, 1, 1.5, 3])
            days = [start + timedelta(x) for x in range(span)]
            if span > 14:
                recent = [d for d in days if d >= D(2026, 9, 25)]
                keep = (
                    set(r.sample(days, min(14, span)))
                    | set(d for d in recent if r.random() < 0.8)
                    | {d for d in days if d.day == 1 or (d + timedelta(1)).day == 1}
                )
                days = sorted(keep)
            for d in days:
                devs = r.sample(["M", "D", "T"] + (["C"] if ch == "VID" else []), r.choices([1, 2, 3], [45, 40, 15])[0])
                for dv in devs:
                    imp = int(r.randrange(800, 26000) * scale) if r.random() > 0.01 else 0
                    ck = int(imp * r.uniform(0.001, 0.02)) if ch != "AUD" else int(imp * r.uniform(0, 0.003))
                    vc = max(0, ck - int(ck * r.choice([0, 0.02, 0.05, 0.15, 0.3])))
                    cpm = {"DSP": 3.2, "NAT": 4.1, "VID": 11.5, "AUD": 7.2}[ch] * r.uniform(0.7, 1.4)
                    sp = int(imp * cpm * 1000)
                    mc = int(sp * r.uniform(0.55, 1.02))
                    delivery.append((d, cid, dv, imp, ck, vc, int(vc * r.uniform(0, 0.12)) if pixel else None, sp, mc))
    # invoices
    acc_of = {c[0]: c[1] for c in campaigns}
    months = {}
    for x in delivery:
        k = (acc_of[x[1]], D(x[0].year, x[0].month, 1))
        months[k] = months.get(k, 0) + x[7]
    invoices, payments = [], []
    iid = pid = 0
    country = {a[0]: a[4] for a in accounts}
    for (ac, m), sp in sorted(months.items(), key=lambda x: (x[0][1], x[0][0])):
        if m >= D(2026, 10, 1):
            continue
        for part in range(2 if r.random() < 0.12 else 1):
            iid += 1
            net = int(sp / 10000 * (1 if part == 0 else 0.08)) + r.randrange(100)
            gross = round(
                net * {"US": 1, "CA": 1.05, "GB": 1.2, "DE": 1.19, "FR": 1.2, "NL": 1.21, "SE": 1.25}[country[ac]]
            )
            nm = D(m.year + m.month // 12, m.month % 12 + 1, 1)
            iss = nm + timedelta(r.choices([-1, 0, 1, 2, 3, 9, 30], [10, 25, 25, 18, 12, 6, 4])[0])
            due = iss + timedelta(r.choice([14, 30, 30, 45]))
            age = (TODAY - iss).days
            st = r.choices(["PD", "IS", "VD", "DR"], [82, 11, 5, 2] if age > 90 else [38, 50, 4, 8])[0]
            paid = None
            if iss > TODAY:
                st = "DR"
            if st == "PD":
                paid = iss + timedelta(r.randrange(3, 70))
                if paid > TODAY:
                    st, paid = "IS", None
            if st == "DR":
                iss = due = None
            no = f"AD-{iss.year}-{iid:05d}" if iss else None
            invoices.append((iid, ac, no, st, net, gross, m, iss, due, paid))
            if st == "PD":
                np = 2 if r.random() < 0.2 else 1
                parts = [gross] if np == 1 else [gross * 2 // 5, gross - gross * 2 // 5]
                for j, p in enumerate(parts):
                    pid += 1
                    d = paid - timedelta(days=0 if j == np - 1 else 2)
                    payments.append(
                        (
                            pid,
                            iid,
                            p,
                            r.choices(["wire", "card", "ach"], [6, 3, 2])[0],
                            datetime(d.year, d.month, d.day, r.randrange(0, 9 if d == TODAY else 23), r.randrange(10)),
                        )
                    )
            elif st == "IS" and r.random() < 0.25:
                pid += 1
                d = min(iss + timedelta(5), TODAY)
                payments.append((pid, iid, gross // 4, "wire", datetime(d.year, d.month, d.day, 7, 30)))
    r.shuffle(delivery)
    return dict(
        managers=managers,
        accounts=accounts,
        campaigns=campaigns,
        creatives=creatives,
        daily_delivery=delivery,
        status_changes=changes,
        invoices=invoices,
        payments=payments,
    )
