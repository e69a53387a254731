// Sequence boosting (Altun, Johnson & Hofmann 2003, Algorithm 2): every round changes the one weight for which a bound of the exponential
// loss falls most.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "inference/model.hpp"
#include "learning/boosting/bound.hpp"
#include "learning/boosting/largest.hpp"

namespace riata {

// Which sentences a bound is taken over.
//   corpus: all sentences, as in the paper. The bound of every feature depends on the sum of all masses, which changes in every round. For
//           features of the same range, it falls with the size of the gradient; so features are ranked by it within groups of equal range.
//   sentences: those in which the feature may occur; nothing changes in the others, so this bound is never larger. What a feature gains
//   does
//              not depend on other sentences, and features are ranked by it.
enum class BoundOver { corpus, sentences };

// The exponential loss is F = sum over sentences of weight * (1 / P - 1), P the probability of the truth. All masses are divided by
// exp(scale), where scale is near log F, so that no number overflows.
template <class Real>
class Booster {
 public:
  struct Settings {
    BoundOver over = BoundOver::corpus;
    double cap = 1;  // largest change of a weight in a round
  };
  struct Round {
    std::int64_t place = 0;      // of the weight that was changed
    double step = 0;             // its change
    double bound = 0;            // upper bound of the logarithm of the loss after the round
    double objective = 0;        // logarithm of the loss after the round
    std::int64_t sentences = 0;  // that were evaluated again
    std::int64_t tokens = 0;     // of these sentences
  };

  // The corpus must outlive the object. sentence_weights: [sentences], at least 0; or empty.
  Booster(const Model<Real>& initial, const Corpus& corpus, std::span<const double> sentence_weights, Settings settings);

  // Runs so many rounds, or fewer if no weight lowers the loss any further. poll is told how many are done, at intervals. If it throws,
  // model() returns the weights before this call, and no further rounds can be run.
  std::vector<Round> run(std::int64_t rounds, std::int64_t threads, const Poll& poll);

  std::unique_ptr<Model<Real>> model() const;
  std::int64_t features() const noexcept { return weights_->size(); }  // number of features to choose from
  std::vector<std::int64_t> places() const;                            // of their weights
  std::int64_t used() const noexcept { return used_; }                 // number of weights that are not 0
  double objective() const;                                            // logarithm of the loss
  bool finished() const noexcept { return finished_; }

 private:
  struct Choice {
    std::int32_t feature;
    BoundStep step;
    double gain;  // the part of the loss that certainly goes away
  };

  void start(std::int64_t threads, const Poll& poll);
  void make_exact();
  std::optional<Choice> choose();
  Round take(const Choice& choice, std::int64_t threads, const Poll& poll);
  void evaluate(std::span<const std::int32_t> sentences, std::int64_t threads, const Poll& poll);
  void evaluate_few(std::span<const std::int32_t> sentences);
  SentenceShare share(std::size_t s) const;
  void share_all();
  void rescale(std::int64_t threads);
  void gather(std::int64_t threads);
  void rank(std::int32_t bundle);
  void rank_all();
  BoundStep step(std::int32_t feature) const;
  std::int64_t length(std::int32_t s) const noexcept { return corpus_.length(s); }

  Corpus corpus_;
  Settings settings_;
  std::unique_ptr<Model<Real>> model_;
  Vector<Real> initial_;
  std::unique_ptr<Structure<Real>> structure_;
  std::unique_ptr<SingleWeights> weights_;
  std::unique_ptr<SentenceEvaluator> evaluator_;
  Numbers<double> flat_;                               // all weights
  std::vector<std::pair<std::int64_t, double>> undo_;  // places that the present call of `run` changed, with the weights before
  std::vector<double> log_weights_;                    // [sentences]
  std::vector<double> surprise_;                       // [sentences] -log P
  std::vector<SentenceShare> shares_;                  // [sentences]
  SentenceTotals totals_;
  BundleSet touched_;
  std::vector<std::int32_t> groups_;  // [features] number of the range
  std::optional<Largest> largest_;
  std::vector<std::uint8_t> exact_;  // [features] whether the key is exact, or an upper bound
  double scale_ = 0, total_ = 0;     // the loss is exp(scale) * total
  std::int64_t used_ = 0;
  double log_end_ = 0;  // logarithm of the loss at which learning ends
  bool started_ = false, finished_ = false, broken_ = false;
};

extern template class Booster<float>;
extern template class Booster<double>;

}  // namespace riata
