// What learners ask of a search: the y-good nodes beside a front, their rivals, and the children of nodes.
#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "inference/search/engine.hpp"

namespace riata {
namespace {

// As long as this object exists, the space knows that the engine lists children for a learner, not for the queue.
class Aside {
 public:
  explicit Aside(Space& space) : space_(space) { space_.looking_aside(true); }
  ~Aside() { space_.looking_aside(false); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  Space& space_;
};

// Keeps the best `most` items; of equal ones, the first. The order of the items does not change.
template <class Item, class Beats>
void keep_first(std::vector<Item>& items, std::int64_t most, Beats beats) {
  if (static_cast<std::int64_t>(items.size()) <= most) return;
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return beats(items[a], items[b]); });
  order.resize(static_cast<std::size_t>(most));
  std::sort(order.begin(), order.end());
  std::vector<Item> kept;
  for (const std::size_t place : order) kept.push_back(items[place]);
  items = std::move(kept);
}

}  // namespace

NodeId Search::last_good(NodeId node) const {
  while (!tree_[node].good) node = tree_[node].parent;  // the initial node is y-good
  return node;
}

std::int64_t Search::standing(NodeId node) const {
  if (!queue_.by_prefix()) return tree_[node].depth;
  const std::int64_t covered = prefix_of(tree_, space_, node);
  std::int64_t since = 0;
  for (; !tree_[node].goal && tree_[node].parent && space_.covered(tree_, tree_[node].parent) == covered; node = tree_[node].parent)
    ++since;
  return (covered << 32) + since;
}

std::int64_t Search::standing(std::span<const NodeId> front) const {
  std::int64_t most = standing(front.front());
  if (queue_.by_prefix()) return most;  // all nodes of the front have the same standing
  for (const NodeId id : front) most = std::max(most, standing(id));
  return most;
}

// Appends the y-good children of nodes to a level, and keeps the best of the level, in order of insertion.
void Search::add_good_children(std::span<const NodeId> nodes, std::int64_t most, std::vector<NodeId>& level) {
  const Aside aside(space_);
  candidates_.clear();
  space_.expand(tree_, nodes, {}, true, candidates_);
  std::erase_if(candidates_, [](const Candidate& c) { return !c.good; });
  if (candidates_.empty() && level.empty()) throw NoGoodChild();
  if (space_.merges()) merge();
  keep_first(candidates_, most, [](const Candidate& a, const Candidate& b) { return Ranking{}.beats(a, b); });
  for (const Candidate& candidate : candidates_) level.push_back(add(candidate));
  keep_first(level, most, [&](NodeId a, NodeId b) { return Ranking{}.beats(tree_[a], tree_[b]); });
}

// Follows y-good nodes through children of unchanged regret, until each is a goal or `stop` returns true for it.
template <class Stop>
std::vector<NodeId> Search::follow_good(std::vector<NodeId> level, std::int64_t most, Stop stop) {
  while (true) {
    std::vector<NodeId> open, next;
    for (const NodeId id : level) (!stop(id) && !tree_[id].goal ? open : next).push_back(id);
    if (open.empty()) return level;
    add_good_children(open, most, next);
    level = std::move(next);
  }
}

std::vector<NodeId> Search::siblings(NodeId node, std::int64_t most) {
  return follow_good({last_good(node)}, most, [&](NodeId id) { return tree_[id].depth >= tree_[node].depth; });
}

std::vector<NodeId> Search::siblings(std::span<const NodeId> front, std::int64_t most) {
  const std::int64_t reached = standing(front);
  return follow_good({last_good(front.front())}, most, [&](NodeId id) { return standing(id) >= reached; });
}

Search::Match Search::match(std::span<const NodeId> siblings, std::span<const NodeId> front) {
  Match out;
  if (!queue_.by_prefix()) {
    const std::vector<NodeId> pending = queue_.pending();
    out.siblings.assign(siblings.begin(), siblings.end());
    out.rivals.assign(front.begin(), front.end());
    out.rivals.insert(out.rivals.end(), pending.begin(), pending.end());
    return out;
  }
  const std::int64_t reached = standing(front);
  for (const NodeId id : siblings) {
    if (standing(id) == reached) out.siblings.push_back(id);
  }
  if (!out.siblings.empty()) {
    out.rivals.assign(front.begin(), front.end());
    return out;
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  // of the siblings that were merged, those of the lowest standing compete
  for (const NodeId id : siblings) {
    const std::vector<NodeId> absorbers = absorbers_of(id);
    const std::int64_t at = standing(id);
    if (absorbers.empty() || at > least) continue;
    if (at < least) out = {};
    least = at;
    out.siblings.push_back(id);
    out.rivals.insert(out.rivals.end(), absorbers.begin(), absorbers.end());
  }
  if (out.siblings.empty()) out.siblings.assign(siblings.begin(), siblings.end());
  return out;
}

std::vector<NodeId> Search::absorbers_of(NodeId good) {
  std::vector<NodeId> out;
  if (!space_.keyed()) return out;
  const std::int64_t key = space_.key(tree_, good);
  for (const NodeId id : next_) {
    if (!tree_[id].good && prefix_of(tree_, space_, id) == prefix_of(tree_, space_, good) && space_.key(tree_, id) == key)
      out.push_back(id);
  }
  return out;
}

std::vector<NodeId> Search::good_beside(std::span<const NodeId> front, std::int64_t most) {
  std::vector<NodeId> out;
  for (const NodeId id : front) {
    if (tree_[id].good) out.push_back(id);
  }
  const std::int64_t reached = standing(front);
  if (queue_.by_prefix()) {
    std::vector<NodeId>& level = good_levels_.front();
    level = follow_good(std::move(level), most, [&](NodeId id) { return standing(id) >= reached; });
    std::copy_if(level.begin(), level.end(), std::back_inserter(out), [&](NodeId id) { return standing(id) == reached; });
    return out;
  }
  while (static_cast<std::int64_t>(good_levels_.size()) <= reached) {
    const auto depth = static_cast<std::int64_t>(good_levels_.size());
    good_levels_.push_back(follow_good(good_levels_.back(), most, [&](NodeId id) { return tree_[id].depth >= depth; }));
  }
  const std::vector<NodeId>& level = good_levels_[static_cast<std::size_t>(reached)];
  out.insert(out.end(), level.begin(), level.end());
  return out;
}

std::vector<NodeId> Search::good_goals(NodeId node, std::int64_t most) { return follow_good({last_good(node)}, most, never); }

std::vector<NodeId> Search::forced() {
  const NodeId start(0);
  tree_[start].good = true;
  tree_[start].regret = space_.initial_regret();
  return follow_good({start}, most_good, never);
}

std::vector<Search::Child> Search::children(std::span<const NodeId> nodes) {
  const Aside aside(space_);
  std::vector<Child> out;
  for (const NodeId id : nodes) {
    candidates_.clear();
    space_.expand(tree_, {&id, 1}, {ranking_.margin}, true, candidates_);  // without a limit of width
    for (const Candidate& candidate : candidates_) out.push_back({add(candidate), candidate.key});
  }
  return out;
}

}  // namespace riata
