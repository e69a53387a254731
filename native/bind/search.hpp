// What the bindings of search share: queues and learners from a dictionary of settings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "inference/search/engine.hpp"
#include "inference/search/queue.hpp"
#include "learning/search_learner.hpp"

namespace riata::bind {

namespace nb = nanobind;

template <class Enum>
Enum by_name(const std::string& setting, const std::string& name, const std::vector<std::pair<const char*, Enum>>& known) {
  for (const auto& [text, value] : known) {
    if (name == text) return value;
  }
  throw Error("SettingError", "setting '" + setting + "' has the value '" + name + "'");
}

inline QueueSpec queue_of(const nb::dict& settings) {
  return {nb::cast<std::string>(settings["queue"]), nb::cast<std::int64_t>(settings["beam"]), nb::cast<std::string>(settings["beam_by"])};
}

inline Limits limits_of(const nb::dict& settings) {
  Limits limits;
  limits.max_nodes = nb::cast<std::int64_t>(settings["max_nodes"]);
  const auto seconds = nb::cast<double>(settings["seconds"]);
  if (seconds > 0) limits.seconds = seconds;  // 0: no limit
  return limits;
}

// How many y-good states are followed at once. Where none are given: at an update of LaSO, for a step or two, as many as ever; over
// whole outputs, as many as the queue keeps, so that it costs no more than the search.
inline std::int64_t siblings_of(const nb::dict& settings, When when) {
  const auto given = nb::cast<std::int64_t>(settings["siblings"]);
  if (given > 0) return given;
  if (when == When::laso || when == When::early) return Search::most_good;
  const QueueSpec queue = queue_of(settings);
  if (queue.name == "greedy") return 1;
  return queue.name == "beam" ? std::min(queue.width, Search::most_good) : QueueSpec{}.width;
}

inline LearnerSpec learner_of(const nb::dict& settings) {
  LearnerSpec spec;
  spec.when =
      by_name<When>("when", nb::cast<std::string>(settings["when"]),
                    {{"laso", When::laso}, {"early", When::early}, {"max-violation", When::max_violation}, {"standard", When::standard}});
  spec.what = by_name<What>("update", nb::cast<std::string>(settings["update"]),
                            {{"mean", What::mean},
                             {"queue", What::queue},
                             {"best", What::best},
                             {"loss-weighted", What::loss_weighted},
                             {"lattice", What::lattice}});
  spec.how = by_name<How>("step", nb::cast<std::string>(settings["step"]),
                          {{"perceptron", How::perceptron}, {"alma", How::alma}, {"mira", How::mira}});
  spec.alpha = nb::cast<double>(settings["alpha"]);
  spec.b = nb::cast<double>(settings["B"]);
  spec.c = nb::cast<double>(settings["C"]);
  spec.p = nb::cast<double>(settings["p"]);
  spec.truncate = nb::cast<double>(settings["truncate"]);
  spec.record = nb::cast<bool>(settings["record"]);
  spec.siblings = siblings_of(settings, spec.when);
  return spec;
}

inline nb::dict as_dict(const SearchStats& stats) {
  nb::dict out;
  out["updates"] = stats.updates;
  out["non_violating"] = stats.non_violating;
  out["largest_difference"] = stats.largest_difference;
  return out;
}

inline nb::tuple as_tuple(const LeastMargins& least) { return nb::make_tuple(least.raw, least.normalised); }

}  // namespace riata::bind
