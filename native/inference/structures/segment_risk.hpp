// The segmentation of least expected loss.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/segment_scores.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "inference/risk.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// Semi-Markov Viterbi over what segments gain. With chunks, a segment gains 2 * probability - cost, and one outside of chunks nothing. With
// labels, it gains the sum of the probabilities that its tokens are right, where a token is right as in SegmentTokenLoss.
template <class Real>
class SegmentRisk {
 public:
  explicit SegmentRisk(const SegmentCoding& coding) : coding_(coding), search_(coding, 0) {}

  void set(const Risk& risk) { risk_ = risk; }
  double sharpness() const noexcept { return risk_.sharpness; }

  // Writes the codes of the sentence whose sums are open.
  template <class Steps>
  ExpectedRight operator()(Steps& steps, const SemiMarkovSums<Real>& sums, std::int32_t* out) {
    gains_.open(coding_, steps.length());
    ExpectedRight expected;
    if (risk_.chunks)
      expected.all = gain_by_chunk(sums);
    else
      gain_by_token(sums);
    each([&](std::int32_t t, Length l, LabelId y) {
      if (steps.spans(t)[(l.place() - 1) * coding_.stride() + y.place()] == -std::numeric_limits<Real>::infinity())
        gains_.at(t, l, y) = -std::numeric_limits<double>::infinity();
    });
    const double gain = search_(gains_, out);
    if (!risk_.chunks) return {gain, double(gains_.tokens), double(gains_.tokens)};
    each_segment(coding_, {out, static_cast<std::size_t>(gains_.tokens)},
                 [&](std::int32_t, Length, LabelId y, const Before&) { expected.found += y != coding_.outside; });
    expected.right = (gain + risk_.cost * expected.found) / 2;
    return expected;
  }

 private:
  template <class Visit>  // visit(token, length, label)
  void each(Visit visit) {
    for (std::int32_t t = 0; t < gains_.tokens; ++t) {
      for (Length l(1); l <= gains_.lengths(t); ++l) {
        for (LabelId y(0); y.number() < coding_.labels; ++y) {
          if (coding_.allows(l, y)) visit(t, l, y);
        }
      }
    }
  }

  // Returns the expected number of chunks.
  double gain_by_chunk(const SemiMarkovSums<Real>& sums) {
    double all = 0;
    each([&](std::int32_t t, Length l, LabelId y) {
      const double p = y == coding_.outside ? 0 : sums.posterior(t, l, y);
      gains_.at(t, l, y) = y == coding_.outside ? 0 : 2 * p - risk_.cost;
      all += p;
    });
    return all;
  }

  void gain_by_token(const SemiMarkovSums<Real>& sums) {
    const auto labels = static_cast<std::size_t>(coding_.labels);
    const auto at = [&](std::int32_t t, LabelId y) { return std::size_t(t) * labels + y.place(); };
    first_.assign(std::size_t(gains_.tokens) * labels, 0);
    inside_.assign(std::size_t(gains_.tokens + 2) * labels, 0);
    each([&](std::int32_t t, Length l, LabelId y) {
      const double p = sums.posterior(t, l, y);
      first_[at(t, y)] += p;
      inside_[at(t + 2, y)] += p;  // token t + 1 is the first one inside; see below
      inside_[at(t + l.number() + 1, y)] -= p;
    });
    // From changes to the probabilities of tokens, and to their sums over all tokens before.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = labels; k < inside_.size(); ++k) inside_[k] += inside_[k - labels];
    }
    each([&](std::int32_t t, Length l, LabelId y) {
      gains_.at(t, l, y) = first_[at(t, y)] + inside_[at(t + l.number(), y)] - inside_[at(t + 1, y)];
    });
  }

  const SegmentCoding& coding_;
  Risk risk_;
  SemiMarkov<double> search_;
  SegmentScores gains_;
  std::vector<double> first_;   // [T][labels] the probability that a segment begins at a token
  std::vector<double> inside_;  // [T + 2][labels] the sum over the tokens before of the probability that they are inside a segment
};

}  // namespace riata
