#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"
#include "inference/search/queue.hpp"

namespace riata {
namespace {

// Whether node a comes before node b: by rank, then by age.
auto before(const Tree& tree, const Ranking& ranking) {
  return [&tree, &ranking](NodeId a, NodeId b) {
    if (ranking.beats(tree[a], tree[b])) return true;
    if (ranking.beats(tree[b], tree[a])) return false;
    return a < b;
  };
}

void sort_best_first(const Tree& tree, const Ranking& ranking, std::vector<NodeId>& nodes) {
  const auto is_before = before(tree, ranking);
  if (!std::is_sorted(nodes.begin(), nodes.end(), is_before)) std::sort(nodes.begin(), nodes.end(), is_before);
}

// The order for a heap: a heap has its largest element in front, so the order is reversed to have the best node there.
auto after(const Tree& tree, const Ranking& ranking) {
  return [is_before = before(tree, ranking)](NodeId a, NodeId b) { return is_before(b, a); };
}

void trim(const Tree& tree, const Ranking& ranking, std::vector<NodeId>& nodes, std::int64_t width) {
  sort_best_first(tree, ranking, nodes);
  if (static_cast<std::int64_t>(nodes.size()) > width) nodes.resize(static_cast<std::size_t>(width));
}

// Sorts nodes of several expansions, best first, and keeps `width` of them; of states with equal keys, only the best.
void merge_and_trim(const Tree& tree, Space& space, const Ranking& ranking, std::vector<NodeId>& nodes, std::int64_t width) {
  if (!space.merges()) return trim(tree, ranking, nodes, width);
  sort_best_first(tree, ranking, nodes);
  std::unordered_set<std::int64_t> seen;
  std::erase_if(nodes,
                [&](NodeId id) { return static_cast<std::int64_t>(seen.size()) == width || !seen.insert(space.key(tree, id)).second; });
}

// A beam over equal numbers of operations, one level at a time. Goals of a level return to the next level.
class OperationsBeam : public Queue {
 public:
  explicit OperationsBeam(std::int64_t width) : width_(width) {}
  void clear() override { level_.clear(); }
  bool empty() const override { return level_.empty(); }
  void enqueue(const Tree&, Space&, const Ranking&, std::span<const NodeId> nodes) override {
    level_.insert(level_.end(), nodes.begin(), nodes.end());
  }
  void remove_front(const Tree& tree, Space&, const Ranking& ranking, std::vector<NodeId>& front) override {
    trim(tree, ranking, level_, width_);
    front.clear();
    front.swap(level_);
  }
  std::vector<NodeId> pending() const override { return level_; }
  std::int64_t width() const override { return width_; }

 private:
  std::int64_t width_;
  std::vector<NodeId> level_;
};

// A beam over prefixes of equal length, one bucket at a time, the shortest prefix first. Goals wait for each other in the last bucket.
class PrefixBeam : public Queue {
 public:
  explicit PrefixBeam(std::int64_t width) : width_(width) {}
  void clear() override { buckets_.clear(); }
  bool empty() const override { return buckets_.empty(); }
  void enqueue(const Tree& tree, Space& space, const Ranking&, std::span<const NodeId> nodes) override {
    for (const NodeId id : nodes) buckets_[prefix_of(tree, space, id)].push_back(id);
  }
  void remove_front(const Tree& tree, Space& space, const Ranking& ranking, std::vector<NodeId>& front) override {
    front = std::move(buckets_.begin()->second);
    buckets_.erase(buckets_.begin());
    merge_and_trim(tree, space, ranking, front, width_);
  }
  std::vector<NodeId> pending() const override {
    std::vector<NodeId> all;
    for (const auto& [prefix, nodes] : buckets_) all.insert(all.end(), nodes.begin(), nodes.end());
    return all;
  }
  bool by_prefix() const override { return true; }

 private:
  std::int64_t width_;
  std::map<std::int32_t, std::vector<NodeId>> buckets_;
};

// Best first, one node at a time. With a finite width, this is Figure 1 of Daumé & Marcu 2005 read literally: the queue is cut after each
// expansion.
class BestFirst : public Queue {
 public:
  explicit BestFirst(std::int64_t width) : width_(width) {}
  void clear() override { nodes_.clear(); }
  bool empty() const override { return nodes_.empty(); }
  void enqueue(const Tree& tree, Space& space, const Ranking& ranking, std::span<const NodeId> nodes) override {
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
    if (width_ != unbounded) return merge_and_trim(tree, space, ranking, nodes_, width_);
    for (std::size_t heap = nodes_.size() - nodes.size() + 1; heap <= nodes_.size(); ++heap)
      std::push_heap(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(heap), after(tree, ranking));
  }
  void remove_front(const Tree& tree, Space&, const Ranking& ranking, std::vector<NodeId>& front) override {
    if (width_ != unbounded) {
      front = {nodes_.front()};
      nodes_.erase(nodes_.begin());
      return;
    }
    std::pop_heap(nodes_.begin(), nodes_.end(), after(tree, ranking));
    front = {nodes_.back()};
    nodes_.pop_back();
  }
  std::vector<NodeId> pending() const override { return nodes_; }
  bool keeps_all() const override { return width_ == unbounded; }

 private:
  std::int64_t width_;
  std::vector<NodeId> nodes_;  // sorted if the width is finite, otherwise a heap
};

// Last in, first out; the children of one node in order of rank.
class DepthFirst : public Queue {
 public:
  void clear() override { stack_.clear(); }
  bool empty() const override { return stack_.empty(); }
  void enqueue(const Tree& tree, Space&, const Ranking& ranking, std::span<const NodeId> nodes) override {
    std::vector<NodeId> sorted(nodes.begin(), nodes.end());
    sort_best_first(tree, ranking, sorted);
    stack_.insert(stack_.end(), sorted.rbegin(), sorted.rend());
  }
  void remove_front(const Tree&, Space&, const Ranking&, std::vector<NodeId>& front) override {
    front = {stack_.back()};
    stack_.pop_back();
  }
  std::vector<NodeId> pending() const override { return stack_; }
  bool keeps_all() const override { return true; }

 private:
  std::vector<NodeId> stack_;
};

// First in, first out.
class BreadthFirst : public Queue {
 public:
  void clear() override { line_.clear(); }
  bool empty() const override { return line_.empty(); }
  void enqueue(const Tree&, Space&, const Ranking&, std::span<const NodeId> nodes) override {
    line_.insert(line_.end(), nodes.begin(), nodes.end());
  }
  void remove_front(const Tree&, Space&, const Ranking&, std::vector<NodeId>& front) override {
    front = {line_.front()};
    line_.pop_front();
  }
  std::vector<NodeId> pending() const override { return {line_.begin(), line_.end()}; }
  bool keeps_all() const override { return true; }

 private:
  std::deque<NodeId> line_;
};

// One complete state. Its best child replaces it as long as the child is better.
class HillClimb : public Queue {
 public:
  void clear() override { next_ = current_ = {}; }
  bool empty() const override { return !next_; }
  void enqueue(const Tree& tree, Space&, const Ranking& ranking, std::span<const NodeId> nodes) override {
    for (const NodeId id : nodes) {
      const NodeId best = next_ ? next_ : current_;
      if (!best || ranking.rank(tree[id]) > ranking.rank(tree[best])) next_ = id;
    }
  }
  void remove_front(const Tree&, Space&, const Ranking&, std::vector<NodeId>& front) override {
    current_ = std::exchange(next_, NodeId());
    front = {current_};
  }
  std::vector<NodeId> pending() const override { return !next_ ? std::vector<NodeId>{} : std::vector<NodeId>{next_}; }
  bool ends_at_goal() const override { return false; }

 private:
  NodeId next_, current_;
};

}  // namespace

std::unique_ptr<Queue> make_queue(const QueueSpec& spec) {
  if (spec.width < 1) throw Error("SettingError", "beam is " + std::to_string(spec.width) + "; expected at least 1.");
  if (spec.name == "greedy") return std::make_unique<OperationsBeam>(1);
  if (spec.name == "beam" && spec.by == "operations") return std::make_unique<OperationsBeam>(spec.width);
  if (spec.name == "beam" && spec.by == "prefix") return std::make_unique<PrefixBeam>(spec.width);
  if (spec.name == "beam" && spec.by == "pending") return std::make_unique<BestFirst>(spec.width);
  if (spec.name == "best-first" || spec.name == "a-star") return std::make_unique<BestFirst>(unbounded);
  if (spec.name == "depth-first") return std::make_unique<DepthFirst>();
  if (spec.name == "breadth-first") return std::make_unique<BreadthFirst>();
  if (spec.name == "hill-climb") return std::make_unique<HillClimb>();
  throw Error("SettingError", "there is no queue '" + spec.name + "' by '" + spec.by + "'");
}

}  // namespace riata
