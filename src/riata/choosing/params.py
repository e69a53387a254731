"""Parameters of estimators in scikit-learn's conventions, without importing scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sized
from typing import Any, TypeVar

from riata.errors import SettingError, UnknownNameError, printed

INSIDE = (
    "__"  # separates a parameter that is a dictionary from the key of an entry, as in scikit-learn's nested parameters
)

Self = TypeVar("Self", bound="Params")  # typing.Self needs Python 3.11


class Params:
    """get_params, set_params and a readable repr, from the signature of `__init__`, which only stores."""

    _internal: frozenset[str] = frozenset({"changed_params"})  # names without an underscore that are internal to Riata

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The defaults of all parameters, including those that `__init__` passes on to the base class."""
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
        """Every parameter by name; deep: the entries of dictionaries too, settings={"c2": 1} as `settings__c2`."""
        found = {name: getattr(self, name) for name in self._param_names()}
        return {**found, **_entries(found)} if deep else found

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters by name; `settings__c2` is the entry c2 of the dictionary `settings`, the rest of which stays."""
        known = self._param_names()
        changed = {name: value for name, value in params.items() if INSIDE not in name}
        for name in params:
            if name.partition(INSIDE)[0] not in known:
                raise UnknownNameError.of(
                    f"parameter of {type(self).__name__}", name, known, remedy=self._way_to_setting(name)
                )
        for name, value in params.items():
            of, inside, entry = name.partition(INSIDE)
            if inside:
                changed[of] = {**_dictionary(of, changed.get(of, getattr(self, of))), entry: value}
        for name, value in changed.items():
            setattr(self, name, value)
        return self

    def _way_to_setting(self, name: str) -> str:
        """What to write instead of the name of a setting."""
        from riata import registry

        recipe = getattr(self, "recipe", None)
        declared = registry.get("recipe", recipe).settings if recipe in registry.names("recipe") else ()
        is_setting = any(setting.name == name for setting in declared)
        return f"It is a setting of the recipe {recipe!r}: write settings{INSIDE}{name}." if is_setting else ""

    def changed_params(self) -> dict[str, Any]:
        """The parameters that do not have their default value."""
        defaults = self._defaults()
        return {k: v for k, v in self.get_params(deep=False).items() if v is not defaults[k] and v != defaults[k]}

    def __dir__(self) -> list[str]:
        """What users are meant to call and to read: of a trained estimator what it has learnt, too."""
        names = {name for name in object.__dir__(self) if not name.startswith("_")} - self._internal
        return sorted(name for name in names if not name.endswith("_") or hasattr(self, "model_"))

    def __repr__(self) -> str:
        changed = [f"{k}={short(v)}" for k, v in self.changed_params().items()]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        """What notebooks show of an estimator that is not trained."""
        from riata.choosing.params_page import parameters

        return parameters(self)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before a search or a pipeline. Imported only when scikit-learn itself calls it."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False, string=True),
        )


def _entries(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{name}{INSIDE}{key}": entry
        for name, value in params.items()
        if isinstance(value, Mapping)
        for key, entry in value.items()
    }


def _dictionary(name: str, value: Any) -> Mapping[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise SettingError(
            f"{name} is {printed(value):.60}, which has no entries to set; expected a dictionary or None."
        )
    return value or {}


def short(value: object) -> str:
    """The repr of a value, shortened if it is long."""
    text = printed(value)
    if len(text) <= 60:
        return text
    return f"<{type(value).__name__} of {len(value)}>" if isinstance(value, Sized) else f"{text[:57]}..."
