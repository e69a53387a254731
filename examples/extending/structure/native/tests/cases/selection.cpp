// Half of all places, all such outputs listed: with this file the core's tests check the structure, and every learner on it.
#include "inference/parts/selection.hpp"

#include <algorithm>

#include "inference/structures/part_model.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {
namespace {

std::int32_t half(std::int32_t length) { return (length + 1) / 2; }

std::vector<Output> selections(std::int32_t length) {
  Output codes(static_cast<std::size_t>(length), 0);
  std::fill_n(codes.rbegin(), half(length), 1);
  std::vector<Output> all;
  do {
    all.push_back(codes);
  } while (std::ranges::next_permutation(codes).found);
  return all;
}

std::vector<Case> selected(Rng& rng) {
  auto out = std::make_unique<Enumerated>("selection", FeatureIndex({}, {}, 0, false));
  Instances& in = out->instances;
  in.starts = RandomSentences(rng, 2, [](const auto&) { return 0; }).starts;
  in.named_starts.push_back(0);
  for (std::int32_t t = 0; t < in.tokens(); ++t) {  // a feature of its own, so that no outputs have equal scores, and one of a few
    for (const std::int32_t feature : {static_cast<std::int32_t>(rng.below(3)), 3 + t}) {
      in.named_ids.push_back(feature);
      in.named_values.push_back(feature < 3 ? static_cast<float>(random_number(rng)) : 1);
    }
    in.named_starts.push_back(static_cast<std::int64_t>(in.named_ids.size()));
  }
  in.named_size = 3 + static_cast<std::int32_t>(in.tokens());
  for (std::int64_t s = 0; s < in.sentences(); ++s) {
    const auto length = static_cast<std::int32_t>(in.length(s));
    in.sets.push_back(selection(length, half(length)));
    const std::vector<Output> all = selections(length);
    const Output& truth = all[rng.below(all.size())];
    out->gold.insert(out->gold.end(), truth.begin(), truth.end());
  }
  out->model = std::make_unique<PartModel<double>>(1, 0);
  out->outputs = selections;
  out->loss = [](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != output[t];
    return wrong;
  };
  list_outputs(*out, rng);
  std::vector<Case> cases;
  cases.push_back(std::move(out));
  return cases;
}

const RegisteredCases entered(selected);

}  // namespace
}  // namespace riata::test
