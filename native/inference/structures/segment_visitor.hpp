// Visits the sentences of segmentations that are normalised over all segmentations of a sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "inference/structures/segment_potentials.hpp"

namespace riata {

template <class Real>
class SegmentVisitor final : public Visitor {
  using Rows = SegmentSources<Real>;

 public:
  // changing: weights that may change between sentences, to use instead of those that the potentials have stored.
  explicit SegmentVisitor(SegmentPotentials<Real>& of, const ChangingWeights<Real>* changing = nullptr)
      : of_(of),
        changing_(changing),
        rows_(of.rows_),
        stride_(of.stride_),
        order_(of.templates_.order()),
        labels_(of.coding_.labels),
        reach_(of.templates_.reach()),
        sums_(of.coding_, order_) {}

  // Sums use logarithms by themselves where factors underflow or overflow. No table is shared with other sentences, so the caller need not
  // call open_in_logarithms.
  std::optional<double> open(std::int64_t s) override {
    enter(s);
    if (!counts()) return 0;
    score();
    double truth = 0;
    each_gold([&](std::int32_t t, Length length, LabelId before, LabelId label) {
      truth += double(span(t, length)[label.place()]);
      if (order_ > 0) truth += double(edge(t, before)[label.place()]);
    });
    return truth - sums_.open(*this, 1.0);
  }

  void take(double times) override {
    clear(of_.difference(start_));
    if (!counts()) return;  // such a sentence has no sequences either
    weigh(times);
    each_gold([&](std::int32_t t, Length length, LabelId before, LabelId label) {
      span(t, length)[label.place()] -= static_cast<Real>(times);
      if (order_ > 0) edge(t, before)[label.place()] -= static_cast<Real>(times);
    });
    share_out();
  }

  double open_in_logarithms(std::int64_t s) override { return *open(s); }
  void take_in_logarithms(double times) override { take(times); }

  // The functions that SemiMarkovSums calls.
  std::int32_t length() const noexcept { return tokens_; }
  const Real* spans(std::int32_t t) const noexcept { return cells_.data() + std::size_t(t) * most_ * stride_; }
  const Real* history(std::int32_t t, const Before& before) const noexcept {
    return edges_.data() + (std::size_t(t) * labels_ + (t == 0 ? 0 : before.labels[0] - 1)) * stride_;
  }

 private:
  void enter(std::int64_t s) {
    s_ = s;
    start_ = of_.instances_.starts[s];
    tokens_ = static_cast<std::int32_t>(of_.instances_.length(s));
    most_ = std::min(of_.coding_.most.number(), tokens_);
  }
  // Sets rows of the open sentence, [tokens][sources][stride], to zero: token by token, since that is few numbers at a time.
  void clear(Real* rows) const noexcept {
    for (std::int32_t t = 0; t < tokens_; ++t) std::fill_n(rows + t * of_.width_, of_.width_, Real{0});
  }
  bool counts() const noexcept { return of_.counts_[static_cast<std::size_t>(s_)]; }
  Real* span(std::int32_t t, Length l) noexcept { return cells_.data() + (std::size_t(t) * most_ + l.place() - 1) * stride_; }
  Real* edge(std::int32_t t, LabelId before) noexcept { return edges_.data() + (std::size_t(t) * labels_ + before.place()) * stride_; }
  Length lengths(std::int32_t t) const noexcept { return Length(std::min(most_, tokens_ - t)); }
  std::int32_t befores(std::int32_t t) const noexcept { return order_ == 0 ? 0 : t == 0 ? 1 : labels_; }

  // Calls visit(token, length, label before, label) for the true segments; the label before is 0 for the first segment.
  template <class Visit>
  void each_gold(Visit visit) const {
    const std::span<const std::int32_t> gold(of_.gold_.data() + start_, static_cast<std::size_t>(tokens_));
    each_segment(of_.coding_, gold, [&](std::int32_t t, Length length, LabelId label, const Before& before) {
      visit(t, length, t == 0 ? LabelId(0) : LabelId::of_value(before.labels[0]), label);
    });
  }

  // Computes the scores of all segments, and of labels after the label before.
  void score() {
    constexpr Real never = -std::numeric_limits<Real>::infinity();
    sources_.resize(std::size_t(tokens_) * of_.width_);
    clear(sources_.data());
    rows_.read(s_, sources_.data(), changing_);
    for (std::int32_t t = 0; t < tokens_; ++t) {
      for (std::int32_t r = 1; r <= reach_; ++r) {
        for (std::int32_t y = 0; y < stride_; ++y) source(t, Rows::as_inside(r))[y] += source(t, Rows::as_inside(r - 1))[y];
      }
      std::fill(source(t, Rows::as_first) + labels_, source(t, Rows::as_first) + stride_, never);
    }
    cells_.resize(std::size_t(tokens_) * most_ * stride_);
    inside_.resize(static_cast<std::size_t>(most_));
    last_.resize(static_cast<std::size_t>(most_));
    for (std::int32_t t = 0; t < tokens_; ++t) score_from(t);
    if (order_ == 0) return;
    edges_.resize(std::size_t(tokens_) * labels_ * stride_);
    for (std::int32_t t = 0; t < tokens_; ++t) {
      for (LabelId before(0); before.number() < befores(t); ++before) {
        Real* out = edge(t, before);
        std::copy_n(source(t, rows_.behind(before)), stride_, out);
        std::fill(out + labels_, out + stride_, never);
      }
    }
  }
  Real* source(std::int32_t t, SourceId id) noexcept { return sources_.data() + t * of_.width_ + std::int64_t{id.number()} * stride_; }

  // Computes the scores of the segments that start at token t.
  void score_from(std::int32_t t) {
    const std::int32_t longest = lengths(t).number();
    for (std::int32_t l = 1; l <= longest; ++l) {
      inside_[static_cast<std::size_t>(l - 1)] = source(t + l - 1, Rows::as_inside(std::min(l - 1, reach_)));
      last_[static_cast<std::size_t>(l - 1)] = source(t + l - 1, Rows::as_last);
    }
    running_sums(source(t, Rows::as_first), inside_.data(), last_.data(), longest, stride_, span(t, Length(1)));
    for (std::int32_t l = 1; l <= longest; ++l) {
      Real* out = span(t, Length(l));
      if (of_.templates_.length()) {
        for (std::int32_t y = 0; y < stride_; ++y) out[y] += source(l - 1, rows_.as_length())[y];
      }
      if (l > 1 && of_.coding_.outside) out[of_.coding_.outside.place()] = -std::numeric_limits<Real>::infinity();
    }
    each_sequence(t, [&](std::int64_t k, Real* out) { rows_.read_sequence(k, out, changing_); });
  }

  // Calls visit(sequence, the row of its segment) for the sequences that start at token t.
  template <class Visit>
  void each_sequence(std::int32_t t, Visit visit) {
    for (std::int64_t k = rows_.sequences_before(start_ + t); k < rows_.sequences_before(start_ + t + 1); ++k)
      visit(k, span(t, rows_.sequence_length(k)));
  }

  // Turns scores into posteriors.
  void weigh(double times) {
    for (std::int32_t t = 0; t < tokens_; ++t) {
      for (Length l(1); l <= lengths(t); ++l) {
        for (LabelId y(0); y.number() < stride_; ++y)
          span(t, l)[y.place()] = y.number() < labels_ ? static_cast<Real>(times * sums_.posterior(t, l, y)) : Real{0};
      }
      for (LabelId before(0); before.number() < befores(t); ++before) {
        for (LabelId y(0); y.number() < stride_; ++y)
          edge(t, before)[y.place()] = y.number() < labels_ ? static_cast<Real>(times * sums_.pair_posterior(t, before, y)) : Real{0};
      }
    }
  }

  // Adds the posteriors of segments to the tokens that they cover. A token is covered by segments that start before it and have not ended;
  // these are added up from the longest to the shortest.
  void share_out() {
    Real* const out = of_.difference(start_);
    const auto row = [&](std::int32_t t, SourceId id) { return out + t * of_.width_ + std::int64_t{id.number()} * stride_; };
    for (std::int32_t t = 0; t < tokens_; ++t) {
      Real* covered = row(t, Rows::as_first);
      for (std::int32_t l = lengths(t).number(); l >= 1; --l) {
        const Real* here = span(t, Length(l));
        Real *inside = row(t + l - 1, Rows::as_inside(std::min(l - 1, reach_))), *last = row(t + l - 1, Rows::as_last),
             *length = row(l - 1, rows_.as_length());
        for (std::int32_t y = 0; y < stride_; ++y) {
          covered[y] += here[y];
          inside[y] += covered[y];
          last[y] += here[y];
          length[y] += here[y];
        }
      }
      each_sequence(t, [&](std::int64_t k, const Real* from) { std::copy_n(from, stride_, of_.sequence_difference(k)); });
      for (LabelId before(0); before.number() < befores(t); ++before) std::copy_n(edge(t, before), stride_, row(t, rows_.behind(before)));
    }
    for (std::int32_t t = 0; t < tokens_; ++t) {
      for (std::int32_t r = reach_; r > 0; --r) {  // segments that read longer n-grams read the shorter ones too
        for (std::int32_t y = 0; y < stride_; ++y) row(t, Rows::as_inside(r - 1))[y] += row(t, Rows::as_inside(r))[y];
      }
    }
  }

  SegmentPotentials<Real>& of_;
  const ChangingWeights<Real>* changing_;
  const Rows& rows_;
  std::int32_t stride_, order_, labels_, reach_;
  std::int64_t s_ = 0, start_ = 0;  // the open sentence, and its first token
  std::int32_t tokens_ = 0, most_ = 0;
  std::vector<Real> sources_;  // [tokens][sources][stride]
  // [tokens][most][stride] of segments, and [tokens][labels][stride] of labels after the label before: scores; after take(), posteriors
  // minus the truth.
  std::vector<Real> cells_, edges_;
  std::vector<const Real*> inside_, last_;
  SemiMarkovSums<Real> sums_;
};

}  // namespace riata
