#include "inference/structures/chain_single_weights.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/tasks.hpp"
#include "inference/possible_labels.hpp"

namespace riata {
namespace {

std::vector<bool> counted(std::int64_t sentences, std::span<const double> weights) {
  std::vector<bool> out(static_cast<std::size_t>(sentences), true);
  for (std::size_t s = 0; s < weights.size(); ++s) out[s] = weights[s] > 0;
  return out;
}

}  // namespace

template <class Real>
ChainSingleWeights<Real>::ChainSingleWeights(const Corpus& corpus, const Layout& layout, Numbers<double> flat,
                                             std::span<const double> sentence_weights)
    : corpus_(corpus),
      layout_(layout),
      transitions_(corpus.index.transitions()),
      parts_(corpus_, layout_, counted(corpus.sentences(), sentence_weights)),
      ranges_(parts_.ranges()),
      flat_(std::move(flat)),
      scores_(static_cast<std::size_t>(corpus.instances.tokens() * layout.stride), 0.0),
      has_weight_(parts_.bundles().size(), false),
      of_labels_(scores_.size(), Real{0}),
      of_pairs_(static_cast<std::size_t>(parts_.block_at(parts_.blocks())), Real{0}) {
  const std::size_t square = static_cast<std::size_t>(layout.labels) * static_cast<std::size_t>(layout.stride);
  for (auto* table : {&pairs_, &forward_, &backward_}) table->assign(square, 0);
  const RowReader<const Layout> rows(corpus_.index, layout_, corpus_.instances);
  const Allowed possible = all_possible(Constraint<double>::free(layout_.labels), layout_.labels, corpus_.instances);
  limited_ = !possible.of.empty();
  for (std::int64_t s = 0; s < corpus_.sentences(); ++s) {
    for (std::int64_t t = 0; t < corpus_.length(s); ++t) {
      const std::int64_t token = corpus_.instances.starts[static_cast<std::size_t>(s)] + t;
      double* to = scores_.data() + token * layout_.stride;
      possible.forbid(token, to);
      rows.nodes(s, t, [&](std::int64_t place, float value) {
        for (std::int32_t j = 0; j < layout_.labels; ++j) to[j] += double(value) * flat_[static_cast<std::size_t>(place + j)];
      });
    }
  }
  for (std::int32_t b = 0; b + 1 < static_cast<std::int32_t>(parts_.bundles().size()); ++b) {
    if (!parts_.is_pair(b)) continue;
    const auto from = flat_.begin() + parts_.row(b);
    has_weight_[static_cast<std::size_t>(b)] =
        std::any_of(from, from + static_cast<std::ptrdiff_t>(square), [](double weight) { return weight != 0; });
  }
  make_factors();
}

template <class Real>
void ChainSingleWeights<Real>::make_factors() {
  if (transitions_) std::copy_n(flat_.begin() + layout_.transition_row(), pairs_.size(), pairs_.begin());
  highest_ = make_edge_factors(pairs_.data(), layout_.labels, forward_.data(), backward_.data());
}

template <class Real>
void ChainSingleWeights<Real>::sentences(std::int32_t bundle, std::vector<std::int32_t>& out) const {
  out.clear();
  if (parts_.is_pair(bundle)) {
    for (const std::int32_t block : parts_.blocks_of(bundle)) out.push_back(parts_.block_sentence(block));
    return;
  }
  for (const std::int32_t n : parts_.tokens(bundle)) {
    if (out.empty() || out.back() != parts_.sentence(n)) out.push_back(parts_.sentence(n));
  }
}

template <class Real>
void ChainSingleWeights<Real>::change(std::int64_t feature, double by) {
  const std::int32_t b = parts_.bundle(feature);
  flat_[static_cast<std::size_t>(parts_.place(feature))] += by;
  if (!parts_.is_pair(b)) {
    const auto tokens = parts_.tokens(b);
    for (std::size_t k = 0; k < tokens.size(); ++k)
      scores_[static_cast<std::size_t>(tokens[k] * std::int64_t{layout_.stride} + parts_.cell(feature))] += by * double(parts_.value(b, k));
    return;
  }
  has_weight_[static_cast<std::size_t>(b)] = true;
  if (transitions_ && parts_.row(b) == layout_.transition_row()) make_factors();
}

template <class Real>
std::unique_ptr<SentenceEvaluator> ChainSingleWeights<Real>::evaluator() {
  return std::make_unique<ChainEvaluator<Real>>(*this);
}

template <class Real>
void ChainSingleWeights<Real>::gather(std::span<const SentenceShare> shares, SentenceTotals& totals, std::int64_t threads) const {
  constexpr std::int64_t at_once = 64;
  const auto bundles = static_cast<std::int64_t>(parts_.bundles().size()) - 1;
  totals.gradient.assign(static_cast<std::size_t>(size()), 0);
  totals.mass.assign(static_cast<std::size_t>(bundles), 0);
  hand_out((bundles + at_once - 1) / at_once, threads, [&] { return std::vector<double>(static_cast<std::size_t>(layout_.stride)); },
           [&](std::int64_t piece, std::vector<double>& sums) {
             for (std::int64_t b = piece * at_once; b < std::min(bundles, (piece + 1) * at_once); ++b) {
               const auto bundle = static_cast<std::int32_t>(b);
               parts_.is_pair(bundle) ? gather_pairs(bundle, shares, totals) : gather_tokens(bundle, shares, sums, totals);
             }
           });
}

template <class Real>
void ChainSingleWeights<Real>::gather_tokens(std::int32_t bundle, std::span<const SentenceShare> shares, std::vector<double>& sums,
                                             SentenceTotals& totals) const {
  std::ranges::fill(sums, 0);
  const auto tokens = parts_.tokens(bundle);
  std::int32_t last = -1;
  double mass = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::int32_t s = parts_.sentence(tokens[k]);
    const SentenceShare share = shares[static_cast<std::size_t>(s)];
    if (s != last) mass += share.mass;
    last = s;
    if (share.times == 0) continue;
    const double times = share.times * double(parts_.value(bundle, k));
    const Real* from = of_labels_.data() + tokens[k] * std::int64_t{layout_.stride};
    for (std::int32_t j = 0; j < layout_.stride; ++j) sums[static_cast<std::size_t>(j)] += times * double(from[j]);
  }
  totals.mass[static_cast<std::size_t>(bundle)] = mass;
  for (std::int32_t f = parts_.first(bundle); f < parts_.end(bundle); ++f)
    totals.gradient[static_cast<std::size_t>(f)] = sums[static_cast<std::size_t>(parts_.cell(f))];
}

template <class Real>
void ChainSingleWeights<Real>::gather_pairs(std::int32_t bundle, std::span<const SentenceShare> shares, SentenceTotals& totals) const {
  const std::int32_t first = parts_.first(bundle), width = parts_.end(bundle) - first;
  double* to = totals.gradient.data() + first;
  for (const std::int32_t block : parts_.blocks_of(bundle)) {
    const SentenceShare share = shares[static_cast<std::size_t>(parts_.block_sentence(block))];
    totals.mass[static_cast<std::size_t>(bundle)] += share.mass;
    if (share.times == 0) continue;
    const Real* from = of_pairs_.data() + parts_.block_at(block);
    for (std::int32_t k = 0; k < width; ++k) to[k] += share.times * double(from[k]);
  }
}

template class ChainSingleWeights<float>;
template class ChainSingleWeights<double>;

}  // namespace riata
