// The chunks that the labels of a chain may stand for, with their probabilities over all labellings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "inference/exact/chunk_choice.hpp"
#include "inference/structures/first_order_posteriors.hpp"
#include "inference/structures/second_order_posteriors.hpp"

namespace riata {

inline constexpr double least_chunk = 1e-6;  // less probable chunks are never looked for

// All chunks of the open sentence, by first token and type, then by end. From the length on at which a chunk of this length or a longer one
// is less probable than `least`, they are left out. Returns the expected number of all chunks.
template <class Real>
class FirstOrderChunks {
 public:
  explicit FirstOrderChunks(const ChunkLabels& chunks) : chunks_(chunks) {
    for (std::vector<double>* one : {&passed_, &next_}) one->assign(static_cast<std::size_t>(chunks.labels), 0);
  }

  double operator()(const FirstOrderPosteriors<Real>& posteriors, std::int32_t length, double least, std::vector<ProbableChunk>& out) {
    double expected = 0;
    out.clear();
    for (std::int32_t first = 0; first < length; ++first) {
      for (std::int32_t type = 0; type < chunks_.labels; ++type) {
        const std::vector<std::int32_t>& members = chunks_.of_type[static_cast<std::size_t>(type)];
        double mass = 0;
        for (const std::int32_t j : members) mass += passed_[static_cast<std::size_t>(j)] = starts(posteriors, first, j);
        expected += mass;
        for (std::int32_t end = first + 1; mass >= least; ++end) {
          const double through = end < length ? step(posteriors, end, members) : 0;
          out.push_back({first, end, type, std::clamp(mass - through, 0.0, 1.0)});
          mass = through;
        }
      }
    }
    return expected;
  }

 private:
  // The probability that a chunk starts with label j at token t.
  double starts(const FirstOrderPosteriors<Real>& posteriors, std::int32_t t, std::int32_t j) const {
    double sum = posteriors.of(static_cast<std::size_t>(t), static_cast<std::size_t>(j));
    if (t == 0 || sum < least_chunk) return sum;
    for (const std::int32_t i : chunks_.before[static_cast<std::size_t>(j)])
      sum -= posteriors.of(static_cast<std::size_t>(t), static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    return std::max(sum, 0.0);
  }

  // Carries the probability that the chunk goes on to token t, and returns it.
  double step(const FirstOrderPosteriors<Real>& posteriors, std::int32_t t, const std::vector<std::int32_t>& members) {
    double sum = 0;
    for (const std::int32_t j : members) next_[static_cast<std::size_t>(j)] = 0;
    for (const std::int32_t i : members) {
      const double here = passed_[static_cast<std::size_t>(i)];
      if (here < least_chunk / 16 || chunks_.next[static_cast<std::size_t>(i)].empty()) continue;
      const double share = here / posteriors.of(static_cast<std::size_t>(t) - 1, static_cast<std::size_t>(i));
      for (const std::int32_t j : chunks_.next[static_cast<std::size_t>(i)])
        next_[static_cast<std::size_t>(j)] +=
            share * posteriors.of(static_cast<std::size_t>(t), static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
    passed_.swap(next_);
    for (const std::int32_t j : members) sum += passed_[static_cast<std::size_t>(j)];
    return sum;
  }

  const ChunkLabels& chunks_;
  std::vector<double> passed_, next_;  // [labels] the probability that the chunk goes on up to a token, by its label
};

// The same for chains that read two labels back, token by token: chunks that go on are carried by their last two labels.
template <class Real>
class SecondOrderChunks {
 public:
  explicit SecondOrderChunks(const ChunkLabels& chunks) : chunks_(chunks), labels_(static_cast<std::size_t>(chunks.labels)) {
    for (std::vector<double>* one : {&pairs_, &before_}) one->assign(labels_ * labels_, 0);
  }

  double operator()(SecondOrderPosteriors<Real>& posteriors, std::int32_t length, double least, std::vector<ProbableChunk>& out) {
    double expected = 0;
    out.clear();
    open_.clear();
    for (std::int32_t t = 0; t < length; ++t) {
      pairs_.swap(before_);
      for (Open& chunk : open_) go_on(posteriors, t, chunk, out);
      std::erase_if(open_, [&](const Open& chunk) { return chunk.mass < least; });
      posteriors.fill_pairs(static_cast<std::size_t>(t), pairs_);
      expected += start(posteriors, t, least);
    }
    for (const Open& chunk : open_) out.push_back({chunk.first, length, chunk.type, std::min(chunk.mass, 1.0)});
    std::ranges::sort(out, {}, [](const ProbableChunk& one) { return std::tuple(one.first, one.type, one.end); });
    return expected;
  }

 private:
  struct Open {
    std::int32_t first = 0, type = 0;
    double mass = 0;
    std::vector<std::pair<std::size_t, double>> pairs = {};  // the last two labels, as a number, and the probability that they go on
  };

  // Opens the chunks that start at token t, and returns how many are expected.
  double start(const SecondOrderPosteriors<Real>& posteriors, std::int32_t t, double least) {
    double expected = 0;
    for (std::int32_t type = 0; type < chunks_.labels; ++type) {
      double mass = 0;
      for (const std::int32_t j : chunks_.of_type[static_cast<std::size_t>(type)]) {
        const auto label = static_cast<std::size_t>(j);
        mass += posteriors.of(static_cast<std::size_t>(t), label);
        for (const std::int32_t i : chunks_.before[label]) mass -= t == 0 ? 0 : pairs_[static_cast<std::size_t>(i) * labels_ + label];
      }
      mass = std::max(mass, 0.0);
      expected += mass;
      if (mass < least) continue;
      open_.push_back({t, type, 0});
      for (const std::int32_t j : chunks_.of_type[static_cast<std::size_t>(type)]) {
        for (std::size_t i = 0; i < (t == 0 ? 1 : labels_); ++i) {
          const std::size_t pair = i * labels_ + static_cast<std::size_t>(j);
          if (!(pairs_[pair] > 0) || (t > 0 && chunks_.continues(static_cast<std::int32_t>(i), j))) continue;
          open_.back().mass += pairs_[pair];
          open_.back().pairs.push_back({pair, pairs_[pair]});
        }
      }
    }
    return expected;
  }

  // Carries a chunk to token t; what does not go on is the chunk that ends before it.
  void go_on(SecondOrderPosteriors<Real>& posteriors, std::int32_t t, Open& chunk, std::vector<ProbableChunk>& out) {
    std::vector<std::pair<std::size_t, double>> next;
    double through = 0;
    for (const auto& [pair, mass] : chunk.pairs) {
      const std::size_t h = pair / labels_, i = pair % labels_;
      for (const std::int32_t j : chunks_.next[i]) {
        const double share = posteriors.of(static_cast<std::size_t>(t), h, i, static_cast<std::size_t>(j)) / before_[pair] * mass;
        if (!(share > 0)) continue;
        const std::size_t to = i * labels_ + static_cast<std::size_t>(j);
        const auto found = std::ranges::find(next, to, [](const auto& one) { return one.first; });
        if (found == next.end())
          next.push_back({to, share});
        else
          found->second += share;
        through += share;
      }
    }
    out.push_back({chunk.first, t, chunk.type, std::clamp(chunk.mass - through, 0.0, 1.0)});
    chunk.mass = through;
    chunk.pairs = std::move(next);
  }

  const ChunkLabels& chunks_;
  std::size_t labels_;
  std::vector<Open> open_;              // chunks that go on
  std::vector<double> pairs_, before_;  // [label before][label] probabilities at the present token and at the one before
};

}  // namespace riata
