#include "inference/structures/segment_sources.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/tasks.hpp"
#include "inference/structures/segment_steps.hpp"

namespace riata {

template <class Real>
SegmentSources<Real>::SegmentSources(const SegmentTemplates& templates, const SegmentCoding& coding, const Instances& instances,
                                     std::span<const std::int32_t> gold, const std::vector<bool>& counts, FeatureLabels which)
    : templates_(templates),
      coding_(coding),
      codes_(coding, templates),
      stride_(coding.stride()),
      instances_(instances),
      grown_(templates.slots()) {
  find_weights(gold, counts, which);
  find_columns(counts);
  find_lengths(counts);
  if (templates_.order() > 0) find_histories(counts);
  find_sequences(counts);
}

// Finds the features of true segments, and the labels with which they have weights.
template <class Real>
void SegmentSources<Real>::find_weights(std::span<const std::int32_t> gold, const std::vector<bool>& counts, FeatureLabels which) {
  const Numbers<Real> none;
  const Vector<Real> nothing = Vector<Real>::of(none);
  SegmentSteps<Real> steps(templates_, coding_, grown_, instances_, nothing);
  std::vector<std::vector<LabelId>> labels;  // [rows] labels with which a row has weights
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    if (!counts[static_cast<std::size_t>(s)]) continue;
    steps.open(s);
    const auto own = gold.subspan(static_cast<std::size_t>(instances_.starts[s]), static_cast<std::size_t>(instances_.length(s)));
    each_segment(coding_, own, [&](std::int32_t t, Length length, LabelId label, const Before& before) {
      steps.each_row(t, length, before, AddedRows{grown_}, [&](RowId row) {
        if (labels.size() <= row.place()) labels.resize(static_cast<std::size_t>(grown_.rows()));
        std::vector<LabelId>& known = labels[row.place()];
        if (std::ranges::find(known, label) == known.end()) known.push_back(label);
      });
    });
  }
  labels.resize(static_cast<std::size_t>(grown_.rows()));
  held_.first.push_back(0);
  for (std::vector<LabelId>& known : labels) {  // the beginning of a sequence that is no true segment itself has no labels
    std::ranges::sort(known);
    if (which == FeatureLabels::all && !known.empty()) {
      for (std::int32_t y = 0; y < coding_.labels; ++y) held_.labels.push_back(y);
    } else {
      for (const LabelId label : known) held_.labels.push_back(label.number());
    }
    held_.first.push_back(static_cast<std::int64_t>(held_.labels.size()));
  }
}

template <class Real>
typename SegmentSources<Real>::Column& SegmentSources<Real>::column(SourceId source) {
  columns_.push_back({source, std::vector<std::int32_t>(static_cast<std::size_t>(instances_.tokens()), 0), {}});
  return columns_.back();
}

// N-grams of the same role, offset and reach form a column. If they are n-grams of single tokens, they all follow from the word, so there
// are few combinations.
template <class Real>
void SegmentSources<Real>::find_columns(const std::vector<bool>& counts) {
  std::map<std::tuple<Role, std::int32_t, std::int32_t>, std::vector<AnchoredSlot>> alike;
  for (const AnchoredSlot& slot : templates_.anchored()) alike[{slot.role, slot.offset, slot.reach}].push_back(slot);
  std::vector<std::int32_t> rows;
  for (const auto& [key, slots] : alike) {
    const auto [role, offset, reach] = key;
    Column& to = column(role == Role::first ? as_first : role == Role::last ? as_last : as_inside(reach));
    const std::int32_t at = role == Role::inside ? -reach : offset;  // n-grams inside are identified by their last token
    for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
      if (!counts[static_cast<std::size_t>(s)]) continue;
      for (std::int64_t t = role == Role::inside ? reach : 0; t < instances_.length(s); ++t) {
        rows.clear();
        for (const AnchoredSlot& slot : slots) {
          const RowId row = grown_.find(slot.slot, ngram(slot.family, s, t + at).number());
          if (row) rows.push_back(row.number());
        }
        to.ids[static_cast<std::size_t>(instances_.starts[s] + t)] = to.bundles.add(rows);
      }
    }
    to.bundles.finish(stride_);
  }
}

template <class Real>
void SegmentSources<Real>::find_lengths(const std::vector<bool>& counts) {
  if (!templates_.length()) return;
  Column& to = column(as_length());
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    for (std::int32_t l = 1; counts[static_cast<std::size_t>(s)] && l <= instances_.length(s); ++l) {
      const std::int32_t row = grown_.find(templates_.length(), l).number();
      if (row >= 0) to.ids[static_cast<std::size_t>(instances_.starts[s] + l - 1)] = to.bundles.add({&row, 1});
    }
  }
  to.bundles.finish(stride_);
}

template <class Real>
void SegmentSources<Real>::find_histories(const std::vector<bool>& counts) {
  std::vector<std::int32_t> rows;
  for (LabelId before(0); before.number() < coding_.labels; ++before) {
    Column& to = column(behind(before));
    for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
      if (!counts[static_cast<std::size_t>(s)]) continue;
      // The label before the sentence is handled in the column of label 0.
      for (std::int32_t t = before.number() == 0 ? 0 : 1; t < instances_.length(s); ++t) {
        rows.clear();
        const Before labels{{t == 0 ? 0 : before.value()}};
        for (const BackSlot& slot : templates_.histories()) {
          const NgramId id = slot.family < 0 ? NgramId(0) : ngram(slot.family, s, t + slot.offset);
          const RowId row = id ? grown_.find(slot.slot, codes_(slot, labels, t), id.number()) : RowId();
          if (row) rows.push_back(row.number());
        }
        to.ids[static_cast<std::size_t>(instances_.starts[s] + t)] = to.bundles.add(rows);
      }
    }
    to.bundles.finish(stride_);
  }
}

template <class Real>
void SegmentSources<Real>::find_sequences(const std::vector<bool>& counts) {
  std::vector<std::vector<std::int32_t>> rows;  // [length - 1] rows of the sequences of each length
  starts_.push_back(0);
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    const std::int64_t length = instances_.length(s);
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int64_t longest = std::min<std::int64_t>(coding_.most.number(), length - t);
      rows.assign(static_cast<std::size_t>(longest), {});
      for (const SequenceSlot& slot : templates_.sequences()) {
        if (!counts[static_cast<std::size_t>(s)]) break;
        RowId row;
        for (std::int64_t at = t - slot.around; at < t + longest + slot.around; ++at) {
          const NgramId id = ngram(slot.family, s, at);
          row = at == t - slot.around ? grown_.find(slot.slot, id.number()) : id ? grown_.find_next(row, id.number()) : RowId();
          if (!row) break;
          const std::int64_t l = at - slot.around - t + 1;
          if (l >= 1 && held_.first[row.place()] < held_.first[row.place() + 1])
            rows[static_cast<std::size_t>(l - 1)].push_back(row.number());
        }
      }
      for (std::int32_t l = 1; l <= longest; ++l) {
        if (rows[static_cast<std::size_t>(l - 1)].empty()) continue;
        lengths_.emplace_back(l);
        ids_.push_back(sequences_.add(rows[static_cast<std::size_t>(l - 1)]));
      }
      starts_.push_back(static_cast<std::int64_t>(ids_.size()));
    }
  }
  sequences_.finish(stride_);
}

// Columns have different rows, so they are processed in parallel. Calls work(bundles, column) for each column, and with nullptr for the
// column of sequences.
template <class Real>
template <class Work>
void SegmentSources<Real>::each_column(std::int64_t threads, Work work) {
  Tasks tasks;
  tasks.add([&] { work(sequences_, nullptr); });
  for (Column& one : columns_) tasks.add([&] { work(one.bundles, &one); });
  tasks.run(threads);
}

template <class Real>
void SegmentSources<Real>::begin(std::span<const double> at, std::int64_t threads) {
  each_column(threads, [&](RowBundles<Real>& bundles, const Column*) { bundles.sum(held_, at); });
}

template <class Real>
void SegmentSources<Real>::read(std::int64_t s, Real* out, const ChangingWeights<Real>* changing) const {
  const std::int64_t from = instances_.starts[s], length = instances_.length(s), width = std::int64_t{sources()} * stride_;
  for (const Column& column : columns_) {
    Real* to = out + std::int64_t{column.source.number()} * stride_;
    for (std::int64_t t = 0; t < length; ++t, to += width) {
      if (const std::int32_t id = column.ids[static_cast<std::size_t>(from + t)]; id > 0) read(column.bundles, id, to, changing);
    }
  }
}

template <class Real>
void SegmentSources<Real>::gather(std::int64_t from, std::int64_t to, const Real* tokens, const Real* sequences, std::int64_t threads) {
  const std::int64_t width = std::int64_t{sources()} * stride_;
  each_column(threads, [&](RowBundles<Real>& bundles, const Column* column) {
    if (column == nullptr) {
      const Real* row = sequences;
      for (std::int64_t k = starts_[from]; k < starts_[to]; ++k, row += stride_) bundles.write(ids_[k], row);
      return;
    }
    const Real* row = tokens + std::int64_t{column->source.number()} * stride_;
    for (std::int64_t n = from; n < to; ++n, row += width) {
      const std::int32_t id = column->ids[static_cast<std::size_t>(n)];
      if (id > 0) bundles.write(id, row);
    }
  });
}

template <class Real>
void SegmentSources<Real>::finish(std::span<double> gradient, std::int64_t threads) {
  each_column(threads, [&](RowBundles<Real>& bundles, const Column*) { bundles.hand_on(held_, gradient); });
}

template <class Real>
template <class Out>
SegmentWeights<Out> SegmentSources<Real>::model(std::span<const double> at) const {
  SegmentWeights<Out> out{coding_, grown_, {}};
  out.flat.assign(std::size_t(grown_.rows()) * stride_, Out{0});
  for (RowId row(0); row.number() < grown_.rows(); ++row) {
    for (std::int64_t i = held_.first[row.place()]; i < held_.first[row.place() + 1]; ++i)
      out.flat[weight_place(row, LabelId(held_.labels[i]), stride_)] = static_cast<Out>(at[i]);
  }
  return out;
}

template <class Real>
std::vector<double> SegmentSources<Real>::point(const SegmentWeights<Real>& weights) const {
  std::vector<double> out(static_cast<std::size_t>(size()), 0);
  std::vector<RowId> theirs(static_cast<std::size_t>(grown_.rows()));
  for (RowId row(0); row.number() < grown_.rows(); ++row) {
    const RowId parent = grown_.parent(row);
    const RootId root = grown_.root(row);
    RowId& there = theirs[row.place()];
    if (!parent)
      there = weights.grown.find(grown_.slot(root), grown_.context(root), grown_.value(row));
    else if (theirs[parent.place()])
      there = weights.grown.find_next(theirs[parent.place()], grown_.value(row));
    if (!there || (there.place() + 1) * stride_ > weights.flat.size()) continue;
    for (std::int64_t i = held_.first[row.place()]; i < held_.first[row.place() + 1]; ++i)
      out[i] = double(weights.flat[weight_place(there, LabelId(held_.labels[i]), stride_)]);
  }
  return out;
}

template <class Real>
RowWeights SegmentSources<Real>::weights() const {
  std::vector<bool> there(static_cast<std::size_t>(grown_.rows()) * static_cast<std::size_t>(stride_), false);
  for (RowId row(0); row.number() < grown_.rows(); ++row) {
    for (std::int64_t i = held_.first[row.place()]; i < held_.first[row.place() + 1]; ++i)
      there[weight_place(row, LabelId(held_.labels[i]), stride_)] = true;
  }
  return RowWeights(stride_, there);
}

template class SegmentSources<float>;
template class SegmentSources<double>;
template SegmentWeights<float> SegmentSources<float>::model(std::span<const double>) const;
template SegmentWeights<float> SegmentSources<double>::model(std::span<const double>) const;
template SegmentWeights<double> SegmentSources<double>::model(std::span<const double>) const;

}  // namespace riata
