#include "inference/structures/second_order_steps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "inference/structures/label_ranges.hpp"
#include "models/row_reader.hpp"

namespace riata {
namespace {

constexpr std::array<std::int32_t, 2> not_begun{HistoryIndex::outside, HistoryIndex::outside};

// The values that the label `back` tokens before t may have, as HistoryIndex numbers them.
LabelRange values_before(const std::int32_t* truth, std::int64_t t, std::int32_t back, std::int32_t labels) {
  if (t < back) return {HistoryIndex::outside, HistoryIndex::outside + 1};
  const LabelRange range = label_range(truth[t - back], labels);
  return {range.first + 1, range.end + 1};
}

bool reads(const HistorySlot& slot, std::int32_t back) { return std::find(slot.back.begin(), slot.back.end(), back) != slot.back.end(); }

void check_rows(const HistoryIndex& history, const Layout& layout, std::size_t bytes) {
  constexpr double most = 4.0 * (1 << 30);
  const double need = double(history.rows()) * layout.stride * double(bytes);
  if (need > most)
    throw Error("DataError", "the templates that read earlier labels need more than 4 GiB of weights.",
                "Use pairs=seen, a higher cutoff, or a smaller template.");
}

}  // namespace

std::vector<bool> enter_history(HistoryIndex& history, const Layout& layout, const Instances& instances, FeatureLabels which,
                                std::size_t bytes) {
  const auto stride = static_cast<std::size_t>(layout.stride);
  std::vector<bool> there;
  std::set<std::array<std::int32_t, 5>> done;  // combinations that have been entered already
  std::vector<std::int32_t> unknown;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int64_t length = instances.length(s);
    unknown.assign(static_cast<std::size_t>(length), unknown_label);
    const std::int32_t* truth = which == FeatureLabels::all ? unknown.data() : instances.labels.data() + instances.starts[s];
    for (std::int64_t t = 0; t < length; ++t) {
      const LabelRange label = label_range(truth[t], layout.labels);
      for (SlotId slot(0); slot.place() < history.slots().size(); ++slot) {
        const HistorySlot& read = history[slot];
        const NgramId ngram = history_ngram(read, instances, s, t);
        if (ngram == unseen) continue;
        const auto before = [&](std::int32_t back) {
          return reads(read, back) ? values_before(truth, t, back, layout.labels) : LabelRange{0, 1};
        };
        const LabelRange near = before(1), far = before(2);
        const auto key = [](const LabelRange& range) { return range.end - range.first == 1 ? range.first : unknown_label; };
        if (!done.insert({slot.number(), ngram.number(), key(far), key(near), truth[t]}).second) continue;
        for (std::int32_t h = far.first; h < far.end; ++h) {
          for (std::int32_t i = near.first; i < near.end; ++i) {
            const std::array<std::int32_t, 2> values{i, h};
            const std::size_t row = history.add(slot, ngram, values).place();
            if (there.size() < (row + 1) * stride) {
              check_rows(history, layout, bytes);
              there.resize((row + 1) * stride, false);
            }
            for (std::int32_t j = label.first; j < label.end; ++j) there[row * stride + static_cast<std::size_t>(j)] = true;
          }
        }
      }
    }
  }
  return there;
}

// Finds the contexts of all steps.
template <class Real>
class SecondOrderSteps<Real>::Finder {
 public:
  Finder(SecondOrderSteps& to, const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, const Instances& instances,
         double often)
      : to_(to),
        history_(history),
        instances_(instances),
        reader_(index, layout, instances),
        steps_(to.steps_of_matrices(index, layout, instances)),
        enough_(often * double(instances.tokens() - instances.sentences())) {}

  void run() {
    for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
      for (std::int64_t t = 0; t < instances_.length(s); ++t) {
        Context here{t == 1, {}, {}};
        find_matrices(s, t, here);
        find_lists(s, t, here);
        if (t > 0) enter(instances_.starts[s] + t, std::move(here));
      }
      to_.first_starts_.push_back(static_cast<std::int64_t>(first_.size()));
    }
    to_.history_at_ = to_.in_long_ ? to_.history_in_long_ : square() * static_cast<std::int64_t>(to_.matrices_.size());
    for (const RowId row : first_) to_.first_rows_.push_back(to_.history_at_ + std::int64_t{row.number()} * to_.stride_);
    for (const auto& [slot, ngram, second] : to_list_) to_.lists_.push_back(to_.terms(history_, slot, ngram, second));
  }

 private:
  using List = std::tuple<SlotId, NgramId, bool>;

  std::int64_t square() const noexcept { return std::int64_t{to_.labels_} * to_.stride_; }

  // Finds the matrices of label pairs that a token reads: those that are part of its context, and those that few steps read.
  void find_matrices(std::int64_t s, std::int64_t t, Context& here) {
    sparse_here_.clear();
    reader_.edges(s, t, [&](std::int64_t row, float) {
      if (double(steps_.at(row)) < enough_) {
        const auto [number, first_time] = sparse_.emplace(row, 0);
        if (first_time) number->second = to_.sparse_.add_matrix(row);
        sparse_here_.push_back(number->second);
        return;
      }
      const std::int64_t next = square() * static_cast<std::int64_t>(to_.matrices_.size());
      const auto [place, fresh] = matrices_.emplace(row, to_.in_long_ ? row : next);
      if (fresh) to_.matrices_.push_back(row);
      here.matrices.push_back(place->second);
    });
    to_.sparse_.add_token(sparse_here_);
  }

  // Finds the rows of earlier labels that a token reads.
  void find_lists(std::int64_t s, std::int64_t t, Context& here) {
    for (SlotId slot(0); slot.place() < history_.slots().size(); ++slot) {
      const NgramId ngram = history_ngram(history_[slot], instances_, s, t);
      if (ngram == unseen) continue;
      if (t == 0) {
        const RowId row = history_.find(slot, ngram, not_begun);
        if (row) first_.push_back(row);
        continue;
      }
      const List list{slot, ngram, t == 1};
      const auto [place, fresh] = lists_.emplace(list, static_cast<std::int32_t>(to_list_.size()));
      if (fresh) to_list_.push_back(list);
      here.lists.push_back(place->second);
    }
  }

  void enter(std::int64_t n, Context here) {
    key_.assign({here.second});
    key_.insert(key_.end(), here.matrices.begin(), here.matrices.end());
    key_.push_back(-1);
    key_.insert(key_.end(), here.lists.begin(), here.lists.end());
    const auto [place, fresh] = by_what_they_read_.emplace(key_, to_.contexts());
    if (fresh) to_.contexts_.push_back(std::move(here));
    ++to_.contexts_[static_cast<std::size_t>(place->second)].tokens;
    to_.of_[static_cast<std::size_t>(n)] = place->second;
  }

  SecondOrderSteps& to_;
  const HistoryIndex& history_;
  const Instances& instances_;
  RowReader<const Layout> reader_;
  std::unordered_map<std::int64_t, std::int64_t> steps_;     // by place in the long vector: how many steps read a matrix
  double enough_;                                            // number of steps from which on a matrix is part of contexts
  std::unordered_map<std::int64_t, std::int64_t> matrices_;  // place in the long vector -> place in the table
  std::unordered_map<std::int64_t, std::int32_t> sparse_;    // place in the long vector -> number among sparse matrices
  std::vector<std::int32_t> sparse_here_;                    // sparse matrices of the present token
  std::map<List, std::int32_t> lists_;                       // (slot, n-gram, whether for token 1) -> list of terms
  std::vector<List> to_list_;
  std::map<std::vector<std::int64_t>, std::int32_t> by_what_they_read_;  // rows that a step reads -> context
  std::vector<RowId> first_;                                             // rows of the history index that first tokens read
  std::vector<std::int64_t> key_;
};

template <class Real>
SecondOrderSteps<Real>::SecondOrderSteps(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history,
                                         const Instances& instances, const Constraint<Real>& constraint, const RowWeights& there,
                                         double often)
    : SecondOrderSteps(index, layout, history, instances, constraint, there, often, false) {}

template <class Real>
SecondOrderSteps<Real>::SecondOrderSteps(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history,
                                         const Instances& instances, const Constraint<Real>& constraint, const RowWeights& there,
                                         double often, bool in_long)
    : labels_(layout.labels),
      stride_(layout.stride),
      history_rows_(history.rows()),
      in_long_(in_long),
      history_in_long_(layout.history_row(RowId(0))),
      constraint_(constraint),
      of_(static_cast<std::size_t>(instances.tokens()), -1),
      sparse_(there, layout),
      first_starts_{0} {
  Finder(*this, index, layout, history, instances, often).run();
}

// How many steps read each matrix, by its place in the long vector.
template <class Real>
std::unordered_map<std::int64_t, std::int64_t> SecondOrderSteps<Real>::steps_of_matrices(const FeatureIndex& index, const Layout& layout,
                                                                                         const Instances& instances) const {
  const RowReader<const Layout> reader(index, layout, instances);
  std::unordered_map<std::int64_t, std::int64_t> steps;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    for (std::int64_t t = 1; t < instances.length(s); ++t) reader.edges(s, t, [&](std::int64_t row, float) { ++steps[row]; });
  }
  return steps;
}

template <class Real>
auto SecondOrderSteps<Real>::terms(const HistoryIndex& history, SlotId slot, NgramId ngram, bool second) const -> std::vector<Term> {
  const HistorySlot& read = history[slot];
  std::vector<Term> out;
  history.each_row(slot, ngram, [&](RowId row) {
    const std::vector<std::int32_t> values = history.entry(row).labels;
    const std::int32_t near = reads(read, 1) ? values.front() - 1 : any, far = reads(read, 2) ? values.back() - 1 : any;
    const bool near_fits = near >= 0 || !reads(read, 1), far_fits = !reads(read, 2) || (far >= 0) != second;
    if (near_fits && far_fits) out.push_back({second ? any : far, near, history_at_ + std::int64_t{row.number()} * stride_});
  });
  return out;
}

// Calls visit(place of a row in the table, place of the row in the long vector) for all rows.
template <class Real>
template <class Visit>
void SecondOrderSteps<Real>::each_row(Visit visit) const {
  std::int64_t next = 0;
  const auto rows = [&](std::int64_t place, std::int64_t count) {
    for (std::int64_t row = 0; row < count; ++row, next += stride_) visit(next, place + row * stride_);
  };
  for (const std::int64_t matrix : matrices_) rows(matrix, labels_);
  rows(history_in_long_, history_rows_);
}

template <class Real>
void SecondOrderSteps<Real>::read(const RowWeights& there, std::span<const double> at, Real* table) const {
  std::fill_n(table, table_size(), Real{0});
  each_row([&](std::int64_t to, std::int64_t row) {
    for (std::int32_t i = there.first(row); i < there.end(row); ++i)
      table[to + there.label(i)] = static_cast<Real>(at[static_cast<std::size_t>(i)]);
  });
}

template <class Real>
void SecondOrderSteps<Real>::add(const double* table, const RowWeights& there, std::span<double> gradient) const {
  each_row([&](std::int64_t from, std::int64_t row) { there.add(row, table + from, 1, gradient); });
}

template <class Real>
void SecondOrderSteps<Real>::score(std::int32_t context, const Real* table, Real* scores) const {
  const Context& from = contexts_[static_cast<std::size_t>(context)];
  const std::int64_t tall = height(context), slab = tall * stride_;
  const auto add_row = [&](const Real* row, Real* out) {
    for (std::int32_t j = 0; j < stride_; ++j) out[j] += row[j];
  };
  for (std::int64_t i = 0; i < labels_; ++i) {
    Real* first = scores + i * slab;
    std::copy_n(constraint_.follow.data() + i * stride_, stride_, first);
    for (const std::int64_t matrix : from.matrices) add_row(table + matrix + i * stride_, first);
    for (std::int64_t h = 1; h < tall; ++h) std::copy_n(first, stride_, first + h * stride_);
  }
  each_cell(from, tall, [&](std::int64_t row, std::int64_t cell) { add_row(table + row, scores + cell); });
}

template class SecondOrderSteps<float>;
template class SecondOrderSteps<double>;

}  // namespace riata
