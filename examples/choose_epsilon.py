"""Choosing epsilon: what privacy costs, drawn before any data is read.

Policies for a range of epsilon: their expected extra cost once a release is completed, and how far
it lies from the true answer. The grey line is the distance of the best constant; above it a release
is not worth its epsilon. All of it is public, so it may be discussed with those whose data it is.
"""

import numpy as np
import plotly.graph_objects as go

import privopt as po

drawn = po.experiments.instance("14_ieee", 2)
epsilons, made = np.geomspace(0.5, 10, 7), []
for epsilon in epsilons:
    try:
        made.append(
            po.design(
                drawn.program,
                drawn.query,
                po.Laplace(epsilon=float(epsilon), alpha=0.1),
                po.Analytic(eta=0.025, margin="unimodal"),
                domain=drawn.domain,
                fidelity=1.0,
            )
        )
    except po.errors.InfeasibleError:
        made.append(None)  # too much noise for the limits

for epsilon, policy in zip(epsilons, made, strict=True):
    told = "infeasible" if policy is None else f"tells {policy.worth.tells:.0%} of what varies"
    print(f"epsilon {epsilon:5.2f}: {told}")

found = [(e, p) for e, p in zip(epsilons, made, strict=True) if p is not None]
x = [e for e, _ in found]
right = {"overlaying": "y", "side": "right", "showgrid": False}
figure = go.Figure(layout={"template": "plotly_white", "yaxis2": right})
loss = [100 * p.completed_loss.value for _, p in found]  # once a release is completed
far = [p.distance for _, p in found]
figure.add_trace(go.Scatter(x=x, y=loss, name="extra cost (%)", line={"color": "#c62828"}))
figure.add_trace(
    go.Scatter(x=x, y=far, name="distance", line={"color": "#00796b", "dash": "dot"}, yaxis="y2")
)
same = [p.spread for _, p in found]  # spread of the true answers: the distance of a constant
figure.add_trace(
    go.Scatter(x=x, y=same, name="distance of a constant", line={"color": "#999"}, yaxis="y2")
)
for e, p in zip(epsilons, made, strict=True):
    if p is None:
        figure.add_vline(x=e, line_dash="dot", annotation_text="infeasible")
figure.update_xaxes(type="log", title="epsilon: smaller is more private")
figure.update_yaxes(title="expected extra cost (%)", rangemode="tozero")
figure.update_layout(
    title={"text": "What privacy costs on 14_ieee"},
    legend={"orientation": "h", "y": 1.12},
    margin={"t": 110},
    yaxis2={"title": "expected distance of the release", "rangemode": "tozero"},
)
figure.write_html("choose_epsilon.html")
