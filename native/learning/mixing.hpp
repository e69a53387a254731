// Learners of parts of the data become one: their weights mixed, and the average over all they went through.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/tasks.hpp"
#include "learning/averaged.hpp"

namespace riata {

// Calls visit(block, from, to) for pieces of all blocks of weights over one feature index, by several threads. block(weights) is the vector
// at hand in any weights of that shape.
template <class Real, class Visit>
void for_each_piece(const Weights<Real>& shape, std::int64_t threads, Visit visit) {
  constexpr std::size_t piece = std::size_t{1} << 18;
  Tasks tasks;
  const auto share_out = [&](std::size_t size, auto block) {
    for (std::size_t from = 0; from < size; from += piece) tasks.add([=, &visit] { visit(block, from, std::min(from + piece, size)); });
  };
  for (std::size_t f = 0; f < shape.node.size(); ++f) {
    share_out(shape.node[f].size(), [f](auto& weights) -> auto& { return weights.node[f]; });
    share_out(shape.edge[f].size(), [f](auto& weights) -> auto& { return weights.edge[f]; });
  }
  share_out(shape.given.size(), [](auto& weights) -> auto& { return weights.given; });
  share_out(shape.transition.size(), [](auto& weights) -> auto& { return weights.transition; });
  tasks.run(threads);
}

template <class Real>
void check_same_shape(std::span<Averaged<Real>* const> members) {
  const auto differ = [](const auto& a, const auto& b) { return a.size() != b.size(); };
  for (const Averaged<Real>* member : members) {
    const Weights<Real>&a = members[0]->current, &b = member->current;
    bool ok = a.labels == b.labels && !differ(a.node, b.node) && !differ(a.given, b.given);
    for (std::size_t f = 0; ok && f < a.node.size(); ++f) ok = !differ(a.node[f], b.node[f]) && !differ(a.edge[f], b.edge[f]);
    if (!ok) throw Error("RiataError", "the weights belong to different models");
  }
}

// Gives all members the sum of their weights, each times its share. It is one more update to each of them, so their averages keep
// what they have.
template <class Real>
void mix(std::span<Averaged<Real>* const> members, std::span<const double> shares, std::int64_t threads) {
  check_same_shape(members);
  if (members.size() != shares.size()) throw Error("RiataError", "a share for each of the weights");
  for_each_piece(members[0]->current, threads, [&](const auto& block, std::size_t from, std::size_t to) {
    std::vector<std::pair<Real*, Real*>> weights;  // of each member, with their running sum
    for (Averaged<Real>* member : members) weights.push_back({block(member->current).data(), block(member->sum()).data()});
    for (std::size_t k = from; k < to; ++k) {
      const Real first = weights[0].first[k];
      if (std::all_of(weights.begin(), weights.end(), [&](const auto& one) { return one.first[k] == first; })) continue;
      double sum = 0;
      for (std::size_t m = 0; m < members.size(); ++m) sum += shares[m] * weights[m].first[k];
      const auto mixed = static_cast<Real>(sum);
      for (std::size_t m = 0; m < members.size(); ++m) {
        auto [weight, running] = weights[m];
        running[k] += static_cast<Real>(members[m]->count() * (double(mixed) - weight[k]));
        weight[k] = mixed;
      }
    }
  });
}

// The mean of all weights that any of the members started with or had after an example.
template <class Real>
Weights<Real> average_of_all(std::span<Averaged<Real>* const> members, std::int64_t threads) {
  check_same_shape(members);
  double count = 0;
  for (const Averaged<Real>* member : members) count += member->count();
  Weights<Real> mean = members[0]->current;
  for_each_piece(members[0]->current, threads, [&](const auto& block, std::size_t from, std::size_t to) {
    Real* const out = block(mean).data();
    std::vector<std::pair<const Real*, const Real*>> weights;
    for (Averaged<Real>* member : members) weights.push_back({block(member->current).data(), block(member->sum()).data()});
    for (std::size_t k = from; k < to; ++k) {
      double sum = 0;
      for (std::size_t m = 0; m < members.size(); ++m) sum += members[m]->count() * weights[m].first[k] - weights[m].second[k];
      out[k] = static_cast<Real>(sum / count);
    }
  });
  return mean;
}

}  // namespace riata
