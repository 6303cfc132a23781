"""The default rule: growths weighed by Bayes' rule, from scatter of repetitions.

Every curve that competes is f(x) = c₀·u(x) + c₁·t(x). A location y of the repetitions
is f(x) times a relative error of variance s², which the repetitions estimate. So the
posterior of curve h given the measurements D is

    P(h | D) ∝ P(h) · Z_h,    Z_h = ∫ P(D | c₀, c₁, s²) dP(c₀, c₁, s²).

What codes do changes with scale, so that y is f(x) times e^D besides, D a random walk
over log x whose size is one of a few (`measurements.discrepancy`): all below is done
under each size, and each counts by its evidence.

The chapter in the order in which it is read:

* `model` — curves: growths, their lower-order terms, bases of strong scaling
* `hypotheses` — all curves that compete for a series
* `least_squares` — the best c₀ and c₁ of every curve
* `weighing` — how likely misfits are where s² is known by estimate, series in blocks
* `laplace` — Z_h in closed form
* `posterior` — P(h), and probabilities of growths and verdicts
* `log_residuals`, `prediction` — forecasts by model averaging
* `last_step` — where a curve goes at its last settings, whatever its growth is
* `rule` — the rule itself

References
----------
D. J. C. MacKay, "Information Theory, Inference, and Learning
Algorithms", 2003, chapters 27 and 28. J. A. Hoeting et al., "Bayesian Model Averaging:
A Tutorial", Statistical Science 14, 1999.
"""
