// Heads, relations and tags that are given to a parser by moves: the outputs that searches end with, compared with all outputs that have
// them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "inference/questions.hpp"
#include "inference/rules/ruled_search.hpp"
#include "inference/structures/transition_model.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

const Poll go_on = [](std::int64_t) { return true; };

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

struct Given {
  Enumerated& in;
  const TransitionCoding& coding;
  std::vector<std::int32_t> heads, relations, tags;  // [N] given; -2: none

  // Gives some parts of an output of each sentence. Relations that training has not seen with the tags are not listed, so none are given
  // where tags restrict them.
  void draw(Rng& rng) {
    Allowed& allowed = in.instances.allowed;
    allowed = {{}, static_cast<std::size_t>(coding.relations + 5 + coding.tags), {}};
    heads.clear();
    relations.clear();
    tags.clear();
    for (const std::int64_t s : in.order()) {
      const auto& listed = in.listing[static_cast<std::size_t>(s)];
      if (in.instances.length(s) == 0) continue;
      for (const std::int32_t code : listed[rng.below(listed.size())].codes) {
        heads.push_back(rng.below(2) == 0 ? coding.head(code) : -2);
        relations.push_back(coding.tag_family < 0 && rng.below(3) == 0 ? coding.relation(code) : -2);
        tags.push_back(coding.tags > 0 && rng.below(3) == 0 ? coding.tag(code) : -2);
        const bool free = heads.back() == -2 && relations.back() == -2 && tags.back() == -2;
        allowed.of.push_back(free ? -1 : static_cast<std::int32_t>(allowed.sets.size() / allowed.width));
        if (free) continue;
        const auto flag = [&](bool is) { allowed.sets.push_back(is ? 1 : 0); };
        for (std::int32_t r = 0; r < coding.relations; ++r) flag(relations.back() == -2 || relations.back() == r);
        for (std::int32_t head = -1; head < 4; ++head) flag(heads.back() == -2 || heads.back() == head);
        for (std::int32_t tag = 0; tag < coding.tags; ++tag) flag(tags.back() == -2 || tags.back() == tag);
      }
    }
  }

  bool keeps(std::int64_t s, Codes output) const {
    for (std::size_t t = 0; t < output.size(); ++t) {
      const std::size_t n = static_cast<std::size_t>(in.instances.starts[static_cast<std::size_t>(s)]) + t;
      if (heads[n] != -2 && heads[n] != coding.head(output[t])) return false;
      if (relations[n] != -2 && relations[n] != coding.relation(output[t])) return false;
      if (tags[n] != -2 && tags[n] != coding.tag(output[t])) return false;
    }
    return true;
  }

  // The scores of all outputs of a sentence that have what is given, best first.
  std::vector<double> scores(std::int64_t s) const {
    const Vector<double> weights = Vector<double>::of(in.model->flat());
    std::vector<double> found;
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) {
      if (keeps(s, output.codes)) found.push_back(weights.dot(output.features));
    }
    std::ranges::sort(found, std::greater<>());
    return found;
  }

  void check(const BestOutputs& lists, bool exact, std::int64_t n, bool finds) const {
    auto code = lists.codes.begin();
    auto score = lists.scores.begin();
    for (const std::int64_t s : in.order()) {
      const std::int64_t count = lists.counts[static_cast<std::size_t>(s)], length = in.instances.length(s);
      if (length == 0) {
        CHECK(count == 1 && *score++ == 0);
        continue;
      }
      const std::vector<double> expected = scores(s);
      const auto most = std::min<std::int64_t>(n, static_cast<std::int64_t>(expected.size()));
      CHECK(most > 0 && (exact ? count == most : count <= most && (count > 0 || !finds)));
      std::set<Output> seen;
      for (std::int64_t k = 0; k < count; ++k, ++score, code += length) {
        const Output output(code, code + length);
        CHECK(keeps(s, output) && seen.insert(output).second);
        CHECK(k == 0 || *score <= score[-1]);
        if (exact) CHECK(near(*score, expected[static_cast<std::size_t>(k)]));
      }
    }
    CHECK(code == lists.codes.end() && score == lists.scores.end());
  }
};

void check_given(Enumerated& in, const TransitionCoding& coding, Rng& rng) {
  const Rules none(in.model->part_tracks(), true);
  Given given{in, coding, {}, {}, {}};
  for (int round = 0; round < 3; ++round) {
    given.draw(rng);
    const auto under = [&](const QueueSpec& queue, std::int64_t n) {
      return nbest_under(*in.model, in.corpus(), queue, {}, none, {}, n, {}, go_on);
    };
    const QueueSpec all{"beam", unbounded, "operations"};
    given.check(under(all, 4), in.all_ways, 4, true);
    given.check(nbest_of_search(*in.model, in.corpus(), all, {}, 1000, go_on), in.all_ways, 1000, true);
    for (const std::int64_t width : {1, 3}) given.check(under({"beam", width, "operations"}, 2), false, 2, true);
    given.check(under({"greedy"}, 2), false, 2, true);
  }
}

}  // namespace

int main() {
  Rng rng(31);
  int checked = 0;
  for (const Case& one : enumerated(rng)) {
    const auto* model = dynamic_cast<const TransitionModel<double>*>(one->model.get());
    if (model == nullptr) continue;
    check_given(*one, model->weights.coding, rng);
    ++checked;
  }
  CHECK(checked > 0);
  return 0;
}
