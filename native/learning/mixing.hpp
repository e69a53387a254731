// Combines learners that were trained on parts of the data: mixes their weights, and averages over all weights that they went through.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/tasks.hpp"
#include "learning/online/trainer.hpp"
#include "models/vector.hpp"

namespace riata {

template <class Real>
void check_alike(std::span<Vector<Real>* const> members) {
  for (const Vector<Real>* member : members) {
    if (member->size() != members[0]->size() || !member->is_plain()) throw Error("RiataError", "the weights cannot be mixed");
  }
}

// Gives every learner the features of all learners, in the same places: first the features of the first learner, then those that are new in
// the second, and so on.
template <class Real>
void align(std::span<OnlineTrainer<Real>* const> learners) {
  struct Block {
    std::int64_t from, into, count;
  };
  const std::unique_ptr<Model<Real>> all = learners[0]->model().copy();
  std::vector<std::vector<Block>> blocks(learners.size());
  std::int64_t size = 0;
  bool alike = true;
  for (std::size_t m = 0; m < learners.size(); ++m) {
    learners[m]->model().match(*all, [&](std::int64_t from, std::int64_t into, std::int64_t count) {
      blocks[m].push_back({from, into, count});
      size = std::max(size, into + count);
      alike = alike && from == into;
    });
  }
  size = std::max(size, all->room());
  for (OnlineTrainer<Real>* learner : learners) alike = alike && learner->weights().size() == learners[0]->weights().size();
  for (std::size_t m = 0; m < learners.size() && !alike; ++m) {
    learners[m]->take_features(*all, [&](const Numbers<Real>& old) {
      Numbers<Real> out(static_cast<std::size_t>(size), Real{0});
      for (const Block& block : blocks[m]) std::copy_n(old.begin() + block.from, block.count, out.begin() + block.into);
      return out;
    });
  }
}

// Sets the weights of all members to the sum of their weights, each multiplied by its share. This does not change what their averages have
// collected.
template <class Real>
void mix(std::span<Vector<Real>* const> members, std::span<const double> shares, std::int64_t threads) {
  check_alike(members);
  if (members.size() != shares.size()) throw Error("RiataError", "a share for each of the weights");
  in_parts(static_cast<std::int64_t>(members[0]->size()), threads, [&](std::int64_t from, std::int64_t to) {
    for (auto k = static_cast<std::size_t>(from); k < static_cast<std::size_t>(to); ++k) {
      const Real first = members[0]->at(k);
      if (std::all_of(members.begin(), members.end(), [&](const Vector<Real>* one) { return one->at(k) == first; })) continue;
      double sum = 0;
      for (std::size_t m = 0; m < members.size(); ++m) sum += shares[m] * members[m]->at(k);
      for (Vector<Real>* member : members) member->set(k, static_cast<Real>(sum));
    }
  });
  for (Vector<Real>* member : members) member->changed();
}

// The mean of all weights that any member started with or had after an example.
template <class Real>
Numbers<Real> average_of_all(std::span<Vector<Real>* const> members, std::int64_t threads) {
  check_alike(members);
  double count = 0;
  for (const Vector<Real>* member : members) count += member->count();
  Numbers<Real> mean(members[0]->size());
  in_parts(static_cast<std::int64_t>(mean.size()), threads, [&](std::int64_t from, std::int64_t to) {
    for (auto k = static_cast<std::size_t>(from); k < static_cast<std::size_t>(to); ++k) {
      double sum = 0;
      for (const Vector<Real>* member : members) sum += member->count() * member->at(k) - member->collected(k);
      mean[k] = static_cast<Real>(sum / count);
    }
  });
  return mean;
}

}  // namespace riata
