"""Golden jobs: whole jobs with the answers of 838245f7, to hold while the house is rebuilt.

Each answer is a file that anyone can read, `answers/NAME.json`, in three parts with a rule each:

    exact   map, charge, claims, exit codes, digests, what a document holds: equal, always
            (a digest changes with the version of its record, and with nothing else)
    close   costs, losses, distances, what a solver optimises: to 1e-6 of max(1, size)
    flat    z, K, decided values and their distance, simulated counts: they may move where the
            cost is flat, and are not compared; `exact` says that they keep equalities and limits

Only `seam` replaces the draws of noise and the clock; nothing in `src` can choose it.

    python -m tests.golden               the largest difference of each part, flat ones too
    python -m tests.golden --record      write the answers anew: say why in the commit
"""
