// Batches of sentences: large with ordinary numbers of labels, small with thousands of labels, so that Ctrl-C is answered soon.
#include <cstdint>
#include <vector>

#include "inference/potentials.hpp"
#include "tests/check.hpp"

using namespace riata;

int main() {
  constexpr std::int64_t most = 1 << 15;
  for (const std::int64_t labels : {1, 2, 45, 512}) CHECK(tokens_at_once(most, labels) == most);
  CHECK(tokens_at_once(most, 513) < most);
  CHECK(tokens_at_once(most, 3000) == 119);
  CHECK(tokens_at_once(most, 4096) == 64);
  CHECK(tokens_at_once(most, 1 << 20) == 1);
  const std::vector<std::int64_t> lengths = {50, 60, 20, 500, 1};
  const auto cut = cut_batches(5, tokens_at_once(most, 3000), [&](std::int64_t s) { return lengths[static_cast<std::size_t>(s)]; });
  const std::vector<std::int64_t> ends = {2, 3, 4, 5};
  CHECK(cut.size() == ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) CHECK(cut[i].end == ends[i] && cut[i].first == (i ? ends[i - 1] : 0));
  return 0;
}
