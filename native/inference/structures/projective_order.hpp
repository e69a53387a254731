// The order of tokens in which no arcs of a tree cross, and the parts of the tree that can be built without another order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// Heads count tokens from 0; -1 is the root.
class ProjectiveOrder {
 public:
  void open(std::span<const std::int32_t> heads) {
    count(heads);
    number(heads);
    join(heads);
  }

  // Whether no arcs cross; says nothing about order and parts.
  bool is_projective(std::span<const std::int32_t> heads) {
    count(heads);
    join(heads);
    return stack_.size() <= 1;
  }

  // The number of a token in the order in which every head stands between what is below its children to the left and to the right.
  std::int32_t operator[](std::int32_t token) const noexcept { return order_[place(token)]; }

  // The head of the largest part of the tree that has this token and that arc-standard builds without a swap (Nivre, Kuhlmann & Hall 2009).
  std::int32_t component(std::int32_t token) const noexcept { return component_[place(token)]; }

 private:
  static std::size_t place(std::int32_t token) noexcept { return static_cast<std::size_t>(token); }

  void count(std::span<const std::int32_t> heads) {
    missing_.assign(heads.size(), 0);
    component_.resize(heads.size());
    for (const std::int32_t head : heads) {
      if (head >= 0) ++missing_[place(head)];
    }
  }

  void number(std::span<const std::int32_t> heads) {
    const auto length = static_cast<std::int32_t>(heads.size());
    below_.assign(heads.size(), 1);  // how many tokens are below a token or itself
    waiting_ = missing_;
    upwards_.clear();  // every token comes before its head
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::int32_t at = t; at >= 0 && waiting_[place(at)] == 0; at = heads[place(at)]) {
        waiting_[place(at)] = -1;
        upwards_.push_back(at);
        const std::int32_t head = heads[place(at)];
        if (head < 0) break;
        --waiting_[place(head)];
        below_[place(head)] += below_[place(at)];
      }
    }
    // Where what is below a token starts, counted from where what is below its head starts; and where the head itself stands.
    starts_.assign(heads.size(), 0);
    used_.assign(heads.size(), 0);
    order_.assign(heads.size(), 0);
    for (std::int32_t t = 0; t < length; ++t) {
      order_[place(t)] = used_[place(t)]++;  // all children to its left have their places already
      const std::int32_t head = heads[place(t)];
      if (head < 0) continue;
      starts_[place(t)] = used_[place(head)];
      used_[place(head)] += below_[place(t)];
    }
    for (std::size_t i = upwards_.size(); i-- > 0;) {
      const std::int32_t token = upwards_[i], head = heads[place(token)];
      if (head >= 0) starts_[place(token)] += starts_[place(head)];
      order_[place(token)] += starts_[place(token)];
    }
  }

  // Builds the tree by arc-standard, as far as it gets.
  void join(std::span<const std::int32_t> heads) {
    stack_.clear();
    joined_.clear();
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(heads.size()); ++t) {
      component_[place(t)] = t;
      stack_.push_back(t);
      while (stack_.size() > 1) {
        const std::int32_t top = stack_.back(), second = stack_[stack_.size() - 2];
        const bool left = heads[place(second)] == top && missing_[place(second)] == 0;
        if (!left && (heads[place(top)] != second || missing_[place(top)] != 0)) break;
        const std::int32_t head = left ? top : second;
        --missing_[place(head)];
        joined_.push_back(left ? second : top);
        stack_.pop_back();
        stack_.back() = head;
      }
    }
    for (std::size_t i = joined_.size(); i-- > 0;) component_[place(joined_[i])] = component_[place(heads[place(joined_[i])])];
  }

  std::vector<std::int32_t> order_, component_, missing_, waiting_, below_, starts_, used_;  // [tokens]
  std::vector<std::int32_t> upwards_, stack_, joined_;
};

}  // namespace riata
