// Truncated steps: the score of a label after the labels before it is kept between -1 and 1, and these scores add up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/second_order.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata {

// A score of minus infinity, of what is forbidden, stays as it is.
template <class Real>
Real truncated(Real score) noexcept {
  return score == -std::numeric_limits<Real>::infinity() ? score : std::clamp(score, Real{-1}, Real{1});
}

// Moves the scores of labels to the label pairs that end in them. Those of the first token stay.
template <class Real>
void move_to_pairs(ChainScores<Real>& chain) {
  const std::size_t square = std::size_t(chain.labels) * chain.stride, stride = chain.stride;
  if (!chain.edge_per_token) {
    const std::vector<Real> shared(chain.edge.begin(), chain.edge.begin() + static_cast<std::ptrdiff_t>(square));
    chain.edge.resize(square * chain.length);
    for (std::int32_t t = 1; t < chain.length; ++t)
      std::copy(shared.begin(), shared.end(), chain.edge.begin() + t * std::ptrdiff_t(square));
    chain.edge_per_token = true;
  }
  for (std::int32_t t = 1; t < chain.length; ++t) {
    Real *own = chain.node.data() + t * stride, *out = chain.edge.data() + t * square;
    for (std::int32_t i = 0; i < chain.labels; ++i) {
      for (std::int32_t j = 0; j < chain.labels; ++j) out[i * stride + j] += own[j];
    }
    std::fill_n(own, stride, Real{0});
  }
}

template <class Real>
void truncate_steps(ChainScores<Real>& chain) {
  move_to_pairs(chain);
  for (std::int32_t j = 0; j < chain.labels; ++j)
    chain.node[static_cast<std::size_t>(j)] = truncated(chain.node[static_cast<std::size_t>(j)]);
  for (std::size_t k = std::size_t(chain.labels) * chain.stride; k < chain.edge.size(); ++k) chain.edge[k] = truncated(chain.edge[k]);
}

// The same for chains that read two labels back: all scores move to the rows of pairs of labels before, [rows_][stride], which must not be
// changed as long as the scores are in use.
template <class Real>
void truncate_steps(SecondOrderScores<Real>& scores, std::vector<Real>& rows) {
  ChainScores<Real>& chain = scores.chain;
  move_to_pairs(chain);
  const std::size_t stride = chain.stride, square = chain.labels * stride, pairs = static_cast<std::size_t>(scores.pairs->size());
  const auto length = static_cast<std::size_t>(chain.length);
  rows.resize((chain.labels + pairs * (length > 2 ? length - 2 : 0)) * stride);
  Real* next = rows.data();
  const auto put = [&](const Real* edge, const Real*& row) {
    for (std::int32_t j = 0; j < chain.labels; ++j) next[j] = truncated(edge[j] + row[j]);
    row = next;
    next += stride;
  };
  for (std::int32_t j = 0; j < chain.labels; ++j)
    chain.node[static_cast<std::size_t>(j)] = truncated(chain.node[static_cast<std::size_t>(j)]);
  if (length > 1) {
    for (std::int32_t i = 0; i < chain.labels; ++i)
      put(chain.edge.data() + square + i * stride, scores.second[static_cast<std::size_t>(i)]);
  }
  std::vector<const Real*> later(pairs * length);
  for (std::size_t t = 2; t < length; ++t) {
    std::copy_n(scores.rows(static_cast<std::int32_t>(t)), pairs, later.begin() + static_cast<std::ptrdiff_t>(t * pairs));
    for (std::int32_t i = 0; i < chain.labels; ++i) {
      for (std::int32_t p = scores.pairs->begin(i); p < scores.pairs->begin(i + 1); ++p)
        put(chain.edge.data() + t * square + i * stride, later[t * pairs + static_cast<std::size_t>(p)]);
    }
  }
  scores.later = std::move(later);
  scores.later_per_token = true;
  std::fill(chain.edge.begin(), chain.edge.end(), Real{0});
}

}  // namespace riata
