// Searches for the best output that keeps the rules, one search after another until one of them finds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/best_outputs.hpp"
#include "inference/model.hpp"
#include "inference/over_corpus.hpp"
#include "inference/rules/constrained_space.hpp"
#include "inference/rules/rules.hpp"

namespace riata {

// How an output that keeps the rules was found.
enum class Answered : std::uint8_t {
  clean = 0,     // the best output breaks no rule
  searched = 1,  // by a search under the rules, as exact as that of the model
  none = 2,      // not at all: there is none, or too many states would have to be looked at
  cut = 3,       // by a wide beam, since exact search would look at too many states: it may not be the best
};

struct RuledLimits {
  std::int64_t nodes = 200'000;  // of one exact search
  std::size_t steps = 500'000;   // between states without rules, to look ahead
  std::int64_t width = 1024;     // of the widest beam that is tried
};

// With exact search: A*, which knows the best rest of an output without rules; where there are too many states to know that, an unbounded
// beam; if these make too many nodes, the widest beam. With another queue: this queue; if it is a beam that loses all legal outputs, beams
// of four times the width, up to the widest; then exact search. Beams look ahead as A* does, if they can.
template <class Real>
class RuledSearch {
 public:
  // numbers: of the sentences in the rules; empty: their own. The arguments must outlive it.
  RuledSearch(const Model<Real>& model, Structure<Real>& structure, const Rules& rules, const QueueSpec& queue, const Limits& limits,
              std::span<const std::int64_t> numbers, const RuledLimits& most, const Poll& poll);

  struct Found {
    Answered how = Answered::none;
    double score = 0;  // without penalties that every output has to pay
  };
  // Writes the best output of a sentence that keeps the rules.
  Found find(std::int64_t s, std::span<std::int32_t> out);
  // Adds the outputs that the search which finds the best one ends with, at most n, to the last count; their scores are less all penalties.
  // Nothing is added if none is found.
  void list(std::int64_t s, std::int64_t n, BestOutputs& out);

 private:
  // When an attempt is made: if it was not possible to look ahead (blind), or if the attempts before have made too many nodes.
  enum class If { always, blind, too_many };
  struct Attempt {
    QueueSpec queue;
    Limits limits;
    Answered how = Answered::searched;  // what it means if this attempt finds something
    bool complete = false;              // whether there is nothing to find if this attempt ends without finding anything
    bool looks_ahead = false;
    If tried = If::always;
    std::unique_ptr<ConstrainedSpace> space = {};
    std::unique_ptr<CorpusSearch> search = {};
  };
  void prepare(Attempt& attempt);

  const Model<Real>& model_;
  Structure<Real>& structure_;
  const Rules& rules_;
  std::span<const std::int64_t> numbers_;
  RuledLimits most_;
  const Poll& poll_;
  std::vector<Attempt> attempts_;
  const Attempt* found_by_ = nullptr;  // the attempt that has found the last output,
  NodeId goal_;                        // and its goal
  std::vector<std::int32_t> found_;
};

// Outputs of all sentences that keep the rules, [N], by search alone, and how they were found, [S]. Outputs that were not found are -1. If
// the poll stops it, the remaining outputs are not found either.
struct RuledOutputs {
  std::vector<std::int32_t> codes;
  std::vector<std::uint8_t> how;
};
template <class Real>
RuledOutputs decode_under(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits, const Rules& rules,
                          std::span<const std::int64_t> numbers, const RuledLimits& most, const Poll& poll);

// The n best outputs of every sentence that keep the rules, as RuledSearch lists them; of some sentences there may be none.
template <class Real>
BestOutputs nbest_under(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits, const Rules& rules,
                        std::span<const std::int64_t> numbers, std::int64_t n, const RuledLimits& most, const Poll& poll);

}  // namespace riata
