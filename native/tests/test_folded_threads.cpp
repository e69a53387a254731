// Threads that add new types to a folded model while others decode: the labels are the same as with one thread.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/rng.hpp"
#include "inference/structures/folded.hpp"
#include "tests/check.hpp"

using namespace riata;

namespace {

constexpr std::int32_t labels = 3;

struct Model {
  Alphabet values;
  FeatureIndex index{{{-1, 0, 0}, {0, 0, 1}}, {{0, -1, false}, {0, 0, false}, {1, 0, false}, {0, 0, true}}, 1, true};
  Weights<float> weights{labels};

  Model() {
    Rng rng(5);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < 200; ++i) tokens.push_back(values.add("w" + std::to_string(rng.below(60))));
    const std::vector<std::int64_t> starts{0, 80, 200};
    index.extend({{tokens}, starts}, 1);
    weights.grow(index, 0);
    for (float& value : weights.flat) value = static_cast<float>(rng.below(2000)) / 100 - 10;
  }
};

// The labels of sentences of known and new words, whose types are looked up on the way.
std::vector<std::int32_t> label(Folded& folded, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) words.push_back("w" + std::to_string(rng.below(600)));
  const std::vector<std::string_view> views(words.begin(), words.end());
  std::vector<std::vector<std::int32_t>> types(1, std::vector<std::int32_t>(words.size()));
  CHECK(folded.resolve(0, views, types[0].data()));
  const std::vector<std::int64_t> starts{0, 7, 7, 150, 300};
  return folded.decode(types, starts, seed % 2 == 0 ? 1 : 2, [](std::int64_t) { return true; });
}

}  // namespace

int main() {
  const Model model;
  const std::vector<std::uint8_t> ends(labels, 1), pairs(labels * labels, 1);
  const auto weights =
      std::make_shared<const FoldedWeights>(model.index, model.weights, Constraint<float>(labels, model.weights.stride, ends, ends, pairs),
                                            std::vector<AttributeSource>{{native_attribute("identity"), &model.values}}, WordChoices());
  constexpr std::uint64_t count = 6;
  std::vector<std::vector<std::int32_t>> expected(count), found(count);
  Folded alone(weights), shared(weights);
  for (std::uint64_t s = 0; s < count; ++s) expected[s] = label(alone, s);
  for (int repeated = 0; repeated < 5; ++repeated) {
    Folded table = shared.fresh();
    std::vector<std::thread> threads;
    for (std::uint64_t s = 0; s < count; ++s) threads.emplace_back([&, s] { found[s] = label(table, s); });
    for (std::thread& thread : threads) thread.join();
    CHECK(found == expected);
  }
  return 0;
}
