// What is learnt from a search that goes wrong: when to update, against which nodes, and by how much.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "inference/search/engine.hpp"
#include "learning/step.hpp"

namespace riata {

enum class When { laso, early, max_violation, standard };
enum class What { mean, queue, best, loss_weighted, lattice };

struct LearnerSpec {
  When when = When::laso;
  What what = What::mean;
  std::int64_t siblings = Search::most_good;  // how many y-good states are followed at once; the best are kept

  static LearnerSpec of(const Settings& settings);
};

// Nodes to move away from, with weights that sum to one.
using Weighted = std::vector<std::pair<NodeId, double>>;

// The mean of the features of the siblings minus the weighted sum of the features of the competitors. Steps that are on all paths cancel.
Difference difference(Search& search, std::span<const NodeId> siblings, const Weighted& competitors);

template <class Real>
class SearchLearner : public Learner {
 public:
  SearchLearner(const LearnerSpec& spec, Stepper<Real>& stepper) : spec_(spec), stepper_(stepper) {}

  // Must be called before every example. weight: of the example; multiplies its steps.
  void begin(double weight = 1) noexcept {
    worst_ = {};
    measured_ = {};
    stepper_.begin(weight);
  }

  // What y-good nodes are down-weighted by. With a normalised threshold, they come last: the margin that they need depends on the rival, so
  // each front is compared with them.
  double margin() const override { return stepper_.spec().normalised && stepper_.margin() > 0 ? Ranking::last : stepper_.margin(); }
  Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) override;
  void at_dead_end(Search& search, NodeId last) override;

 protected:
  virtual void update(Search& search, std::span<const NodeId> siblings, const Weighted& competitors);

 private:
  Weighted competitors(Search& search, const Search::Match& match) const;
  std::optional<Difference> violation(Search& search, std::span<const NodeId> siblings, const Weighted& competitors) const;
  Difference against(Search& search, std::span<const NodeId> siblings, NodeId rival) const;
  void keep_violating(Search& search, Search::Match& match);
  Weighted outputs_against(Search& search, std::span<const NodeId> front, std::span<const NodeId> truth) const;
  void remember_worst(Search& search, std::span<const NodeId> front);
  bool tie(Search& search, std::span<const NodeId> siblings, NodeId rival) const;

  LearnerSpec spec_;
  Stepper<Real>& stepper_;

  struct {
    double violation = 0;  // the largest of the example so far, for max-violation
    NodeId good;
    Weighted competitors = {};
  } worst_;

  // Differences to single nodes that keep_violating has computed last. An update often takes one of them.
  struct {
    std::vector<NodeId> siblings = {};
    std::vector<std::pair<NodeId, Difference>> rivals = {};
  } measured_;
};

}  // namespace riata
