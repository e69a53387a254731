#include "bind/python_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/error.hpp"

namespace riata::bind {
namespace {

constexpr double same_regret = 1e-9;
constexpr std::int32_t most_covered = 1'000'000'000;
constexpr double most_value = 1e100;         // of a feature: scores and norms must stay finite
constexpr std::size_t longest_name = 200;    // of a Python object in a message
constexpr std::int64_t most_held = 1 << 24;  // pointers: 128 MB
constexpr std::size_t measured = 64;         // every so many states one is measured, and one of those made again is held

std::string in_digits(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}

std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string in_words(nb::handle object) {
  PyObject* text = PyObject_Repr(object.ptr());
  if (!text) {
    PyErr_Clear();
    return "?";
  }
  const nb::object owned = nb::steal(text);
  const char* bytes = PyUnicode_AsUTF8(text);
  if (!bytes) {
    PyErr_Clear();
    return "?";
  }
  std::string words = bytes;
  if (words.size() <= longest_name) return words;
  std::size_t end = longest_name;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) --end;  // not within a character
  return words.substr(0, end) + "...";
}

// A number that a method returned.
double number(nb::handle value, const char* method) {
  const double result = PyFloat_AsDouble(value.ptr());
  const bool failed = result == -1.0 && PyErr_Occurred();
  if (failed) PyErr_Clear();
  if (failed || !std::isfinite(result)) {
    throw Error("DataError", std::string(method) + " returned " + in_words(value) + "; expected a finite number.",
                std::strcmp(method, "regret") == 0 ? "Where the gold is out of reach, a large number will do." : "");
  }
  return result;
}

std::string_view text(nb::handle name, const char* method) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (!bytes) {
    nb::python_error error;  // takes the error over
    if (!error.matches(PyExc_UnicodeEncodeError)) throw error;
    throw Error("DataError", std::string(method) + " gave the feature " + in_words(name) + ", which holds a lone surrogate and is no text.",
                "Decode the text with its own encoding, and not with errors=\"surrogateescape\".");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

// What a method returned as a list or a tuple. A generator is read to its end, and refused where it has more items than any problem needs.
nb::object listed(nb::handle answer, std::size_t most, const char* method, const char* items) {
  if (PyTuple_Check(answer.ptr()) || PyList_Check(answer.ptr())) return nb::borrow(answer);
  const nb::object iterator = nb::steal(PyObject_GetIter(answer.ptr()));
  if (!iterator.is_valid()) throw nb::python_error();
  nb::list out;
  while (PyObject* item = PyIter_Next(iterator.ptr())) {
    out.append(nb::steal(item));
    if (out.size() > most)
      throw Error("DataError", std::string(method) + " gave more than " + with_commas(most) + " " + items + " for one state.",
                  "Does it yield for ever? Let it end.");
  }
  if (PyErr_Occurred()) throw nb::python_error();
  if (PyAnySet_Check(answer.ptr()) && PyList_Sort(out.ptr()) != 0)
    PyErr_Clear();  // the order of a set of texts is another one in every process
  return out;
}

bool is_iterable(nb::handle object) { return Py_TYPE(object.ptr())->tp_iter || PySequence_Check(object.ptr()); }

// Whether it has names and values as a dictionary has them.
bool is_mapping(nb::handle object) {
  const bool plain =
      PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyGen_Check(object.ptr()) || PyUnicode_Check(object.ptr());
  return !plain && nb::hasattr(object, "keys") && nb::hasattr(object, "items");
}

// In bytes, without what it refers to; 0 where it does not say.
Py_ssize_t shallow_size(nb::handle object) {
  const nb::object size = nb::steal(PyObject_CallMethod(object.ptr(), "__sizeof__", nullptr));
  const Py_ssize_t bytes = size.is_valid() ? PyLong_AsSsize_t(size.ptr()) : 0;
  if (PyErr_Occurred()) PyErr_Clear();
  return std::max<Py_ssize_t>(bytes, 0);
}

void check_hashable(nb::handle object, const char* what) {
  if (PyObject_Hash(object.ptr()) != -1) return;
  const bool unhashable = PyErr_ExceptionMatches(PyExc_TypeError);
  PyErr_Clear();
  if (unhashable)
    throw Error("DataError", std::string("the ") + what + " " + in_words(object) + " cannot be hashed.",
                "Use a tuple, a text or a number.");
}

// The number of an object in a dictionary; `fresh` where it has none yet and gets that one. -1: none, and fresh is -1 too.
std::int64_t interned(nb::dict& ids, nb::handle object, std::int64_t fresh, const char* what) {
  if (PyObject* found = PyDict_GetItemWithError(ids.ptr(), object.ptr())) return PyLong_AsLongLong(found);
  if (PyErr_Occurred()) {
    nb::python_error error;  // takes the error over
    check_hashable(object, what);
    throw error;
  }
  if (fresh < 0) return -1;
  const nb::int_ id(fresh);
  if (PyDict_SetItem(ids.ptr(), object.ptr(), id.ptr()) != 0) throw nb::python_error();
  return fresh;
}

}  // namespace

void PythonSpace::open(nb::handle x, nb::handle y) {
  x_ = nb::borrow(x);
  y_ = nb::borrow(y);
  aside_ = false;
  states_.clear();
  actions_.clear();
  steps_.clear();
  values_.clear();
  best_.clear();
  seen_.clear();
  keys_.clear();
  new_actions_.clear();
  last_ = -1;
  held_.clear();
  size_ = last_size_ = 0;
  most_ = most_held;
}

std::string PythonSpace::last_state() const { return last_ < 0 ? "" : in_words(state(last_)); }

StateId PythonSpace::add_state(State state) {
  const auto id = static_cast<StateId>(states_.size());
  nb::object value = std::move(state.value);
  states_.push_back(std::move(state));
  hold(id, std::move(value));
  return id;
}

// What a state counts is guessed, in pointers: a history is as long as its path, and a board as large as the one measured last.
void PythonSpace::hold(StateId id, nb::object value) const {
  State& state = states_[static_cast<std::size_t>(id)];
  if (held_.size() % measured == 0) {
    last_size_ = static_cast<std::int64_t>(shallow_size(value)) / static_cast<std::int64_t>(sizeof(void*));
  }
  state.value = std::move(value);
  state.size = std::max<std::int64_t>(1 + state.depth, last_size_);
  size_ += state.size;
  held_.push_back(id);
  if (size_ > most_) drop_old();
}

// First those that nothing goes on from. Where states that wait are too large as well, they are dropped until their turn comes; but of a
// level, all are needed next.
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
    State& state = states_[static_cast<std::size_t>(id)];
    if (id == 0 || id == newest || size_ <= most_held / 2 || !over(state)) {
      held_[kept++] = id;
      continue;
    }
    state.value = nb::object();
    size_ -= state.size;
  }
  held_.resize(kept);
}

const nb::object& PythonSpace::state(StateId id) const {
  std::vector<StateId> gone;  // from here back to a state that is held
  for (; !at(id).value.is_valid(); id = at(id).parent) gone.push_back(id);
  if (gone.empty()) return at(id).value;
  nb::object value = at(id).value;
  for (std::size_t i = gone.size(); i-- > 0;) {
    value = methods_.apply(x_, value, operator_of(at(gone[i]).parent, at(gone[i]).operation));
    if (i > 0 && i % measured == 0) hold(gone[i], value);  // so that those beside it are not far from one that is held
  }
  hold(gone.front(), std::move(value));
  return at(gone.front()).value;
}

nb::object PythonSpace::operator_of(StateId id, std::size_t operation) const {
  return nb::borrow(PyTuple_GET_ITEM(at(id).operators.ptr(), static_cast<Py_ssize_t>(operation)));
}

StateId PythonSpace::initial() {
  State first;
  first.value = methods_.initial(x_);
  const StateId start = add_state(std::move(first));
  if (options_.complete_start && !is_goal(start)) {
    throw Error("UnsupportedError",
                "hill-climb starts from a complete state, but the initial state " + in_words(state(start)) + " is no goal.",
                "Search a constructive space with a beam.");
  }
  return start;
}

bool PythonSpace::is_goal(StateId id) {
  if (at(id).goal < 0) {
    const nb::object answer = methods_.is_goal(x_, state(id));
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) {  // an array, for one
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
  if (steps_[step].child < 0) {
    State made;
    made.value = methods_.apply(x_, state(id), operator_of(id, operation));
    made.parent = id;
    made.operation = operation;
    made.depth = at(id).depth + 1;
    steps_[step].child = add_state(std::move(made));
  }
  return steps_[step].child;
}

std::size_t PythonSpace::place(StateId id, ActionId action) const {
  const Range range = at(id).actions;
  std::size_t i = range.from;
  while (actions_[i] != action) ++i;  // nodes are made of operators that were there
  return i - range.from;
}

nb::handle PythonSpace::action(StateId id, ActionId action) const {
  return PyTuple_GET_ITEM(at(id).operators.ptr(), static_cast<Py_ssize_t>(place(id, action)));
}

ActionId PythonSpace::action_id(nb::handle action) {
  const auto known = static_cast<std::int64_t>(nb::len(vocabulary_.actions));
  const std::int64_t id = interned(vocabulary_.action_ids, action, options_.grows ? known : -1, "action");
  if (id == known) vocabulary_.actions.append(action);
  if (id >= 0) return static_cast<ActionId>(id);
  return static_cast<ActionId>(interned(new_actions_, action, known + static_cast<std::int64_t>(nb::len(new_actions_)), "action"));
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
  if (last_ >= 0 && at(last_).operators.is(operators)) {  // one constant tuple for all states, as often
    actions = at(last_).actions;
  } else {
    actions.from = actions_.size();
    for (std::size_t i = 0; i < count; ++i) actions_.push_back(action_id(PyTuple_GET_ITEM(operators.ptr(), static_cast<Py_ssize_t>(i))));
    actions.to = actions_.size();
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

// steps: of the first of `count` operators. Observed features are joined with the operator, and so differ.
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
  nb::object items;  // stays null for a text, which would read as a list of letters
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
    if (value.name != NameIndex::none && value.value != 0) values_.push_back(value);
  }
  range.to = values_.size();
  return range;
}

PythonSpace::Value PythonSpace::read_feature(nb::handle item, const char* method) {
  nb::handle name = item;
  double value = 1;
  if (PyTuple_Check(item.ptr()) && PyTuple_GET_SIZE(item.ptr()) == 2) {
    name = PyTuple_GET_ITEM(item.ptr(), 0);
    const nb::handle given = PyTuple_GET_ITEM(item.ptr(), 1);
    value = PyFloat_AsDouble(given.ptr());
    const bool failed = value == -1.0 && PyErr_Occurred();
    if (failed) PyErr_Clear();
    if (failed || !(std::abs(value) <= most_value))
      throw Error("DataError",
                  "feature " + in_words(name) + " has the value " + in_words(given) + "; expected a finite number up to 1e100.",
                  PyUnicode_Check(given.ptr()) ? "A text belongs into the name: f\"{name}={value}\"." : "");
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

std::int32_t PythonSpace::covered(const Tree& tree, NodeId node) const {
  const nb::object answer = methods_.covered(x_, state(tree[node].state));
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

void PythonSpace::expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking&, bool learning, std::vector<Candidate>& out) {
  drafts_.clear();
  ++expansion_;
  for (const NodeId id : frontier) draft(tree, id);
  if (!aside_ && options_.width != unbounded) return select(tree, learning, out);
  for (Draft& draft : drafts_) {
    if (complete(tree, learning, draft)) out.push_back(draft.candidate);
  }
}

// The scored operators of a node. Nothing has been asked about the states that they lead to, but h where there is one.
void PythonSpace::draft(const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  ask_operators(node.state);
  last_ = node.state;
  if (merges() && !aside_) {
    const auto key = static_cast<std::size_t>(key_of(node.state));
    best_[key] = std::max(best_[key], node.score);
  }

  const Range actions = at(node.state).actions, observed = at(node.state).observed;
  const std::size_t count = actions.to - actions.from;
  const std::size_t known = nb::len(vocabulary_.actions) + nb::len(new_actions_);
  if (by_action_.size() < known) by_action_.resize(known);
  for (std::size_t i = actions.from; i < actions.to; ++i) by_action_[static_cast<std::size_t>(actions_[i])] = 0;
  for (std::size_t i = observed.from; i < observed.to; ++i) {
    const auto [name, value] = values_[i];
    const std::span<const NameIndex::Entry> joined = vocabulary_.features.joined(name);
    if (joined.size() <= 4 * count) {
      for (const auto& [action, weight] : joined) by_action_[static_cast<std::size_t>(action)] += value * weights_.data()[weight];
      continue;
    }
    for (std::size_t k = actions.from; k < actions.to; ++k) {
      const std::int32_t weight = vocabulary_.features.find(name, actions_[k]);
      if (weight >= 0) by_action_[static_cast<std::size_t>(actions_[k])] += value * weights_.data()[weight];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ActionId action = actions_[actions.from + i];
    double step = by_action_[static_cast<std::size_t>(action)];
    const Range plain = steps_[at(node.state).steps + i].features;
    for (std::size_t k = plain.from; k < plain.to; ++k) {
      const std::int32_t weight = vocabulary_.features.find(values_[k].name, NameIndex::none);
      if (weight >= 0) step += values_[k].value * weights_.data()[weight];
    }
    const double heuristic = methods_.heuristic.is_valid() ? heuristic_of(child(node.state, i)) : 0;
    drafts_.push_back({{node.score + weights_.scale() * step, heuristic, 0, 0, id, action, false}, i});
  }
}

// Fills in key, regret and y-goodness; false where the search has been there already.
bool PythonSpace::complete(const Tree& tree, bool learning, Draft& draft) {
  Candidate& candidate = draft.candidate;
  const Node& parent = tree[candidate.parent];
  const bool of_good = learning && parent.good;
  if (!merges() && !of_good) return true;
  const StateId made = child(parent.state, draft.operation);
  if (of_good) {
    candidate.regret = regret_of(made);
    const double start = initial_regret(), same = same_regret * std::max(1.0, std::abs(start));
    if (candidate.regret < start - same)
      throw Error("SearchError",
                  "regret is " + in_digits(start) + " at the start, but " + in_digits(candidate.regret) + " in the state " +
                      in_words(state(made)) + ".",
                  "regret(x, s, y) is the least loss that any completion of s can reach, so no step makes it less.");
    candidate.good = candidate.regret <= start + same;
    tells_wrong_ = tells_wrong_ || !candidate.good;
  }
  if (!merges()) return true;
  candidate.key = key_of(made);
  return aside_ || candidate.good || !visited(tree, candidate);
}

bool PythonSpace::visited(const Tree& tree, const Candidate& candidate) {
  const double best = best_[static_cast<std::size_t>(candidate.key)];
  if (best == never) return false;
  if (candidate.score <= best) return true;
  for (NodeId id = candidate.parent; id >= 0; id = tree[id].parent) {
    if (key_of(tree[id].state) == candidate.key) return true;
  }
  return false;
}

// The candidates that a beam could keep, in order of insertion: best first until `width` y-bad ones of different keys are
// found, and their equals. A y-good one further down could not survive either: it is ranked no higher than its score.
void PythonSpace::select(const Tree& tree, bool learning, std::vector<Candidate>& out) {
  const auto rank = [&](std::size_t i) { return drafts_[i].candidate.score + drafts_[i].candidate.heuristic; };
  const auto after = [&](std::size_t a, std::size_t b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a > b; };
  order_.resize(drafts_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  std::make_heap(order_.begin(), order_.end(), after);
  chosen_.clear();
  std::int64_t left = options_.width;
  double worst = never;
  for (auto end = order_.end(); end != order_.begin(); --end) {
    const std::size_t i = order_.front();
    if (left == 0 && rank(i) < worst) break;
    std::pop_heap(order_.begin(), end, after);
    Draft& draft = drafts_[i];
    if (!complete(tree, learning, draft)) continue;
    chosen_.push_back(i);
    if (draft.candidate.good || left == 0) continue;
    if (merges()) {
      std::uint64_t& seen = seen_[static_cast<std::size_t>(draft.candidate.key)];
      if (seen == expansion_) continue;
      seen = expansion_;
    }
    if (--left == 0) worst = rank(i);
  }
  std::sort(chosen_.begin(), chosen_.end());
  for (const std::size_t i : chosen_) out.push_back(drafts_[i].candidate);
}

double PythonSpace::score_of(const State& state, std::size_t operation, ActionId action) const {
  double score = 0;
  const auto add = [&](const Range& range, std::int32_t with) {
    for (std::size_t i = range.from; i < range.to; ++i) {
      const std::int32_t weight = vocabulary_.features.find(values_[i].name, with);
      if (weight >= 0) score += values_[i].value * weights_.data()[weight];
    }
  };
  add(state.observed, action);
  add(steps_[state.steps + operation].features, NameIndex::none);
  return weights_.scale() * score;
}

double PythonSpace::step_score(const Tree& tree, NodeId node) {
  const StateId parent = tree[tree[node].parent].state;
  const ActionId action = tree[node].action;
  return score_of(at(parent), place(parent, action), action);
}

void PythonSpace::features(const Tree& tree, NodeId node, StepFeatures& out) {
  const StateId parent = tree[tree[node].parent].state;
  const ActionId action = tree[node].action;
  const auto add = [&](const Range& range, std::int32_t with) {
    for (std::size_t i = range.from; i < range.to; ++i) out.push_back({vocabulary_.features.add(values_[i].name, with), values_[i].value});
  };
  add(at(parent).observed, action);
  add(steps_[at(parent).steps + place(parent, action)].features, NameIndex::none);
  weights_.grow(static_cast<std::size_t>(vocabulary_.features.weights()));
}

}  // namespace riata::bind
