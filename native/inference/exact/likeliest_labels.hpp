// The labels of least expected Hamming loss.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata {

// Chooses the most probable label of every token. If these may not follow each other, chooses the legal labels with the largest sum of
// probabilities, by Viterbi.
class LikeliestLabels {
 public:
  // follow: [label before][stride] 0 if a label may follow another, minus infinity if not.
  template <class Real>
  LikeliestLabels(std::int32_t labels, const Real* follow)
      : labels_(labels), stride_(padded(labels)), follow_(follow, follow + std::size_t(labels) * stride_) {}

  // probability(t, j); possible(t, j): whether the token can have the label at all. Writes the labels, [length], and returns the sum of
  // their probabilities; ties go to the lowest label.
  template <class Probability, class Possible>
  double operator()(std::int32_t length, Probability probability, Possible possible, std::int32_t* out) {
    bool legal = true;
    for (std::int32_t t = 0; t < length; ++t) {
      double best = -1;
      out[t] = 0;
      for (std::int32_t j = 0; j < labels_; ++j) {
        if (const double p = probability(t, j); p > best && possible(t, j)) {
          best = p;
          out[t] = j;
        }
      }
      legal = legal && (t == 0 || follow_[std::size_t(out[t - 1]) * stride_ + out[t]] == 0);
    }
    if (!legal) search(length, probability, possible, out);
    double sum = 0;
    for (std::int32_t t = 0; t < length; ++t) sum += probability(t, out[t]);
    return sum;
  }

 private:
  template <class Probability, class Possible>
  void search(std::int32_t length, Probability probability, Possible possible, std::int32_t* out) {
    scores_.length = length;
    scores_.labels = labels_;
    scores_.stride = stride_;
    scores_.node.assign(std::size_t(length) * stride_, -std::numeric_limits<double>::infinity());
    scores_.shared_edge.assign(static_cast<std::size_t>(length), follow_.data());
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::int32_t j = 0; j < labels_; ++j) {
        if (possible(t, j)) scores_.node[std::size_t(t) * stride_ + j] = probability(t, j);
      }
    }
    viterbi_(scores_, out);
  }

  std::int32_t labels_, stride_;
  std::vector<double> follow_;  // [label before][stride]
  ChainScores<double> scores_;
  Viterbi<double> viterbi_;
};

}  // namespace riata
