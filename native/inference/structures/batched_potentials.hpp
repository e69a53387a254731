// Potentials over the sentences of a corpus, which are processed in batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/instances.hpp"
#include "inference/potentials.hpp"

namespace riata {

class BatchedPotentials : public Potentials {
 public:
  BatchedPotentials(const BatchedPotentials&) = delete;
  BatchedPotentials& operator=(const BatchedPotentials&) = delete;

  std::int64_t sentences() const noexcept final { return instances_.sentences(); }
  std::span<const SentenceRange> batches() const noexcept final { return batches_; }
  void start(std::size_t batch) final { batch_ = batch; }

 protected:
  // instances must outlive the potentials.
  explicit BatchedPotentials(const Instances& instances, std::vector<SentenceRange> batches = {})
      : instances_(instances), batches_(std::move(batches)) {}

  // Batches of at most `most` tokens; of fewer if there are many labels.
  static std::vector<SentenceRange> batches_of_tokens(const Instances& instances, std::int64_t most, std::int64_t labels) {
    return cut_batches(instances.sentences(), tokens_at_once(most, labels), [&](std::int64_t s) { return instances.length(s); });
  }

  const SentenceRange& batch() const noexcept { return batches_[batch_]; }                  // the present batch
  std::int64_t base() const noexcept { return instances_.starts[batches_[batch_].first]; }  // the first token of the present batch

  const Instances& instances_;
  std::vector<SentenceRange> batches_;
  std::size_t batch_ = 0;
};

}  // namespace riata
