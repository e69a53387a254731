// The feature index built by several threads has the same n-grams with the same numbers as built by one. Also run under ThreadSanitizer.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/rng.hpp"
#include "core/tasks.hpp"
#include "features/index.hpp"
#include "tests/check.hpp"

using namespace riata;

namespace {

struct Corpus {
  std::vector<std::vector<std::int32_t>> values;
  std::vector<std::int64_t> starts{0};

  Corpus(Rng& rng, std::int32_t sentences, const std::vector<std::uint64_t>& sizes) : values(sizes.size()) {
    for (std::int32_t s = 0; s < sentences; ++s) {
      for (std::uint64_t t = rng.below(12); t > 0; --t) {
        for (std::size_t a = 0; a < sizes.size(); ++a) values[a].push_back(static_cast<std::int32_t>(rng.below(sizes[a] + 1)) - 1);
      }
      starts.push_back(static_cast<std::int64_t>(values[0].size()));
    }
  }
  Tokens tokens() const { return {{values.begin(), values.end()}, starts}; }
};

// A small and a large attribute, their n-grams, and two families that combine both.
FeatureIndex empty_index() {
  const std::vector<FamilySpec> families{{-1, 0, 0}, {0, 0, 1}, {1, 0, 2}, {-1, 1, 0}, {3, 1, 1}, {4, 1, 2}, {0, 1, 1}, {3, 0, 0}};
  std::vector<TemplateSpec> templates;
  for (std::int32_t f = 1; f < 8; ++f) templates.push_back({f, -1, false});
  templates.push_back({7, 2, true});
  return FeatureIndex(families, templates, 2, true);
}

bool same_ngrams(const FeatureIndex& a, const FeatureIndex& b) {
  for (std::int32_t f = 0; f < a.families(); ++f) {
    if (a.size(f) != b.size(f)) return false;
    for (std::int32_t id = 0; id < a.size(f); ++id) {
      if (a.parent(f, id) != b.parent(f, id) || a.value(f, id) != b.value(f, id)) return false;
      if (b.find(f, a.parent(f, id), a.value(f, id)) != id) return false;
    }
  }
  return true;
}

void threads_do_not_matter(Rng& rng, std::int32_t sentences, std::int64_t cutoff) {
  const Corpus first(rng, sentences, {5, 400}), second(rng, sentences, {7, 600});
  FeatureIndex alone = empty_index();
  alone.extend(first.tokens(), cutoff);
  const auto expected = alone.extend(second.tokens(), cutoff);
  for (const std::int64_t threads : {2, 3, 9}) {
    FeatureIndex index = empty_index();
    index.extend(first.tokens(), cutoff, threads);
    CHECK(index.extend(second.tokens(), cutoff, threads) == expected);
    CHECK(same_ngrams(alone, index));
    CHECK(index.look_up(second.tokens(), threads) == expected);
    CHECK(index.look_up(first.tokens(), threads) == alone.look_up(first.tokens()));
  }
}

void pieces_wait_for_each_other() {
  for (const std::int64_t threads : {1, 2, 8}) {
    std::vector<int> sums(50, 0);
    Tasks tasks;
    std::size_t before = tasks.add([&] { sums[0] = 1; });
    for (std::size_t k = 1; k < sums.size(); ++k) {
      tasks.add([] {});
      before = tasks.add([&, k] { sums[k] = sums[k - 1] + 1; }, {before});
    }
    tasks.run(threads);
    CHECK(sums.back() == 50);
  }
}

void an_exception_reaches_the_caller() {
  for (const std::int64_t threads : {1, 4}) {
    Tasks tasks;
    bool after = false, caught = false;
    for (int k = 0; k < 5; ++k) tasks.add([] {});
    const std::size_t bad = tasks.add([] { throw std::runtime_error("bad"); });
    tasks.add([&] { after = true; }, {bad});
    try {
      tasks.run(threads);
    } catch (const std::runtime_error&) {
      caught = true;
    }
    CHECK(caught && !after);
  }
}

}  // namespace

int main() {
  Rng rng(7);
  for (const std::int32_t sentences : {0, 1, 2, 40, 700}) {
    for (const std::int64_t cutoff : {1, 2, 3}) threads_do_not_matter(rng, sentences, cutoff);
  }
  pieces_wait_for_each_other();
  an_exception_reaches_the_caller();
}
