// What segments score, all that start at one token at a time. Rows are computed when first asked for under the present weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "features/grown_rows.hpp"
#include "features/instances.hpp"
#include "features/segment_templates.hpp"
#include "inference/search/space.hpp"
#include "learning/linear.hpp"
#include "models/row_sum.hpp"
#include "models/segment_weights.hpp"

namespace riata {

template <class Real, class Held = Linear<Real>>
class SegmentSteps {
 public:
  SegmentSteps(const SegmentTemplates& templates, const SegmentLayout& layout, const SegmentKinds& kinds, const GrownRows& grown,
               const Instances& instances, const Held& weights)
      : templates_(templates), layout_(layout), kinds_(kinds), grown_(grown), instances_(instances), weights_(weights), sum_(layout.stride),
        history_(static_cast<std::size_t>(layout.stride)) {
    for (const AnchoredSlot& slot : templates.anchored()) (slot.role == Role::first ? first_ : slot.role == Role::last ? last_ : inside_).push_back(slot);
    std::stable_sort(inside_.begin(), inside_.end(), [](const AnchoredSlot& a, const AnchoredSlot& b) { return a.reach < b.reach; });
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(templates.grown().size()); ++s) {
      const Grown kind = templates.grown()[s].kind;
      (kind == Grown::length ? lengths_ : kind == Grown::sequence ? sequences_ : histories_).push_back(s);
    }
  }

  void open(std::int64_t sentence) {
    origin_ = instances_.origin(sentence);
    length_ = static_cast<std::int32_t>(instances_.length(sentence));
    const auto tokens = static_cast<std::size_t>(length_);
    spans_known_.assign(tokens, -1);
    token_known_.assign(tokens, -1);
    make_room(spans_, tokens * kinds_.most * layout_.stride);
    make_room(tokens_, tokens * rows_of_token() * layout_.stride);
  }

  std::int32_t length() const noexcept { return length_; }

  // How long a segment from token t can be.
  std::int32_t lengths(std::int32_t t) const noexcept { return std::min(kinds_.most, length_ - t); }

  // What the input says of every label of a segment from token t, by length: [lengths][stride].
  const Real* spans(std::int32_t t) {
    if (spans_known_[t] != weights_.version()) compute_spans(t);
    return spans_.data() + std::size_t(t) * kinds_.most * layout_.stride;
  }

  // What the labels of the segments before token t say of every label of the next; before: see SegmentSpace::look_back.
  const Real* history(std::int32_t t, std::span<const std::int32_t> before) {
    std::fill(history_.begin(), history_.end(), Real{0});
    for (const std::int32_t s : histories_) {
      const std::int32_t row = history_row(s, t, before, [&](std::int32_t from, std::int32_t value) { return grown_.find(from, value); });
      if (row >= 0) add(history_.data(), weights_.data() + layout_.grown_row(row));
    }
    scale(history_.data());
    return history_.data();
  }

  // visit(row) of every feature of a segment. grow(row, value): the step on from a row that grows, or -1.
  template <class Grow, class Visit>
  void each_row(std::int32_t t, std::int32_t length, std::span<const std::int32_t> before, Grow grow, Visit visit) const {
    const std::int32_t last = t + length - 1;
    const auto anchored = [&](const AnchoredSlot& slot, std::int32_t at) {
      const std::int32_t id = ngram(slot.family, at + slot.offset);
      if (id >= 0) visit(layout_.row(slot, id));
    };
    for (const AnchoredSlot& slot : first_) anchored(slot, t);
    for (const AnchoredSlot& slot : last_) anchored(slot, last);
    for (const AnchoredSlot& slot : inside_)
      for (std::int32_t at = t; at + slot.reach <= last; ++at) anchored(slot, at);
    const auto grown = [&](std::int32_t row) {
      if (row >= 0) visit(layout_.grown_row(row));
    };
    for (const std::int32_t s : lengths_) grown(grow(GrownRows::root(s), length));
    for (const std::int32_t s : sequences_) {
      if (is_known(s, t, length)) grown(sequence_row(s, t, length, grow));
    }
    for (const std::int32_t s : histories_) grown(history_row(s, t, before, grow));
  }

 private:
  static void make_room(std::vector<Real>& rows, std::size_t size) {
    if (rows.size() < size) rows.resize(size);
  }

  std::int32_t ngram(std::int32_t family, std::int32_t t) const noexcept { return instances_.ngrams[family][origin_ + t]; }

  // Whether training has seen every n-gram of a sequence.
  bool is_known(std::int32_t s, std::int32_t t, std::int32_t length) const noexcept {
    const GrownSlot& slot = templates_.grown()[s];
    for (std::int32_t at = t; at < t + length; ++at) {
      if (ngram(slot.family, at) < 0) return false;
    }
    return true;
  }
  template <class Grow>
  std::int32_t sequence_row(std::int32_t s, std::int32_t t, std::int32_t length, Grow grow) const {
    std::int32_t row = GrownRows::root(s);
    for (std::int32_t at = t; at < t + length && row >= 0; ++at) row = grow(row, ngram(templates_.grown()[s].family, at));
    return row;
  }

  // A step for the n-gram, if the slot reads one, and one for each label; -1 where training has not seen the n-gram.
  template <class Grow>
  std::int32_t history_row(std::int32_t s, std::int32_t t, std::span<const std::int32_t> before, Grow grow) const {
    const GrownSlot& slot = templates_.grown()[s];
    std::int32_t row = GrownRows::root(s);
    if (slot.family >= 0) {
      const std::int32_t id = ngram(slot.family, t + slot.offset);
      if (id < 0) return -1;
      row = grow(row, id);
    }
    for (const std::int32_t back : slot.back) row = row < 0 ? -1 : grow(row, before[static_cast<std::size_t>(back) - 1]);
    return row;
  }

  // Of a token: what its n-grams say as the last of a segment, and what the n-grams inside say that end at it, by the longest that fits.
  std::int32_t rows_of_token() const noexcept { return templates_.reach() + 2; }
  const Real* token(std::int32_t t) {
    if (token_known_[t] != weights_.version()) compute_token(t);
    return tokens_.data() + std::size_t(t) * rows_of_token() * layout_.stride;
  }

  void compute_token(std::int32_t t) {
    Real* out = tokens_.data() + std::size_t(t) * rows_of_token() * layout_.stride;
    sum(last_, t, out);
    auto slot = inside_.begin();
    for (std::int32_t reach = 0; reach <= templates_.reach(); ++reach) {
      Real* row = out + std::size_t(reach + 1) * layout_.stride;
      if (reach == 0) std::fill_n(row, layout_.stride, Real{0});
      else std::copy_n(row - layout_.stride, layout_.stride, row);
      rows_.begin(row, layout_.stride);
      for (; slot != inside_.end() && slot->reach == reach; ++slot) {
        if (t < reach) continue;  // begins before the sentence
        const std::int32_t id = ngram(slot->family, t - reach);
        if (id >= 0) rows_.add(weights_.data() + layout_.row(*slot, id), 1.0f);
      }
      rows_.finish();
    }
    token_known_[t] = weights_.version();
    if (t + 1 < length_ && token_known_[t + 1] != weights_.version()) prefetch(t + 1);
  }

  // Asks the memory for the rows of a token, so that they are there when the search comes to it.
  void prefetch(std::int32_t t) const noexcept {
    const auto fetch = [&](const AnchoredSlot& slot, std::int32_t at) {
      if (at < 0 && slot.role == Role::inside) return;
      const std::int32_t id = ngram(slot.family, at + slot.offset);
      if (id >= 0) __builtin_prefetch(weights_.data() + layout_.row(slot, id));
    };
    for (const AnchoredSlot& slot : first_) fetch(slot, t);
    for (const AnchoredSlot& slot : last_) fetch(slot, t);
    for (const AnchoredSlot& slot : inside_) fetch(slot, t - slot.reach);
  }

  void compute_spans(std::int32_t t) {
    const std::int32_t stride = layout_.stride, longest = lengths(t);
    Real* out = spans_.data() + std::size_t(t) * kinds_.most * stride;
    sum(first_, t, sum_.data());
    for (std::int32_t l = 1; l <= longest; ++l) {
      const Real* here = token(t + l - 1);
      add(sum_.data(), here + std::size_t(std::min(l - 1, templates_.reach()) + 1) * stride);
      Real* row = out + std::size_t(l - 1) * stride;
      for (std::int32_t j = 0; j < stride; ++j) row[j] = sum_[j] + here[j];
      for (const std::int32_t s : lengths_) {
        const std::int32_t known = grown_.find(GrownRows::root(s), l);
        if (known >= 0) add(row, weights_.data() + layout_.grown_row(known));
      }
    }
    add_sequences(t, longest, out);
    for (std::int32_t l = 0; l < longest; ++l) scale(out + std::size_t(l) * stride);
    spans_known_[t] = weights_.version();
  }

  // A sequence has a row only if its beginning has one: a walk ends where the trie does. All walks go on step by step together, so
  // that the memory works on all of them at once.
  void add_sequences(std::int32_t t, std::int32_t longest, Real* out) {
    walks_.clear();
    for (const std::int32_t s : sequences_) walks_.push_back({templates_.grown()[s].family, GrownRows::root(s), -1});
    for (std::int32_t l = 0; l < longest && !walks_.empty(); ++l) {
      for (Walk& walk : walks_) {
        walk.id = ngram(walk.family, t + l);
        if (walk.id >= 0) grown_.prefetch(walk.row, walk.id);
      }
      std::size_t left = 0;
      for (const Walk& walk : walks_) {
        const std::int32_t row = walk.id < 0 ? -1 : grown_.find(walk.row, walk.id);
        if (row < 0) continue;
        __builtin_prefetch(weights_.data() + layout_.grown_row(row));
        walks_[left++] = {walk.family, row, -1};
      }
      walks_.resize(left);
      for (const Walk& walk : walks_) add(out + std::size_t(l) * layout_.stride, weights_.data() + layout_.grown_row(walk.row));
    }
  }

  void sum(const std::vector<AnchoredSlot>& slots, std::int32_t t, Real* out) {
    std::fill_n(out, layout_.stride, Real{0});
    rows_.begin(out, layout_.stride);
    for (const AnchoredSlot& slot : slots) {
      const std::int32_t id = ngram(slot.family, t + slot.offset);
      if (id >= 0) rows_.add(weights_.data() + layout_.row(slot, id), 1.0f);
    }
    rows_.finish();
  }
  void add(Real* to, const Real* row) const noexcept {
    for (std::int32_t j = 0; j < layout_.stride; ++j) to[j] += row[j];
  }
  void scale(Real* row) const noexcept {
    const auto factor = static_cast<Real>(weights_.scale());
    for (std::int32_t j = 0; j < layout_.stride; ++j) row[j] *= factor;
  }

  const SegmentTemplates& templates_;
  const SegmentLayout& layout_;
  const SegmentKinds& kinds_;
  const GrownRows& grown_;
  const Instances& instances_;
  const Held& weights_;
  std::vector<AnchoredSlot> first_, last_, inside_;              // inside: by reach
  std::vector<std::int32_t> lengths_, sequences_, histories_;    // numbers of grown slots
  struct Walk {
    std::int32_t family, row, id;
  };
  std::vector<Walk> walks_;  // through the trie, one per sequence slot
  std::int64_t origin_ = 0;
  std::int32_t length_ = 0;
  std::vector<std::int64_t> spans_known_, token_known_;  // [T] under which weights the rows below were computed; -1: not yet
  std::vector<Real> spans_;                              // [T][most][stride]
  std::vector<Real> tokens_;                             // [T][rows_of_token][stride]
  std::vector<Real> sum_, history_;                      // [stride]
  RowSum<Real> rows_;
};

}  // namespace riata
