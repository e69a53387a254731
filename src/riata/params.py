"""Parameters of estimators in scikit-learn's conventions, without importing scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sized
from functools import cache
from inspect import Parameter
from typing import TYPE_CHECKING, Any, TypeVar

from riata.errors import SettingError, UnknownNameError, printed
from riata.settings import Setting

if TYPE_CHECKING:
    from riata.showing.table import Cell

INSIDE = (
    "__"  # separates a parameter that is a dictionary from the key of an entry, as in scikit-learn's nested parameters
)

Self = TypeVar("Self", bound="Params")  # typing.Self needs Python 3.11


class Params:
    """get_params, set_params and a readable repr, from the signature of `__init__`, which only stores.

    Settings of recipes may be named like parameters. They are entries of the parameter `settings`, where all code reads them.
    """

    _internal: frozenset[str] = frozenset({"changed_params"})  # names without an underscore that are internal to Riata
    _own_settings: tuple[Setting, ...] = ()  # settings that are of no recipe or structure
    settings: Mapping[str, Any] | None = None

    def _store_settings(self, settings: Mapping[str, Any] | None, named: Mapping[str, Any]) -> None:
        """named: keywords of `__init__` that are no parameters. Recipes check settings when they are used, in `fit`."""
        self._check_settings_exist(named)
        self.settings = with_named(settings, named)

    def __setattr__(self, name: str, value: Any) -> None:
        """A setting by its name, `chunker.c2 = 1`, is the entry of `settings`, as in set_params."""
        plain = name.startswith("_") or name.endswith("_") or name in self._defaults() or hasattr(type(self), name)
        if plain or name not in self._names_of_settings():
            object.__setattr__(self, name, value)
        else:
            self.set_params(**{name: value})

    def __getattr__(self, name: str) -> Any:
        """The value of a setting that was given."""
        if not name.startswith("_") and name in (given := self.__dict__.get("settings") or {}):
            return given[name]
        return object.__getattribute__(self, name)  # raises what was raised before

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        """The defaults of all parameters, including those that `__init__` passes on to the base class."""
        found: dict[str, Any] = {}
        for base in cls.__mro__[: cls.__mro__.index(Params)]:
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
        """Every parameter by name; deep: the entries of dictionaries too, settings={"c2": 1} as `settings__c2` and as `c2`."""
        found = {name: getattr(self, name) for name in self._param_names()}
        return {**found, **_entries(found), **self._named_settings()[0]} if deep else found

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters by name. `c2` and `settings__c2` are the entry c2 of the dictionary `settings`, the rest of which stays."""
        known = self._param_names()
        changed = {name: value for name, value in params.items() if name in known}
        for name, value in params.items():
            of, inside, entry = name.partition(INSIDE)
            if inside and of in known:
                changed[of] = {**_dictionary(of, changed.get(of, getattr(self, of))), entry: value}
            elif inside:
                raise self._unknown(name)
        named = {name: value for name, value in params.items() if name not in known and INSIDE not in name}
        self._check_settings_exist(named)
        if named:
            settings = _dictionary("settings", changed.get("settings", self.settings))
            asked = {*(params.get("settings") or ()), *(name.partition(INSIDE)[2] for name in params)}
            differ = {name: value for name, value in named.items() if name in asked and settings[name] != value}
            with_named(settings, differ)  # refuses names with two values
            changed["settings"] = {**settings, **named}
        for name, value in changed.items():
            setattr(self, name, value)
        return self

    @classmethod
    @cache
    def _names_of_settings(cls) -> frozenset[str]:
        """The settings of all recipes and structures, and of decoding."""
        from riata import registry
        from riata.choosing.losses import DECODING, RISK

        recipes = registry.all_of("recipe").values()
        searched = [recipe.searched for recipe in recipes if recipe.searched is not None]
        pieces = (*recipes, *searched, *registry.all_of("structure").values())
        settings = (*DECODING, *RISK, *cls._own_settings, *(setting for piece in pieces for setting in piece.settings))
        return frozenset(setting.name for setting in settings)

    def _check_settings_exist(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._names_of_settings():
                raise self._unknown(name)

    def _unknown(self, name: str) -> UnknownNameError:
        """The refusal of a parameter, with the parameters and the settings of the recipe."""
        from riata import registry

        recipe = getattr(self, "recipe", None) or getattr(self, "default_recipe", None)
        declared = registry.get("recipe", recipe).settings if recipe in registry.names("recipe") else ()
        known = {*self._param_names(), *(setting.name for setting in (*declared, *self._own_settings))}
        return UnknownNameError.of(f"parameter of {type(self).__name__}", name, known)

    def _named_settings(self) -> tuple[dict[str, Any], dict[Any, Any]]:
        """The settings that can be named like parameters, and others, which no recipe has."""
        given = self.settings if isinstance(self.settings, Mapping) else {}
        known = self._names_of_settings() if given else frozenset()
        return {k: v for k, v in given.items() if k in known}, {k: v for k, v in given.items() if k not in known}

    def changed_params(self) -> dict[str, Any]:
        """The parameters that do not have their default value."""
        defaults = self._defaults()
        return {k: v for k, v in self.get_params(deep=False).items() if v is not defaults[k] and v != defaults[k]}

    def __dir__(self) -> list[str]:
        """What users are meant to call and to read: of a trained estimator what it has learnt, too."""
        names = {name for name in object.__dir__(self) if not name.startswith("_")} - self._internal
        return sorted(name for name in names if not name.endswith("_") or hasattr(self, "model_"))

    def __repr__(self) -> str:
        shown = self.changed_params()
        if isinstance(self.settings, Mapping):
            named, others = self._named_settings()
            shown = {
                **{k: v for k, v in shown.items() if k != "settings"},
                **({"settings": others} if others else {}),
                **named,
            }
        return f"{type(self).__name__}({', '.join(f'{k}={short(v)}' for k, v in shown.items())})"

    def _repr_html_(self) -> str:
        """What notebooks show of an estimator that is not trained."""

        return parameters(self)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before a search or a pipeline. Imported only when scikit-learn itself calls it."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False, string=True),
        )


def with_named(settings: Mapping[str, Any] | None, named: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The dictionary `settings` with settings that are named like parameters; a name that is given both ways is refused."""
    if not named:
        return settings
    settings = _dictionary("settings", settings)
    both = sorted(set(settings) & set(named))
    if both:
        raise SettingError(
            f"setting {both[0]!r} is given twice: {printed(settings[both[0]]):.60} in settings, and {printed(named[both[0]]):.60} "
            "as a parameter.",
            remedy="Leave out one of them.",
        )
    return {**settings, **named}


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


def parameters(estimator: Params) -> str:
    """The parameters as a notebook shows them; those that differ from their defaults come first."""
    from riata.showing.notebook import page
    from riata.showing.table import Table

    defaults = estimator._defaults()
    given = estimator.changed_params()
    rows: list[tuple[Cell, ...]] = [(name, short(value), _default(defaults[name])) for name, value in given.items()]
    rows += [(name, short(value), "") for name, value in estimator.get_params(deep=False).items() if name not in given]
    title = f"{type(estimator).__name__}, not trained yet"
    return page(Table(title, ("parameter", "value", "default"), rows).to_html())


def _default(value: Any) -> str:
    return "" if value is Parameter.empty else short(value)
