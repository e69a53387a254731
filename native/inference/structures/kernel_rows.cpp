#include "inference/structures/kernel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/kernel_blocks.hpp"
#include "core/tasks.hpp"

namespace riata {
namespace {

constexpr double most_kernel = 1e30;  // the largest value of a kernel: products with coefficients must not overflow in single precision
constexpr std::int64_t before_features = 1;  // rows of the layout of one label that stand before those of features: its label pair

Layout numbering(const Corpus& corpus) { return Layout(corpus.index, 1, corpus.instances.named_size); }

// out = sum over i of values[i] * rows[i], for `blocks` blocks of rows of [stride]. The order of the sum is that of the rows, so that rows
// of zeros change nothing.
template <int blocks, class Real>
RIATA_INLINE void weigh_part(const Real* values, const Real* rows, std::int64_t count, std::int32_t stride, Real* out) noexcept {
  using V = typename Block<Real>::type;
  V sums[blocks]{}, row;
  for (std::int64_t i = 0; i < count; ++i, rows += stride) {
    for (int b = 0; b < blocks; ++b) {
      std::memcpy(&row, rows + b * row_multiple, sizeof row);
      sums[b] += row * values[i];
    }
  }
  std::memcpy(out, sums, sizeof sums);
}
template <class Real>
RIATA_INLINE void weigh_rows(const Real* values, const Real* rows, std::int64_t count, std::int32_t stride, Real* out) noexcept {
  std::int32_t j = 0;
  for (; j + 4 * row_multiple <= stride; j += 4 * row_multiple) weigh_part<4>(values, rows + j, count, stride, out + j);
  for (; j < stride; j += row_multiple) weigh_part<1>(values, rows + j, count, stride, out + j);
}
RIATA_CLONES void weigh(const float* values, const float* rows, std::int64_t count, std::int32_t stride, float* out) noexcept {
  weigh_rows(values, rows, count, stride, out);
}
RIATA_CLONES void weigh(const double* values, const double* rows, std::int64_t count, std::int32_t stride, double* out) noexcept {
  weigh_rows(values, rows, count, stride, out);
}

}  // namespace

std::int32_t feature_count(const Corpus& corpus) {
  const Layout layout = numbering(corpus);
  const std::int64_t rows = layout.size / layout.stride - before_features;
  if (rows > std::int64_t{1} << 30) throw Error("DataError", "there are too many features for a kernel.", "Use fewer templates.");
  return static_cast<std::int32_t>(rows);
}

template <class Real>
KernelRows<Real>::KernelRows(KernelModel<Real>& model, const Corpus& corpus, bool learns)
    : model_(model), corpus_(corpus), layout_(numbering(corpus)), reader_(corpus.index, layout_, corpus.instances), learns_(learns) {
  const std::int64_t tokens = corpus.instances.tokens();
  sentence_of_.reserve(static_cast<std::size_t>(tokens));
  for (std::int64_t s = 0; s < corpus.sentences(); ++s)
    sentence_of_.insert(sentence_of_.end(), static_cast<std::size_t>(corpus.length(s)), s);
  if (!learns) return;
  slot_of_.assign(static_cast<std::size_t>(tokens), -1);
  token_of_.assign(static_cast<std::size_t>(model.supports.slots()), -1);
  const std::int64_t longest = model.budget > 0 ? std::min(model.budget, tokens) : tokens;
  const std::int64_t room = model.cache / std::max<std::int64_t>(1, longest * std::int64_t{sizeof(Real)});
  rows_.resize(static_cast<std::size_t>(std::min(tokens, room)));
}

template <class Real>
SparseVector KernelRows<Real>::read(std::int64_t token) const {
  SparseVector out;
  const std::int64_t s = sentence_of_[static_cast<std::size_t>(token)];
  reader_.nodes(s, token - corpus_.instances.starts[s], [&](std::int64_t row, float value) {
    out.ids.push_back(static_cast<std::int32_t>(row / layout_.stride - before_features));
    out.values.push_back(value);
  });
  out.settle();
  return out;
}

// Computes the values for support tokens that were added since the row was computed last.
template <class Real>
void KernelRows<Real>::refresh(const SparseVector& token, Row& row) const {
  const Supports& supports = model_.supports;
  if (row.known == supports.added()) return;
  row.values.resize(static_cast<std::size_t>(supports.slots()), Real{0});
  std::vector<const SparseVector*> others;
  std::vector<std::int32_t> slots;
  for (std::int32_t slot = 0; slot < supports.slots(); ++slot) {
    if (supports.since(slot) <= row.known) continue;
    others.push_back(&supports[slot]);
    slots.push_back(slot);
  }
  std::vector<double> values(others.size());
  model_.function->row(token, others, model_.width, values.data());
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (!(std::abs(values[k]) <= most_kernel))
      throw Error("DataError", "the kernel of two tokens is above 1e+30, or no number.",
                  "Scale the features, or use a smaller gamma or degree.");
    row.values[static_cast<std::size_t>(slots[k])] = static_cast<Real>(values[k]);
  }
  row.known = supports.added();
}

template <class Real>
const typename KernelRows<Real>::Row& KernelRows<Real>::row_of(std::int64_t token, Row& spare) const {
  const bool kept = static_cast<std::size_t>(token) < rows_.size();
  Row& row = kept ? rows_[static_cast<std::size_t>(token)] : spare;
  if (!kept) row.known = 0;
  if (row.known != model_.supports.added()) refresh(read(token), row);
  return row;
}

template <class Real>
void KernelRows<Real>::prepare(std::span<const std::int64_t> tokens) {
  hand_out(
      static_cast<std::int64_t>(tokens.size()), threads(), [] { return Row(); },
      [&](std::int64_t k, Row& spare) {
        const std::int64_t token = tokens[static_cast<std::size_t>(k)];
        if (static_cast<std::size_t>(token) < rows_.size()) row_of(token, spare);
      });
}

template <class Real>
void KernelRows<Real>::score_token(std::int64_t token, const Real* coefficients, Real* out, Row& spare) const {
  const Row& row = row_of(token, spare);
  weigh(row.values.data(), coefficients + model_.square(), static_cast<std::int64_t>(row.values.size()), model_.stride, out);
}

template <class Real>
const Real* KernelRows<Real>::scores(std::int64_t first, std::int64_t count, const Real* coefficients, std::int64_t version) {
  const bool there =
      scored_of_ == coefficients && scored_version_ == version && first >= scored_first_ && first + count <= scored_first_ + scored_count_;
  if (!there) {
    const std::int64_t more = learns_ ? count : std::min(std::max(count, ahead), corpus_.instances.tokens() - first);
    scored_.resize(static_cast<std::size_t>(more * model_.stride));
    hand_out(
        more, learns_ ? 1 : threads(), [] { return Row(); },
        [&](std::int64_t k, Row& spare) { score_token(first + k, coefficients, scored_.data() + k * model_.stride, spare); });
    scored_first_ = first;
    scored_count_ = more;
    scored_of_ = coefficients;
    scored_version_ = version;
  }
  return scored_.data() + (first - scored_first_) * model_.stride;
}

template <class Real>
std::int64_t KernelRows<Real>::place(std::int64_t token, std::int32_t label) {
  if (!learns_) return model_.place(model_.supports.slots()) + token * model_.stride + label;
  std::int32_t& slot = slot_of_[static_cast<std::size_t>(token)];
  if (slot < 0) {
    slot = model_.supports.add(read(token));
    token_of_.resize(static_cast<std::size_t>(model_.supports.slots()));
    token_of_[static_cast<std::size_t>(slot)] = token;
    fresh_.push_back(slot);
  }
  return model_.place(slot) + label;
}

template <class Real>
void KernelRows<Real>::remove(std::int32_t slot, Vector<Real>& vector) {
  vector.forget(model_.place(slot), model_.stride);
  slot_of_[static_cast<std::size_t>(token_of_[static_cast<std::size_t>(slot)])] = -1;
  model_.supports.remove(slot);
}

template <class Real>
void KernelRows<Real>::keep_budget(Vector<Real>& vector) {
  const auto squared = [&](std::int32_t slot) {
    const Real* row = vector.data() + model_.place(slot);
    double sum = 0;
    for (std::int32_t j = 0; j < model_.labels; ++j) sum += double(row[j]) * row[j];
    return sum;
  };
  for (const std::int32_t slot : std::exchange(fresh_, {})) {
    if (squared(slot) == 0) remove(slot, vector);
  }
  if (model_.budget == 0 || model_.supports.size() < model_.budget) return;
  for (std::int32_t slot = 0; slot < model_.supports.slots(); ++slot) {
    const bool own = model_.supports.since(slot) > 0 && token_of_[static_cast<std::size_t>(slot)] >= 0;
    if (own && squared(slot) == 0) remove(slot, vector);
  }
}

template <class Real>
std::int64_t KernelRows<Real>::token_at(std::int64_t place) const noexcept {
  const std::int64_t slot = (place - model_.square()) / model_.stride;
  return learns_ ? token_of_[static_cast<std::size_t>(slot)] : slot - model_.supports.slots();
}

template <class Real>
double KernelRows<Real>::dot(const Real* coefficients, std::int64_t version, const Difference& delta) const {
  std::vector<Real> own(static_cast<std::size_t>(model_.stride));
  std::int64_t own_token = -1;
  Row spare;
  double sum = 0;
  for (const auto& [place, value] : delta) {
    if (place < model_.square()) {
      sum += double(coefficients[place]) * value;
      continue;
    }
    const std::int64_t token = token_at(place), label = (place - model_.square()) % model_.stride;
    const std::int64_t at = token - scored_first_;
    const bool scored = scored_of_ == coefficients && scored_version_ == version && at >= 0 && at < scored_count_;
    if (!scored && token != own_token) {
      score_token(token, coefficients, own.data(), spare);
      own_token = token;
    }
    sum += value * double(scored ? scored_[static_cast<std::size_t>(at * model_.stride + label)] : own[static_cast<std::size_t>(label)]);
  }
  return sum;
}

// The kernel function of two tokens, of which the second is a support token if the model learns.
template <class Real>
double KernelRows<Real>::between(std::int64_t one, std::int64_t other) const {
  if (learns_) {
    Row spare;
    return double(row_of(one, spare).values[static_cast<std::size_t>(slot_of_[static_cast<std::size_t>(other)])]);
  }
  const SparseVector first = read(one), second = read(other);
  const SparseVector* second_of = &second;
  double out = 0;
  model_.function->row(first, {&second_of, 1}, model_.width, &out);
  return out;
}

template <class Real>
double KernelRows<Real>::product(const Difference& one, const Difference& other) const {
  struct Entry {
    std::int64_t label, token;  // token: -1 for a pair of labels, whose place is then in `label`
    double value;
  };
  const auto entries = [&](const Difference& of) {
    std::vector<Entry> out;
    for (const auto& [place, value] : of) {
      const bool pair = place < model_.square();
      out.push_back({pair ? place : (place - model_.square()) % model_.stride, pair ? -1 : token_at(place), value});
    }
    return out;
  };
  const std::vector<Entry> left = entries(one), right = entries(other);
  double sum = 0;
  for (const Entry& a : left) {
    for (const Entry& b : right) {
      if (a.label != b.label || (a.token < 0) != (b.token < 0)) continue;
      sum += a.value * b.value * (a.token < 0 ? 1.0 : between(a.token, b.token));
    }
  }
  return sum;
}

template <class Real>
double KernelRows<Real>::squared_length(const Real* coefficients) const {
  double sum = 0;
  for (std::int64_t place = 0; place < model_.square(); ++place) sum += double(coefficients[place]) * coefficients[place];
  const std::int32_t slots = model_.supports.slots();
  std::vector<double> parts(static_cast<std::size_t>(slots), 0.0);
  struct Own {
    Row row;
    std::vector<Real> scores;
  };
  hand_out(
      slots, threads(), [&] { return Own{Row(), std::vector<Real>(static_cast<std::size_t>(model_.stride))}; },
      [&](std::int64_t slot, Own& own) {
        const auto at = static_cast<std::int32_t>(slot);
        if (model_.supports.since(at) == 0) return;
        if (learns_ && token_of_[static_cast<std::size_t>(slot)] >= 0) {
          score_token(token_of_[static_cast<std::size_t>(slot)], coefficients, own.scores.data(), own.row);
        } else {
          own.row.known = 0;
          refresh(model_.supports[at], own.row);
          weigh(own.row.values.data(), coefficients + model_.square(), slots, model_.stride, own.scores.data());
        }
        const Real* row = coefficients + model_.place(at);
        for (std::int32_t j = 0; j < model_.labels; ++j)
          parts[static_cast<std::size_t>(slot)] += double(row[j]) * own.scores[static_cast<std::size_t>(j)];
      });
  for (const double part : parts) sum += part;
  return sum;
}

template class KernelRows<float>;
template class KernelRows<double>;

}  // namespace riata
