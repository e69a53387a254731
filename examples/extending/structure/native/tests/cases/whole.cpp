// Labels of whole sentences, all listed: with this file the structure is checked like every other.
#include "inference/structures/whole_structure.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {
namespace {

std::vector<Case> whole_sentences(Rng& rng) {
  constexpr std::int32_t labels = 4;
  auto out = std::make_unique<Enumerated>("whole", FeatureIndex({{-1, 0, 0}}, {{0, 0, false}, {0, 1, false}}, 1, false));
  out->instances = RandomSentences(rng, 5, [](const auto&) { return 0; }).entered(out->index);
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s)
    out->gold.insert(out->gold.end(), static_cast<std::size_t>(out->instances.length(s)), static_cast<std::int32_t>(rng.below(labels)));
  out->model = std::make_unique<WholeModel<double>>(Weights<double>(labels), Constraint<double>::free(labels));
  out->outputs = [](std::int32_t length) {
    std::vector<Output> all;
    for (std::int32_t label = 0; label < labels; ++label) all.emplace_back(length, label);
    return all;
  };
  out->loss = [](Codes gold, Codes output) { return gold[0] == output[0] ? 0.0 : static_cast<double>(gold.size()); };
  list_outputs(*out, rng);
  std::vector<Case> cases;
  cases.push_back(std::move(out));
  return cases;
}

const RegisteredCases entered(whole_sentences);

}  // namespace
}  // namespace riata::test
