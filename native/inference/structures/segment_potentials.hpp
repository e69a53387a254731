// The potentials of labelled segments: scores of segments, and of labels after the label before (Sarawagi & Cohen 2004).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/instances.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/batched_potentials.hpp"
#include "inference/structures/segment_sources.hpp"
#include "models/segment_weights.hpp"

namespace riata {

template <class Real>
class SegmentVisitor;
template <class Real>
class SegmentGradient;

// The truth is subtracted when its sentence is visited; nothing is counted beforehand.
template <class Real>
class SegmentPotentials final : public BatchedPotentials {
 public:
  // instances must outlive the potentials. gold: [N] the code of the segment that starts at each token, -1 inside segments. Sentences with
  // a segment that is longer than the coding allows are left out: log P of their truth counts as 0. which: see SegmentSources.
  SegmentPotentials(const SegmentTemplates& templates, const SegmentCoding& coding, const Instances& instances,
                    std::span<const std::int32_t> gold, FeatureLabels which);

  std::int64_t left_out() const noexcept { return left_out_; }  // sentences that are left out

  std::int64_t size() const noexcept override { return rows_.size(); }
  const SegmentTemplates& templates() const noexcept { return rows_.templates(); }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t threads) override;
  std::unique_ptr<Visitor> visitor() override;
  void gather(std::span<double> gradient, std::int64_t threads) override;
  void finish(std::span<double> gradient, std::int64_t threads) override { rows_.finish(gradient, threads); }
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient and must not
  // be used otherwise meanwhile.
  std::unique_ptr<SentenceGradient<Real>> gradient();

  const SegmentSources<Real>& points() const noexcept { return rows_; }

 private:
  friend class SegmentVisitor<Real>;
  friend class SegmentGradient<Real>;

  std::vector<bool> fitting(std::span<const std::int32_t> gold);
  // The differences of token n, and the difference of sequence k.
  Real* difference(std::int64_t n) noexcept { return difference_.data() + (n - base()) * width_; }
  Real* sequence_difference(std::int64_t k) noexcept {
    return sequence_difference_.data() + (k - rows_.sequences_before(base())) * stride_;
  }

  SegmentTemplates templates_;
  SegmentCoding coding_;
  std::int32_t stride_;
  std::vector<std::int32_t> gold_;
  std::int64_t left_out_ = 0;
  std::vector<bool> counts_;  // [S] whether a sentence is used, that is, not empty and not left out
  SegmentSources<Real> rows_;
  std::int64_t width_;                     // size of the rows of a token: [sources][stride]
  std::vector<Real> difference_;           // [tokens of a batch][sources][stride] posteriors minus the truth
  std::vector<Real> sequence_difference_;  // [sequences of a batch][stride] posteriors minus the truth
};

extern template class SegmentPotentials<float>;
extern template class SegmentPotentials<double>;

}  // namespace riata
