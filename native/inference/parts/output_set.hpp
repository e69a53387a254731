// Outputs as sets of parts, whose scores add up: which sets are outputs, and solvers that find the best ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"

namespace riata {

class OutputSet;

// Answers questions about the outputs of one set under given scores, for one thread. Memory is kept from one set to the next. Numbers of
// parts are written in no particular order.
class PartSolver {
 public:
  virtual ~PartSolver() = default;

  // set: of the class that made the solver; it and the scores must outlive the questions. scores: [parts], minus infinity: the part is in
  // no output.
  virtual void open(const OutputSet& set, std::span<const double> scores) = 0;

  // The output with the largest sum of scores, and this sum; nothing if there is no output.
  virtual std::optional<double> best(std::vector<std::int32_t>& parts) = 0;
  // After `open_list`: the best output, the second best and so on; nothing after the last.
  virtual void open_list() { refuse("a list of the best outputs"); }
  virtual std::optional<double> next(std::vector<std::int32_t>&) { refuse("a list of the best outputs"); }

  // log Z over all outputs, each of which has the probability exp(score) / Z; minus infinity if there is none. shares: [parts] becomes
  // the probability of every part.
  virtual double sums(std::span<double>) { refuse("sums over all outputs"); }
  // After `sums`: an output, drawn by its probability.
  virtual void draw(Rng&, std::vector<std::int32_t>&) { refuse("sums over all outputs"); }

 protected:
  [[noreturn]] static void refuse(const std::string& what) { throw Error("UnsupportedError", "these outputs do not offer " + what + "."); }
};

// Which sets of the parts of one input are outputs. Never changes; threads share it.
class OutputSet {
 public:
  virtual ~OutputSet() = default;

  virtual std::int64_t parts() const noexcept = 0;
  virtual std::unique_ptr<PartSolver> solver() const = 0;  // for all sets of the same class
};

}  // namespace riata
