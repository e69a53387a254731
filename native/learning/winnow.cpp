#include "learning/winnow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/kernel_blocks.hpp"
#include "models/row_reader.hpp"

namespace riata {
namespace {

// Bounds of u and of what a step multiplies it by, so that settings out of all proportion do not overflow.
constexpr double largest = 1e30, largest_step = 60;

// score[j] = the sum of (u[j] - 1 / u[j]) * value over all rows, and bend[j] = that of (u[j] + 1 / u[j]) * value². values: empty if all
// are 1.
template <class Real>
RIATA_INLINE void add_weights(const Real* u, std::span<const std::int32_t> rows, std::span<const float> values, std::int64_t stride,
                              Real* score, Real* bend) noexcept {
  using V = typename Block<Real>::type;
  for (std::int64_t j = 0; j < stride; j += row_multiple) {
    V total{}, bent{}, row;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::memcpy(&row, u + std::int64_t{rows[k]} * stride + j, sizeof row);
      const V inverse = Real{1} / row;
      if (values.empty()) {
        total += row - inverse;
        bent += row + inverse;
      } else {
        total += (row - inverse) * Real(values[k]);
        bent += (row + inverse) * (Real(values[k]) * Real(values[k]));
      }
    }
    std::memcpy(score + j, &total, sizeof total);
    std::memcpy(bend + j, &bent, sizeof bent);
  }
}

// u[j] *= times[j], row after row, within bounds.
template <class Real>
RIATA_INLINE void multiply(Real* u, std::span<const std::int32_t> rows, std::int64_t stride, const Real* times) noexcept {
  using V = typename Block<Real>::type;
  const V high = V{} + Real(largest), low = Real{1} / high;
  for (const std::int32_t row : rows) {
    Real* at = u + std::int64_t{row} * stride;
    for (std::int64_t j = 0; j < stride; j += row_multiple) {
      V product, factor;
      std::memcpy(&product, at + j, sizeof product);
      std::memcpy(&factor, times + j, sizeof factor);
      product *= factor;
      product = product > high ? high : product;
      product = product < low ? low : product;
      std::memcpy(at + j, &product, sizeof product);
    }
  }
}

RIATA_CLONES void add_all(const float* u, std::span<const std::int32_t> rows, std::span<const float> values, std::int64_t stride,
                          float* score, float* bend) noexcept {
  add_weights(u, rows, values, stride, score, bend);
}
RIATA_CLONES void add_all(const double* u, std::span<const std::int32_t> rows, std::span<const float> values, std::int64_t stride,
                          double* score, double* bend) noexcept {
  add_weights(u, rows, values, stride, score, bend);
}
RIATA_CLONES void multiply_all(float* u, std::span<const std::int32_t> rows, std::int64_t stride, const float* times) noexcept {
  multiply(u, rows, stride, times);
}
RIATA_CLONES void multiply_all(double* u, std::span<const std::int32_t> rows, std::int64_t stride, const double* times) noexcept {
  multiply(u, rows, stride, times);
}

template <class Real>
ChainModel<Real> grown(ChainModel<Real> model, const Corpus& corpus) {
  model.weights.grow(corpus.index, corpus.instances.named_size);
  if (static_cast<std::int64_t>(corpus.gold.size()) != corpus.instances.tokens())
    throw Error("RiataError", "the labels do not fit the instances");
  model.check(corpus, model.weights.flat.size());
  return model;
}

}  // namespace

template <class Real>
TrueRows::TrueRows(const Corpus& corpus, ChainModel<Real>& model) {
  Weights<Real>& weights = model.weights;
  const std::int64_t stride = weights.stride;
  const RowReader<const Layout> reader(corpus.index, weights.layout, corpus.instances);
  std::vector<std::int32_t> before(static_cast<std::size_t>(weights.history.order()));
  const bool valued = corpus.instances.valued();
  const auto add = [&](std::int64_t place, float value) {
    if (place / stride > std::numeric_limits<std::int32_t>::max()) throw Error("DataError", "there are too many features for this learner");
    rows_.push_back(static_cast<std::int32_t>(place / stride));
    if (valued) values_.push_back(value);
  };
  starts_.push_back(0);
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    const Codes gold = corpus.gold_of(s);
    for (std::int64_t t = 0; t < corpus.length(s); ++t) {
      reader.nodes(s, t, add);
      reader.edges(s, t, [&](std::int64_t place, float value) { add(place + gold[static_cast<std::size_t>(t) - 1] * stride, value); });
      for (std::int64_t k = 1; k <= weights.history.order(); ++k)
        before[static_cast<std::size_t>(k) - 1] = t >= k ? gold[static_cast<std::size_t>(t - k)] + 1 : HistoryIndex::outside;
      for (SlotId slot(0); slot.place() < weights.history.slots().size(); ++slot) {
        const NgramId ngram = history_ngram(weights.history[slot], corpus.instances, s, t);
        if (ngram != unseen) add(weights.layout.history_row(weights.history.add(slot, ngram, before)), 1.0f);
      }
      starts_.push_back(static_cast<std::int64_t>(rows_.size()));
    }
  }
  weights.flat.resize(std::max(weights.flat.size(), weights.room()), Real{0});
}

template <class Real>
Winnow<Real>::Winnow(const ChainModel<Real>& blank, const Corpus& corpus, std::span<const double> sentence_weights,
                     std::span<const double> class_weights, Settings settings)
    : model_(grown(blank, corpus)),
      corpus_(corpus),
      true_rows_(corpus_, model_),
      possible_(all_possible(model_.constraint, model_.weights.labels, corpus.instances)),
      sentence_weights_(sentence_weights.begin(), sentence_weights.end()),
      class_weights_(class_weights.begin(), class_weights.end()),
      settings_(settings),
      stride_(model_.weights.stride),
      u_(model_.weights.flat.size(), Real{1}),
      a_(static_cast<std::size_t>(corpus.instances.tokens() * stride_), Real{0}),
      score_(static_cast<std::size_t>(stride_)),
      bend_(static_cast<std::size_t>(stride_)),
      times_(static_cast<std::size_t>(stride_), Real{1}) {
  model_.weights.flat = {};
  const bool fits = (sentence_weights_.empty() || static_cast<std::int64_t>(sentence_weights_.size()) == corpus.sentences()) &&
                    (class_weights_.empty() || static_cast<std::int32_t>(class_weights_.size()) == model_.weights.labels);
  if (!fits) throw Error("RiataError", "the weights of sentences or labels do not fit");
}

template <class Real>
double Winnow<Real>::weight(std::int64_t sentence, std::int64_t token) const noexcept {
  const double of_sentence = sentence_weights_.empty() ? 1.0 : sentence_weights_[static_cast<std::size_t>(sentence)];
  const auto label = static_cast<std::size_t>(corpus_.gold[static_cast<std::size_t>(token)]);
  return class_weights_.empty() ? of_sentence : of_sentence * class_weights_[label];
}

// Moves the dual variables of a token, one per label, and with them the weights of its features. Returns whether one has moved.
template <class Real>
bool Winnow<Real>::visit(std::int64_t token, double weight, std::int64_t& wrong) {
  const auto rows = true_rows_.rows(token);
  const auto values = true_rows_.values(token);
  const std::int32_t labels = model_.weights.labels, gold = corpus_.gold[static_cast<std::size_t>(token)];
  add_all(u_.data(), rows, values, stride_, score_.data(), bend_.data());
  possible_.forbid(token, score_.data());
  const auto best = std::max_element(score_.begin(), score_.begin() + labels);
  wrong += best - score_.begin() != gold;
  const auto mu = Real(settings_.mu), c = Real(settings_.c * weight), eta = Real(settings_.eta * weight);
  if (!(c > 0)) return false;
  Real* a = a_.data() + token * stride_;
  bool moved = false;
  for (std::int32_t j = 0; j < labels; ++j) {
    if (score_[static_cast<std::size_t>(j)] == -std::numeric_limits<Real>::infinity()) {  // the token is no example of this label
      score_[static_cast<std::size_t>(j)] = 0;
      continue;
    }
    const Real y = j == gold ? Real{1} : Real{-1};
    const Real margin = y * mu * score_[static_cast<std::size_t>(j)];
    const Real rate = std::min(eta, c / (1 + c * mu * bend_[static_cast<std::size_t>(j)]));
    const Real step = std::max(std::min(2 * c - a[j], rate * ((c - a[j]) / c - margin)), -a[j]);
    a[j] += step;
    score_[static_cast<std::size_t>(j)] = y * step;
    moved = moved || step != 0;
  }
  if (!moved) return false;
  const auto set_times = [&](double value) {
    for (std::int32_t j = 0; j < labels; ++j) {
      const Real power = score_[static_cast<std::size_t>(j)] * Real(value);
      times_[static_cast<std::size_t>(j)] = power == 0 ? Real{1} : std::exp(std::clamp(power, Real(-largest_step), Real(largest_step)));
    }
  };
  if (values.empty()) {
    set_times(1);
    multiply_all(u_.data(), rows, stride_, times_.data());
    return true;
  }
  float last = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (values[k] != last) set_times(last = values[k]);
    multiply_all(u_.data(), rows.subspan(k, 1), stride_, times_.data());
  }
  return true;
}

template <class Real>
typename Winnow<Real>::Pass Winnow<Real>::pass(std::span<const std::int64_t> order, const Poll& poll) {
  Pass out;
  PollClock clock(model_.weights.labels);
  for (const std::int64_t s : order) {
    if (s < 0 || s >= corpus_.sentences()) throw Error("RiataError", "the order names a sentence that does not exist");
    bool moved = false;
    for (std::int64_t token = corpus_.instances.starts[s]; token < corpus_.instances.starts[s + 1]; ++token)
      moved = visit(token, weight(s, token), out.wrong_tokens) || moved;
    ++out.sentences;
    out.updates += moved;
    out.tokens += corpus_.length(s);
    if (clock.due(corpus_.length(s)) && !poll(out.sentences)) break;
  }
  out.objective = objective();
  return out;
}

template <class Real>
double Winnow<Real>::objective() const {
  double sum = 0;
  for (const Real u : u_) sum += double(u) + 1 / double(u) - 2;
  sum *= settings_.mu;
  for (std::int64_t s = 0; s < corpus_.sentences(); ++s) {
    for (std::int64_t token = corpus_.instances.starts[s]; token < corpus_.instances.starts[s + 1]; ++token) {
      const double c = settings_.c * weight(s, token);
      const Real* a = a_.data() + token * stride_;
      for (std::int32_t j = 0; c > 0 && j < model_.weights.labels; ++j) sum -= double(a[j]) - double(a[j]) * double(a[j]) / (2 * c);
    }
  }
  return sum;
}

template <class Real>
ChainModel<Real> Winnow<Real>::model() const {
  ChainModel<Real> out = model_;
  out.weights.flat.resize(u_.size());
  out.weights.truncated = true;
  const auto mu = Real(settings_.mu);
  std::transform(u_.begin(), u_.end(), out.weights.flat.begin(), [mu](Real u) { return mu * (u - 1 / u); });
  return out;
}

template <class Real>
std::vector<double> step_scores(ChainModel<Real> model, const Corpus& corpus) {
  model = grown(std::move(model), corpus);
  const TrueRows read(corpus, model);
  const auto labels = static_cast<std::size_t>(model.weights.labels);
  std::vector<double> out(corpus.gold.size() * labels, 0.0);
  for (std::size_t token = 0; token < corpus.gold.size(); ++token) {
    const auto rows = read.rows(static_cast<std::int64_t>(token));
    const auto values = read.values(static_cast<std::int64_t>(token));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Real* row = model.weights.row(std::int64_t{rows[k]} * model.weights.stride);
      for (std::size_t j = 0; j < labels; ++j) out[token * labels + j] += double(row[j]) * (values.empty() ? 1.0 : double(values[k]));
    }
  }
  return out;
}

template std::vector<double> step_scores(ChainModel<float>, const Corpus&);
template std::vector<double> step_scores(ChainModel<double>, const Corpus&);
template class Winnow<float>;
template class Winnow<double>;

}  // namespace riata
