// Lists of the best outputs of sentences, and how a search by levels fills them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "inference/search/corpus_space.hpp"
#include "inference/search/engine.hpp"

namespace riata {

// counts: [S] how many outputs there are; codes: the outputs one after the other, best first; scores: one per output.
struct BestOutputs {
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> codes;
  std::vector<double> scores;

  void add(std::span<const std::int32_t> output, double score) {
    codes.insert(codes.end(), output.begin(), output.end());
    scores.push_back(score);
    ++counts.back();
  }
};

// Adds the outputs of the goals that a search has ended with, at most n, each once: the one that it has returned, and others by their
// scores. due: what is subtracted from all scores. If the time was over before the search had ended, there is one.
inline void add_goals(const Search& search, const CorpusSpace& space, NodeId returned, std::int64_t n, std::size_t length, double due,
                      BestOutputs& out) {
  const Tree& tree = search.tree();
  std::vector<NodeId> goals{returned};
  if (search.at_goal()) goals.insert(goals.end(), search.front().begin(), search.front().end());
  std::stable_sort(goals.begin() + 1, goals.end(), [&](NodeId a, NodeId b) { return tree[a].score > tree[b].score; });
  std::set<std::vector<std::int32_t>> known;
  std::vector<std::int32_t> codes(length);
  for (const NodeId goal : goals) {
    if (out.counts.back() == n) return;
    space.codes(tree.path(goal), codes);
    if (known.insert(codes).second) out.add(codes, tree[goal].score - due);
  }
}

}  // namespace riata
