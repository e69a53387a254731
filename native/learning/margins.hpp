// The margins of a search under fixed weights: whether the truth survives, and by how much it is ahead.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/model.hpp"
#include "inference/search/engine.hpp"
#include "models/vector.hpp"

namespace riata {

// A decision is one expansion: the y-good states that it leads to, against the y-bad ones and everything that is pending. In a beam by
// prefix, a decision is all states that cover the same prefix: y-good against y-bad states.
struct MarginReport {
  std::vector<double> raw;                                    // [decisions] the least w . delta, over y-good x y-bad
  std::vector<double> normalised;                             // [decisions] the least w . delta / max(1, |delta|_p)
  double survival = std::numeric_limits<double>::infinity();  // the least over cuts and ends; the search finds the truth if it is above 0
  double largest_difference = 0;                              // the largest |delta|_p
  double norm = 0;                                            // |w|_q, 1/p + 1/q = 1
  std::int64_t losses = 0;                                    // how many times the search lost the truth, or ended with another output
  std::int64_t most_good = 0;  // largest number of y-good states in one decision; 1: the truth is a single path
  bool merges = false;         // whether states of equal key were merged
  bool uneven = false;         // whether goals waited while longer paths were continued
};

// Runs Figure 2 without its update: if the truth is lost, the search continues from the siblings.
template <class Real>
class Margins : public Learner {
 public:
  Margins(const QueueSpec& queue, const Vector<Real>& weights);

  double margin() const override { return 0; }
  Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) override;
  void at_dead_end(Search&, NodeId) override {}

  MarginReport report() const;

 private:
  struct Rivals {  // the states of one decision
    std::vector<Search::Child> good, bad;
  };

  std::vector<Search::Child> children(Search& search, std::span<const NodeId> nodes);
  Rivals rivals(Search& search, std::span<const NodeId> front);
  static Rivals split(const Search& search, std::span<const Search::Child> nodes);
  void measure_prefix(Search& search, std::span<const NodeId> front);
  void expand_prefix(Search& search, std::span<const NodeId> front);
  Verdict restart(Search& search, std::span<const NodeId> front);
  void measure_cut(Search& search, const Rivals& rivals, std::int64_t width);
  void measure_end(Search& search, std::span<const NodeId> front);
  void measure_level(Search& search, const Rivals& rivals);

  const Vector<Real>& weights_;
  std::int64_t width_;  // how many states survive a cut
  bool by_level_;       // whether the front is a whole level, and the search ends when all its nodes are goals
  bool by_prefix_;
  std::map<std::int64_t, std::vector<Search::Child>> prefixes_;  // beam by prefix: all nodes of a standing, before any is merged or cut
  std::int64_t own_ = -1;                                        // the next key for a node that is merged with no other
  MarginReport report_;
};

// The margins on a corpus, sentence by sentence. The corpus must contain the truth. p: the norm of differences.
template <class Real>
MarginReport margins_of(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, double p, const Poll& poll);

}  // namespace riata
