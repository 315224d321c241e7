"""The paper's smallest network with a certificate."""

from __future__ import annotations

import dataclasses

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
ROWS = po.Analytic(eta=0.05)


def flow(seed: int = 2) -> tuple[po.experiments.Instance, po.Certified, po.Laplace]:
    drawn = po.experiments.instance("3_lmbd", seed)
    certified = po.assess.certify(drawn.program, drawn.query, LAPLACE, ROWS, domain=drawn.domain)
    return drawn, certified, dataclasses.replace(LAPLACE, sensitivity=certified)
