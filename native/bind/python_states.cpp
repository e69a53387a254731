// The states of a Python space: what Python is asked about them, once for each, and how long they are stored.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "bind/python_space.hpp"
#include "bind/python_values.hpp"
#include "core/error.hpp"

namespace riata::bind {
namespace {

constexpr std::int32_t most_covered = 1'000'000'000;
constexpr std::size_t measured = 64;  // one state in so many is measured; and of states that are created again, one in so many is stored

}  // namespace

StateId PythonSpace::add_state(State state) {
  const StateId id(states_.size());
  nb::object value = std::move(state.value);
  states_.push_back(std::move(state));
  hold(id, std::move(value));
  return id;
}

// Stores a state. Its size is estimated, in pointers: a history is as long as its path, and a board as large as the state measured last.
void PythonSpace::hold(StateId id, nb::object value) const {
  State& state = states_[id.place()];
  if (held_.size() % measured == 0) {
    last_size_ = static_cast<std::int64_t>(shallow_size(value)) / static_cast<std::int64_t>(sizeof(void*));
  }
  state.value = std::move(value);
  state.size = std::max<std::int64_t>(1 + state.depth, last_size_);
  size_ += state.size;
  held_.push_back(id);
  if (size_ > most_) drop_old();
}

// Drops states: first those that have been expanded. If the waiting states are too large as well, they are dropped until they are needed;
// but in a search by levels, only states of earlier levels are dropped, since all of the present level are needed next.
void PythonSpace::drop_old() const {
  const std::int32_t level = at(held_.back()).depth - 1;
  if (options_.by_level) {
    drop_if([&](const State& state) { return state.depth < level; });
  } else {
    drop_if([](const State& state) { return state.operators.is_valid(); });
    if (size_ > most_held) drop_if([](const State&) { return true; });
  }
  most_ = std::max(most_held, 2 * size_);
}

template <class Over>
void PythonSpace::drop_if(Over over) const {
  const StateId newest = held_.back();
  std::size_t kept = 0;
  for (const StateId id : held_) {
    State& state = states_[id.place()];
    if (id == StateId(0) || id == newest || size_ <= most_held / 2 || !over(state)) {
      held_[kept++] = id;
      continue;
    }
    state.value = nb::object();
    size_ -= state.size;
  }
  held_.resize(kept);
}

const nb::object& PythonSpace::state(StateId id) const {
  std::vector<StateId> gone;  // from here back to a state that is stored
  for (; !at(id).value.is_valid(); id = at(id).parent) gone.push_back(id);
  if (gone.empty()) return at(id).value;
  nb::object value = at(id).value;
  for (std::size_t i = gone.size(); i-- > 0;) {
    value = methods_.apply(x_, value, operator_of(at(gone[i]).parent, at(gone[i]).operation));
    if (i > 0 && i % measured == 0) hold(gone[i], value);  // so that neighbouring states are not far from one that is stored
  }
  hold(gone.front(), std::move(value));
  return at(gone.front()).value;
}

nb::object PythonSpace::operator_of(StateId id, std::size_t operation) const {
  return nb::borrow(PyTuple_GET_ITEM(at(id).operators.ptr(), static_cast<Py_ssize_t>(operation)));
}

bool PythonSpace::is_goal(StateId id) {
  if (at(id).goal < 0) {
    const nb::object answer = methods_.is_goal(x_, state(id));
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) {  // an array, for example
      PyErr_Clear();
      throw Error("DataError", "is_goal returned " + in_words(answer) + ", which is neither true nor false.",
                  "Return True or False; of an array, all() or any().");
    }
    at(id).goal = static_cast<std::int8_t>(truth);
  }
  return at(id).goal == 1;
}

StateId PythonSpace::child(StateId id, std::size_t operation) {
  const std::size_t step = at(id).steps + operation;
  if (!steps_[step].child) {
    State made;
    made.value = methods_.apply(x_, state(id), operator_of(id, operation));
    made.parent = id;
    made.operation = operation;
    made.depth = at(id).depth + 1;
    steps_[step].child = add_state(std::move(made));
  }
  return steps_[step].child;
}

ActionId PythonSpace::action_id(nb::handle action) {
  const auto known = static_cast<std::int64_t>(nb::len(vocabulary_.actions));
  const std::int64_t id = interned(vocabulary_.action_ids, action, options_.grows ? known : -1, "action");
  if (id == known) vocabulary_.actions.append(action);
  if (id >= 0) return static_cast<ActionId>(id);
  return static_cast<ActionId>(interned(new_actions_, action, known + static_cast<std::int64_t>(nb::len(new_actions_)), "action"));
}

// Asks for the parts of an action, once. During decoding, parts that are not in the vocabulary have no weights and are left out.
void PythonSpace::ask_parts(ActionId id, nb::handle action) {
  const auto at = static_cast<std::size_t>(id);
  if (at >= has_parts_.size()) has_parts_.resize(at + 1, 0);
  if (at >= parts_.size()) parts_.resize(at + 1);
  if (has_parts_[at]) return;
  const nb::object answer = methods_.parts(action);
  if (PyUnicode_Check(answer.ptr()) || !is_iterable(answer))
    throw Error("DataError", "parts returned " + in_words(answer) + "; expected a list of parts.",
                "Where an action has no parts, return an empty list.");
  const nb::object items = listed(answer, most_actions, "parts", "parts");
  std::vector<ActionId> parts;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) {
    const nb::handle item = PySequence_Fast_GET_ITEM(items.ptr(), i);
    const auto fresh = options_.grows ? static_cast<std::int64_t>(nb::len(vocabulary_.actions)) : -1;
    const auto part = static_cast<ActionId>(interned(vocabulary_.action_ids, item, fresh, "part"));
    if (part == fresh && part >= 0) vocabulary_.actions.append(item);
    if (part >= 0 && part != id && std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  parts_[at] = std::move(parts);
  has_parts_[at] = 1;
}

// Asks for the operators of a state and the features of its steps, once.
void PythonSpace::ask_operators(StateId id) {
  if (at(id).operators.is_valid()) return;
  const nb::object answer = methods_.actions(x_, state(id));
  if (!is_iterable(answer))
    throw Error("DataError", "actions returned " + in_words(answer) + "; expected a list of actions.",
                "Where there are none, return an empty list.");
  nb::object operators = nb::steal(PySequence_Tuple(listed(answer, most_actions, "actions", "actions").ptr()));
  if (!operators.is_valid()) throw nb::python_error();
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(operators.ptr()));

  Range actions;
  if (last_ && at(last_).operators.is(operators)) {  // often one constant tuple for all states
    actions = at(last_).actions;
  } else {
    actions.from = actions_.size();
    for (std::size_t i = 0; i < count; ++i) actions_.push_back(action_id(PyTuple_GET_ITEM(operators.ptr(), static_cast<Py_ssize_t>(i))));
    actions.to = actions_.size();
    if (methods_.parts.is_valid()) {
      for (std::size_t i = 0; i < count; ++i)
        ask_parts(actions_[actions.from + i], PyTuple_GET_ITEM(operators.ptr(), static_cast<Py_ssize_t>(i)));
    }
  }

  Range observed;
  if (methods_.observe.is_valid()) observed = read_features(methods_.observe(x_, state(id)), "observe");
  const std::size_t steps = steps_.size();
  steps_.resize(steps + count);
  if (methods_.features.is_valid()) {
    for (std::size_t i = 0; i < count; ++i) {
      const nb::object action = nb::borrow(PyTuple_GET_ITEM(operators.ptr(), static_cast<Py_ssize_t>(i)));
      steps_[steps + i].features = read_features(methods_.features(x_, state(id), action), "features");
    }
  }
  note_choice(steps, count, observed.from != observed.to);
  State& asked = at(id);
  asked.actions = actions;
  asked.observed = observed;
  asked.steps = steps;
  asked.operators = std::move(operators);
}

// steps: number of the first of `count` operators. Observed features are joined with the operator, and therefore differ.
void PythonSpace::note_choice(std::size_t steps, std::size_t count, bool observed) {
  if (tells_apart_ || count < 2) return;
  ++choices_;
  tells_apart_ = observed;
  const auto values = [&](std::size_t i) {
    const Range range = steps_[steps + i].features;
    return std::span(values_).subspan(range.from, range.to - range.from);
  };
  for (std::size_t i = 1; i < count && !tells_apart_; ++i) tells_apart_ = !std::ranges::equal(values(0), values(i));
}

PythonSpace::Range PythonSpace::read_features(const nb::object& list, const char* method) {
  Range range{values_.size(), values_.size()};
  nb::object items;  // stays null for a text, which could be read as a list of letters
  if (PyDict_Check(list.ptr()))
    items = nb::steal(PyDict_Items(list.ptr()));
  else if (is_mapping(list))
    items = listed(list.attr("items")(), most_features, method, "features");
  else if (!PyUnicode_Check(list.ptr()) && is_iterable(list))
    items = listed(list, most_features, method, "features");
  if (!items.is_valid()) {
    throw Error("DataError",
                std::string(method) + " returned " + in_words(list) + "; expected a list of names, or of (name, value) pairs.");
  }
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Value value = read_feature(PySequence_Fast_GET_ITEM(items.ptr(), i), method);
    if (value.name && value.value != 0) values_.push_back(value);
  }
  range.to = values_.size();
  return range;
}

PythonSpace::Value PythonSpace::read_feature(nb::handle item, const char* method) {
  nb::handle name = item;
  double value = 1;
  if (PyTuple_Check(item.ptr()) && PyTuple_GET_SIZE(item.ptr()) == 2) {
    name = PyTuple_GET_ITEM(item.ptr(), 0);
    const nb::handle number = PyTuple_GET_ITEM(item.ptr(), 1);
    value = PyFloat_AsDouble(number.ptr());
    const bool failed = value == -1.0 && PyErr_Occurred();
    if (failed) PyErr_Clear();
    if (failed || !(std::abs(value) <= most_value))
      throw Error("DataError",
                  "feature " + in_words(name) + " has the value " + in_words(number) + "; expected a finite number up to 1e100.",
                  PyUnicode_Check(number.ptr()) ? "A text belongs into the name: f\"{name}={value}\"." : "");
  }
  if (!PyUnicode_Check(name.ptr()))
    throw Error("DataError",
                std::string(method) + " gave the feature " + in_words(item) + "; expected a name (text) or a (name, value) pair.");
  NameIndex& index = vocabulary_.features;
  const std::string_view words = text(name, method);
  return {options_.grows ? index.add_name(words) : index.find_name(words), value};
}

std::int64_t PythonSpace::key_of(StateId id) {
  if (at(id).key < 0) {
    const nb::object key = methods_.key(x_, state(id));
    at(id).key = interned(keys_, key, static_cast<std::int64_t>(best_.size()), "key");
    if (static_cast<std::size_t>(at(id).key) == best_.size()) {
      best_.push_back(never);
      seen_.push_back(0);
    }
  }
  return at(id).key;
}

double PythonSpace::regret_of(StateId id) {
  if (std::isnan(at(id).regret)) {
    const double regret = number(methods_.regret(x_, state(id), y_), "regret");
    at(id).regret = regret;
  }
  return at(id).regret;
}

// What a step adds to the loss; 0 if losses are not added to scores.
double PythonSpace::loss_of(StateId id, std::size_t operation) {
  if (!options_.adds_losses) return 0;
  const std::size_t step = at(id).steps + operation;
  if (std::isnan(steps_[step].loss)) {
    const double loss = number(methods_.loss_increment(x_, state(id), operator_of(id, operation), y_), "loss_increment");
    steps_[step].loss = loss;
  }
  return steps_[step].loss;
}

std::int32_t PythonSpace::covered_by(StateId id) const {
  const nb::object answer = methods_.covered(x_, state(id));
  const nb::object whole = nb::steal(PyNumber_Index(answer.ptr()));
  if (!whole.is_valid()) PyErr_Clear();
  int overflow = 0;
  const long long count = whole.is_valid() ? PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow) : -1;
  if (overflow != 0 || count < 0 || count > most_covered)
    throw Error("DataError",
                "covered returned " + in_words(answer) + "; expected a whole number from 0 to " + std::to_string(most_covered) + ".");
  return static_cast<std::int32_t>(count);
}

double PythonSpace::heuristic_of(StateId id) {
  if (!methods_.heuristic.is_valid()) return 0;
  if (std::isnan(at(id).heuristic)) {
    const double heuristic = number(methods_.heuristic(x_, state(id)), "heuristic");
    at(id).heuristic = heuristic;
  }
  return at(id).heuristic;
}

}  // namespace riata::bind
