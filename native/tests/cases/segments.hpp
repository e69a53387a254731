// Labelled segments whose segmentations are all listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "inference/structures/segment_model.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {

// All segmentations of `length` tokens into segments that the coding allows.
inline std::vector<Output> segmentations(const SegmentCoding& coding, std::int32_t length) {
  if (length == 0) return {{}};
  std::vector<Output> found;
  for (Length l(1); l <= std::min(coding.most, Length(length)); ++l) {
    for (const Output& tail : segmentations(coding, length - l)) {
      for (LabelId label(0); label.number() < coding.labels; ++label) {
        if (!coding.allows(l, label)) continue;
        Output codes(l.place(), -1);
        codes[0] = coding.code(l, label);
        codes.insert(codes.end(), tail.begin(), tail.end());
        found.push_back(std::move(codes));
      }
    }
  }
  return found;
}

// The number of wrong segments plus the number of missed true segments.
inline double wrong_and_missed(Codes gold, Codes output) {
  double loss = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) loss += gold[t] == output[t] ? 0 : (gold[t] >= 0) + (output[t] >= 0);
  return loss;
}

// The weight of wrong segments plus that of missed true segments. A segment weighs as much as its tokens on average; a token weighs as much
// as the label of its true segment.
inline double weighted_wrong_and_missed(const SegmentCoding& coding, Codes gold, Codes output, std::span<const double> weights) {
  std::vector<double> of_tokens;
  for (const std::int32_t code : gold) of_tokens.push_back(code < 0 ? of_tokens.back() : weights[coding.label(code).place()]);
  const auto weight = [&](std::size_t t, std::int32_t code) {
    const auto first = of_tokens.begin() + static_cast<std::ptrdiff_t>(t);
    const std::int32_t length = coding.length(code).number();
    return code < 0 ? 0 : std::accumulate(first, first + length, 0.0) / length;
  };
  double loss = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) loss += gold[t] == output[t] ? 0 : weight(t, gold[t]) + weight(t, output[t]);
  return loss;
}

// The labels of tokens, each with whether a segment begins there.
inline std::vector<std::pair<std::int32_t, bool>> as_tokens(const SegmentCoding& coding, Codes output) {
  std::vector<std::pair<std::int32_t, bool>> out;
  for (const std::int32_t code : output) out.push_back({code < 0 ? out.back().first : coding.label(code).number(), code >= 0});
  return out;
}

inline double wrong_tokens(const SegmentCoding& coding, Codes gold, Codes output, std::span<const double> weights) {
  const auto truth = as_tokens(coding, gold), found = as_tokens(coding, output);
  double loss = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) loss += truth[t] == found[t] ? 0 : weights[static_cast<std::size_t>(truth[t].first)];
  return loss;
}

inline double one_minus_f1(const SegmentCoding& coding, Codes gold, Codes output) {
  const auto chunks = [&](Codes codes) {
    std::set<std::pair<std::size_t, std::int32_t>> found;
    for (std::size_t t = 0; t < codes.size(); ++t) {
      if (codes[t] >= 0 && coding.label(codes[t]) != coding.outside) found.insert({t, codes[t]});
    }
    return found;
  };
  const auto truth = chunks(gold), found = chunks(output);
  if (truth.empty() && found.empty()) return 0;
  double both = 0;
  for (const auto& chunk : found) both += truth.contains(chunk);
  const double precision = found.empty() ? 0 : both / double(found.size()), recall = truth.empty() ? 0 : both / double(truth.size());
  return both == 0 ? 1 : 1 - 2 * precision * recall / (precision + recall);
}

// most: largest number of tokens of a segment, while true segments may have up to 3. further: reads more than exact search distinguishes.
inline Case enumerated_segments(Rng& rng, std::int32_t most, bool further) {
  const SegmentCoding coding{3, LabelId(0), Length(most)}, of_truth{3, LabelId(0), Length(3)};
  auto out = std::make_unique<Enumerated>(
      "segments", FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}, {0, 1}, {1, 0}}));
  out->exact = !further;
  std::vector<BackSlot> back{{{1}, false, -1, 0, false}, {{1}, false, 0, 0, false}};
  if (further) back.push_back({{1, 2}, true, -1, 0, false});
  const SegmentTemplates templates(out->index, {{Role::inside, 0, 0}, {Role::inside, 1, 0}, {Role::first, 0, -1}, {Role::last, 0, 1}}, true,
                                   {{0, 0}, {0, 1}}, std::move(back));
  out->instances = RandomSentences(rng, 4, [](const auto&) { return 0; }).entered(out->index);
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    const std::vector<Output> every = segmentations(of_truth, static_cast<std::int32_t>(out->instances.length(s)));
    Output one = every[rng.below(every.size())];
    for (std::int32_t& code : one) code = code < 0 ? code : coding.code(of_truth.length(code), of_truth.label(code));
    out->gold.insert(out->gold.end(), one.begin(), one.end());
  }
  out->instances.labels.clear();  // they are set to the labels of the true segments below
  for (const std::int32_t code : out->gold)
    out->instances.labels.push_back(code < 0 ? out->instances.labels.back() : coding.label(code).number());
  out->model = std::make_unique<SegmentModel<double>>(templates, SegmentWeights<double>{coding, GrownRows(templates.slots()), {}});
  out->outputs = [coding](std::int32_t length) { return segmentations(coding, length); };
  out->loss = wrong_and_missed;
  out->weighted_loss = [coding](Codes gold, Codes output, std::span<const double> weights) {
    return weighted_wrong_and_missed(coding, gold, output, weights);
  };
  out->token_loss = [coding](Codes gold, Codes output, std::span<const double> weights) {
    return wrong_tokens(coding, gold, output, weights);
  };
  out->span_loss = [coding](Codes gold, Codes output) { return one_minus_f1(coding, gold, output); };
  list_outputs(*out, rng);
  return out;
}

}  // namespace riata::test
