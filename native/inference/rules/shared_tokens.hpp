// Which spans share a token: what rules against overlap count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace riata {

struct Extent {
  std::int32_t first, end;  // the first token, and the one after the last
};

// The largest sets of two or more spans that all share a token. Set k is members[starts[k]] to members[starts[k + 1] - 1].
struct SharedTokens {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> members;  // numbers of spans, in increasing order
};

// At the first token of each span, unless the next such token has them all. Spans must not be empty.
inline SharedTokens shared_tokens(std::span<const Extent> spans) {
  std::vector<std::int32_t> tokens;
  for (const Extent& span : spans) tokens.push_back(span.first);
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  SharedTokens out{{0}, {}};
  std::vector<std::int32_t> here;
  for (const std::int32_t token : tokens) {
    here.clear();
    for (std::size_t k = 0; k < spans.size(); ++k) {
      if (spans[k].first <= token && token < spans[k].end) here.push_back(static_cast<std::int32_t>(k));
    }
    if (out.starts.size() > 1) {
      const auto last = out.members.begin() + static_cast<std::ptrdiff_t>(out.starts[out.starts.size() - 2]);
      if (std::includes(here.begin(), here.end(), last, out.members.end())) {
        out.members.erase(last, out.members.end());
        out.starts.pop_back();
      }
    }
    if (here.size() < 2) continue;
    out.members.insert(out.members.end(), here.begin(), here.end());
    out.starts.push_back(static_cast<std::int64_t>(out.members.size()));
  }
  return out;
}

}  // namespace riata
