// The scores of segments, for all segments that start at one token at a time. Rows are computed when they are first asked for under the
// present weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "features/grown_rows.hpp"
#include "features/instances.hpp"
#include "features/segment_templates.hpp"
#include "inference/legal_segments.hpp"
#include "models/row_sum.hpp"
#include "models/segment_weights.hpp"
#include "models/vector.hpp"

namespace riata {

// Two ways to find a row: KnownRows returns -1 for a row that does not exist, AddedRows adds it.
struct KnownRows {
  const GrownRows& rows;
  RowId first(SlotId slot, ContextId context, std::int32_t value) const noexcept { return rows.find(slot, context, value); }
  RowId next(RowId row, std::int32_t value) const noexcept { return rows.find_next(row, value); }
};
struct AddedRows {
  GrownRows& rows;
  RowId first(SlotId slot, ContextId context, std::int32_t value) const { return rows.add(slot, context, value); }
  RowId next(RowId row, std::int32_t value) const { return rows.add_next(row, value); }
};

template <class Real>
class SegmentSteps {
 public:
  SegmentSteps(const SegmentTemplates& templates, const SegmentCoding& coding, const GrownRows& grown, const Instances& instances,
               const Vector<Real>& weights)
      : templates_(templates),
        coding_(coding),
        codes_(coding, templates),
        grown_(grown),
        instances_(instances),
        weights_(weights),
        stride_(coding.stride()),
        begin_(static_cast<std::size_t>(stride_)) {
    for (const AnchoredSlot& slot : templates.anchored())
      (slot.role == Role::first ? first_ : slot.role == Role::last ? last_ : inside_).push_back(slot);
    first_rows_.resize(first_.size());
    std::stable_sort(inside_.begin(), inside_.end(), [](const AnchoredSlot& a, const AnchoredSlot& b) { return a.reach < b.reach; });
  }

  void open(std::int64_t sentence) {
    origin_ = instances_.origin(sentence);
    length_ = static_cast<std::int32_t>(instances_.length(sentence));
    legal_.open(coding_, instances_.allowed, instances_.starts[sentence], length_);
    const auto tokens = static_cast<std::size_t>(length_);
    spans_known_.assign(tokens, -1);
    token_known_.assign(tokens, -1);
    gathered_ = -1;
    most_ = std::min(coding_.most, Length(length_)).number();
    inside_rows_.resize(static_cast<std::size_t>(most_));
    last_rows_.resize(static_cast<std::size_t>(most_));
    make_room(spans_, tokens * most_ * stride_);
    make_room(peaks_, tokens * most_);
    make_room(tokens_, tokens * rows_of_token() * stride_);
    for (std::vector<History>& rows : histories_) rows.clear();
    histories_end_ = 0;
    if (templates_.looks_back() && histories_.size() < tokens) histories_.resize(tokens);
  }

  std::int32_t length() const noexcept { return length_; }

  // The largest length of a segment from token t.
  Length lengths(std::int32_t t) const noexcept { return std::min(coding_.most, Length(length_ - t)); }

  // The scores of every label of a segment from token t from the input alone, by length: [lengths][stride]. Minus infinity if there is no
  // such segment.
  const Real* spans(std::int32_t t) {
    if (spans_known_[t] != weights_.version()) compute_spans(t);
    return spans_.data() + std::size_t(t) * most_ * stride_;
  }
  // The highest score of each length: [lengths]. `spans` must be called first.
  const Real* peaks(std::int32_t t) const noexcept { return peaks_.data() + std::size_t(t) * most_; }

  // Adds more(token, length, label) to the score of every segment, until the sentence is opened again or the weights change.
  template <class More>
  void raise(More more) {
    for (std::int32_t t = 0; t < length_; ++t) {
      spans(t);
      for (Length l(1); l <= lengths(t); ++l) {
        const std::size_t cell = std::size_t(t) * most_ + l.place() - 1;
        Real* row = spans_.data() + cell * stride_;
        for (LabelId y(0); y.number() < coding_.labels; ++y) row[y.place()] += static_cast<Real>(more(t, l, y));
        peaks_[cell] = *std::max_element(row, row + coding_.labels);
      }
    }
  }

  // The score of every label of a segment from token t, from the segments before it: [stride]. The pointer is valid until the next call.
  const Real* history(std::int32_t t, const Before& before) {
    std::vector<History>& here = histories_[static_cast<std::size_t>(t)];
    const ContextId context = codes_.whole(before, t);
    auto one = std::find_if(here.begin(), here.end(), [&](const History& other) { return other.context == context; });
    if (one == here.end()) {
      one = here.insert(here.end(), {context, -1, histories_end_});
      histories_end_ += static_cast<std::size_t>(stride_);
      make_room(history_rows_, histories_end_);
    }
    if (one->version != weights_.version()) {
      compute_history(t, before, history_rows_.data() + one->place);
      one->version = weights_.version();
    }
    return history_rows_.data() + one->place;
  }

  // Whether templates read the same from two sequences of segments before token t.
  bool same(std::int32_t t, const Before& a, const Before& b) const noexcept { return codes_.whole(a, t) == codes_.whole(b, t); }

  // Calls visit(row) for every feature of a segment. rows: KnownRows or AddedRows.
  template <class Rows, class Visit>
  void each_row(std::int32_t t, Length length, const Before& before, const Rows& rows, Visit visit) const {
    each_span_row(t, length, rows, visit);
    each_history_row(t, before, rows, visit);
  }

  // Calls visit(row) for the features of a segment that read the input alone, and for those that read earlier segments.
  template <class Rows, class Visit>
  void each_span_row(std::int32_t t, Length length, const Rows& rows, Visit visit) const {
    const std::int32_t last = t + length - 1;
    const auto known = [&](RowId row) {
      if (row) visit(row);
    };
    const auto anchored = [&](const AnchoredSlot& slot, std::int32_t at) {
      const NgramId id = ngram(slot.family, at + slot.offset);
      if (id) known(rows.first(slot.slot, GrownRows::no_context, id.number()));
    };
    for (const AnchoredSlot& slot : first_) anchored(slot, t);
    for (const AnchoredSlot& slot : last_) anchored(slot, last);
    for (const AnchoredSlot& slot : inside_)
      for (std::int32_t at = t; at + slot.reach <= last; ++at) anchored(slot, at);
    if (templates_.length()) known(rows.first(templates_.length(), GrownRows::no_context, length.number()));
    for (const SequenceSlot& slot : templates_.sequences()) {
      if (is_known(slot, t, length)) known(sequence_row(slot, t, length, rows));
    }
  }
  template <class Rows, class Visit>
  void each_history_row(std::int32_t t, const Before& before, const Rows& rows, Visit visit) const {
    for (const BackSlot& slot : templates_.histories()) {
      const RowId row = history_row(slot, t, before, rows);
      if (row) visit(row);
    }
  }

 private:
  struct History {
    ContextId context;     // of the segments before, as BackCodes::whole returns it
    std::int64_t version;  // of the weights with which the row was computed
    std::size_t place;     // place of the row in history_rows_
  };
  struct Walk {
    std::int32_t family, around;
    RowId row;
    NgramId id;
  };
  struct Gathered {
    std::vector<RowId> rows;
    std::vector<std::size_t> ends;  // [rows_of_token] end of the rows that are added to each
    void swap(Gathered& other) noexcept {
      rows.swap(other.rows);
      ends.swap(other.ends);
    }
  };

  static void make_room(std::vector<Real>& rows, std::size_t size) {
    if (rows.size() < size) rows.resize(size);
  }

  NgramId ngram(std::int32_t family, std::int32_t t) const noexcept { return NgramId(instances_.ngrams[family][origin_ + t]); }
  const Real* weights(RowId row) const noexcept { return weights_.data() + row.place() * stride_; }
  // Asks the memory for the weights of a row, where there is one.
  void prefetch(RowId row) const noexcept { __builtin_prefetch(weights(row ? row : RowId(0))); }

  // Whether training has seen every n-gram of a sequence.
  bool is_known(const SequenceSlot& slot, std::int32_t t, Length length) const noexcept {
    for (std::int32_t at = t - slot.around; at < t + length + slot.around; ++at) {
      if (!ngram(slot.family, at)) return false;
    }
    return true;
  }
  template <class Rows>
  RowId sequence_row(const SequenceSlot& slot, std::int32_t t, Length length, const Rows& rows) const {
    RowId row = rows.first(slot.slot, GrownRows::no_context, ngram(slot.family, t - slot.around).number());
    for (std::int32_t at = t - slot.around + 1; at < t + length + slot.around && row; ++at)
      row = rows.next(row, ngram(slot.family, at).number());
    return row;
  }

  // -1 if training has not seen the n-gram.
  template <class Rows>
  [[gnu::always_inline]] RowId history_row(const BackSlot& slot, std::int32_t t, const Before& before, const Rows& rows) const {
    NgramId id(0);
    if (slot.family >= 0) id = ngram(slot.family, (slot.previous ? before.start : t) + slot.offset);
    return id ? rows.first(slot.slot, codes_(slot, before, t), id.number()) : RowId();
  }

  void compute_history(std::int32_t t, const Before& before, Real* out) {
    std::fill_n(out, stride_, Real{0});
    rows_.begin(out, stride_);
    for (const BackSlot& slot : templates_.histories()) {
      const RowId row = history_row(slot, t, before, KnownRows{grown_});
      if (row) rows_.add(weights(row), 1.0f);
    }
    rows_.finish();
    const auto factor = static_cast<Real>(weights_.scale());
    for (std::int32_t j = 0; j < stride_; ++j) out[j] *= factor;
  }

  // The rows of a token: scores of its n-grams as the last of a segment, then scores of the n-grams inside that end at it, for each reach
  // including the shorter ones.
  std::int32_t rows_of_token() const noexcept { return templates_.reach() + 2; }
  const Real* token(std::int32_t t) {
    if (token_known_[t] != weights_.version()) compute_token(t);
    return tokens_.data() + std::size_t(t) * rows_of_token() * stride_;
  }

  void compute_token(std::int32_t t) {
    if (gathered_ != t || gathered_from_ != grown_.rows()) gather(t);
    now_.swap(next_);
    gathered_ = -1;
    if (t + 1 < length_ && token_known_[t + 1] != weights_.version()) gather(t + 1);
    Real* out = tokens_.data() + std::size_t(t) * rows_of_token() * stride_;
    std::fill_n(out, 2 * stride_, Real{0});
    std::size_t from = 0;
    for (std::int32_t part = 0; part < rows_of_token(); ++part) {
      Real* row = out + std::size_t(part) * stride_;
      if (part > 1) std::copy_n(row - stride_, stride_, row);
      rows_.begin(row, stride_);
      for (; from < now_.ends[static_cast<std::size_t>(part)]; ++from) rows_.add(weights(now_.rows[from]), 1.0f);
      rows_.finish();
    }
    token_known_[t] = weights_.version();
  }

  // Finds the rows of a token and prefetches them, so that they are in the cache when they are added up.
  void gather(std::int32_t t) {
    next_.rows.resize(last_.size() + inside_.size());
    next_.ends.clear();
    std::size_t count = 0;
    const auto take = [&](const AnchoredSlot& slot, std::int32_t at) {
      const RowId row = grown_.find(slot.slot, ngram(slot.family, at).number());
      next_.rows[count] = row;
      prefetch(row);
      count += row ? 1 : 0;
    };
    for (const AnchoredSlot& slot : last_) take(slot, t + slot.offset);
    next_.ends.push_back(count);
    auto slot = inside_.begin();
    for (std::int32_t reach = 0; reach <= templates_.reach(); ++reach) {
      for (; slot != inside_.end() && slot->reach == reach; ++slot) {
        if (t >= reach) take(*slot, t - reach);  // other n-grams begin before the sentence
      }
      next_.ends.push_back(count);
    }
    gathered_ = t;
    gathered_from_ = grown_.rows();
  }

  // Rows are prefetched as soon as they are found, and added up after all others have been found.
  void compute_spans(std::int32_t t) {
    const std::int32_t longest = lengths(t).number();
    Real* out = spans_.data() + std::size_t(t) * most_ * stride_;
    begin_walks(t);
    std::size_t firsts = 0;
    for (const AnchoredSlot& slot : first_) {
      const RowId row = grown_.find(slot.slot, ngram(slot.family, t + slot.offset).number());
      first_rows_[firsts] = row;
      prefetch(row);
      firsts += row ? 1 : 0;
    }
    for (std::int32_t l = 1; l <= longest; ++l) {
      const Real* here = token(t + l - 1);
      inside_rows_[l - 1] = here + std::size_t(std::min(l - 1, templates_.reach()) + 1) * stride_;
      last_rows_[l - 1] = here;
    }
    std::fill_n(begin_.data(), stride_, Real{0});
    std::fill(begin_.begin() + coding_.labels, begin_.end(), -std::numeric_limits<Real>::infinity());
    rows_.begin(begin_.data(), stride_);
    for (std::size_t i = 0; i < firsts; ++i) rows_.add(weights(first_rows_[i]), 1.0f);
    rows_.finish();
    running_sums(begin_.data(), inside_rows_.data(), last_rows_.data(), longest, stride_, out);
    add_grown(t, lengths(t), out);
    if (coding_.outside) {
      for (std::int32_t l = 1; l < longest; ++l)
        out[std::size_t(l) * stride_ + coding_.outside.place()] = -std::numeric_limits<Real>::infinity();
    }
    for (std::int32_t l = 1; l <= longest; ++l) legal_.forbid(t, Length(l), out + std::size_t(l - 1) * stride_);
    scale_rows(out, longest, stride_, static_cast<Real>(weights_.scale()), peaks_.data() + std::size_t(t) * most_);
    spans_known_[t] = weights_.version();
  }

  // Finds the sequences of one token that have a row.
  void begin_walks(std::int32_t t) {
    walks_.clear();
    for (const SequenceSlot& slot : templates_.sequences()) {
      std::int32_t at = t - slot.around;
      RowId row = grown_.find(slot.slot, ngram(slot.family, at).number());
      for (++at; row && at < t + 1 + slot.around; ++at) row = step(row, ngram(slot.family, at));
      if (!row) continue;
      __builtin_prefetch(weights(row));
      walks_.push_back({slot.family, slot.around, row, NgramId()});
    }
  }

  // Adds the rows of lengths and sequences. A sequence has a row only if its beginning has one, so a walk along a sequence stops at the
  // first missing row. All walks advance together, so that their memory accesses overlap.
  void add_grown(std::int32_t t, Length longest, Real* out) {
    for (Length l(1); l <= longest; ++l) {
      const RowId length_row = templates_.length() ? grown_.find(templates_.length(), l.number()) : RowId();
      rows_.begin(out + (l.place() - 1) * stride_, stride_);
      if (length_row) rows_.add(weights(length_row), 1.0f);
      for (const Walk& walk : walks_) rows_.add(weights(walk.row), 1.0f);
      rows_.finish();
      if (l == longest) break;
      std::size_t left = 0;
      for (Walk& walk : walks_) {
        if (!grown_.goes_on(walk.row)) continue;
        walk.id = ngram(walk.family, t + l + walk.around);
        grown_.prefetch_next(walk.row, walk.id.number());
        walks_[left++] = walk;
      }
      walks_.resize(left);
      left = 0;
      for (const Walk& walk : walks_) {
        const RowId row = step(walk.row, walk.id);
        if (!row) continue;
        __builtin_prefetch(weights(row));
        walks_[left] = walk;
        walks_[left++].row = row;
      }
      walks_.resize(left);
      if (walks_.empty() && !templates_.length()) break;
    }
  }
  RowId step(RowId row, NgramId id) const noexcept { return id ? grown_.find_next(row, id.number()) : RowId(); }

  const SegmentTemplates& templates_;
  const SegmentCoding& coding_;
  BackCodes codes_;
  const GrownRows& grown_;
  const Instances& instances_;
  const Vector<Real>& weights_;
  std::int32_t stride_;
  LegalSegments legal_;
  std::vector<AnchoredSlot> first_, last_, inside_;  // inside_ is sorted by reach
  std::vector<RowId> first_rows_;                    // of the present token
  std::vector<Walk> walks_;                          // at most one per sequence slot
  Gathered now_, next_;
  // The token whose rows are in next_, -1: none; and the number of rows that existed when they were gathered.
  std::int32_t gathered_ = -1, gathered_from_ = 0;
  std::int64_t origin_ = 0;
  std::int32_t length_ = 0, most_ = 0;  // of the sentence; largest length of a segment in it
  // [T] version of the weights with which rows of spans_ and tokens_ were computed; -1: not yet.
  std::vector<std::int64_t> spans_known_, token_known_;
  std::vector<Real> spans_;                      // [T][most][stride]
  std::vector<Real> peaks_;                      // [T][most]
  std::vector<Real> tokens_;                     // [T][rows_of_token][stride]
  std::vector<std::vector<History>> histories_;  // [T] rows by the segments before
  std::vector<Real> history_rows_;               // of the sentence, up to histories_end_
  std::size_t histories_end_ = 0;
  std::vector<Real> begin_;                           // [stride]
  std::vector<const Real*> inside_rows_, last_rows_;  // [most]
  RowSum<Real> rows_;
};

}  // namespace riata
