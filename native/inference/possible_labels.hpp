// The labels that each token of a sentence can have: those of its word in a dictionary, those that users give, and those that the encoding
// allows beside them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "features/instances.hpp"
#include "features/tag_choices.hpp"
#include "inference/constraint.hpp"
#include "inference/legal_labels.hpp"

namespace riata {

// The sets of labels of a dictionary, for the labels of a model.
template <class Real>
struct LabelMasks {
  // All parameters must outlive the object.
  LabelMasks(const Constraint<Real>& the_constraint, std::int32_t label_count, const TagChoices& the_sets)
      : constraint(the_constraint), labels(label_count), stride(static_cast<std::size_t>(padded(label_count))), sets(the_sets) {
    if (sets.starts.empty()) return;
    if (sets.count != labels) throw Error("RiataError", "the labels of the dictionary do not fit the model");
    rows.assign((sets.starts.size() - 1) * stride, Constraint<Real>::never);
    for (std::size_t set = 0; set + 1 < sets.starts.size(); ++set) {
      for (std::int32_t k = sets.starts[set]; k < sets.starts[set + 1]; ++k)
        rows[set * stride + static_cast<std::size_t>(sets.tags[static_cast<std::size_t>(k)])] = 0;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(labels); ++i) {
      free = free && constraint.start[i] == 0 && constraint.end[i] == 0;
      for (std::size_t j = 0; free && j < static_cast<std::size_t>(labels); ++j) free = constraint.follow[i * stride + j] == 0;
    }
  }

  bool limits(std::int32_t set) const noexcept {
    const auto at = static_cast<std::size_t>(set);
    return sets.starts[at + 1] - sets.starts[at] < labels;
  }

  const Constraint<Real>& constraint;
  std::int32_t labels;
  std::size_t stride;
  const TagChoices& sets;
  std::vector<Real> rows;  // [sets][stride] 0 for labels of the set, minus infinity for others
  bool free = true;        // whether the encoding allows everything
};

// The dictionary yields, token by token, as long as no labelling of the sentence is legal, has the given labels, and keeps to it: at the
// first token at which no label is left or, if the dictionary does not limit that one, at the nearest limited token before it. Labels with
// which no such labelling of the whole sentence exists are not possible, so that a search always finds a label for the next token.
template <class Real>
class PossibleLabels {
 public:
  // The masks must outlive the object.
  explicit PossibleLabels(const LabelMasks<Real>& masks) : masks_(masks) {}

  // Finds the possible labels of a sentence. of: the set of every token, [length]; nullptr: there is no dictionary. given: where the
  // sentence starts at `first`. Returns false if no legal labelling has the given labels; then no label is forbidden.
  bool find(const std::int32_t* of, const Allowed& given, std::int64_t first, std::int32_t length) {
    of_ = of;
    by_flags_ = false;
    by_dictionary_.clear();
    by_given_.clear();
    if (!limits_any(length)) {
      of_ = nullptr;
      return found(by_given_.find(masks_.constraint, masks_.labels, given, first, length) < 0);
    }
    const bool knows = given.knows(first, length);
    if (masks_.free && !knows) return true;
    by_flags_ = true;
    yielded_.assign(static_cast<std::size_t>(length), false);
    const auto listed = [&](std::int32_t t, std::size_t j) { return yielded_[static_cast<std::size_t>(t)] || mask(t)[j] == 0; };
    const auto both = [&](std::int32_t t, std::size_t j) {
      const std::uint8_t* flags = knows ? given.at(first + t) : nullptr;
      return (flags == nullptr || flags[j]) && listed(t, j);
    };
    for (std::int32_t t; (t = by_given_.find_among(masks_.constraint, masks_.labels, length, both)) >= 0;) {
      while (t >= 0 && (yielded_[static_cast<std::size_t>(t)] || !masks_.limits(of_[t]))) --t;
      if (t < 0) return found(false);
      yielded_[static_cast<std::size_t>(t)] = true;
    }
    if (!knows)
      std::swap(by_dictionary_, by_given_);
    else
      by_dictionary_.find_among(masks_.constraint, masks_.labels, length, listed);
    return true;
  }

  // Finds the possible labels of sentence s. Throws if no legal labelling has the given labels.
  void open(const Instances& instances, std::int64_t s) {
    const std::int64_t first = instances.starts[s];
    const std::int32_t* of = instances.choices.of.empty() ? nullptr : instances.choices.of.data() + first;
    const auto length = static_cast<std::int32_t>(instances.length(s));
    if (!find(of, instances.allowed, first, length) && instances.allowed.knows(first, length))
      throw Error("DataError", "no legal labelling has the labels that are given");
  }

  // Sets the scores of labels that the dictionary forbids at token t to minus infinity; then those of labels that are not given. Models
  // that normalise every step do so in between: the dictionary is part of the model. scores: [stride].
  void keep_to_dictionary(std::int32_t t, Real* scores) const noexcept {
    if (of_ == nullptr) return;
    if (by_flags_) return by_dictionary_.forbid(t, scores);
    const Real* row = mask(t);
    for (std::size_t j = 0; j < masks_.stride; ++j) scores[j] += row[j];
  }
  void keep_to_given(std::int32_t t, Real* scores) const noexcept { by_given_.forbid(t, scores); }

  // Whether the dictionary limits the labels of any token of the sentence.
  bool limits() const noexcept { return of_ != nullptr; }

  // Whether the dictionary lets token t have label j.
  bool in_dictionary(std::int32_t t, std::size_t j) const noexcept {
    if (of_ == nullptr) return true;
    return by_flags_ ? by_dictionary_.at(t)[j] != 0 : mask(t)[j] == 0;
  }

 private:
  bool found(bool all) noexcept {
    if (all) return true;
    of_ = nullptr;
    by_given_.clear();
    return false;
  }
  // Whether the dictionary limits the labels of any token.
  bool limits_any(std::int32_t length) const noexcept {
    for (std::int32_t t = 0; of_ != nullptr && t < length; ++t) {
      if (masks_.limits(of_[t])) return true;
    }
    return false;
  }
  const Real* mask(std::int32_t t) const noexcept { return masks_.rows.data() + static_cast<std::size_t>(of_[t]) * masks_.stride; }

  const LabelMasks<Real>& masks_;
  const std::int32_t* of_ = nullptr;  // [length] sets of the open sentence; nullptr: the dictionary limits nothing
  bool by_flags_ = false;             // whether by_dictionary_ is used instead of masks
  std::vector<bool> yielded_;         // [length] tokens that the dictionary does not limit, since nothing legal would be left
  LegalLabels by_dictionary_, by_given_;
};

// The labels that the dictionary leaves to every token of a corpus. It also yields to the true labels, as far as these are known.
template <class Real>
Allowed all_possible(const Constraint<Real>& constraint, std::int32_t labels, const Instances& instances) {
  const auto count = static_cast<std::size_t>(labels);
  Allowed out, truth{std::vector<std::uint8_t>(count * count, 0), count, instances.labels};
  if (instances.choices.of.empty()) return out;
  for (std::size_t j = 0; j < count; ++j) truth.sets[j * count + j] = 1;
  const LabelMasks<Real> masks(constraint, labels, instances.choices);
  PossibleLabels<Real> possible(masks);
  std::map<std::vector<std::uint8_t>, std::int32_t> numbers;
  std::vector<std::uint8_t> flags(count);
  numbers.emplace(std::vector<std::uint8_t>(count, 1), -1);
  out.width = count;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int64_t first = instances.starts[s];
    const auto length = static_cast<std::int32_t>(instances.length(s));
    const std::int32_t* of = instances.choices.of.data() + first;
    if (!possible.find(of, truth, first, length)) possible.find(of, Allowed(), first, length);
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::size_t j = 0; j < count; ++j) flags[j] = possible.in_dictionary(t, j);
      const auto [set, fresh] = numbers.emplace(flags, static_cast<std::int32_t>(out.sets.size() / count));
      if (fresh) out.sets.insert(out.sets.end(), flags.begin(), flags.end());
      out.of.push_back(set->second);
    }
  }
  return out;
}

}  // namespace riata
