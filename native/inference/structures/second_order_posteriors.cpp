#include "inference/structures/second_order_posteriors.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"

namespace riata {

template <class Real>
SecondOrderPosteriors<Real>::SecondOrderPosteriors(std::int32_t labels)
    : labels_(static_cast<std::size_t>(labels)), stride_(static_cast<std::size_t>(padded(labels))), sums_(labels) {}

template <class Real>
double SecondOrderPosteriors<Real>::open(const SecondOrderScores<Real>& scores, double temperature) {
  scores_ = &scores;
  temperature_ = temperature;
  length_ = static_cast<std::size_t>(scores.chain.length);
  make_room();
  for (auto* rows : {&node_, &posterior_}) rows->assign(length_ * stride_, Real{0});
  for (auto* table : {&from_, &into_}) table->assign(labels_ * length_ * stride_, Real{0});
  for (std::size_t k = 0; k < node_.size(); ++k)
    node_[k] = k % stride_ < labels_ ? static_cast<Real>(own(k / stride_, k % stride_)) : Constraint<Real>::never;
  const auto step = [&](std::int32_t t) { return cube(static_cast<std::size_t>(t)); };
  pairs_.resize(into_.size());
  const auto keep_pairs = [&](std::int32_t t, const Real* back, Real share) {
    const std::size_t at = static_cast<std::size_t>(t) * labels_ * stride_;
    for (std::size_t k = 0; k < labels_ * stride_; ++k) pairs_[at + k] = from_[at + k] * back[k] * share;
  };
  const auto own_factors = [&](std::int32_t t) { return PairFactors<Real>{node_.data() + static_cast<std::size_t>(t) * stride_, 0, 0}; };
  const double log_z =
      sums_(scores.chain.length, node_.data(), step, own_factors, from_.data(), into_.data(), posterior_.data(), keep_pairs);
  logarithms_ = !std::isfinite(log_z);
  if (!logarithms_) return log_z;
  return logs_(
      length_, labels_, [&](std::size_t t, std::size_t j) { return own(t, j); },
      [&](std::size_t t, std::size_t h, std::size_t i, std::size_t j) { return triple(t, h, i, j); });
}

// Cubes are kept for the way back if they are not too large. If all tokens from 2 on have the same scores, they share one.
template <class Real>
void SecondOrderPosteriors<Real>::make_room() {
  constexpr std::size_t most = std::size_t{1} << 22;  // numbers
  const std::size_t size = labels_ * labels_ * stride_;
  shared_ = !scores_->chain.edge_per_token && !scores_->later_per_token;
  const std::size_t slots = shared_ ? 2 : length_ * size <= most ? length_ : 1;
  cubes_.resize(slots * size);
  filled_.assign(slots, 0);
  highest_at_.resize(length_);
}

// Writes the scores of the step into token t, divided by the temperature.
template <class Real>
void SecondOrderPosteriors<Real>::score(std::size_t t, Real* out) const {
  const LabelPairs& pairs = *scores_->pairs;
  const Real* edge = scores_->chain.edge_into(static_cast<std::int32_t>(t));
  for (std::size_t i = 0; i < labels_; ++i, edge += stride_) {
    for (std::size_t h = 0; h < height(t); ++h, out += stride_) {
      const std::int32_t pair = t == 1 ? 0 : pairs.number(static_cast<std::int32_t>(h), static_cast<std::int32_t>(i));
      if (pair < 0) {
        std::fill_n(out, stride_, Constraint<Real>::never);
        continue;
      }
      const Real* row = t == 1 ? scores_->second[i] : scores_->rows(static_cast<std::int32_t>(t))[pair];
      if (temperature_ == 1)
        for (std::size_t j = 0; j < stride_; ++j) out[j] = edge[j] + row[j];
      else
        for (std::size_t j = 0; j < stride_; ++j) out[j] = static_cast<Real>((double(edge[j]) + double(row[j])) / temperature_);
    }
  }
}

template <class Real>
TripleFactors<Real> SecondOrderPosteriors<Real>::cube(std::size_t t) {
  const std::size_t slot = filled_.size() == 1 ? 0 : shared_ ? (t > 1) : t, token = shared_ ? std::min<std::size_t>(t, 2) : t;
  Real* factors = cubes_.data() + slot * labels_ * labels_ * stride_;
  if (filled_[slot] != token) {
    score(t, factors);
    highest_at_[token] = make_factors(factors, static_cast<std::int64_t>(labels_ * height(t)), static_cast<std::int32_t>(stride_), rows_);
    filled_[slot] = token;
  }
  return {factors, highest_at_[token]};
}

template <class Real>
double SecondOrderPosteriors<Real>::triple(std::size_t t, std::size_t h, std::size_t i, std::size_t j) const {
  const std::int32_t pair = t == 1 ? 0 : scores_->pairs->number(static_cast<std::int32_t>(h), static_cast<std::int32_t>(i));
  if (pair < 0) return Constraint<double>::never;
  const Real* row = t == 1 ? scores_->second[i] : scores_->rows(static_cast<std::int32_t>(t))[pair];
  return (double(scores_->chain.edge_into(static_cast<std::int32_t>(t))[i * stride_ + j]) + double(row[j])) / temperature_;
}

template <class Real>
void SecondOrderPosteriors<Real>::step(std::size_t t, const std::vector<double>& shares, std::vector<double>& out) {
  const std::size_t square = labels_ * stride_;
  std::vector<Real> from(labels_), totals(stride_);
  for (std::size_t i = 0; i < labels_; ++i) {
    double* row = out.data() + i * labels_;
    if (logarithms_) {
      std::fill_n(row, labels_, 0.0);
      for (std::size_t h = 0; h < height(t); ++h) {
        for (std::size_t j = 0; j < labels_; ++j)
          row[j] += shares[h * labels_ + i] * logs_.posterior(t, h, i, j, triple(t, h, i, j) + own(t, j));
      }
      continue;
    }
    for (std::size_t h = 0; h < height(t); ++h)
      from[h] = from_[(t - 1) * square + h * stride_ + i] * static_cast<Real>(shares[h * labels_ + i]);
    weigh_rows(from.data(), cube(t).factors + i * height(t) * stride_, static_cast<std::int64_t>(height(t)),
               into_.data() + t * square + i * stride_, static_cast<std::int32_t>(stride_), totals.data());
    std::copy_n(totals.begin(), labels_, row);
  }
}

template <class Real>
double SecondOrderPosteriors<Real>::of(std::size_t t, std::size_t h, std::size_t i, std::size_t j) const {
  const double score = triple(t, h, i, j);
  if (logarithms_) return logs_.posterior(t, h, i, j, score + own(t, j));
  const std::size_t square = labels_ * stride_;
  const double factor = std::exp(score - highest_at_[shared_ ? std::min<std::size_t>(t, 2) : t]);
  return double(from_[(t - 1) * square + h * stride_ + i]) * factor * double(into_[t * square + i * stride_ + j]);
}

template <class Real>
void SecondOrderPosteriors<Real>::fill_pairs(std::size_t t, std::vector<double>& out) {
  if (t > 0 && logarithms_) return step(t, std::vector<double>(labels_ * labels_, 1), out);
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t i = 0; i < (t == 0 ? 1 : labels_); ++i) {
    for (std::size_t j = 0; j < labels_; ++j) out[i * labels_ + j] = t == 0 ? of(0, j) : double(pairs_[(t * labels_ + i) * stride_ + j]);
  }
}

// Carries the probability that the chunk has begun and still continues from one pair of labels to the next.
template <class Real>
double SecondOrderPosteriors<Real>::unit(const ChunkFlags& chunks, const std::int32_t* found, std::size_t first, std::size_t end) {
  const auto continues = [&](std::size_t pair) { return chunks.continues[pair] != 0; };
  std::vector<double> pairs(labels_ * labels_), passed(labels_ * labels_, 0), next(labels_ * labels_);
  fill_pairs(first, pairs);
  for (std::size_t pair = 0; pair < (first == 0 ? labels_ : labels_ * labels_); ++pair) {
    const bool same = chunks.types[pair % labels_] == chunks.types[static_cast<std::size_t>(found[first])];
    if (same && (first == 0 || !continues(pair))) passed[pair] = pairs[pair];
  }
  double sum = 0;
  for (std::size_t t = first + 1; t <= end && t < length_; ++t) {
    for (std::size_t pair = 0; pair < passed.size(); ++pair) passed[pair] = pairs[pair] > 0 ? passed[pair] / pairs[pair] : 0;
    step(t, passed, next);
    for (std::size_t pair = 0; pair < next.size(); ++pair) {
      if (continues(pair)) continue;
      if (t == end) sum += next[pair];
      next[pair] = 0;
    }
    std::swap(passed, next);
    if (t < end) fill_pairs(t, pairs);
  }
  if (end == length_) {
    for (const double each : passed) sum += each;
  }
  return std::clamp(sum, 0.0, 1.0);
}

template class SecondOrderPosteriors<float>;
template class SecondOrderPosteriors<double>;

}  // namespace riata
