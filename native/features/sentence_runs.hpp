// Divides the sentences of a corpus into runs, for several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// A run of consecutive sentences; `end` is excluded.
struct Sentences {
  std::size_t first, end;
};

// Divides all sentences into at most `count` runs of about equal numbers of tokens. starts: [S + 1] first token of each sentence, then N.
inline std::vector<Sentences> shared_out(std::span<const std::int64_t> starts, std::int64_t count) {
  std::vector<Sentences> runs;
  const auto sentences = starts.size() - 1;
  count = static_cast<std::int64_t>(std::min<std::size_t>(sentences, static_cast<std::size_t>(count)));
  std::size_t first = 0;
  for (std::int64_t r = 1; r <= count; ++r) {
    const auto upto = std::lower_bound(starts.begin(), starts.end() - 1, starts.back() / count * r) - starts.begin();
    const std::size_t end = r == count ? sentences : static_cast<std::size_t>(upto);
    if (end > first) runs.push_back({first, end});
    first = std::max(first, end);
  }
  return runs;
}

}  // namespace riata
