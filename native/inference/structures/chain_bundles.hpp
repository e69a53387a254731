// Which features of a chain may occur where: by token, and by feature (an inverted index).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/single_weights.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "models/layout.hpp"

namespace riata {

// A bundle is a feature of a token with every label, or a feature of two neighbouring tokens (which may be empty: the plain pair of labels)
// with every pair of labels. Features are those that the truth has, in the order of their places among the weights.
class ChainBundles {
 public:
  // counts: whether a sentence counts; others are left out of all lists.
  ChainBundles(const Corpus& corpus, const Layout& layout, const std::vector<bool>& counts);

  std::int64_t size() const noexcept { return there_.size(); }
  std::int64_t place(std::int64_t feature) const noexcept { return place_[static_cast<std::size_t>(feature)]; }
  std::int32_t bundle(std::int64_t feature) const noexcept { return bundle_[static_cast<std::size_t>(feature)]; }
  std::span<const std::int32_t> bundles() const noexcept { return first_; }
  std::int32_t first(std::int32_t bundle) const noexcept { return first_[static_cast<std::size_t>(bundle)]; }
  std::int32_t end(std::int32_t bundle) const noexcept { return first_[static_cast<std::size_t>(bundle) + 1]; }
  bool is_pair(std::int32_t bundle) const noexcept { return is_pair_[static_cast<std::size_t>(bundle)]; }
  // The place of a bundle's first weight of all labels, whether the truth has it or not.
  std::int64_t row(std::int32_t bundle) const noexcept { return row_[static_cast<std::size_t>(bundle)]; }
  // Where a feature stands in a row of labels, or in a table [label before][stride].
  std::int32_t cell(std::int64_t feature) const noexcept { return cell_[static_cast<std::size_t>(feature)]; }

  // The features of a token, each with a value: bundles of single labels.
  std::span<const std::int32_t> of_token(std::int64_t n) const noexcept { return part(token_starts_, token_bundles_, n); }
  float value_of_token(std::int64_t n, std::size_t k) const noexcept {
    return token_values_.empty() ? 1.0f : token_values_[static_cast<std::size_t>(token_starts_[static_cast<std::size_t>(n)]) + k];
  }
  // The tokens that have a bundle of single labels, in ascending order.
  std::span<const std::int32_t> tokens(std::int32_t bundle) const noexcept { return part(bundle_starts_, tokens_, bundle); }
  float value(std::int32_t bundle, std::size_t k) const noexcept {
    return values_.empty() ? 1.0f : values_[static_cast<std::size_t>(bundle_starts_[static_cast<std::size_t>(bundle)]) + k];
  }

  // A block holds one number for every feature of a bundle of label pairs in one sentence. Blocks are numbered sentence by sentence; their
  // numbers stand one after the other, from block_at(block) on.
  std::span<const std::int32_t> blocks_into(std::int64_t n) const noexcept { return part(step_starts_, step_blocks_, n); }
  // Where the true pair of the step into token n stands in each of its blocks.
  std::span<const std::int32_t> truth_into(std::int64_t n) const noexcept { return part(step_starts_, step_truth_, n); }
  std::int64_t first_block(std::int64_t s) const noexcept { return sentence_blocks_[static_cast<std::size_t>(s)]; }
  std::int64_t block_at(std::int64_t block) const noexcept { return block_at_[static_cast<std::size_t>(block)]; }
  std::int32_t block_bundle(std::int64_t block) const noexcept { return block_bundle_[static_cast<std::size_t>(block)]; }
  std::int32_t block_sentence(std::int64_t block) const noexcept { return block_sentence_[static_cast<std::size_t>(block)]; }
  std::int64_t blocks() const noexcept { return static_cast<std::int64_t>(block_bundle_.size()); }
  // The blocks of a bundle of label pairs, in ascending order.
  std::span<const std::int32_t> blocks_of(std::int32_t bundle) const noexcept { return part(bundle_block_starts_, bundle_blocks_, bundle); }

  std::int32_t sentence(std::int64_t n) const noexcept { return sentence_of_[static_cast<std::size_t>(n)]; }
  // For every feature, over all outputs of the sentences that count.
  std::vector<FeatureRange> ranges() const;

 private:
  template <class T>
  static std::span<const T> part(const std::vector<std::int64_t>& starts, const std::vector<T>& of, std::int64_t k) noexcept {
    const auto low = static_cast<std::size_t>(starts[static_cast<std::size_t>(k)]);
    return {of.data() + low, static_cast<std::size_t>(starts[static_cast<std::size_t>(k) + 1]) - low};
  }
  void number_bundles(const RowReader<const Layout>& rows);
  void list_tokens(const RowReader<const Layout>& rows, const std::vector<bool>& counts);
  void list_blocks(const RowReader<const Layout>& rows, const std::vector<bool>& counts);
  void invert();
  void add_token_ranges(std::int32_t bundle, std::vector<FeatureRange>& out) const;
  void add_pair_ranges(std::int64_t s, std::vector<FeatureRange>& out) const;

  Corpus corpus_;
  const Layout& layout_;
  RowWeights there_;
  std::vector<std::int32_t> bundle_at_;                      // [rows] bundle that starts at a row, -1: none
  std::vector<std::int64_t> row_;                            // [bundles]
  std::vector<bool> is_pair_;                                // [bundles]
  std::vector<std::int32_t> first_;                          // [bundles + 1]
  std::vector<std::int64_t> place_;                          // [features]
  std::vector<std::int32_t> bundle_, cell_;                  // [features]
  std::vector<std::int32_t> sentence_of_;                    // [tokens]
  std::vector<std::int64_t> token_starts_, step_starts_;     // [tokens + 1]
  std::vector<std::int32_t> token_bundles_;                  // token by token
  std::vector<std::int32_t> step_blocks_, step_truth_;       // token by token
  std::vector<float> token_values_, values_;                 // as many as token_bundles_ and tokens_; empty if all are 1
  std::vector<std::int64_t> bundle_starts_;                  // [bundles + 1]
  std::vector<std::int32_t> tokens_;                         // bundle by bundle
  std::vector<std::int64_t> sentence_blocks_;                // [sentences + 1]
  std::vector<std::int64_t> block_at_;                       // [blocks + 1]
  std::vector<std::int32_t> block_bundle_, block_sentence_;  // [blocks]
  std::vector<std::int64_t> bundle_block_starts_;            // [bundles + 1]
  std::vector<std::int32_t> bundle_blocks_;                  // bundle by bundle
};

}  // namespace riata
