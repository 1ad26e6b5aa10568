import calendar
import random
from datetime import date, datetime
from datetime import timedelta as td

TODAY = datetime(2026, 3, 11, 9, 0)
CITY = {"Lisbon": "PT", "Porto": "PT", "Madrid": "ES", "Valencia": "ES", "Lyon": "FR", "Nantes": "FR"}
FN = "Ana Bruno Carla Diogo Elena Filipe Gael Helena Iker Joana Leo Marisol Nuno Odile Pablo Quentin Rita Sergi Tania Yves".split()
LN = "Abreu Barros Cortez Duval Esteves Fabre Galvao Herrera Ibarra Jourdan Lacerda Molina Nogueira Ortega Pinheiro Quiroga".split()


def ts(d):
    return d.strftime("%Y-%m-%d %H:%M:%S") if d else None


def ds(d):
    return d.strftime("%Y-%m-%d") if d else None


def rows():
    r = random.Random(311)

    def moment(a, b):
        return a + td(seconds=r.randint(0, max(0, int((b - a).total_seconds()))))

    edges = [
        datetime(2025, 12, 31, 15, 30),
        datetime(2026, 1, 1),
        datetime(2026, 2, 28, 16, 45),
        datetime(2026, 3, 1),
        datetime(2026, 1, 31, 18),
        datetime(2026, 2, 1),
        datetime(2025, 2, 28, 20),
        datetime(2025, 3, 1),
        datetime(2025, 1, 1),
        datetime(2025, 9, 30, 23, 59, 59),
    ]
    names = [(f, l) for f in FN for l in LN]
    r.shuffle(names)
    names.remove(("Helena", "Duval"))
    names.insert(9, ("Helena", "Duval"))
    users = []
    for i in range(1, 321):
        f, l = names[i - 1]
        su = r.choice(edges) if i % 23 == 5 else moment(datetime(2024, 1, 8), datetime(2026, 3, 10, 22))
        if i == 10:
            su = datetime(2024, 5, 2, 11)
        seen = None if i % 14 == 3 else moment(su, TODAY)
        users.append(
            (
                i,
                f,
                l,
                "%s.%s%s@post.example" % (f.lower(), l.lower(), i),
                None if i % 16 == 8 else r.choice(list(CITY)),
                ts(su),
                ts(seen),
                int(i % 19 == 4),
                int(r.random() < 0.45),
                ts(moment(su, TODAY)) if i % 18 == 7 else None,
            )
        )
    sig = {u[0]: datetime.fromisoformat(u[5]) for u in users}
    dele = {u[0]: datetime.fromisoformat(u[9]) if u[9] else TODAY + td(days=99) for u in users}
    A = ["Casa", "Chez", "Taberna", "Bistro", "Cantina", "Maison", "Mesa", "Petit", "Bodega", "Forno"]
    B = ["Azul", "Lune", "Verde", "Marin", "Sol", "Olive", "Pimenta", "Canard", "Limon", "Brasa", "Trigo"]
    rn = [a + " " + b for a in A for b in B]
    r.shuffle(rn)
    rn.remove("Casa Pimenta")
    rn.insert(4, "Casa Pimenta")
    rest = []
    for i in range(1, 91):
        c = r.choice(list(CITY)) if i != 5 else "Porto"
        s = moment(datetime(2023, 6, 1), datetime(2026, 2, 25)).date()
        if i % 15 == 2:
            s = r.choice([date(2025, 12, 31), date(2026, 1, 15), date(2025, 12, 10)])
        live = s + td(days=r.randint(5, 50))
        if i % 22 == 2:
            live = date(2026, 1, 1)
        if i == 5:
            s, live = date(2024, 1, 12), date(2024, 2, 1)
        if i in (11, 41, 71):
            s, live = date(2026, 1, 20) + td(days=i // 3), date(2026, 3, 20) + td(days=i // 6)
        if i == 60:
            s, live = date(2025, 12, 3), date(2026, 4, 1)
        closed = None
        if i % 9 == 4:
            closed = min(live + td(days=r.randint(60, 500)), date(2026, 3, 6))
        if live > TODAY.date():
            live = None if r.random() < 0.5 else live
        if live is None or live > TODAY.date() or (closed and closed <= live):
            closed = None
        demo = int(i % 18 == 6)
        rest.append(
            (
                i,
                ("Demo " if demo else "") + rn[i - 1],
                c,
                CITY[c],
                r.choice(["portuguese", "spanish", "french", "italian", "japanese", "indian"]),
                r.choices("BPE", [50, 35, 15])[0],
                r.choice([1500, 2000, 2200, 2500, 3000]),
                ds(s),
                ds(live),
                ds(closed),
                demo,
            )
        )
    dishes = {
        "starter": ["Gazpacho", "Olives", "Onion Soup", "Croquettes", "Green Salad"],
        "main": ["Duck Confit", "Paella", "Cod with Cream", "Margherita", "Ramen", "Chickpea Curry", "Grilled Octopus"],
        "dessert": ["Custard Tart", "Creme Brulee", "Churros", "Rice Pudding"],
        "drink": ["House Red", "Lemonade", "Sparkling Water"],
    }
    veg = {
        "Gazpacho",
        "Olives",
        "Green Salad",
        "Margherita",
        "Chickpea Curry",
        "Custard Tart",
        "Creme Brulee",
        "Churros",
        "Rice Pudding",
        "House Red",
        "Lemonade",
        "Sparkling Water",
    }
    pr = {"starter": (450, 950), "main": (1050, 2450), "dessert": (380, 790), "drink": (250, 690)}
    items, menu = [], {}
    for x in rest:
        for cat, n in (("starter", 2), ("main", 4), ("dessert", 2), ("drink", 1)):
            for d in r.sample(dishes[cat], n):
                items.append(
                    (
                        len(items) + 1,
                        x[0],
                        d,
                        cat,
                        r.randrange(pr[cat][0], pr[cat][1], 10),
                        int(d in veg),
                        ts(moment(datetime(2025, 1, 1), TODAY)) if r.random() < 0.08 else None,
                    )
                )
                menu.setdefault(x[0], []).append(items[-1])
    cn = [
        "Rui Cardoso",
        "Ines Falcao",
        "Hugo Prieto",
        "Alba Soler",
        "Remy Garnier",
        "Sofie Blanc",
        "Tiago Melo",
        "Paco Luna",
        "Noe Perrin",
        "Vera Matos",
        "Luc Adam",
        "Dora Vidal",
    ]
    cities = list(CITY)
    cour = []
    for k in range(1, 37):
        h = date(2023, 9, 1) + td(days=r.randint(0, 120))
        if k > 24:
            h = date(2024, 6, 1) + td(days=r.randint(0, 600))
        n = cn[k - 1] if k <= 12 else r.choice(FN) + " " + cn[k % 12].split()[1] + "-" + LN[(k * 5) % 16]
        cour.append(
            (
                k,
                n,
                r.choices("BSC", [45, 40, 15])[0],
                cities[k % 6],
                ds(h),
                ds(h + td(days=r.randint(200, 600))) if k % 6 == 1 and k > 8 or k in (20, 28) else None,
            )
        )

    def live_at(x, d):
        return x[8] and x[8] <= ds(d) and (not x[9] or x[9] >= ds(d))

    def pick(d, w):
        while 1:
            x = r.choices(rest, w)[0]
            if live_at(x, d):
                return x

    w = [r.uniform(0.3, 3) for _ in rest]
    ww = [0 if i % 11 == 0 else a for i, a in enumerate(w)]  # some do no delivery
    buyers = [u[0] for u in users if u[0] % 7 != 2]
    bw = [r.uniform(0.2, 3) for _ in buyers]

    def buyer(d):
        for _ in range(200):
            b = r.choices(buyers, bw)[0]
            if sig[b] <= d < dele[b]:
                return b
        return 10

    orders, oi = [], []
    times = [
        datetime(2024, 2, 10)
        + td(seconds=int(((datetime(2026, 3, 11, 8, 50) - datetime(2024, 2, 10)).total_seconds()) * r.random() ** 0.7))
        for _ in range(3200)
    ]
    times += (
        [e for e in edges for _ in range(3)]
        + [datetime(2026, 3, 10, r.randint(10, 23), r.randint(0, 59)) for _ in range(16)]
        + [datetime(2026, 3, 11, 8, r.randint(0, 55)) for _ in range(7)]
        + [datetime(2026, 3, 8, r.randint(18, 23), 10) for _ in range(6)]
    )
    for k, t in enumerate(sorted(times), 1):
        x = pick(t, ww)
        age = TODAY - t
        st = (
            r.choices(["NW", "PR", "OW", "CX"], [3, 3, 3, 1])[0]
            if age < td(minutes=70)
            else r.choices(["DL", "CX", "RF"], [86, 10, 4])[0]
        )
        cand = [c for c in cour if c[3] == x[2] and c[4] <= ds(t) and (not c[5] or c[5] > ds(t))]
        co = r.choice(cand)[0] if cand and st in ("OW", "DL", "RF") else None
        pu = t + td(minutes=r.randint(9, 32), seconds=r.randint(0, 59)) if st in ("OW", "DL", "RF") else None
        if pu and pu > TODAY:
            pu = TODAY - td(minutes=1)
        dist = None if r.random() < 0.05 else r.randint(300, 7200)
        dl = (
            pu + td(minutes=4 + (dist or 2500) // 350 + r.randint(0, 14), seconds=r.randint(0, 59))
            if st in ("DL", "RF")
            else None
        )
        sub = 0
        for ln in range(1, r.choices([1, 2, 3, 4, 5], [10, 28, 32, 20, 10])[0] + 1):
            m = r.choice(menu[x[0]])
            q = r.choices([1, 2, 3, 4], [62, 27, 8, 3])[0]
            p = m[4] if t > datetime(2025, 9, 1) else int(m[4] * 0.9) // 10 * 10
            oi.append((k, ln, m[0], q, p))
            sub += q * p
        promo = r.choice(["WELCOME10", "RAINYDAY", "FREESHIP"]) if r.random() < 0.18 else None
        disc = int(sub * 0.1) if promo in ("WELCOME10", "RAINYDAY") else 0
        fee = 0 if promo == "FREESHIP" else r.choice([199, 249, 299, 349])
        orders.append(
            (
                k,
                buyer(t),
                x[0],
                co,
                st,
                ts(t),
                ts(pu),
                ts(dl),
                promo,
                sub,
                disc,
                fee,
                r.choice([0, 0, 0, 100, 150, 200, 300, 500]),
                sub * x[6] // 10000,
                dist,
            )
        )
    res = []
    starts = [
        datetime(2024, 2, 15)
        + td(seconds=int((datetime(2026, 4, 15) - datetime(2024, 2, 15)).total_seconds()) * r.random() ** 0.8)
        for _ in range(2700)
    ]
    starts += (
        [datetime(2026, 3, 10)] * 14
        + [datetime(2026, 3, 11)] * 12
        + [datetime(2026, 3, 13)] * 14
        + [datetime(2026, 2, 28)] * 6
        + [datetime(2026, 3, 1)] * 4
        + [datetime(2025, 12, 31)] * 8
    )
    starts += [datetime(2026, 3, 6)] * 6 + [datetime(2026, 3, 12)] * 6 + [datetime(2026, 3, 9)] * 5
    rb = [b for b in buyers if b % 5 != 1]
    for d in sorted(starts):
        s = datetime(d.year, d.month, d.day, r.choice([12, 13, 19, 20, 21]), r.choice([0, 15, 30, 45]))
        bk = s - td(hours=r.choice([2, 5, 20, 30, 70, 150, 400]), minutes=r.randint(0, 59))
        if bk > TODAY:
            bk = TODAY - td(minutes=r.randint(5, 9000))
        x = pick(bk, w)
        fut = s > TODAY
        st = r.choices([1, 2, 4, 5], [18, 62, 15, 5])[0] if fut else r.choices([3, 4, 5, 6], [72, 15, 5, 8])[0]
        se = s + td(minutes=r.randint(-5, 25)) if st == 3 else None
        lf = se + td(minutes=r.randint(45, 160)) if se and r.random() < 0.92 else None
        src = r.choices(["app", "web", "phone", "maps"], [50, 20, 14, 16])[0]
        u = None
        if not (src == "phone" and r.random() < 0.6):
            while u is None or sig[u] > bk or dele[u] < bk:
                u = r.choice(rb)
                if bk < datetime(2024, 6, 1):
                    u = 10
                    break
        res.append(
            (
                len(res) + 1,
                u,
                x[0],
                r.choices([1, 2, 3, 4, 5, 6, 8, 12], [5, 44, 12, 20, 6, 8, 4, 1])[0],
                ts(bk),
                ts(s),
                st,
                ts(se),
                ts(lf),
                src,
            )
        )
    rev = []
    real = [o for o in orders if not rest[o[2] - 1][10] and o[4] == "DL"] + [
        (0, x[1], x[2], 0, 0, x[8] or x[7]) for x in res if x[6] == 3 and x[1] and not rest[x[2] - 1][10]
    ]
    for o in r.sample(real, 1100):
        c = datetime.fromisoformat(o[5]) + td(hours=r.randint(2, 90))
        if c > TODAY or o[2] in (8, 21):
            continue
        s = r.choices([1, 2, 3, 4, 5], [6, 8, 16, 36, 34])[0]
        hid = int(r.random() < 0.06)
        if hid:
            s = r.choice([1, 1, 1, 5])
        rep = c + td(hours=r.randint(1, 200)) if r.random() < 0.35 else None
        rev.append(
            (
                len(rev) + 1,
                o[2],
                o[1],
                s,
                r.choice([None, "Lovely evening.", "Too salty.", "Arrived cold.", "Great staff!", "Will come again."]),
                ts(c),
                hid,
                ts(rep) if rep and rep < TODAY else None,
            )
        )
    agg = {}
    for o in orders:
        if o[4] == "DL" and not rest[o[2] - 1][10]:
            agg[(o[5][:7], o[2])] = agg.get((o[5][:7], o[2]), 0) + o[9] - o[13]
    pay = []
    for (mo, x), a in sorted(agg.items()):
        if mo == "2026-03":
            continue
        y, m = int(mo[:4]), int(mo[5:])
        end = date(y, m, calendar.monthrange(y, m)[1])
        cr = datetime(end.year, end.month, end.day) + td(days=r.randint(1, 3), hours=6)
        late = mo == "2026-02"
        st = r.choices(["paid", "failed", "pending"], [50, 10, 40] if late else [95, 4, 1])[0]
        pd = cr + td(days=r.randint(1, 9), hours=r.randint(1, 9)) if st == "paid" else None
        if pd and pd > TODAY:
            pd = TODAY - td(hours=r.randint(1, 30))
        pay.append((len(pay) + 1, x, ds(end.replace(day=1)), ds(end), a, st, ts(cr), ts(pd)))
    return {
        "users": users,
        "restaurants": rest,
        "menu_items": items,
        "couriers": cour,
        "reservations": res,
        "orders": orders,
        "order_items": oi,
        "reviews": rev,
        "payouts": pay,
    }


if __name__ == "__main__":
    for k, v in rows().items():
        print(k, len(v))
