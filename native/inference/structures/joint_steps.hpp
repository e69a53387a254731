// The scores of tags and chunk labels. Rows are computed when they are first asked for under the present weights: rows of the input once
// per token; rows that read outputs once per combination of these outputs, however many states share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/memo.hpp"
#include "features/instances.hpp"
#include "features/joint_rows.hpp"
#include "inference/search/node.hpp"
#include "models/joint_weights.hpp"
#include "models/row_sum.hpp"
#include "models/vector.hpp"

namespace riata {

template <class Real>
class JointSteps {
 public:
  JointSteps(const JointTemplates& templates, const JointLayout& layout, const JointCoding& coding, const JointRows& rows,
             const Instances& instances, const Vector<Real>& weights, bool by_level)
      : templates_(templates), layout_(layout), coding_(coding), rows_(rows), instances_(instances), weights_(weights), forgets_(by_level) {
    for (const Output output : {Output::tag, Output::chunk}) {
      for (const JointGroup& group : templates.groups(output)) {
        if (group.candidate)
          beside_.push_back({&group, group.unit(coding)});
        else
          alone_[number(output)].push_back(&group);
      }
    }
  }

  void open(std::int64_t sentence) {
    origin_ = instances_.origin(sentence);
    length_ = static_cast<std::int32_t>(instances_.length(sentence));
    check_size();
    forget(StateId());
    for (const Output output : {Output::tag, Output::chunk}) {
      computed_[number(output)].assign(static_cast<std::size_t>(length_), -1);
      const std::size_t size = static_cast<std::size_t>(length_) * layout_.stride(output);
      if (plain_[number(output)].size() < size) plain_[number(output)].resize(size);
    }
  }

  std::int32_t length() const noexcept { return length_; }

  // Writes the scores of all tags, or all chunk labels, of token t from the input alone to out, [stride].
  void set_input(Output output, std::int32_t t, Real* out) {
    if (computed_[number(output)][t] != weights_.version()) compute_plain(output, t);
    std::copy_n(plain_row(output, t), layout_.stride(output), out);
  }
  // Must be called before the step from a state is scored. Clears the stored rows if the weights have changed, if a search by levels has
  // reached another level (so that the rows in use stay in the cache), or if too many rows are stored.
  void at_step(StateId from) {
    if (version_ != weights_.version() || (forgets_ && from_ != from) || arena_.size() > most_remembered) forget(from);
  }
  // Adds the scores of templates that read earlier outputs.
  void add_outputs(Output output, std::int32_t t, std::span<const std::int32_t> window, Real* out) {
    ask(output, t, window);
    add_asked(output, out);
  }
  // Adds the scores of templates that read the operator's own tag, alone or with earlier outputs. tag: none where the operator gives
  // none. begin_tags must be called first.
  void add_beside(TagId tag, Real* out) {
    ask_beside(tag);
    add_asked(Output::chunk, out);
  }
  // `ask` and `ask_beside` request the rows of many states; `answer` then computes all of them side by side, so that their memory accesses
  // overlap.
  void ask(Output output, std::int32_t t, std::span<const std::int32_t> window) {
    starts_.clear();
    for (const JointGroup* group : alone_[number(output)]) {
      const std::uint64_t packed = group->packed(window, coding_);
      starts_.push_back(group_row(*group, t, packed, key_of(*group, t, packed)));
    }
  }
  // Packs the outputs that are read beside the operator's own tag, and finds their rows, once for all tags.
  void begin_tags(std::int32_t t, std::span<const std::int32_t> window) {
    t_ = t;
    for (Beside& one : beside_) {
      one.packed = one.group->packed(window, coding_) - one.unit * std::uint64_t(window[0]);
      std::int64_t& first = memo_.at(key_of(*one.group, t, one.packed));
      if (first < 0) {
        first = static_cast<std::int64_t>(by_tag_.size());
        by_tag_.resize(by_tag_.size() + static_cast<std::size_t>(coding_.tags + 1), -1);
      }
      one.first = static_cast<std::size_t>(first);
    }
  }
  void ask_beside(TagId tag) {
    starts_.clear();
    const auto value = static_cast<std::size_t>(tag.value());
    for (const Beside& one : beside_) {
      std::int64_t& start = by_tag_[one.first + value];
      if (start < 0) start = new_row(*one.group, t_, one.packed + value * one.unit);
      starts_.push_back(start);
    }
  }
  void answer() {
    if (asked_.empty()) return;
    looked_.clear();
    for (const Asked& one : asked_) rows_.prefetch_context(one.group->number, one.packed);
    for (const Asked& one : asked_) {
      const ContextId context = rows_.find_context(one.group->number, one.packed);
      if (!context) continue;
      for (const SlotId s : one.group->slots) {
        const NgramId id = ngram(templates_[s], one.t);
        if (id == unseen) continue;
        rows_.prefetch(s, id, context);
        looked_.push_back({s, id, context, RowId(), one.start});
      }
    }
    std::size_t left = 0;
    for (Looked& one : looked_) {
      one.row = rows_.find(one.slot, one.id, one.context);
      if (!one.row) continue;
      __builtin_prefetch(weights_.data() + layout_.grown_row(rows_, one.row));
      looked_[left++] = one;
    }
    looked_.resize(left);
    const auto factor = static_cast<Real>(weights_.scale());
    for (const Looked& one : looked_) {
      const Real* row = weights_.data() + layout_.grown_row(rows_, one.row);
      Real* out = arena_.data() + one.start;
      const std::int32_t stride = layout_.stride(templates_[one.slot].output);
      for (std::int32_t j = 0; j < stride; ++j) out[j] += row[j] * factor;
    }
    asked_.clear();
  }

  // Calls visit(place of the row) for every feature of an output of token t. context(group) and row(slot, n-gram, context) return the
  // context and the row of features that read outputs, or none.
  template <class Context, class Row, class Visit>
  void each_row(Output output, std::int32_t t, Context context, Row row, Visit visit) const {
    for (const SlotId s : templates_.plain(output)) {
      const JointSlot& slot = templates_[s];
      const NgramId id = ngram(slot, t);
      if (id) visit(layout_.row(slot, id));
    }
    for (const JointGroup& group : templates_.groups(output)) {
      const ContextId at = context(group);
      if (!at) continue;
      for (const SlotId s : group.slots) {
        const NgramId id = ngram(templates_[s], t);
        const RowId found = id == unseen ? RowId() : row(s, id, at);
        if (found) visit(layout_.grown_row(rows_, found));
      }
    }
  }

 private:
  static constexpr std::size_t most_remembered = std::size_t{1} << 24;  // weights that are stored before all are dropped

  // The n-gram that a slot reads at token t: none if the slot reads none, `unseen` if training has not seen it.
  NgramId ngram(const JointSlot& slot, std::int32_t t) const noexcept {
    if (slot.family < 0) return NgramId();
    const NgramId id(instances_.ngrams[slot.family][origin_ + t + slot.offset]);
    return id ? id : unseen;
  }

  // The outputs that a group reads are packed into one 64-bit number. Throws if there are too many combinations.
  void check_size() const {
    double most = 1;
    for (const Output output : {Output::tag, Output::chunk}) {
      for (const JointGroup& group : templates_.groups(output)) most = std::max(most, group.size(coding_));
    }
    if (most * double(length_) * templates_.all_groups() > double(std::numeric_limits<std::int64_t>::max() / 2))
      throw Error("UnsupportedError", "there are too many labels for templates that read so many of them together.",
                  "Use templates that read fewer outputs.");
  }

  void forget(StateId from) {
    memo_.clear();
    arena_.clear();
    by_tag_.clear();
    asked_.clear();
    version_ = weights_.version();
    from_ = from;
  }

  Real* plain_row(Output output, std::int32_t t) noexcept {
    return plain_[number(output)].data() + std::size_t(t) * layout_.stride(output);
  }

  void compute_plain(Output output, std::int32_t t) {
    Real* out = plain_row(output, t);
    const std::int32_t stride = layout_.stride(output);
    std::fill_n(out, stride, Real{0});
    sum_.begin(out, stride);
    for (const SlotId s : templates_.plain(output)) {
      const JointSlot& slot = templates_[s];
      const NgramId id = ngram(slot, t);
      if (id) sum_.add(weights_.data() + layout_.row(slot, id), 1.0f);
    }
    sum_.finish();
    scale(output, out);
    computed_[number(output)][t] = weights_.version();
    if (t + 1 < length_ && computed_[number(output)][t + 1] != weights_.version()) prefetch(output, t + 1);
  }

  // Prefetches the rows of a token, so that they are in the cache when the search reaches it.
  void prefetch(Output output, std::int32_t t) const noexcept {
    for (const SlotId s : templates_.plain(output)) {
      const JointSlot& slot = templates_[s];
      const NgramId id = ngram(slot, t);
      if (id) __builtin_prefetch(weights_.data() + layout_.row(slot, id));
    }
  }

  // The key in the memo of the outputs that a group reads at a token.
  std::uint64_t key_of(const JointGroup& group, std::int32_t t, std::uint64_t packed) const noexcept {
    return (packed * std::uint64_t(templates_.all_groups()) + group.number.place()) * std::uint64_t(length_) + std::uint64_t(t);
  }

  // The place in the arena of the row of a group. A new row is requested and stays zero until `answer` computes it.
  std::int64_t group_row(const JointGroup& group, std::int32_t t, std::uint64_t packed, std::uint64_t key) {
    std::int64_t& start = memo_.at(key);
    return start >= 0 ? start : start = new_row(group, t, packed);
  }
  std::int64_t new_row(const JointGroup& group, std::int32_t t, std::uint64_t packed) {
    const auto start = static_cast<std::int64_t>(arena_.size());
    const Output output = templates_[group.slots.front()].output;
    arena_.resize(arena_.size() + static_cast<std::size_t>(layout_.stride(output)), Real{0});
    asked_.push_back({&group, packed, t, start});
    return start;
  }

  // Adds the rows that were requested last to out.
  void add_asked(Output output, Real* out) {
    answer();
    found_.clear();
    for (const std::int64_t start : starts_) found_.push_back(arena_.data() + start);
    sum_rows(found_.data(), static_cast<std::int64_t>(found_.size()), layout_.stride(output), out);
  }

  void scale(Output output, Real* row) const noexcept {
    const auto factor = static_cast<Real>(weights_.scale());
    for (std::int32_t j = 0; j < layout_.stride(output); ++j) row[j] *= factor;
  }

  const JointTemplates& templates_;
  const JointLayout& layout_;
  const JointCoding& coding_;
  const JointRows& rows_;
  const Instances& instances_;
  const Vector<Real>& weights_;
  std::int64_t origin_ = 0;
  std::int32_t length_ = 0;
  bool forgets_;
  StateId from_;
  std::int64_t version_ = -1;  // of the weights with which memo and arena were filled
  // (token, group, outputs that it reads) -> place in the arena; of a group that reads the operator's own tag, without it -> place in
  // by_tag_
  Memo memo_;
  std::vector<Real> arena_;
  std::vector<std::int64_t> by_tag_;  // [tags + 1] for every such place: the places in the arena, by value of the tag; -1: not yet
  std::vector<std::int64_t> computed_[outputs];  // [T] version of the weights with which a row of plain_ was computed; -1: not yet
  std::vector<Real> plain_[outputs];             // [T][stride] scores from the input alone
  // A group that reads the operator's own tag: the other outputs that it reads as one number (packed), what the tag is multiplied by in it
  // (unit), and where its rows are found (first).
  struct Beside {
    const JointGroup* group;
    std::uint64_t unit = 0, packed = 0;
    std::size_t first = 0;  // in by_tag_
  };
  std::vector<const JointGroup*> alone_[outputs];  // groups that do not read the operator's own tag
  std::vector<Beside> beside_;                     // groups of chunk labels that read the operator's own tag
  std::int32_t t_ = 0;                             // the token of begin_tags
  struct Asked {
    const JointGroup* group;
    std::uint64_t packed;
    std::int32_t t;
    std::int64_t start;  // place in the arena
  };
  struct Looked {
    SlotId slot;
    NgramId id;
    ContextId context;
    RowId row;
    std::int64_t start;
  };
  std::vector<Asked> asked_;
  std::vector<Looked> looked_;
  std::vector<std::int64_t> starts_;
  std::vector<const Real*> found_;
  RowSum<Real> sum_;
};

}  // namespace riata
