"""Parameters of estimators in scikit-learn's conventions, without importing scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Sized
from typing import Any, TypeVar

from riata.errors import UnknownNameError

Self = TypeVar("Self", bound="Params")  # typing.Self needs Python 3.11


class Params:
    """get_params, set_params and a readable repr, from the signature of `__init__`, which only stores."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Of all parameters; where `__init__` hands on others by name, those of the class above are among them."""
        found: dict[str, Any] = {}
        for base in cls.__mro__:
            if "__init__" in vars(base):
                signature = inspect.signature(vars(base)["__init__"]).parameters.values()
                own = {p.name: p.default for p in signature if p.kind is not p.VAR_KEYWORD}
                found = {name: found.get(name, default) for name, default in own.items()} | found
                if len(own) == len(signature):
                    break
        del found["self"]
        return found

    @classmethod
    def _param_names(cls) -> list[str]:
        return list(cls._defaults())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._param_names()}

    def set_params(self: Self, **params: Any) -> Self:
        known = self._param_names()
        for name in params:
            if name not in known:
                raise UnknownNameError.of(f"parameter of {type(self).__name__}", name, known)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def changed_params(self) -> dict[str, Any]:
        """The parameters that do not have their default value."""
        defaults = self._defaults()
        return {k: v for k, v in self.get_params().items() if v is not defaults[k] and v != defaults[k]}

    def __repr__(self) -> str:
        changed = [f"{k}={short(v)}" for k, v in self.changed_params().items()]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        """What notebooks show of an estimator that is not trained."""
        from riata.showing.estimators import parameters

        return parameters(self)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before a search or a pipeline. Imported only when scikit-learn itself calls it."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False, string=True),
        )


def short(value: object) -> str:
    """The repr of a value, or what stands for a long one."""
    text = repr(value)
    if len(text) <= 60:
        return text
    return f"<{type(value).__name__} of {len(value)}>" if isinstance(value, Sized) else f"{text[:57]}..."
