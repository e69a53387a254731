#include "learning/segment_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "core/kernels.hpp"
#include "core/tasks.hpp"
#include "inference/spaces/segment_steps.hpp"
#include "learning/segment_search.hpp"
#include "models/fixed_weights.hpp"

namespace riata {

template <class Real>
SegmentLikelihood<Real>::SegmentLikelihood(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentKinds& kinds,
                                           const Instances& instances, std::span<const std::int32_t> gold, std::span<const double> weights,
                                           Pairs pairs)
    : templates_(templates),
      kinds_(kinds),
      codes_(kinds, templates),
      stride_(kinds.stride()),
      instances_(instances),
      gold_(gold.begin(), gold.end()),
      weights_(weights.begin(), weights.end()),
      grown_(templates.slots()) {
  if (!exact_reads(templates_))
    throw Error("UnsupportedError", "sums over all segmentations look back no further than label[-1].",
                "Use a recipe that searches, such as laso-alma.");
  check_fit(index, templates_, SegmentWeights<Real>{kinds, grown_, {}}, instances);
  sources_ = behind(order() == 0 ? 0 : kinds_.labels);
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    const auto own = gold.subspan(static_cast<std::size_t>(instances_.starts[s]), static_cast<std::size_t>(instances_.length(s)));
    const bool fits = std::ranges::all_of(own, [&](std::int32_t code) { return code < kinds_.labels * kinds_.most; });
    counts_.push_back(fits && !own.empty());
    left_out_ += !fits;
  }
  find_weights(gold, pairs);
  find_columns();
  if (order() > 0) find_histories();
  find_sequences();
  cut_batches();
}

// The features of gold segments, and the labels that they have weights with.
template <class Real>
void SegmentLikelihood<Real>::find_weights(std::span<const std::int32_t> gold, Pairs pairs) {
  const Numbers<Real> none;
  const FixedWeights<Real> nothing(none);
  SegmentSteps<Real, FixedWeights<Real>> steps(templates_, kinds_, grown_, instances_, nothing);
  std::vector<std::vector<std::int32_t>> labels;  // of each row
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    if (!counts(s)) continue;
    steps.open(s);
    const auto own = gold.subspan(static_cast<std::size_t>(instances_.starts[s]), static_cast<std::size_t>(instances_.length(s)));
    each_segment(kinds_, own, [&](std::int32_t t, std::int32_t code, const Before& before) {
      steps.each_row(t, kinds_.length(code), before, AddedRows{grown_}, [&](std::int32_t row) {
        if (labels.size() <= static_cast<std::size_t>(row)) labels.resize(static_cast<std::size_t>(grown_.rows()));
        std::vector<std::int32_t>& known = labels[static_cast<std::size_t>(row)];
        if (std::ranges::find(known, kinds_.label(code)) == known.end()) known.push_back(kinds_.label(code));
      });
    });
  }
  labels.resize(static_cast<std::size_t>(grown_.rows()));
  held_.first.push_back(0);
  for (std::vector<std::int32_t>& known : labels) {  // beginnings of sequences that are no segments of the truth have none
    std::ranges::sort(known);
    if (pairs == Pairs::all && !known.empty()) {
      for (std::int32_t y = 0; y < kinds_.labels; ++y) held_.labels.push_back(y);
    } else {
      held_.labels.insert(held_.labels.end(), known.begin(), known.end());
    }
    held_.first.push_back(static_cast<std::int64_t>(held_.labels.size()));
  }
}

template <class Real>
typename SegmentLikelihood<Real>::Column& SegmentLikelihood<Real>::column(std::int32_t source) {
  columns_.push_back({source, std::vector<std::int32_t>(static_cast<std::size_t>(instances_.tokens()), 0), {}});
  return columns_.back();
}

// N-grams of one role, place and reach make a column: where they are of single tokens, a word's suffix, shape and stem follow from the
// word.
template <class Real>
void SegmentLikelihood<Real>::find_columns() {
  std::map<std::tuple<Role, std::int32_t, std::int32_t>, std::vector<AnchoredSlot>> alike;
  for (const AnchoredSlot& slot : templates_.anchored()) alike[{slot.role, slot.offset, slot.reach}].push_back(slot);
  std::vector<std::int32_t> rows;
  for (const auto& [key, slots] : alike) {
    const auto [role, offset, reach] = key;
    Column& to = column(role == Role::first ? as_first : role == Role::last ? as_last : as_inside + reach);
    const std::int32_t at = role == Role::inside ? -reach : offset;  // those inside are known by their last token
    for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
      if (!counts(s)) continue;
      for (std::int64_t t = role == Role::inside ? reach : 0; t < instances_.length(s); ++t) {
        rows.clear();
        for (const AnchoredSlot& slot : slots) {
          const std::int32_t row = grown_.find(slot.slot, ngram(slot.family, s, t + at));
          if (row >= 0) rows.push_back(row);
        }
        to.ids[static_cast<std::size_t>(instances_.starts[s] + t)] = to.bundles.add(rows);
      }
    }
    to.bundles.finish(stride_);
  }
  if (templates_.length() < 0) return;
  Column& to = column(as_length());
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    for (std::int32_t l = 1; counts(s) && l <= instances_.length(s); ++l) {
      const std::int32_t row = grown_.find(templates_.length(), l);
      if (row >= 0) to.ids[static_cast<std::size_t>(instances_.starts[s] + l - 1)] = to.bundles.add({&row, 1});
    }
  }
  to.bundles.finish(stride_);
}

template <class Real>
void SegmentLikelihood<Real>::find_histories() {
  std::vector<std::int32_t> rows;
  for (std::int32_t before = 0; before < kinds_.labels; ++before) {
    Column& to = column(behind(before));
    for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
      if (!counts(s)) continue;
      for (std::int32_t t = before == 0 ? 0 : 1; t < instances_.length(s); ++t) {  // before the sentence: the first column
        rows.clear();
        const Before labels{{t == 0 ? 0 : before + 1}};
        for (const BackSlot& slot : templates_.histories()) {
          const std::int32_t id = slot.family < 0 ? 0 : ngram(slot.family, s, t + slot.offset);
          const std::int32_t row = id < 0 ? -1 : grown_.find(slot.slot, codes_(slot, labels, t), id);
          if (row >= 0) rows.push_back(row);
        }
        to.ids[static_cast<std::size_t>(instances_.starts[s] + t)] = to.bundles.add(rows);
      }
    }
    to.bundles.finish(stride_);
  }
}

template <class Real>
void SegmentLikelihood<Real>::find_sequences() {
  std::vector<std::vector<std::int32_t>> rows;  // by length
  starts_.push_back(0);
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    const std::int64_t length = instances_.length(s);
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int64_t longest = std::min<std::int64_t>(kinds_.most, length - t);
      rows.assign(static_cast<std::size_t>(longest), {});
      for (const SequenceSlot& slot : templates_.sequences()) {
        if (!counts(s)) break;
        std::int32_t row = -1;
        for (std::int64_t at = t - slot.around; at < t + longest + slot.around; ++at) {
          const std::int32_t id = ngram(slot.family, s, at);
          row = at == t - slot.around ? grown_.find(slot.slot, id) : id < 0 ? -1 : grown_.find_next(row, id);
          if (row < 0) break;
          const std::int64_t l = at - slot.around - t + 1;
          if (l >= 1 && held_.first[row] < held_.first[row + 1]) rows[static_cast<std::size_t>(l - 1)].push_back(row);
        }
      }
      for (std::int32_t l = 1; l <= longest; ++l) {
        if (rows[static_cast<std::size_t>(l - 1)].empty()) continue;
        lengths_.push_back(l);
        ids_.push_back(sequences_.add(rows[static_cast<std::size_t>(l - 1)]));
      }
      starts_.push_back(static_cast<std::int64_t>(ids_.size()));
    }
  }
  sequences_.finish(stride_);
}

template <class Real>
void SegmentLikelihood<Real>::cut_batches() {
  std::int64_t tokens = 0, sequences = 0;
  for (std::int64_t s = 0; s < instances_.sentences();) {
    const std::int64_t first = s, base = instances_.starts[s];
    while (s < instances_.sentences() && (s == first || instances_.starts[s + 1] - base <= batch_tokens)) ++s;
    batches_.push_back({first, s});
    tokens = std::max(tokens, instances_.starts[s] - base);
    sequences = std::max(sequences, starts_[instances_.starts[s]] - starts_[base]);
  }
  difference_.resize(static_cast<std::size_t>(tokens) * sources_ * stride_);
  sequence_difference_.resize(static_cast<std::size_t>(sequences) * stride_);
}

// Columns hold rows of their own: they can be worked on at once.
template <class Real>
template <class Work>
void SegmentLikelihood<Real>::each_column(std::int64_t threads, Work work) {
  Tasks tasks;
  tasks.add([&] { work(sequences_, nullptr); });
  for (Column& one : columns_) tasks.add([&] { work(one.bundles, &one); });
  tasks.run(threads);
}

template <class Real>
double SegmentLikelihood<Real>::operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll) {
  each_column(threads, [&](RowBundles<Real>& bundles, const Column*) { bundles.sum(held_, at); });
  double value = 0;
  for (const auto& [first, end] : batches_) {
    if (!poll(first)) return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t from = first, count = end - first;
    values_.assign(static_cast<std::size_t>(count), 0);
    hand_out(
        count, threads, [&] { return Scratch(*this); },
        [&](std::int64_t k, Scratch& scratch) {
          values_[static_cast<std::size_t>(k)] = visit(from + k, instances_.starts[from], scratch);
        });
    for (const double here : values_) value += here;
    write(first, end, threads);
  }
  std::ranges::fill(gradient, 0);
  each_column(threads, [&](RowBundles<Real>& bundles, const Column*) { bundles.hand_on(held_, gradient); });
  return value;
}

// What all segments of a sentence score.
template <class Real>
void SegmentLikelihood<Real>::score(std::int64_t s, Scratch& to) const {
  const std::int64_t from = instances_.starts[s];
  const std::int32_t reach = templates_.reach();
  to.tokens = static_cast<std::int32_t>(instances_.length(s));
  to.most = std::min(kinds_.most, to.tokens);
  to.rows.assign(std::size_t(to.tokens) * sources_ * stride_, Real{0});
  to.cells.resize(std::size_t(to.tokens) * to.most * stride_);
  to.inside.resize(static_cast<std::size_t>(to.most));
  to.last.resize(static_cast<std::size_t>(to.most));
  const auto row = [&](std::int32_t t, std::int32_t source) { return to.rows.data() + (std::size_t(t) * sources_ + source) * stride_; };
  for (const Column& column : columns_) {
    for (std::int32_t t = 0; t < to.tokens; ++t) {
      if (const std::int32_t id = column.ids[static_cast<std::size_t>(from + t)]; id > 0) column.bundles.read(id, row(t, column.source));
    }
  }
  for (std::int32_t t = 0; t < to.tokens; ++t) {
    for (std::int32_t r = 1; r <= reach; ++r) {
      for (std::int32_t y = 0; y < stride_; ++y) row(t, as_inside + r)[y] += row(t, as_inside + r - 1)[y];
    }
    std::fill(row(t, as_first) + kinds_.labels, row(t, as_first) + stride_, -std::numeric_limits<Real>::infinity());
  }
  for (std::int32_t t = 0; t < to.tokens; ++t) {
    const std::int32_t longest = to.lengths(t);
    for (std::int32_t l = 1; l <= longest; ++l) {
      to.inside[static_cast<std::size_t>(l - 1)] = row(t + l - 1, as_inside + std::min(l - 1, reach));
      to.last[static_cast<std::size_t>(l - 1)] = row(t + l - 1, as_last);
    }
    running_sums(row(t, as_first), to.inside.data(), to.last.data(), longest, stride_, to.span(t, 1));
    for (std::int32_t l = 1; l <= longest; ++l) {
      Real* out = to.span(t, l);
      if (templates_.length() >= 0) {
        for (std::int32_t y = 0; y < stride_; ++y) out[y] += row(l - 1, as_length())[y];
      }
      if (l > 1 && kinds_.outside >= 0) out[kinds_.outside] = -std::numeric_limits<Real>::infinity();
    }
    for (std::int64_t k = starts_[from + t]; k < starts_[from + t + 1]; ++k) sequences_.read(ids_[k], to.span(t, lengths_[k]));
  }
  if (order() == 0) return;
  to.edges.resize(std::size_t(to.tokens) * kinds_.labels * stride_);
  for (std::int32_t t = 0; t < to.tokens; ++t) {
    for (std::int32_t before = 0; before < (t == 0 ? 1 : kinds_.labels); ++before) {
      Real* out = to.edge(t, before);
      std::copy_n(row(t, behind(before)), stride_, out);
      std::fill(out + kinds_.labels, out + stride_, -std::numeric_limits<Real>::infinity());
    }
  }
}

// What a sentence adds to the value; its differences are left where those of the batch are.
template <class Real>
double SegmentLikelihood<Real>::visit(std::int64_t s, std::int64_t base, Scratch& scratch) {
  const std::int64_t from = instances_.starts[s], first = (from - base) * sources_ * stride_;
  std::fill_n(difference_.begin() + first, instances_.length(s) * sources_ * stride_, Real{0});
  if (!counts(s)) return 0;  // such a sentence has no sequences either
  score(s, scratch);
  const std::span<const std::int32_t> gold(gold_.data() + from, static_cast<std::size_t>(scratch.tokens));
  const double times = weight(s);
  double truth = 0;
  each_segment(kinds_, gold, [&](std::int32_t t, std::int32_t code, const Before& before) {
    truth += double(scratch.span(t, kinds_.length(code))[kinds_.label(code)]);
    if (order() > 0) truth += double(scratch.history(t, before)[kinds_.label(code)]);
  });
  double log_z = scratch.factors(scratch.tokens, scratch.most, scratch.cells.data(), scratch.edges.data(), static_cast<Real>(times));
  if (std::isnan(log_z)) {
    score(s, scratch);
    weigh_by_logarithms(scratch, times, log_z);
  }
  each_segment(kinds_, gold, [&](std::int32_t t, std::int32_t code, const Before& before) {
    scratch.span(t, kinds_.length(code))[kinds_.label(code)] -= static_cast<Real>(times);
    if (order() > 0) scratch.edge(t, t == 0 ? 0 : before.labels[0] - 1)[kinds_.label(code)] -= static_cast<Real>(times);
  });
  share_out(s, base, scratch);
  return times * (log_z - truth);
}

// For scores beyond what factors can hold.
template <class Real>
void SegmentLikelihood<Real>::weigh_by_logarithms(Scratch& scratch, double times, double& log_z) const {
  log_z = scratch.sums.open(scratch, 1.0);
  for (std::int32_t t = 0; t < scratch.tokens; ++t) {
    for (std::int32_t l = 1; l <= scratch.lengths(t); ++l) {
      for (std::int32_t y = 0; y < stride_; ++y)
        scratch.span(t, l)[y] = y < kinds_.labels ? static_cast<Real>(times * scratch.sums.posterior(t, l, y)) : Real{0};
    }
    for (std::int32_t before = 0; order() > 0 && before < (t == 0 ? 1 : kinds_.labels); ++before) {
      for (std::int32_t y = 0; y < stride_; ++y) {
        scratch.edge(t, before)[y] = y < kinds_.labels ? static_cast<Real>(times * scratch.sums.pair_posterior(t, before, y)) : Real{0};
      }
    }
  }
}

// From segments to tokens. What covers a token is what starts before it and is not over yet: sums from the longest down.
template <class Real>
void SegmentLikelihood<Real>::share_out(std::int64_t s, std::int64_t base, Scratch& scratch) {
  const std::int64_t from = instances_.starts[s];
  const std::int32_t reach = templates_.reach(), tokens = scratch.tokens;
  const auto row = [&](std::int32_t t, std::int32_t source) {
    return difference_.data() + (std::size_t(from - base + t) * sources_ + source) * stride_;
  };
  for (std::int32_t t = 0; t < tokens; ++t) {
    Real* covered = row(t, as_first);
    for (std::int32_t l = scratch.lengths(t); l >= 1; --l) {
      const Real* here = scratch.span(t, l);
      Real *inside = row(t + l - 1, as_inside + std::min(l - 1, reach)), *last = row(t + l - 1, as_last), *length = row(l - 1, as_length());
      for (std::int32_t y = 0; y < stride_; ++y) {
        covered[y] += here[y];
        inside[y] += covered[y];
        last[y] += here[y];
        length[y] += here[y];
      }
    }
    for (std::int64_t k = starts_[from + t]; k < starts_[from + t + 1]; ++k) {
      std::copy_n(scratch.span(t, lengths_[k]), stride_, sequence_difference_.begin() + (k - starts_[base]) * stride_);
    }
    for (std::int32_t before = 0; order() > 0 && before < (t == 0 ? 1 : kinds_.labels); ++before)
      std::copy_n(scratch.edge(t, before), stride_, row(t, behind(before)));
  }
  for (std::int32_t t = 0; t < tokens; ++t) {
    for (std::int32_t r = reach; r > 0; --r) {  // what reads longer n-grams reads the shorter ones too
      for (std::int32_t y = 0; y < stride_; ++y) row(t, as_inside + r - 1)[y] += row(t, as_inside + r)[y];
    }
  }
}

template <class Real>
void SegmentLikelihood<Real>::write(std::int64_t first, std::int64_t end, std::int64_t threads) {
  const std::int64_t base = instances_.starts[first], tokens = instances_.starts[end] - base;
  each_column(threads, [&](RowBundles<Real>& bundles, const Column* column) {
    if (column == nullptr) {
      for (std::int64_t k = starts_[base]; k < starts_[base + tokens]; ++k)
        bundles.write(ids_[k], sequence_difference_.data() + (k - starts_[base]) * stride_);
      return;
    }
    for (std::int64_t n = 0; n < tokens; ++n) {
      const std::int32_t id = column->ids[static_cast<std::size_t>(base + n)];
      if (id > 0) bundles.write(id, difference_.data() + (n * sources_ + column->source) * stride_);
    }
  });
}

template <class Real>
SegmentWeights<Real> SegmentLikelihood<Real>::model(std::span<const double> at) const {
  SegmentWeights<Real> out{kinds_, grown_, {}};
  out.flat.assign(std::size_t(grown_.rows()) * stride_, Real{0});
  for (std::int32_t row = 0; row < grown_.rows(); ++row) {
    for (std::int64_t i = held_.first[row]; i < held_.first[row + 1]; ++i)
      out.flat[std::size_t(row) * stride_ + held_.labels[i]] = static_cast<Real>(at[i]);
  }
  return out;
}

template <class Real>
std::vector<double> SegmentLikelihood<Real>::point(const SegmentWeights<Real>& weights) const {
  std::vector<double> out(static_cast<std::size_t>(size()), 0);
  std::vector<std::int32_t> theirs(static_cast<std::size_t>(grown_.rows()));
  for (std::int32_t row = 0; row < grown_.rows(); ++row) {
    const std::int32_t parent = grown_.parent(row), value = grown_.value(row);
    std::int32_t& there = theirs[static_cast<std::size_t>(row)];
    if (parent < 0)
      there = weights.grown.find(grown_.slot(-1 - parent), grown_.code(-1 - parent), value);
    else
      there = theirs[static_cast<std::size_t>(parent)] < 0 ? -1 : weights.grown.find_next(theirs[static_cast<std::size_t>(parent)], value);
    if (there < 0 || std::size_t(there + 1) * stride_ > weights.flat.size()) continue;
    for (std::int64_t i = held_.first[row]; i < held_.first[row + 1]; ++i)
      out[i] = double(weights.flat[std::size_t(there) * stride_ + held_.labels[i]]);
  }
  return out;
}

template class SegmentLikelihood<float>;
template class SegmentLikelihood<double>;

}  // namespace riata
