#include <algorithm>
#include <cmath>

#include "inference/structures/chain_single_weights.hpp"

namespace riata {

template <class Real>
double ChainEvaluator<Real>::open(std::int64_t s) {
  sentence_ = s;
  start_ = of_.corpus_.instances.starts[static_cast<std::size_t>(s)];
  length_ = static_cast<std::int32_t>(of_.corpus_.length(s));
  const std::int64_t from = of_.parts_.first_block(s), end = of_.parts_.first_block(s + 1);
  pair_sums_.assign(static_cast<std::size_t>(of_.parts_.block_at(end) - of_.parts_.block_at(from)), 0);
  labels_.clear();
  pairs_.clear();
  if (length_ == 0) return 0;
  make_edges();
  double log_z = sum_up();
  in_logarithms_ = !std::isfinite(log_z);
  if (in_logarithms_) log_z = sum_in_logarithms();
  const std::int64_t base = of_.parts_.block_at(from);
  for (std::int32_t t = 1; t < length_; ++t) {
    const auto blocks = of_.parts_.blocks_into(start_ + t);
    if (!blocks.empty()) make_pairs(t);
    for (const std::int32_t block : blocks) {
      const std::int32_t bundle = of_.parts_.block_bundle(block), first = of_.parts_.first(bundle);
      double* to = pair_sums_.data() + (of_.parts_.block_at(block) - base);
      for (std::int32_t f = first; f < of_.parts_.end(bundle); ++f) to[f - first] += table_[static_cast<std::size_t>(of_.parts_.cell(f))];
    }
  }
  take_truth();
  return std::max(0.0, log_z - score_of_truth());
}

// The tables of steps that read more than plain pairs of labels.
template <class Real>
void ChainEvaluator<Real>::make_edges() {
  const ChainBundles& parts = of_.parts_;
  std::int32_t tables = 0;
  own_.assign(static_cast<std::size_t>(length_), -1);
  const auto each_own = [&](std::int32_t t, auto visit) {
    for (const std::int32_t block : parts.blocks_into(start_ + t)) {
      const std::int32_t bundle = parts.block_bundle(block);
      if (of_.has_weight_[static_cast<std::size_t>(bundle)] && !(of_.transitions_ && parts.row(bundle) == of_.layout_.transition_row()))
        visit(of_.flat_.data() + parts.row(bundle));
    }
  };
  for (std::int32_t t = 1; t < length_; ++t)
    each_own(t, [&](const double*) {
      if (own_[static_cast<std::size_t>(t)] < 0) own_[static_cast<std::size_t>(t)] = tables++;
    });
  const std::size_t cells = square();
  for (auto* table : {&own_scores_, &own_forward_, &own_backward_}) table->resize(static_cast<std::size_t>(tables) * cells);
  own_highest_.resize(static_cast<std::size_t>(tables));
  for (std::int32_t t = 1; t < length_; ++t) {
    if (own_[static_cast<std::size_t>(t)] < 0) continue;
    const auto table = static_cast<std::size_t>(own_[static_cast<std::size_t>(t)]);
    double* scores = own_scores_.data() + table * cells;
    std::copy(of_.pairs_.begin(), of_.pairs_.end(), scores);
    each_own(t, [&](const double* row) {
      for (std::size_t k = 0; k < cells; ++k) scores[k] += row[k];
    });
    double* backward = own_backward_.data() + table * cells;
    std::fill_n(backward, cells, 0.0);
    own_highest_[table] = make_edge_factors(scores, of_.layout_.labels, own_forward_.data() + table * cells, backward);
  }
}

template <class Real>
const double* ChainEvaluator<Real>::scores_into(std::int32_t t) const noexcept {
  const std::int32_t own = own_[static_cast<std::size_t>(t)];
  return own < 0 ? of_.pairs_.data() : own_scores_.data() + static_cast<std::size_t>(own) * square();
}

// Returns log Z; not finite if factors underflow.
template <class Real>
double ChainEvaluator<Real>::sum_up() {
  const std::int32_t labels = of_.layout_.labels, stride = of_.layout_.stride;
  const auto size = static_cast<std::size_t>(length_) * static_cast<std::size_t>(stride);
  for (auto* rows : {&node_, &alpha_, &into_, &posterior_}) rows->resize(size);
  std::copy_n(of_.scores_.begin() + start_ * stride, size, node_.begin());
  for (std::int32_t t = 0; t < length_; ++t) {
    for (std::int32_t j = labels; j < stride; ++j) node_[static_cast<std::size_t>(t * stride + j)] = Constraint<double>::never;
  }
  const std::size_t cells = square();
  const auto edge = [&](std::int32_t t) {
    if (own_[static_cast<std::size_t>(t)] < 0) return EdgeFactors<double>{of_.forward_.data(), of_.backward_.data(), of_.highest_};
    const auto own = static_cast<std::size_t>(own_[static_cast<std::size_t>(t)]);
    return EdgeFactors<double>{own_forward_.data() + own * cells, own_backward_.data() + own * cells, own_highest_[own]};
  };
  const double log_z = sums_(length_, node_.data(), edge, alpha_.data(), into_.data(), posterior_.data());
  labels_.assign(posterior_.begin(), posterior_.end());
  return log_z;
}

template <class Real>
double ChainEvaluator<Real>::sum_in_logarithms() {
  const std::int32_t labels = of_.layout_.labels, stride = of_.layout_.stride;
  const double* nodes = of_.scores_.data() + start_ * stride;
  labels_.assign(posterior_.size(), Real{0});
  const double log_z = log_sums_(
      static_cast<std::size_t>(length_), static_cast<std::size_t>(labels),
      [&](std::size_t t, std::size_t j) { return nodes[t * static_cast<std::size_t>(stride) + j]; },
      [&](std::size_t t, std::size_t i, std::size_t j) {
        return scores_into(static_cast<std::int32_t>(t))[i * static_cast<std::size_t>(stride) + j];
      });
  for (std::int32_t t = 0; t < length_; ++t) {
    for (std::int32_t j = 0; j < labels; ++j) {
      const auto at = static_cast<std::size_t>(t * stride + j);
      posterior_[at] = log_sums_.posterior(static_cast<std::size_t>(t), static_cast<std::size_t>(j));
      labels_[at] = static_cast<Real>(posterior_[at]);
    }
  }
  return log_z;
}

// The posteriors of all pairs of labels at tokens t - 1 and t.
template <class Real>
void ChainEvaluator<Real>::make_pairs(std::int32_t t) {
  const std::int32_t labels = of_.layout_.labels, stride = of_.layout_.stride;
  table_.resize(square());
  const std::int32_t own = own_[static_cast<std::size_t>(t)];
  const double* factors = own < 0 ? of_.forward_.data() : own_forward_.data() + static_cast<std::size_t>(own) * square();
  const double *before = alpha_.data() + std::int64_t{t - 1} * stride, *into = into_.data() + std::int64_t{t} * stride;
  for (std::int32_t i = 0; i < labels; ++i) {
    double* to = table_.data() + std::int64_t{i} * stride;
    if (!in_logarithms_) {
      const double* row = factors + std::int64_t{i} * stride;
      for (std::int32_t j = 0; j < stride; ++j) to[j] = before[i] * row[j] * into[j];
      continue;
    }
    for (std::int32_t j = 0; j < labels; ++j) {
      const double score = scores_into(t)[i * stride + j] + of_.scores_[static_cast<std::size_t>((start_ + t) * stride + j)];
      to[j] = log_sums_.posterior(static_cast<std::size_t>(t), static_cast<std::size_t>(i), static_cast<std::size_t>(j), score);
    }
  }
}

template <class Real>
double ChainEvaluator<Real>::score_of_truth() const {
  const std::int32_t stride = of_.layout_.stride;
  const Codes truth = of_.corpus_.gold_of(sentence_);
  double score = 0;
  for (std::int32_t t = 0; t < length_; ++t) {
    const std::int32_t label = truth[static_cast<std::size_t>(t)];
    score += of_.scores_[static_cast<std::size_t>((start_ + t) * stride + label)];
    if (t > 0) score += scores_into(t)[truth[static_cast<std::size_t>(t) - 1] * stride + label];
  }
  return score;
}

template <class Real>
void ChainEvaluator<Real>::take_truth() {
  const std::int64_t base = of_.parts_.block_at(of_.parts_.first_block(sentence_));
  const Codes truth = of_.corpus_.gold_of(sentence_);
  for (std::int32_t t = 0; t < length_; ++t) {
    const auto at = static_cast<std::size_t>(t * of_.layout_.stride + truth[static_cast<std::size_t>(t)]);
    labels_[at] = static_cast<Real>(posterior_[at] - 1);
    const auto blocks = of_.parts_.blocks_into(start_ + t), right = of_.parts_.truth_into(start_ + t);
    for (std::size_t k = 0; k < blocks.size(); ++k)
      pair_sums_[static_cast<std::size_t>(of_.parts_.block_at(blocks[k]) - base + right[k])] -= 1;
  }
  pairs_.assign(pair_sums_.begin(), pair_sums_.end());
}

template <class Real>
void ChainEvaluator<Real>::keep() {
  std::ranges::copy(labels_, of_.of_labels_.begin() + start_ * of_.layout_.stride);
  std::ranges::copy(pairs_, of_.of_pairs_.begin() + of_.parts_.block_at(of_.parts_.first_block(sentence_)));
}

template <class Real>
void ChainEvaluator<Real>::replace(SentenceShare before, SentenceShare after, SentenceTotals& totals, BundleSet& touched) {
  const ChainBundles& parts = of_.parts_;
  const std::int32_t stride = of_.layout_.stride;
  ++replacements_;
  seen_.resize(parts.bundles().size(), 0);
  const auto touch = [&](std::int32_t bundle) {
    touched.add(bundle);
    std::int64_t& seen = seen_[static_cast<std::size_t>(bundle)];
    if (seen != replacements_) totals.mass[static_cast<std::size_t>(bundle)] += after.mass - before.mass;
    seen = replacements_;
  };
  std::vector<double>& change = node_;  // [length][stride]
  const Real* old = of_.of_labels_.data() + start_ * stride;
  for (std::size_t k = 0; k < labels_.size(); ++k) change[k] = after.times * double(labels_[k]) - before.times * double(old[k]);
  for (std::int32_t t = 0; t < length_; ++t) {
    const auto bundles = parts.of_token(start_ + t);
    const double* row = change.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(stride);
    for (std::size_t k = 0; k < bundles.size(); ++k) {
      const auto value = double(parts.value_of_token(start_ + t, k));
      for (std::int32_t f = parts.first(bundles[k]); f < parts.end(bundles[k]); ++f)
        totals.gradient[static_cast<std::size_t>(f)] += value * row[parts.cell(f)];
      touch(bundles[k]);
    }
  }
  const std::int64_t from = parts.first_block(sentence_), base = parts.block_at(from);
  for (std::int64_t block = from; block < parts.first_block(sentence_ + 1); ++block) {
    const std::int32_t bundle = parts.block_bundle(block), first = parts.first(bundle);
    const Real *fresh = pairs_.data() + (parts.block_at(block) - base), *stale = of_.of_pairs_.data() + parts.block_at(block);
    for (std::int32_t f = first; f < parts.end(bundle); ++f)
      totals.gradient[static_cast<std::size_t>(f)] += after.times * double(fresh[f - first]) - before.times * double(stale[f - first]);
    touch(bundle);
  }
  keep();
}

template class ChainEvaluator<float>;
template class ChainEvaluator<double>;

}  // namespace riata
