// A report of margins as Python sees it.
#pragma once

#include "bind/arrays.hpp"
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

}  // namespace riata::bind
