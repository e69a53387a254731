// A report of margins as Python sees it.
#pragma once

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/search.hpp"
#include "learning/margins.hpp"

namespace riata::bind {

inline nb::dict as_dict(MarginReport&& report) {
  nb::dict out;
  out["raw"] = give(std::move(report.raw));
  out["normalised"] = give(std::move(report.normalised));
  out["survival"] = report.survival;
  out["largest_difference"] = report.largest_difference;
  out["norm"] = report.norm;
  out["losses"] = report.losses;
  out["most_good"] = report.most_good;
  out["merges"] = report.merges;
  out["uneven"] = report.uneven;
  return out;
}

// Measures without the interpreter: measure(queue, p, poll) gives the report.
template <class Measure>
nb::dict measured(const nb::dict& settings, const nb::object& progress, Measure measure) {
  const QueueSpec queue = queue_of(settings);
  const double p = nb::cast<double>(settings["p"]);
  const Poll poll = as_poll(progress);
  MarginReport report;
  {
    nb::gil_scoped_release release;
    report = measure(queue, p, poll);
  }
  return as_dict(std::move(report));
}

}  // namespace riata::bind
