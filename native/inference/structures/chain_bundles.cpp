#include "inference/structures/chain_bundles.hpp"

#include <algorithm>
#include <cstddef>

namespace riata {
namespace {

// Calls visit(sentence, token of the sentence, token) for all tokens.
template <class Visit>
void each_token(const Corpus& corpus, Visit visit) {
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    for (std::int64_t t = 0; t < corpus.length(s); ++t) visit(s, t, corpus.instances.starts[static_cast<std::size_t>(s)] + t);
  }
}

std::vector<std::int64_t> as_starts(std::vector<std::int64_t> counts) {
  counts.insert(counts.begin(), 0);
  for (std::size_t k = 1; k < counts.size(); ++k) counts[k] += counts[k - 1];
  return counts;
}

}  // namespace

ChainBundles::ChainBundles(const Corpus& corpus, const Layout& layout, const std::vector<bool>& counts)
    : corpus_(corpus),
      layout_(layout),
      there_(chain_weights(corpus.index, layout, corpus.instances, FeatureLabels::seen)),
      bundle_at_(static_cast<std::size_t>(layout.size / layout.stride), -1) {
  const RowReader<const Layout> rows(corpus.index, layout, corpus.instances);
  number_bundles(rows);
  list_tokens(rows, counts);
  list_blocks(rows, counts);
  invert();
}

void ChainBundles::number_bundles(const RowReader<const Layout>& rows) {
  constexpr std::int32_t of_label = 1, of_pair = 2;
  const auto at = [&](std::int64_t place) -> std::int32_t& { return bundle_at_[static_cast<std::size_t>(place / layout_.stride)]; };
  each_token(corpus_, [&](std::int64_t s, std::int64_t t, std::int64_t) {
    rows.nodes(s, t, [&](std::int64_t place, float) { at(place) = of_label; });
    rows.edges(s, t, [&](std::int64_t place, float) { at(place) = of_pair; });
  });
  place_.resize(static_cast<std::size_t>(size()));
  there_.each([&](std::int32_t feature, std::int64_t place) { place_[static_cast<std::size_t>(feature)] = place; });
  for (std::size_t row = 0; row < bundle_at_.size(); ++row) {
    if (bundle_at_[row] < 0) continue;
    const bool pair = bundle_at_[row] == of_pair;
    bundle_at_[row] = static_cast<std::int32_t>(row_.size());
    row_.push_back(static_cast<std::int64_t>(row) * layout_.stride);
    first_.push_back(there_.first(row_.back()));
    is_pair_.push_back(pair);
  }
  first_.push_back(static_cast<std::int32_t>(size()));
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(row_.size()); ++b) {
    for (std::int32_t k = first(b); k < end(b); ++k) {
      bundle_.push_back(b);
      cell_.push_back(static_cast<std::int32_t>(place_[static_cast<std::size_t>(k)] - row(b)));
    }
  }
}

void ChainBundles::list_tokens(const RowReader<const Layout>& rows, const std::vector<bool>& counts) {
  const bool valued = corpus_.instances.valued();
  token_starts_.push_back(0);
  each_token(corpus_, [&](std::int64_t s, std::int64_t t, std::int64_t) {
    sentence_of_.push_back(static_cast<std::int32_t>(s));
    if (counts[static_cast<std::size_t>(s)]) {
      rows.nodes(s, t, [&](std::int64_t place, float value) {
        token_bundles_.push_back(bundle_at_[static_cast<std::size_t>(place / layout_.stride)]);
        if (valued) token_values_.push_back(value);
      });
    }
    token_starts_.push_back(static_cast<std::int64_t>(token_bundles_.size()));
  });
}

void ChainBundles::list_blocks(const RowReader<const Layout>& rows, const std::vector<bool>& counts) {
  std::vector<std::int32_t> last(row_.size(), -1);  // the last block of every bundle
  step_starts_.push_back(0);
  block_at_.push_back(0);
  for (std::int64_t s = 0; s < corpus_.sentences(); ++s) {
    const Codes truth = corpus_.gold_of(s);
    sentence_blocks_.push_back(blocks());
    for (std::int64_t t = 0; t < corpus_.length(s); ++t) {
      const auto add = [&](std::int64_t place, float) {
        const std::int32_t bundle = bundle_at_[static_cast<std::size_t>(place / layout_.stride)];
        std::int32_t& block = last[static_cast<std::size_t>(bundle)];
        if (block < 0 || block_sentence(block) != s) {
          block = static_cast<std::int32_t>(blocks());
          block_bundle_.push_back(bundle);
          block_sentence_.push_back(static_cast<std::int32_t>(s));
          block_at_.push_back(block_at_.back() + end(bundle) - first(bundle));
        }
        const std::int64_t pair =
            truth[static_cast<std::size_t>(t) - 1] * std::int64_t{layout_.stride} + truth[static_cast<std::size_t>(t)];
        const auto low = cell_.begin() + first(bundle);
        step_blocks_.push_back(block);
        step_truth_.push_back(static_cast<std::int32_t>(std::lower_bound(low, cell_.begin() + end(bundle), pair) - low));
      };
      if (counts[static_cast<std::size_t>(s)]) rows.edges(s, t, add);
      step_starts_.push_back(static_cast<std::int64_t>(step_blocks_.size()));
    }
  }
  sentence_blocks_.push_back(blocks());
}

void ChainBundles::invert() {
  std::vector<std::int64_t> counts(row_.size(), 0);
  for (const std::int32_t bundle : token_bundles_) ++counts[static_cast<std::size_t>(bundle)];
  bundle_starts_ = as_starts(std::move(counts));
  tokens_.resize(token_bundles_.size());
  values_.resize(token_values_.size());
  std::vector<std::int64_t> next = bundle_starts_;
  for (std::int64_t n = 0; n < corpus_.instances.tokens(); ++n) {
    const auto bundles = of_token(n);
    for (std::size_t k = 0; k < bundles.size(); ++k) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(bundles[k])]++);
      tokens_[to] = static_cast<std::int32_t>(n);
      if (!values_.empty()) values_[to] = value_of_token(n, k);
    }
  }
  counts.assign(row_.size(), 0);
  for (const std::int32_t bundle : block_bundle_) ++counts[static_cast<std::size_t>(bundle)];
  bundle_block_starts_ = as_starts(std::move(counts));
  bundle_blocks_.resize(block_bundle_.size());
  next = bundle_block_starts_;
  for (std::int64_t block = 0; block < blocks(); ++block)
    bundle_blocks_[static_cast<std::size_t>(next[static_cast<std::size_t>(block_bundle(block))]++)] = static_cast<std::int32_t>(block);
}

std::vector<FeatureRange> ChainBundles::ranges() const {
  std::vector<FeatureRange> out(static_cast<std::size_t>(size()));
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(row_.size()); ++b) {
    if (!is_pair(b)) add_token_ranges(b, out);
  }
  for (std::int64_t s = 0; s < corpus_.sentences(); ++s) add_pair_ranges(s, out);
  return out;
}

// An output may give the label to any of the tokens that have the feature.
void ChainBundles::add_token_ranges(std::int32_t b, std::vector<FeatureRange>& out) const {
  const auto tokens = this->tokens(b);
  std::vector<double> truth(static_cast<std::size_t>(layout_.labels));
  for (std::size_t k = 0; k < tokens.size();) {
    const std::int32_t s = sentence(tokens[k]);
    std::ranges::fill(truth, 0);
    double most = 0, least = 0;
    for (; k < tokens.size() && sentence(tokens[k]) == s; ++k) {
      const auto v = double(value(b, k));
      (v > 0 ? most : least) += v;
      truth[static_cast<std::size_t>(corpus_.gold[static_cast<std::size_t>(tokens[k])])] += v;
    }
    for (std::int32_t f = first(b); f < end(b); ++f) {
      FeatureRange& range = out[static_cast<std::size_t>(f)];
      range.high = std::max(range.high, most - truth[static_cast<std::size_t>(cell(f))]);
      range.low = std::min(range.low, least - truth[static_cast<std::size_t>(cell(f))]);
    }
  }
}

// An output may have a pair of equal labels at every step that has the feature, and a pair of different labels at every other one of those
// that follow each other.
void ChainBundles::add_pair_ranges(std::int64_t s, std::vector<FeatureRange>& out) const {
  const std::int64_t from = first_block(s), count = first_block(s + 1) - from;
  std::vector<double> steps(static_cast<std::size_t>(count), 0), apart(static_cast<std::size_t>(count), 0);
  std::vector<std::int64_t> last(static_cast<std::size_t>(count), -1), run(static_cast<std::size_t>(count), 0);
  std::vector<double> truth(static_cast<std::size_t>(block_at(from + count) - block_at(from)), 0);
  for (std::int64_t t = 1; t < corpus_.length(s); ++t) {
    const std::int64_t n = corpus_.instances.starts[static_cast<std::size_t>(s)] + t;
    const auto blocks = blocks_into(n), right = truth_into(n);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const auto b = static_cast<std::size_t>(blocks[k] - from);
      run[b] = last[b] == t - 1 ? run[b] + 1 : 1;
      last[b] = t;
      steps[b] += 1;
      apart[b] += double(run[b] % 2);
      truth[static_cast<std::size_t>(block_at(blocks[k]) - block_at(from) + right[k])] += 1;
    }
  }
  for (std::int64_t block = from; block < from + count; ++block) {
    const std::int32_t bundle = block_bundle(block);
    for (std::int32_t f = first(bundle); f < end(bundle); ++f) {
      const bool equal = cell(f) / layout_.stride == cell(f) % layout_.stride;
      const double most = (equal ? steps : apart)[static_cast<std::size_t>(block - from)];
      const double has = truth[static_cast<std::size_t>(block_at(block) - block_at(from) + f - first(bundle))];
      FeatureRange& range = out[static_cast<std::size_t>(f)];
      range.high = std::max(range.high, most - has);
      range.low = std::min(range.low, -has);
    }
  }
}

}  // namespace riata
