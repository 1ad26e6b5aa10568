import random
from datetime import date, datetime
from datetime import timedelta as TD


def rows():
    R = random.Random(810)
    now = datetime(2026, 10, 8, 13)
    today = now.date()
    dt = lambda d, h=9, m=0: datetime(d.year, d.month, d.day, h, m)
    T = [
        ("2023FA", "Autumn 2023", date(2023, 9, 11), date(2023, 12, 15)),
        ("2024SP", "Spring 2024", date(2024, 1, 29), date(2024, 5, 31)),
        ("2024FA", "Autumn 2024", date(2024, 9, 9), date(2024, 12, 13)),
        ("2025SP", "Spring 2025", date(2025, 1, 27), date(2025, 5, 30)),
        ("2025FA", "Autumn 2025", date(2025, 9, 8), date(2025, 12, 12)),
        ("2026SP", "Spring 2026", date(2026, 1, 26), date(2026, 5, 29)),
        ("2026FA", "Autumn 2026", date(2026, 9, 7), date(2026, 12, 11)),
        ("2027SP", "Spring 2027", date(2027, 1, 25), date(2027, 5, 28)),
    ]
    F = ["Engineering", "Science", "Humanities", "Business"]
    P = [
        (1, "BENG-ME", "Mechanical Engineering", F[0], "B", True),
        (2, "BENG-EE", "Electrical Engineering", F[0], "B", True),
        (3, "MENG-RB", "Robotics", F[0], "M", True),
        (4, "BSC-CS", "Computer Science", F[1], "B", True),
        (5, "BSC-BIO", "Biology", F[1], "B", True),
        (6, "MSC-DS", "Data Science", F[1], "M", True),
        (7, "PHD-SCI", "Doctorate in Science", F[1], "D", True),
        (8, "BA-HIS", "History", F[2], "B", True),
        (9, "BA-LIT", "English Literature", F[2], "B", True),
        (10, "MA-HER", "Heritage Studies", F[2], "M", False),
        (11, "BBS", "Business Studies", F[3], "B", True),
        (12, "MSC-FIN", "Finance", F[3], "M", True),
    ]
    titles = {
        F[0]: [
            "Statics",
            "Thermodynamics",
            "Circuits I",
            "Control Systems",
            "Materials",
            "Robotics Lab",
            "Fluid Mechanics",
            "Design Studio",
            "Power Electronics",
            "Manufacturing",
            "Signals",
            "Engineering Ethics",
        ],
        F[1]: [
            "Calculus I",
            "Linear Algebra",
            "Databases",
            "Algorithms",
            "Genetics",
            "Cell Biology",
            "Statistics",
            "Machine Learning",
            "Operating Systems",
            "Organic Chemistry",
            "Ecology",
            "Bioinformatics",
            "Astronomy",
        ],
        F[2]: [
            "Modern Poetry",
            "Medieval Europe",
            "Irish History",
            "Museum Practice",
            "Drama",
            "Palaeography",
            "Creative Writing",
            "World Wars",
            "Old Norse",
            "Linguistics",
            "Philosophy",
            "Film Studies",
        ],
        F[3]: [
            "Accounting I",
            "Marketing",
            "Corporate Finance",
            "Microeconomics",
            "Business Law",
            "Negotiation",
            "Operations",
            "Entrepreneurship",
            "Taxation",
            "Leadership",
            "Auditing",
            "Risk Management",
            "Investments",
        ],
    }
    retired = {"Manufacturing", "Old Norse", "Astronomy", "Taxation", "Auditing"}
    neveroff = {"Engineering Ethics", "Bioinformatics", "Palaeography", "Auditing"}
    CO = []
    for f in F:
        for j, t in enumerate(titles[f]):
            CO.append(
                (
                    len(CO) + 1,
                    f[:3].upper() + str(100 + j * 10),
                    t,
                    f,
                    R.choice([5.0, 5.0, 7.5, 10.0]),
                    R.choice([24, 36, 48]),
                    t in retired,
                )
            )
    fn = [
        "Siobhan",
        "Aoife",
        "Cian",
        "Niamh",
        "Oisin",
        "Lukas",
        "Marta",
        "Priya",
        "Chen",
        "Emil",
        "Fatima",
        "Jonah",
        "Greta",
        "Diego",
        "Yuki",
        "Rory",
        "Clodagh",
        "Petra",
        "Anton",
        "Leila",
        "Tadhg",
        "Ines",
        "Marek",
        "Zoe",
    ]
    ln = [
        "Keane",
        "Brady",
        "Molloy",
        "Doyle",
        "Weber",
        "Novak",
        "Silva",
        "Sharma",
        "Wei",
        "Larsen",
        "Haddad",
        "Quinn",
        "Fischer",
        "Moreno",
        "Tanaka",
        "Walsh",
        "Kovacs",
        "Byrne",
        "Rossi",
        "Nolan",
        "Costa",
        "Lenihan",
        "Duval",
        "Ahern",
    ]
    combos = [(a, b) for a in fn for b in ln if (a, b) != ("Siobhan", "Keane")]
    R.shuffle(combos)
    ST = []
    for i in range(1, 541):
        a, b = ("Siobhan", "Keane") if i == 500 else combos[i]
        p = R.choices(P, [5, 4, 2, 7, 4, 3, 1, 3, 3, 1, 6, 3])[0]
        if i == 500:
            p = P[3]
        y = 2021 + int(6 * R.random() ** 0.8) if i != 500 else 2025
        if p[0] == 10:
            y = min(y, 2024)
        adm = date(y, 9, 1) if R.random() < 0.9 else date(y, 1, 15)
        age = today.year - y
        grad, st = None, "A"
        dur = 4 if p[4] == "B" else 2 if p[4] == "M" else 5
        if age >= dur + R.choice([0, 0, 1]) and i != 500:
            st, gy = "G", y + dur
            grad = R.choice([date(gy, 6, 30), date(gy, 6, 30), date(gy, 9, 25)])
            if gy == 2025 and R.random() < 0.1:
                grad = date(2025, 12, 31)
            if grad > today:
                st, grad = "A", None
        elif i != 500:
            st = R.choices("ALWS", [84, 6, 8, 2])[0]
        test = i % 29 == 0
        mg = datetime(2025 + i % 2, 3, 12, 10, 30) if i % 31 == 0 else None
        cc = R.choices(["IE", "GB", "DE", "IN", "CN", "US", "ES", "BR", "PL"], [62, 6, 7, 7, 5, 3, 4, 3, 3])[0]
        bd = (
            date(
                y - R.choice([18, 18, 19, 20, 24] if p[4] == "B" else [22, 23, 25, 31]),
                R.randrange(1, 13),
                R.randrange(1, 29),
            )
            if R.random() > 0.05
            else None
        )
        ST.append(
            (
                i,
                "S%07d" % (2100000 + i * 13),
                "Test" if test else a,
                b,
                None if R.random() < 0.04 else ("%s.%s%d@campuskit.example" % (a, b, i)).lower(),
                p[0],
                cc,
                bd,
                st,
                adm,
                grad,
                test,
                mg,
            )
        )
    SF = []
    sfn = ["Maeve", "Declan", "Ruth", "Henrik", "Ciara", "Paulo", "Ada", "Victor", "Nora", "Sean"]
    sln = ["Tierney", "Oakes", "Lindqvist", "Barreto", "Hughes"]
    for i in range(1, 47):
        h = date(2012, 1, 1) + TD(days=R.randrange(0, 5300))
        if i in (3, 8):
            h = date(2024, 1, 1)
        lf = None
        if i in (11, 22, 37):
            lf = date(2026, 6, 30)
        if i == 8:
            lf = date(2026, 1, 31)
        if i in (5, 28):
            lf = date(2026, 12, 31)
        if lf and h > date(2025, 6, 1):
            h = date(2024, 9, 1)
        SF.append(
            (
                i,
                sfn[i % 10] + " " + sln[(i // 10) % 5],
                F[i % 4],
                R.choices(["Lecturer", "Senior Lecturer", "Professor", "Librarian", "Administrator"], [5, 3, 2, 1, 1])[
                    0
                ],
                R.choice([100, 100, 100, 80, 50, 40]),
                h,
                lf,
            )
        )
    SE, bysec = [], {}
    core = {"Calculus I", "Databases", "Modern Poetry", "Marketing", "Statics"}
    for t in T:
        for c in CO:
            if c[2] in neveroff or (c[6] and t[0] > "2025"):
                continue
            if c[2] not in core and R.random() > 0.66:
                continue
            for no in range(1, 3 if c[2] in core or R.random() < 0.15 else 2):
                lead = [
                    x
                    for x in SF
                    if x[2] == c[3]
                    and x[3] in ("Lecturer", "Senior Lecturer", "Professor")
                    and x[5] <= t[2]
                    and (x[6] is None or x[6] > t[2])
                ]
                lead = R.choice(lead[:6])[0] if R.random() > (0.06 if t[0] != "2027SP" else 0.4) else None
                can = dt(t[2] - TD(days=5), 15) if R.random() < 0.06 and c[2] not in core and t[0] != "2027SP" else None
                SE.append(
                    [
                        len(SE) + 1,
                        c[0],
                        t[0],
                        no,
                        lead,
                        R.choices("COH", [6, 2, 2])[0],
                        R.choices(["MON", "TUE", "WED", "THU", "FRI"], [4, 7, 5, 4, 2])[0],
                        0,
                        can,
                    ]
                )
    E, cof = [], {c[0]: c for c in CO}
    pf = {p[0]: p[3] for p in P}
    for t in T[:7]:
        secs = [s for s in SE if s[2] == t[0]]
        for s in ST:
            if s[9] > t[2] or (s[10] and s[10] < t[3]):
                continue
            if s[8] in "LWS" and t[0] >= "2026" and s[0] % 5:
                continue
            if s[0] != 500 and R.random() < 0.12:
                continue
            own = [x for x in secs if cof[x[1]][3] == pf[s[5]]]
            pick, seen = [], set()
            n = R.choice([1, 2, 2, 3, 3]) if s[0] != 500 else 4
            while len(pick) < n:
                x = R.choice(own if R.random() < 0.75 else secs)
                if s[0] == 500 and x[8]:
                    continue
                if x[1] not in seen:
                    pick.append(x)
                    seen.add(x[1])
            for x in pick:
                at = dt(t[2] - TD(days=R.randrange(-6, 60)), R.randrange(7, 22), R.randrange(60))
                st = R.choices(["ENR", "DRP", "WTL", "AUD"], [84, 7, 5, 4])[0]
                if s[0] == 500:
                    st = "ENR" if x is not pick[-1] else "DRP"
                dr = None
                if x[8]:
                    st, dr = "DRP", x[8]
                elif st == "DRP":
                    dr = max(at, dt(t[2])) + TD(days=R.randrange(1, 24), hours=R.randrange(9))
                ge = gf = None
                if st == "ENR" and t[0] != "2026FA":
                    st = "CMP"
                    gf = round(min(100, max(5, R.gauss(61, 17))), 0)
                    if R.random() < 0.05:
                        gf = 40.0
                    ge = max(0.0, gf - R.randrange(-8, 15)) if R.random() > 0.03 else None
                    if R.random() < 0.03:
                        gf = None
                    if ge and ge > 100:
                        ge = 100.0
                E.append((len(E) + 1, s[0], x[0], st, at, dr, ge, gf))
    cnt = {}
    real = {s[0] for s in ST if not s[11] and not s[12]}
    for e in E:
        if e[3] in ("ENR", "CMP"):
            cnt[e[2]] = cnt.get(e[2], 0) + 1
    for s in SE:
        n = cnt.get(s[0], 0)
        s[7] = n if n and s[0] % 9 == 0 else max(12, (n // 5 + 2) * 5) if n else R.choice([15, 20, 30])
    # in full sections only true students sit, so that seats are counted the same either way
    full = {s[0] for s in SE if s[7] == cnt.get(s[0], 0)}
    for k, e in enumerate(E):
        if e[2] in full and e[1] not in real and e[3] in ("ENR", "CMP"):
            E[k] = e[:3] + ("DRP", e[4], max(e[4], dt(date(2023, 9, 20))) + TD(days=2), None, None)
            cnt[e[2]] -= 1
    for s in SE:
        if s[0] in full:
            s[7] = cnt[s[0]] or 12
    TI, k = [], 0
    for t in T[:7]:
        for s in ST:
            if s[9] > t[2] or (s[10] and s[10] < t[3]) or (s[8] in "LW" and t[0] >= "2026") or R.random() < 0.1:
                continue
            amt = (150000 if s[6] == "IE" else 490000) + (60000 if s[5] in (3, 6, 10, 12) else 0)
            iss = dt(t[2] - TD(days=R.choice([10, 12, 20])), R.choice([8, 12, 17]), R.randrange(60))
            due = iss.date() + TD(days=30)
            paid = iss + TD(days=max(1, int(R.gauss(22, 11))), hours=R.randrange(7))
            if R.random() < 0.03 or paid > now:
                paid = None
            void = R.random() < 0.035
            if void:
                paid = None
            TI.append((len(TI) + 1, s[0], t[0], amt, iss, due, paid, void))
            if void and R.random() < 0.7:
                TI.append(
                    (len(TI) + 1, s[0], t[0], amt - 20000, iss + TD(days=1), due + TD(days=1), iss + TD(days=14), False)
                )
    IT = []
    w1 = ["Atlas", "History", "Principles", "Handbook", "Foundations", "Essays", "Introduction", "Companion"]
    w2 = [
        "of Circuits",
        "of Ireland",
        "of Genetics",
        "of Markets",
        "of Poetry",
        "of Data",
        "of Machines",
        "of Ethics",
        "of Oceans",
        "of Light",
        "of Law",
        "of Language",
    ]
    subj = dict(
        zip(
            w2,
            [
                "Engineering",
                "History",
                "Biology",
                "Economics",
                "Literature",
                "Computing",
                "Engineering",
                "Philosophy",
                "Geography",
                "Physics",
                "Law",
                "Languages",
            ],
        )
    )
    for b in w2:
        for a in w1:
            ty = R.choices("BJD", [8, 1, 1])[0]
            for _ in range(R.choice([1, 2, 3, 5]) if ty == "B" else 1):
                acq = date(2015, 1, 1) + TD(days=R.randrange(0, 3900))
                IT.append(
                    (
                        len(IT) + 1,
                        "LB%08d" % (len(IT) * 977 + 1),
                        a + " " + b,
                        ty,
                        subj[b] if R.random() > 0.05 else None,
                        acq,
                        R.randrange(1800, 14000),
                        date(2025, 7, 15) + TD(days=R.randrange(400)) if R.random() < 0.06 else None,
                    )
                )
    for nme, n, cst in (("Laptop 13 inch", 14, 119000), ("Camera kit", 6, 84000), ("Audio recorder", 5, 15900)):
        for _ in range(n):
            IT.append(
                (
                    len(IT) + 1,
                    "EQ%08d" % (len(IT) * 977 + 1),
                    nme,
                    "E",
                    None,
                    date(2023, 8, 1),
                    cst,
                    date(2026, 3, 31) if _ in (3, 4) else None,
                )
            )
    bw = {}
    for x in IT:
        bw.setdefault(x[2], R.choice([0.2, 0.5, 1, 2, 4, 7]))
    wt = [bw[x[2]] if x[3] != "E" else 3 for x in IT]
    brw = [s for s in ST if s[0] % 7 != 3]
    sw = [R.choice([0.4, 1, 1, 3]) for s in brw]
    LO = []
    start = datetime(2024, 1, 8, 9)
    edges = [
        datetime(2026, 10, 7),
        datetime(2026, 10, 7, 23, 59, 59),
        datetime(2026, 10, 8, 9, 5),
        datetime(2026, 10, 1),
        datetime(2026, 9, 30, 16, 45),
        datetime(2026, 9, 1),
        datetime(2026, 8, 31, 17, 20),
        datetime(2025, 9, 30, 18, 30),
        datetime(2026, 7, 10),
        datetime(2026, 10, 5),
        datetime(2026, 10, 4, 15),
        datetime(2026, 1, 1),
        datetime(2025, 12, 31, 16),
        datetime(2026, 9, 28),
    ]
    ts = sorted(
        edges * 2 + [start + TD(seconds=int((now - start).total_seconds() * R.random() ** 0.85)) for _ in range(2600)]
    )
    ts = [x - TD(days=40) if x.month in (7, 8) and x not in edges and R.random() < 0.6 else x for x in ts]
    for b in sorted(ts):
        x = R.choices(IT, wt)[0]
        while x[7] and x[7] <= b.date() or x[5] > b.date():
            x = R.choices(IT, wt)[0]
        while True:
            s = R.choices(brw, sw)[0]
            if s[9] <= b.date() and not (s[10] and s[10] < b.date()) and not (s[8] == "L" and b > datetime(2026, 6, 1)):
                break
        per = 3 if x[3] == "E" else 21
        rn = R.choices([0, 1, 2], [7, 2, 1])[0]
        due = datetime(b.year, b.month, b.day, 20) + TD(days=per * (1 + rn))
        ret = b + TD(days=max(0.1, R.gauss(per * (1 + rn) * 0.8, per * 0.35)))
        ret = ret.replace(microsecond=0)
        if R.random() < 0.012 or ret > now:
            ret = None
        if x[0] % 83 == 5 and b > datetime(2026, 9, 1):
            ret = None
        if x[3] == "E" and b > datetime(2026, 8, 20) and R.random() < 0.35:
            ret = None
        fine = max(0, (ret - due).days + 1) * 50 if ret and ret > due else 0
        wv = fine > 0 and R.random() < 0.15
        fp = ret + TD(days=R.randrange(0, 40)) if fine and not wv and R.random() < 0.7 else None
        if fp and fp > now:
            fp = None
        LO.append((len(LO) + 1, x[0], s[0], b, due, ret, rn, fine, wv, fp))
    return {
        "terms": T,
        "programmes": P,
        "students": ST,
        "staff": SF,
        "courses": CO,
        "sections": [tuple(s) for s in SE],
        "enrolments": E,
        "tuition_invoices": TI,
        "items": IT,
        "loans": LO,
    }
