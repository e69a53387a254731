// One search of a problem written in Python: its methods, its space, its limit of depth, and the example that an error belongs to.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "bind/python_space.hpp"
#include "core/error.hpp"
#include "inference/search/engine.hpp"

namespace riata::bind {

// defined: the names of the optional methods that the problem defines.
inline Methods methods_of(const nb::object& problem, const std::vector<std::string>& defined) {
  const auto optional = [&](const char* name) {
    const bool has = std::find(defined.begin(), defined.end(), name) != defined.end();
    return has ? nb::object(problem.attr(name)) : nb::object();
  };
  return {problem.attr("initial"), problem.attr("actions"), problem.attr("apply"), problem.attr("is_goal"),
          optional("features"),    optional("observe"),     optional("regret"),    optional("key"),
          optional("heuristic"),   optional("covered"),     optional("parts"),     optional("loss_increment")};
}

inline SpaceOptions options_of(const QueueSpec& queue, bool grows) {
  SpaceOptions options;
  options.grows = grows;
  if (queue.name == "greedy") options.width = 1;
  if (queue.name == "beam" && queue.by == "operations") options.width = queue.width;
  options.complete_start = queue.name == "hill-climb";
  options.by_level = queue.name == "greedy" || (queue.name == "beam" && queue.by == "operations");
  options.merge = queue.merge;
  return options;
}

// The largest depth of a search: as set by the user; otherwise far more than true outputs have needed so far, and than x may need.
class DepthLimit {
 public:
  explicit DepthLimit(const nb::dict& settings)
      : asked_(nb::cast<std::int64_t>(settings["max_depth"])), deepest_(nb::cast<std::int64_t>(settings["deepest"])) {}

  std::int32_t of(nb::handle x) const {
    if (asked_ > 0) return static_cast<std::int32_t>(std::min(asked_, most));
    Py_ssize_t length = PyObject_Size(x.ptr());
    if (length < 0) PyErr_Clear();  // x has no length
    const std::int64_t needed = std::max(deepest_, static_cast<std::int64_t>(length));
    return static_cast<std::int32_t>(std::clamp(times * std::min(needed, most), least, most));
  }

  // Must be called after a search that learns.
  void note(const Tree& tree) {
    for (NodeId id(0); id.number() < tree.size(); ++id) {
      if (tree[id].goal && tree[id].good) deepest_ = std::max<std::int64_t>(deepest_, tree[id].depth);
    }
  }
  std::int64_t deepest() const noexcept { return deepest_; }

 private:
  static constexpr std::int64_t times = 10, least = 10'000, most = std::numeric_limits<std::int32_t>::max();
  std::int64_t asked_;    // 0: not set
  std::int64_t deepest_;  // largest depth of true outputs so far
};

// The message of an error with the number of the example and, if the search failed, the state that was expanded last.
inline std::string placed(std::int64_t number, const PythonSpace& space, const Error& error) {
  std::string place = "example " + std::to_string(number);
  const std::string state = error.kind() == "SearchError" ? space.last_state() : "";
  if (!state.empty()) place += ", state " + state;
  return place + ": " + error.what();
}

// Runs one search. Errors name the example and, if the search failed, the state that was expanded last.
template <class Run>
void at_example(std::int64_t number, const PythonSpace& space, Run run) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  try {
    run();
  } catch (const Error& error) {
    throw Error(error.kind(), placed(number, space, error), error.remedy());
  }
}

inline NodeId check_found(NodeId goal) {
  if (!goal)
    throw Error("SearchError", "the search ended without a goal: no state that is left has an operator.",
                "Use a wider queue, or give no operators that lead to a dead end.");
  return goal;
}

}  // namespace riata::bind
