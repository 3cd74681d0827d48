"""The methods of attribution, one file for a family; importing this package registers them all."""

from interpretation.methods import attention, gradient, perturbation

__all__ = ["attention", "gradient", "perturbation"]
