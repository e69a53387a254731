#include "inference/exact/second_order.hpp"

#include <algorithm>

#include "core/kernels.hpp"

namespace riata {

template <class Real>
void SecondOrderForward<Real>::fill(const SecondOrderScores<Real>& scores) {
  scores_ = &scores;
  const LabelPairs& pairs = *scores.pairs;
  const std::int32_t T = length(), L = labels(), stride = chain().stride;
  alpha_.resize(std::size_t(T) * L * stride);
  from_.resize(static_cast<std::size_t>(L));
  std::copy_n(chain().node.data(), stride, alpha_.data());
  for (std::int32_t t = 1; t < T; ++t) {
    const Real* earlier = row(t - 1, LabelId(0));
    const Real* node = chain().node.data() + std::size_t(t) * stride;
    Real* out = alpha_.data() + std::size_t(t) * L * stride;
    for (std::int32_t i = 0; i < L; ++i, out += stride) {
      if (chain().limited && chain().node[std::size_t(t - 1) * stride + i] == -std::numeric_limits<Real>::infinity()) {
        std::fill_n(out, stride, -std::numeric_limits<Real>::infinity());
        continue;
      }
      if (t == 1) {
        max_plus(earlier + i, &scores.second[i], 1, stride, out);
      } else {
        const std::int32_t begin = pairs.begin(i), count = pairs.begin(i + 1) - begin;
        for (std::int32_t k = 0; k < count; ++k) from_[k] = earlier[std::size_t(pairs.first(begin + k)) * stride + i];
        if (chain().limited)
          max_plus_of_some(scores.rows(t) + begin, count, out);
        else
          max_plus(from_.data(), scores.rows(t) + begin, count, stride, out);
      }
      const Real* edge = chain().edge_into(t) + std::size_t(i) * stride;
      for (std::int32_t j = 0; j < stride; ++j) out[j] += edge[j] + node[j];
    }
  }
}

// Like max_plus with from_, without pairs in which no prefix ends. Changes from_.
template <class Real>
void SecondOrderForward<Real>::max_plus_of_some(const Real* const* rows, std::int32_t count, Real* out) {
  used_.clear();
  for (std::int32_t k = 0; k < count; ++k) {
    if (from_[k] == -std::numeric_limits<Real>::infinity()) continue;
    from_[used_.size()] = from_[k];
    used_.push_back(rows[k]);
  }
  max_plus(from_.data(), used_.data(), static_cast<std::int64_t>(used_.size()), chain().stride, out);
}

template <class Real>
Real SecondOrderForward<Real>::best_labels(std::int32_t* found) const {
  const LabelPairs& pairs = *scores_->pairs;
  const std::int32_t T = length();
  EndingId state(0);
  for (EndingId other(1); other.number() < states(); ++other) state = best(T - 1, other) > best(T - 1, state) ? other : state;
  const Real score = best(T - 1, state);
  found[T - 1] = label(state).number();
  if (T > 1) found[T - 2] = before(state).number();
  for (std::int32_t t = T - 1; t > 1; --t) {  // the first label that gives the maximum
    const std::int32_t middle = found[t - 1];
    Real most = -std::numeric_limits<Real>::infinity();
    found[t - 2] = 0;
    for (std::int32_t p = pairs.begin(middle); p < pairs.begin(middle + 1); ++p) {
      const Real reach = row(t - 1, LabelId(pairs.first(p)))[middle] + scores_->rows(t)[p][found[t]];
      if (reach <= most) continue;
      most = reach;
      found[t - 2] = pairs.first(p);
    }
  }
  return score;
}

template class SecondOrderForward<float>;
template class SecondOrderForward<double>;

}  // namespace riata
