#include "learning/chain_mira.hpp"

#include <algorithm>

#include "learning/hildreth.hpp"
#include "learning/history_difference.hpp"
#include "losses/hamming.hpp"
#include "models/row_reader.hpp"

namespace riata {
namespace {

// The rows of the weights, each with its twin in the running sum.
template <class Real>
struct TwinRows {
  using Place = typename PlacedDifference<Real>::Place;
  Weights<Real>& weights;
  Weights<Real>& sum;
  std::int32_t labels = weights.labels, stride = weights.stride;

  Place node_row(std::int32_t family, std::size_t row) noexcept { return {weights.node_row(family, row), sum.node_row(family, row)}; }
  Place edge_row(std::int32_t family, std::size_t row) noexcept { return {weights.edge_row(family, row), sum.edge_row(family, row)}; }
  Place given_row(std::size_t row) noexcept { return {weights.given_row(row), sum.given_row(row)}; }
  Place transition_row() noexcept { return {weights.transition_row(), sum.transition_row()}; }
};

}  // namespace

template <class Real>
EpochResult ChainMira<Real>::epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                                   std::span<const double> sentence_weights, std::span<const double> class_weights, const Poll& poll) {
  check_exact(index, weights_.current.labels);
  weights_.grow(index, instances.given_size);
  check_fit(index, weights_.current, instances);
  cost_of_.assign(static_cast<std::size_t>(weights_.current.labels), spec_.cost);
  for (std::size_t j = 0; j < class_weights.size(); ++j) cost_of_[j] *= class_weights[j];
  EpochResult result;
  ExactChain<Real> chain(index, weights_.current, constraint_, instances);
  PollClock clock(weights_.current.labels);
  for (const std::int64_t s : order) {
    if (clock.due(instances.length(s)) && !poll(result.sentences)) break;
    ++result.sentences;
    if (instances.length(s) > 0) {
      result.tokens += instances.length(s);
      find_rivals(index, instances, s, chain, result);
      result.updates += step(spec_.c * (sentence_weights.empty() ? 1.0 : sentence_weights[s]));
    }
    weights_.tick();
  }
  return result;
}

template <class Real>
void ChainMira<Real>::find_rivals(const FeatureIndex& index, const Instances& instances, std::int64_t s, ExactChain<Real>& chain,
                                  EpochResult& result) {
  const std::int32_t* gold = instances.labels.data() + instances.starts[s];
  const auto length = static_cast<std::size_t>(instances.length(s));
  rival_count_ = 0;
  found_.clear();
  add_hamming_by_token(chain.open(s), gold, [&](std::int32_t t) { return cost_of_[gold[t]]; });
  if (spec_.k > 1) chain.open_list();
  for (std::int64_t n = 0; n < spec_.k; ++n) {
    found_.resize(found_.size() + length);
    std::int32_t* found = found_.data() + found_.size() - length;
    if (spec_.k == 1) {
      chain.best(found);
    } else if (!chain.next(found)) {
      found_.resize(found_.size() - length);
      break;
    }
  }
  if (found_.empty()) return;  // nothing is allowed
  for (std::size_t t = 0; t < length; ++t) result.wrong_tokens += found_[t] != gold[t];
  make_rows(instances, s);
  for (std::size_t from = 0; from < found_.size(); from += length) add_rival(index, instances, s, found_.data() + from);
}

// The features of earlier labels of all outputs, before anything points into their weights.
template <class Real>
void ChainMira<Real>::make_rows(const Instances& instances, std::int64_t s) {
  const std::int32_t* gold = instances.labels.data() + instances.starts[s];
  for (std::size_t from = 0; from < found_.size(); from += static_cast<std::size_t>(instances.length(s)))
    each_history_difference(weights_.current.history, instances, s, gold, found_.data() + from,
                            [](std::int64_t, std::int32_t, std::int32_t) {});
  weights_.grow_history();
}

template <class Real>
void ChainMira<Real>::add_rival(const FeatureIndex& index, const Instances& instances, std::int64_t s, const std::int32_t* found) {
  const std::int32_t* gold = instances.labels.data() + instances.starts[s];
  if (std::equal(gold, gold + instances.length(s), found)) return;
  if (rivals_.size() == rival_count_) rivals_.emplace_back();
  Rival& rival = rivals_[rival_count_];
  rival.difference.clear();
  const std::int32_t stride = weights_.current.stride;
  using Place = typename PlacedDifference<Real>::Place;
  const auto add = [&](Place row, std::size_t right, std::size_t wrong, float value) {
    rival.difference.add({row.weight + right, row.sum + right}, value);
    rival.difference.add({row.weight + wrong, row.sum + wrong}, -value);
  };
  TwinRows<Real> twins{weights_.current, weights_.sum()};
  const RowReader rows(index, twins, instances);
  double loss = 0;
  for (std::int64_t t = 0; t < instances.length(s); ++t) {
    const bool differs = gold[t] != found[t];
    if (differs) {
      loss += cost_of_[gold[t]];
      rows.nodes(s, t, [&](Place row, float value) { add(row, gold[t], found[t], value); });
    }
    if (t == 0 || (!differs && gold[t - 1] == found[t - 1])) continue;
    rows.edges(s, t, [&](Place row, float value) {
      add(row, std::size_t(gold[t - 1]) * stride + gold[t], std::size_t(found[t - 1]) * stride + found[t], value);
    });
  }
  each_history_difference(weights_.current.history, instances, s, gold, found, [&](std::int64_t t, std::int32_t right, std::int32_t wrong) {
    const Place first{weights_.current.history_rows.data(), weights_.sum().history_rows.data()};
    add(first, std::size_t(right) * stride + gold[t], std::size_t(wrong) * stride + found[t], 1.0f);
  });
  rival.squared_norm = rival.difference.squared_norm();
  rival.shortfall = loss - rival.difference.score();
  if (rival.squared_norm > 0) ++rival_count_;  // otherwise no step could tell them apart
}

// Whether the weights have changed.
template <class Real>
bool ChainMira<Real>::step(double cap) {
  constexpr double rounding = 1e-6;  // a margin that was just reached may seem to fall short by so much of the cost
  const std::size_t n = rival_count_;
  const auto lacks = [&](const Rival& rival) { return rival.shortfall > rounding * spec_.cost; };
  if (std::none_of(rivals_.begin(), rivals_.begin() + static_cast<std::ptrdiff_t>(n), lacks)) return false;
  std::vector<double> steps{std::clamp(rivals_[0].shortfall / rivals_[0].squared_norm, 0.0, cap)};
  if (n > 1) {
    std::vector<double> shortfalls, products(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      shortfalls.push_back(rivals_[i].shortfall);
      products[i * n + i] = rivals_[i].squared_norm;
      for (std::size_t j = 0; j < i; ++j) products[i * n + j] = products[j * n + i] = rivals_[i].difference.dot(rivals_[j].difference);
    }
    steps = hildreth(shortfalls, products, cap);
  }
  bool changed = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (steps[i] == 0) continue;
    changed = true;
    rivals_[i].difference.apply(steps[i], weights_.count());
  }
  return changed;
}

template class ChainMira<float>;
template class ChainMira<double>;

}  // namespace riata
