// Expected features and losses over all segmentations of a sentence. The probabilities come from SemiMarkovSums.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "inference/exact/semi_markov_sums.hpp"
#include "losses/segments.hpp"
#include "models/vector.hpp"

namespace riata {

// Segments and pairs of labels whose probability is below `least` are left out.
template <class Real>
class SegmentLattice {
 public:
  SegmentLattice(const SegmentCoding& coding, std::int32_t order, const SemiMarkovSums<Real>& sums, double least)
      : coding_(coding), order_(order), sums_(sums), least_(least) {}

  void count_above(double least) noexcept { least_ = least; }

  // Adds `factor` times the expected features. rows: KnownRows or AddedRows.
  template <class Rows>
  void add_features(const SegmentSteps<Real>& steps, double factor, const Rows& rows, Difference& to) {
    const std::int64_t stride = coding_.stride();
    const auto visit = [&](RowId row) {
      for (const auto& [label, share] : likely_) to.push_back({weight_place(row, label, stride), factor * share});
    };
    each_span(steps, [&](std::int32_t t, Length l) { steps.each_span_row(t, l, rows, visit); });
    for (std::int32_t t = 0; order_ > 0 && t < steps.length(); ++t) {
      for (LabelId before(0); before.number() < (t == 0 ? 1 : coding_.labels); ++before) {
        const Before labels{{t == 0 ? 0 : before.value()}};
        if (keep_likely([&](LabelId y) { return sums_.pair_posterior(t, before, y); })) steps.each_history_row(t, labels, rows, visit);
      }
    }
  }

  template <class Loss>
  double expected_loss(const SegmentSteps<Real>& steps, const Loss& loss) {
    double sum = 0;
    each_span(steps, [&](std::int32_t t, Length l) {
      for (const auto& [label, share] : likely_) sum += share * loss.of(t, l, label);
    });
    return sum;
  }

 private:
  // Calls visit(t, l) for all segments from token t, of length l, that have a likely label; likely_ then contains these labels.
  template <class Visit>
  void each_span(const SegmentSteps<Real>& steps, Visit visit) {
    for (std::int32_t t = 0; t < steps.length(); ++t)
      for (Length l(1); l <= steps.lengths(t); ++l)
        if (keep_likely([&](LabelId y) { return sums_.posterior(t, l, y); })) visit(t, l);
  }

  template <class Posterior>
  bool keep_likely(Posterior posterior) {
    likely_.clear();
    for (LabelId y(0); y.number() < coding_.labels; ++y) {
      if (const double share = posterior(y); share > 0 && share >= least_) likely_.push_back({y, share});
    }
    return !likely_.empty();
  }

  const SegmentCoding& coding_;
  std::int32_t order_;
  const SemiMarkovSums<Real>& sums_;
  double least_;
  std::vector<std::pair<LabelId, double>> likely_;  // likely labels of the present segment, with their probabilities
};

}  // namespace riata
