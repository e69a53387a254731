// Legal labels whose chunks have the largest sum of gains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "inference/search/corpus_space.hpp"

namespace riata {

// The tokens from `first` to `end` - 1 as a chunk, with its probability. type: as in ChunkFlags.
struct ProbableChunk {
  std::int32_t first = 0, end = 0, type = 0;
  double probability = 0;
};

// Which labels go on with the chunk of which, as lists.
struct ChunkLabels {
  std::int32_t labels = 0;
  std::span<const std::int32_t> types;             // [labels] negative outside of chunks
  std::vector<std::vector<std::int32_t>> next;     // [labels] the labels that go on with the chunk of the label
  std::vector<std::vector<std::int32_t>> before;   // [labels] the labels whose chunk the label goes on with
  std::vector<std::vector<std::int32_t>> of_type;  // [types] the labels of a type

  ChunkLabels(std::int32_t number, const ChunkFlags& flags)
      : labels(number), types(flags.types), next(static_cast<std::size_t>(number)), before(next), of_type(next) {
    const auto fits = [&](std::int32_t type) { return type < number; };
    if (types.size() != next.size() || flags.continues.size() != next.size() * next.size() || !std::ranges::all_of(types, fits))
      throw Error("RiataError", "the flags do not fit the labels");
    for (std::int32_t i = 0; i < labels; ++i) {
      if (types[static_cast<std::size_t>(i)] >= 0) of_type[static_cast<std::size_t>(types[static_cast<std::size_t>(i)])].push_back(i);
      for (std::int32_t j = 0; j < labels; ++j) {
        if (!flags.continues[static_cast<std::size_t>(i) * static_cast<std::size_t>(labels) + static_cast<std::size_t>(j)]) continue;
        next[static_cast<std::size_t>(i)].push_back(j);
        before[static_cast<std::size_t>(j)].push_back(i);
      }
    }
  }
  std::int32_t type(std::int32_t label) const noexcept { return types[static_cast<std::size_t>(label)]; }
  bool continues(std::int32_t i, std::int32_t j) const noexcept {
    return std::ranges::find(next[static_cast<std::size_t>(i)], j) != next[static_cast<std::size_t>(i)].end();
  }
};

// A dynamic program over the ends of chunks and the labels there. A chunk gains 2 * probability - cost, a token outside of chunks nothing.
// Chunks that are not in the list are not chosen.
class ChunkChoice {
 public:
  // follow: [label before][stride] 0 if a label may follow another, minus infinity if not. The chunk labels must outlive the object.
  template <class Real>
  ChunkChoice(const ChunkLabels& chunks, const Real* follow)
      : chunks_(chunks), stride_(padded(chunks.labels)), follow_(follow, follow + std::size_t(chunks.labels) * stride_), apart_(follow_) {
    for (std::int32_t i = 0; i < chunks.labels; ++i) {
      for (const std::int32_t j : chunks.next[static_cast<std::size_t>(i)]) apart_[std::size_t(i) * stride_ + j] = never;
    }
    for (std::int32_t i = 0; i < chunks.labels; ++i) rows_.push_back(apart_.data() + std::size_t(i) * stride_);
    for (std::int32_t j = 0; j < chunks.labels && outside_ < 0; ++j) {
      if (may_replace(j)) outside_ = j;
    }
  }
  ChunkChoice(const ChunkChoice&) = delete;

  // The least probability of chunks that may be chosen, where tokens can have these labels. If every chunk can be replaced by tokens
  // outside, only chunks that gain something are chosen; otherwise, what is less probable than `least` is left out.
  template <class Possible>
  double threshold(std::int32_t length, double cost, double least, Possible possible) const {
    if (outside_ < 0) return least;
    for (std::int32_t t = 0; t < length; ++t) {
      if (!possible(t, outside_)) return least;
    }
    return std::max(least, cost / 2);
  }

  // chunks: by first token and type, then all ends, one token apart. possible(t, j): whether a token can have a label at all. Writes the
  // labels, [length]; returns false if these chunks leave no legal labels. right, found: how many chunks are expected to be right, and how
  // many there are. Ties go to the lowest label, then to the shortest chunk, read from the end.
  template <class Possible>
  bool operator()(std::int32_t length, std::span<const ProbableChunk> chunks, double cost, Possible possible, std::int32_t* out,
                  double& right, double& found) {
    const std::size_t size = std::size_t(length) * stride_;
    ends_.assign(size, never);
    starts_.assign(size, never);
    chosen_.assign(size, -1);
    std::size_t next = 0;
    for (std::int32_t t = 0; t < length; ++t) {
      enter(t, possible);
      for (; next < chunks.size() && chunks[next].first == t;) next = extend(chunks, next, cost, possible);
    }
    const double* last = row(ends_, length - 1);
    std::int32_t label = static_cast<std::int32_t>(std::max_element(last, last + chunks_.labels) - last);
    if (last[label] == never) return false;
    right = found = 0;
    for (std::int32_t t = length - 1; t >= 0;) {
      const std::int32_t chunk = chosen_[std::size_t(t) * stride_ + label];
      const std::int32_t first = chunk < 0 ? t : chunks[static_cast<std::size_t>(chunk)].first;
      if (chunk >= 0) {
        right += chunks[static_cast<std::size_t>(chunk)].probability;
        found += 1;
      }
      label = write(first, t, label, possible, out);
      if (first > 0) label = leave(first, label);
      t = first - 1;
    }
    return true;
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  double* row(std::vector<double>& rows, std::int32_t t) const noexcept { return rows.data() + std::size_t(t) * stride_; }
  // Whether any chunk can be replaced by tokens with this label, which is outside of chunks: it may follow itself, it may follow whatever
  // something else may follow, and what may follow something else may follow it.
  bool may_replace(std::int32_t label) const {
    if (chunks_.type(label) >= 0 || !follows(label, label)) return false;
    for (std::int32_t i = 0; i < chunks_.labels; ++i) {
      for (std::int32_t j = 0; j < chunks_.labels; ++j) {
        if (rows_[static_cast<std::size_t>(i)][j] == 0 && !(follows(i, label) && follows(label, j))) return false;
      }
    }
    return true;
  }
  bool follows(std::int32_t i, std::int32_t j) const noexcept { return follow_[std::size_t(i) * stride_ + j] == 0; }

  // The best sum before a token at which no chunk goes on, for each label of the token; a token outside of chunks ends there, too.
  template <class Possible>
  void enter(std::int32_t t, Possible possible) {
    double *starts = row(starts_, t), *ends = row(ends_, t);
    if (t > 0)
      max_plus(row(ends_, t - 1), rows_.data(), chunks_.labels, stride_, starts);
    else
      std::fill_n(starts, chunks_.labels, 0.0);
    for (std::int32_t j = 0; j < chunks_.labels; ++j) {
      if (!possible(t, j)) starts[j] = never;
      if (chunks_.type(j) < 0) ends[j] = starts[j];
    }
  }

  // Takes all chunks of one first token and type; returns the number of the next one.
  template <class Possible>
  std::size_t extend(std::span<const ProbableChunk> chunks, std::size_t number, double cost, Possible possible) {
    const std::int32_t first = chunks[number].first, type = chunks[number].type;
    const std::vector<std::int32_t>& members = chunks_.of_type[static_cast<std::size_t>(type)];
    reach_.resize(static_cast<std::size_t>(stride_));
    for (const std::int32_t j : members) reach_[static_cast<std::size_t>(j)] = row(starts_, first)[j];
    for (; number < chunks.size() && chunks[number].first == first && chunks[number].type == type; ++number) {
      const std::int32_t t = chunks[number].end - 1;
      if (t > first) step(t, members, possible);
      const double gain = 2 * chunks[number].probability - cost;
      for (const std::int32_t j : members) {
        const double sum = reach_[static_cast<std::size_t>(j)] + gain;
        if (sum < row(ends_, t)[j] || sum == never) continue;  // at a tie the later start, which is a shorter chunk
        row(ends_, t)[j] = sum;
        chosen_[std::size_t(t) * stride_ + j] = static_cast<std::int32_t>(number);
      }
    }
    return number;
  }

  // Replaces the labels of a chunk at token t - 1 by those at token t.
  template <class Possible>
  void step(std::int32_t t, const std::vector<std::int32_t>& members, Possible possible) {
    reached_.resize(static_cast<std::size_t>(stride_));
    for (const std::int32_t j : members) {
      reached_[static_cast<std::size_t>(j)] = never;
      for (const std::int32_t i : chunks_.before[static_cast<std::size_t>(j)]) {
        if (follows(i, j) && possible(t, j))
          reached_[static_cast<std::size_t>(j)] = std::max(reached_[static_cast<std::size_t>(j)], reach_[static_cast<std::size_t>(i)]);
      }
    }
    reach_.swap(reached_);
  }

  // Writes the labels of the tokens from `first` to `last`, which are a chunk, or one token outside, and end with this label; returns the
  // first one.
  template <class Possible>
  std::int32_t write(std::int32_t first, std::int32_t last, std::int32_t label, Possible possible, std::int32_t* out) {
    out[last] = label;
    if (first == last) return label;
    const std::vector<std::int32_t>& members = chunks_.of_type[static_cast<std::size_t>(chunks_.type(label))];
    std::vector<std::vector<double>> reached(1, std::vector<double>(static_cast<std::size_t>(stride_), never));
    for (const std::int32_t j : members) reached[0][static_cast<std::size_t>(j)] = row(starts_, first)[j];
    for (std::int32_t t = first + 1; t < last; ++t) {
      reach_ = reached.back();
      step(t, members, possible);
      reached.push_back(reach_);
    }
    for (std::int32_t t = last; t > first; --t) {
      const std::vector<double>& from = reached[static_cast<std::size_t>(t - 1 - first)];
      std::int32_t best = -1;
      for (const std::int32_t i : chunks_.before[static_cast<std::size_t>(out[t])]) {
        if (follows(i, out[t]) && (best < 0 || from[static_cast<std::size_t>(i)] > from[static_cast<std::size_t>(best)])) best = i;
      }
      out[t - 1] = best;
    }
    return out[first];
  }

  // The last label of what ends before token t, where this label starts something else.
  std::int32_t leave(std::int32_t t, std::int32_t label) {
    const double target = row(starts_, t)[label];
    const double* ends = row(ends_, t - 1);
    std::int32_t i = 0;
    while (i + 1 < chunks_.labels && ends[i] + rows_[static_cast<std::size_t>(i)][label] != target) ++i;
    return i;
  }

  const ChunkLabels& chunks_;
  std::int32_t stride_;
  std::int32_t outside_ = -1;         // a label by which chunks can be replaced; -1: there is none
  std::vector<double> follow_;        // [label before][stride] 0 if a label may follow another, minus infinity if not
  std::vector<double> apart_;         // [label before][stride] 0 if a label may follow another in another chunk or outside
  std::vector<const double*> rows_;   // [labels] its rows
  std::vector<double> starts_;        // [T][stride] the best sum of gains before a token where something starts with this label
  std::vector<double> ends_;          // [T][stride] the best sum of gains up to a token where something ends with this label
  std::vector<std::int32_t> chosen_;  // [T][stride] the number of the chunk that ends there; -1: the token is outside
  std::vector<double> reach_,
      reached_;  // [stride] for the labels of a type, the best sum of gains before a chunk, by the label that it has reached
};

}  // namespace riata
