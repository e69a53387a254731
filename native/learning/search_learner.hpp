// What is learnt from a search that goes wrong: when to update, against which nodes, how far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "inference/search/engine.hpp"
#include "learning/linear.hpp"

namespace riata {

enum class When { laso, early, max_violation, standard };
enum class What { mean, queue, best, loss_weighted, lattice };
enum class How { perceptron, alma, mira };

struct LearnerSpec {
  When when = When::laso;
  What what = What::mean;
  How how = How::perceptron;
  double alpha = 0.9;   // ALMA: 1 asks for no margin, towards 0 for the largest one (the paper's text has it backwards)
  double b = 0;         // ALMA: B; 0 means 1 / alpha
  double c = 0;         // ALMA: C (0 means sqrt 2); MIRA: the largest step (0 means 1)
  double p = 2;         // ALMA: the norm in which differences of features are measured
  double truncate = 0;  // of the model made: weights below this fraction of the largest are left out
  bool record = false;  // keep the difference of every update
  std::int64_t siblings = Search::most_good;  // y-good states that are followed at once, the best of them
};

// Counts and measures over a whole training.
struct SearchStats {
  std::int64_t updates = 0;
  std::int64_t non_violating = 0;  // updates whose difference the weights scored above zero (and the margin) already
  double largest_difference = 0;   // R: the largest |delta|_p
};

// The least w . delta, and the least w . delta / max(1, |delta|), over some differences.
struct LeastMargins {
  double raw = std::numeric_limits<double>::infinity();
  double normalised = std::numeric_limits<double>::infinity();

  // ahead = w . delta, length = |delta|
  void take(double ahead, double length) noexcept {
    raw = std::min(raw, ahead);
    normalised = std::min(normalised, ahead / std::max(1.0, length));
  }
};

// Nodes to move away from, with weights that sum to one.
using Weighted = std::vector<std::pair<NodeId, double>>;

// Entries of one number become one, in order; those that cancel go.
void sum_up(Difference& delta);

// mean of the features of the siblings - weighted sum of those of the competitors. What lies on the path of all cancels.
Difference difference(Search& search, std::span<const NodeId> siblings, const Weighted& competitors);

template <class Real>
class SearchLearner : public Learner {
 public:
  // The weights must be of the norm that the spec names.
  SearchLearner(const LearnerSpec& spec, Linear<Real>& weights) : spec_(spec), weights_(weights) {}

  // Before every example. Its weight multiplies the steps of perceptron and ALMA, and the largest step of MIRA.
  void begin(double weight = 1) noexcept {
    worst_ = {};
    weight_ = weight;
  }

  double margin() const override;
  Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) override;
  void at_dead_end(Search& search, NodeId last) override;

  // One step along a difference whose competitors cost so much; only MIRA asks what they cost.
  void step(const Difference& delta, double cost);
  // How far a difference of this length would be followed; MIRA, whose steps depend on more than that: 1.
  double pace(double length) const noexcept;

  const LearnerSpec& spec() const noexcept { return spec_; }
  // Whether the example at hand caused an update.
  bool updated() const noexcept { return worst_.updated; }
  const SearchStats& stats() const noexcept { return stats_; }

  // Of the present weights, over all updates; only with `record`.
  LeastMargins recorded_margins() const noexcept;

 protected:
  virtual void update(Search& search, std::span<const NodeId> siblings, const Weighted& competitors);

 private:
  Weighted competitors(Search& search, const Search::Match& match) const;
  Weighted outputs_against(Search& search, std::span<const NodeId> front, std::span<const NodeId> truth) const;
  void remember_worst(Search& search, std::span<const NodeId> front);
  bool tie(Search& search, std::span<const NodeId> siblings, NodeId rival) const;
  double rounding(double length) const noexcept;
  double step_size(const Difference& delta, double length, double cost) const;

  LearnerSpec spec_;
  Linear<Real>& weights_;
  SearchStats stats_;
  std::vector<Difference> recorded_;
  double generation_ = 1;  // k of Eq. 3
  double weight_ = 1;      // of the example at hand

  struct {
    bool updated = false;
    double violation = 0;  // of the example so far, for max-violation
    NodeId good = -1;
    Weighted competitors = {};
  } worst_;
};

}  // namespace riata
