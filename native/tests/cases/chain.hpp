// Chains of labels whose labellings are all listed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "inference/structures/chain_model.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {

inline std::vector<Output> labellings(std::int32_t labels, std::int32_t length) {
  if (length == 0) return {{}};
  std::vector<Output> found;
  for (const Output& before : labellings(labels, length - 1)) {
    for (std::int32_t label = 0; label < labels; ++label) {
      found.push_back(before);
      found.back().push_back(label);
    }
  }
  return found;
}

// A vector of three numbers for every token, the second of which is no feature. The features have the names 0 and 1.
inline void give_vectors(Rng& rng, bool half, Instances& instances) {
  constexpr std::int32_t width = 3;
  constexpr std::uint16_t some[] = {0x3C00, 0xC100, 0x0000, 0x3555, 0xB800, 0x0200};  // 1, -2.5, 0, about 1/3, -0.5, a denormal number
  const auto tokens = static_cast<std::size_t>(instances.tokens());
  auto narrow = std::make_shared<std::vector<std::uint16_t>>();
  auto wide = std::make_shared<std::vector<float>>();
  for (std::size_t i = 0; i < tokens * width; ++i) {
    narrow->push_back(some[rng.below(6)]);
    wide->push_back(widened(narrow->back()));
  }
  for (std::size_t n = 0; n < tokens; ++n)
    instances.vectors.rows.push_back(half ? static_cast<const void*>(narrow->data() + n * width) : wide->data() + n * width);
  instances.vectors.half = half;
  instances.vectors.columns = {0, 2};
  instances.vectors.names = {1, 0};
  if (half)
    instances.vectors.owner = narrow;
  else
    instances.vectors.owner = wide;
  instances.named_size = 2;
}

// Labels of tokens, one of which may not follow another. history: templates that read earlier labels. half_vectors: whether the
// vectors of tokens have half precision; none: tokens have no vectors.
inline Case enumerated_chain(Rng& rng, std::vector<HistorySlot> history, bool exact, std::optional<bool> half_vectors = {}) {
  constexpr std::int32_t labels = 3;
  auto out = std::make_unique<Enumerated>(
      "chain", FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {{0, 0, false}, {1, -1, false}, {0, 0, true}}, 1, true, std::move(history)));
  out->exact = exact;
  out->instances = RandomSentences(rng, 5, [](const auto&) { return 0; }).entered(out->index);
  if (half_vectors) give_vectors(rng, *half_vectors, out->instances);
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    for (std::int64_t t = 0; t < out->instances.length(s); ++t) {
      const bool after_zero = t > 0 && out->gold.back() == 0;
      out->gold.push_back(static_cast<std::int32_t>(after_zero ? 2 * rng.below(2) : rng.below(labels)));
    }
  }
  out->instances.labels = out->gold;
  std::vector<std::uint8_t> follow(labels * labels, 1);
  follow[1] = 0;  // label 1 may not follow label 0
  const std::vector<std::uint8_t> all(labels, 1);
  out->model = std::make_unique<ChainModel<double>>(Weights<double>(labels), Constraint<double>(labels, padded(labels), all, all, follow));
  out->outputs = [](std::int32_t length) { return labellings(labels, length); };
  out->loss = [](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != output[t];
    return wrong;
  };
  out->weighted_loss = [](Codes gold, Codes output, std::span<const double> weights) {
    double loss = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) loss += gold[t] == output[t] ? 0 : weights[static_cast<std::size_t>(gold[t])];
    return loss;
  };
  out->token_loss = out->weighted_loss;
  out->cost_loss = [](Codes gold, Codes output, std::span<const double> costs) {
    double loss = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) loss += costs[static_cast<std::size_t>(gold[t] * labels + output[t])];
    return loss;
  };
  list_outputs(*out, rng);
  return out;
}

}  // namespace riata::test
