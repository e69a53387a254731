// Viterbi with a counter of wrong labels: the labelling with the largest rescaled slack.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "inference/exact/viterbi.hpp"

namespace riata {

// For every number of wrong labels k, the best score s_k of a labelling with so many; then the largest k (1 + s_k - s_0), where s_0 is the
// score of the truth (Daumé's thesis, Eq. 2.21, corrected: the score of the truth is subtracted before the product is taken). A truth that
// the constraint forbids has no score, and no output is compared with it. Time: length^2 * labels^2; memory: length^2 * labels.
template <class Real>
class SlackSearch {
 public:
  // Writes the labels, [length], and returns the number, which is 0 for the truth. gold: [length].
  double operator()(const ChainScores<Real>& chain, const std::int32_t* gold, std::int32_t* labels) {
    const std::int32_t last = chain.length - 1;
    const double truth = score_of(chain, gold);
    std::copy_n(gold, chain.length, labels);
    if (!std::isfinite(truth)) return 0;
    fill(chain, gold);
    double best = 0;
    std::int32_t wrong = 0, label = gold[last];
    for (std::int32_t k = 1; k <= chain.length; ++k) {
      for (std::int32_t j = 0; j < chain.labels; ++j) {
        const double value = k * (1 + score_[at(chain, last, k, j)] - truth);
        if (value > best) std::tie(best, wrong, label) = std::tuple(value, k, j);
      }
    }
    for (std::int32_t t = last; t >= 0 && best > 0; --t) {
      labels[t] = label;
      const std::int32_t before = from_[at(chain, t, wrong, label)];
      wrong -= label != gold[t];
      label = before;
    }
    return best;
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  static std::size_t at(const ChainScores<Real>& chain, std::int32_t t, std::int32_t wrong, std::int32_t label) noexcept {
    return (std::size_t(t) * (chain.length + 1) + wrong) * chain.labels + label;
  }

  void fill(const ChainScores<Real>& chain, const std::int32_t* gold) {
    const std::size_t size = std::size_t(chain.length) * (chain.length + 1) * chain.labels;
    score_.assign(size, never);
    from_.assign(size, 0);
    for (std::int32_t t = 0; t < chain.length; ++t) {
      const Real* node = chain.node.data() + std::size_t(t) * chain.stride;
      for (std::int32_t j = 0; j < chain.labels; ++j) {
        const std::int32_t own = j != gold[t];
        if (t == 0) {
          score_[at(chain, 0, own, j)] = node[j];
          continue;
        }
        for (std::int32_t k = own; k <= t + 1; ++k) enter(chain, t, k, j, k - own, node[j]);
      }
    }
  }

  void enter(const ChainScores<Real>& chain, std::int32_t t, std::int32_t k, std::int32_t j, std::int32_t before, double node) {
    const Real* edges = chain.edge_into(t);
    double best = never;
    std::int32_t from = 0;
    for (std::int32_t i = 0; i < chain.labels; ++i) {
      const double score = score_[at(chain, t - 1, before, i)] + edges[std::size_t(i) * chain.stride + j];
      if (score > best) std::tie(best, from) = std::tuple(score, i);
    }
    score_[at(chain, t, k, j)] = best + node;
    from_[at(chain, t, k, j)] = from;
  }

  static double score_of(const ChainScores<Real>& chain, const std::int32_t* labels) noexcept {
    double score = 0;
    for (std::int32_t t = 0; t < chain.length; ++t) {
      score += chain.node[std::size_t(t) * chain.stride + labels[t]];
      if (t > 0) score += chain.edge_into(t)[std::size_t(labels[t - 1]) * chain.stride + labels[t]];
    }
    return score;
  }

  std::vector<double> score_;       // [length][length + 1][labels] of the best beginning with so many wrong labels
  std::vector<std::int32_t> from_;  // the label before
};

}  // namespace riata
