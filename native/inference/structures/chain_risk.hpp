// The labels of least expected loss under a chain that reads up to two labels back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/constraint.hpp"
#include "inference/exact/chunk_choice.hpp"
#include "inference/exact/likeliest_labels.hpp"
#include "inference/risk.hpp"
#include "inference/structures/chain_chunks.hpp"
#include "inference/structures/exact_chain.hpp"

namespace riata {

// Labels are legal if the constraint allows them and the scores of the sentence do.
template <class Real>
class ChainRisk {
 public:
  // The constraint, and what the flags of the risk view, must outlive the object.
  ChainRisk(std::int32_t labels, const Constraint<Real>& constraint, const Risk& risk)
      : risk_(risk), one_back_(labels), likeliest_(labels, constraint.follow.data()) {
    if (!risk.chunks) return;
    chunk_labels_.emplace(labels, risk.flags);
    chosen_.emplace(*chunk_labels_, constraint.follow.data());
    one_back_chunks_.emplace(*chunk_labels_);
    two_back_chunks_.emplace(*chunk_labels_);
  }

  // Writes the labels of the open sentence, [length]. If no labels are legal, they are those of `best`.
  ExpectedRight operator()(OpenChain<Real>& open, std::int32_t* out);

 private:
  template <class Posteriors, class Chunks>
  ExpectedRight choose(Posteriors& posteriors, Chunks& chunks, OpenChain<Real>& open, std::int32_t* out);

  Risk risk_;
  FirstOrderPosteriors<Real> one_back_;
  std::optional<SecondOrderPosteriors<Real>> two_back_;
  LikeliestLabels likeliest_;
  std::optional<ChunkLabels> chunk_labels_;
  std::optional<ChunkChoice> chosen_;
  std::optional<FirstOrderChunks<Real>> one_back_chunks_;
  std::optional<SecondOrderChunks<Real>> two_back_chunks_;
  std::vector<ProbableChunk> chunks_;
};

extern template class ChainRisk<float>;
extern template class ChainRisk<double>;

}  // namespace riata
