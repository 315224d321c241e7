from collections.abc import Mapping

class PrivacyLossDistribution:
    @classmethod
    def create_from_rounded_probability(
        cls,
        rounded_probability_mass_function: Mapping[int, float],
        infinity_mass: float,
        value_discretization_interval: float = ...,
        pessimistic_estimate: bool = ...,
    ) -> PrivacyLossDistribution: ...
    def get_epsilon_for_delta(self, delta: float) -> float: ...
    def compose(
        self,
        privacy_loss_distribution: PrivacyLossDistribution,
        tail_mass_truncation: float = ...,
    ) -> PrivacyLossDistribution: ...
    def self_compose(
        self, num_times: int, tail_mass_truncation: float = ...
    ) -> PrivacyLossDistribution: ...

def from_laplace_mechanism(
    parameter: float,
    sensitivity: float = ...,
    pessimistic_estimate: bool = ...,
    value_discretization_interval: float = ...,
) -> PrivacyLossDistribution: ...
def from_gaussian_mechanism(
    standard_deviation: float,
    sensitivity: float = ...,
    pessimistic_estimate: bool = ...,
    value_discretization_interval: float = ...,
) -> PrivacyLossDistribution: ...
