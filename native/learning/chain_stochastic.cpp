#include "learning/chain_stochastic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riata {
namespace {

constexpr double leaning = 5;  // how far the mean leans towards later weights (Shamir & Zhang 2013); 0: not at all
constexpr double far = 1e12;

}  // namespace

template <class Real>
ChainStochastic<Real>::ChainStochastic(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t given_size,
                                       const Constraint<Real>& constraint, std::span<const double> weights, Pairs pairs, double lambda)
    : index_(index),
      instances_(instances),
      layout_(index, labels, given_size),
      constraint_(constraint),
      weights_(weights.begin(), weights.end()),
      lambda_(lambda),
      there_(index, layout_, instances, pairs),
      contexts_(index, layout_, instances),
      rows_(index, layout_, instances),
      sums_(layout_.labels, layout_.stride),
      here_(contexts_.rows.size(), -1) {
  w_.assign(static_cast<std::size_t>(layout_.size), Real{0});
  a_.assign(static_cast<std::size_t>(layout_.size), Real{0});
}

template <class Real>
void ChainStochastic<Real>::set(std::span<const double> at) {
  there_.each([&](std::int32_t i, std::int64_t place) {
    w_[static_cast<std::size_t>(place)] = static_cast<Real>(at[static_cast<std::size_t>(i)]);
  });
  std::fill(a_.begin(), a_.end(), Real{0});
  w_divisor_ = a_divisor_ = 1;
  w_fraction_ = 0;
  time_ = averaged_ = 0;
  averaging_ = false;
}

template <class Real>
std::vector<double> ChainStochastic<Real>::point() const {
  std::vector<double> out(static_cast<std::size_t>(size()));
  there_.each([&](std::int32_t i, std::int64_t at) {
    const double w = double(w_[static_cast<std::size_t>(at)]), a = double(a_[static_cast<std::size_t>(at)]);
    out[static_cast<std::size_t>(i)] = averaged_ > 0 ? (a + w_fraction_ * w) / a_divisor_ : w / w_divisor_;
  });
  return out;
}

template <class Real>
double ChainStochastic<Real>::epoch(std::span<const std::int64_t> order, double eta, bool averaging, const Poll& poll) {
  averaging_ = averaging;
  double value = 0;
  PollClock clock(layout_.labels);
  std::int64_t done = 0;
  for (const std::int64_t s : order) {
    if (clock.due(instances_.length(s)) && !poll(done)) break;
    ++done;
    if (instances_.length(s) > 0) value += step(s, eta / (1 + lambda_ * eta * static_cast<double>(time_)));
    ++time_;
  }
  return value;
}

// The weights that there are in a row move by times x values; the mean does not move yet.
template <class Real>
void ChainStochastic<Real>::add(std::int64_t row, const Real* values, double times) {
  const Real move = static_cast<Real>(times), back = static_cast<Real>(-w_fraction_ * times);
  for (std::int32_t i = there_.first(row); i < there_.end(row); ++i) {
    const auto place = static_cast<std::size_t>(row + there_.label(i));
    const Real value = values[there_.label(i)];
    w_[place] += move * value;
    if (averaging_) a_[place] += back * value;
  }
}

template <class Real>
double ChainStochastic<Real>::step(std::int64_t s, double eta) {
  const auto length = static_cast<std::int32_t>(instances_.length(s)), labels = layout_.labels, stride = layout_.stride;
  const std::int64_t square = std::int64_t{labels} * stride, cells = std::int64_t{length} * stride;
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  const std::int32_t* contexts = contexts_.of.data() + instances_.starts[s];
  const Real scale = static_cast<Real>(1 / w_divisor_);
  const bool known = !instances_.partly_labelled(s);  // all labels; otherwise labellings are summed over that have the known ones
  for (auto* rows : {&node_, &alpha_, &into_, &difference_, &known_alpha_, &known_into_, &known_posterior_}) {
    if (static_cast<std::int64_t>(rows->size()) < cells) rows->resize(static_cast<std::size_t>(cells));
  }
  // Scores of labels, and of pairs in every context of the sentence.
  double truth = 0;
  for (std::int32_t t = 0; t < length; ++t) {
    Real* out = node_.data() + std::int64_t{t} * stride;
    std::fill_n(out, stride, Real{0});
    sum_.begin(out, stride);
    rows_.nodes(s, t, [&](std::int64_t row, float value) { sum_.add(w_.data() + row, value); });
    sum_.finish();
    for (std::int32_t j = 0; j < labels; ++j) {
      out[j] *= scale;
      if (t == 0) out[j] += constraint_.start[static_cast<std::size_t>(j)];
      if (t == length - 1) out[j] += constraint_.end[static_cast<std::size_t>(j)];
    }
    std::fill(out + labels, out + stride, Constraint<Real>::never);
    if (known) truth += double(out[gold[t]]);
  }
  if (!known) {
    known_node_ = node_;
    for (std::int64_t k = 0; k < cells; ++k) {
      const std::int32_t label = gold[k / stride];
      if (label != unknown_label && k % stride != label) known_node_[static_cast<std::size_t>(k)] = Constraint<Real>::never;
    }
  }
  used_.clear();
  for (std::int32_t t = 1; t < length; ++t) {
    auto& place = here_[static_cast<std::size_t>(contexts[t])];
    if (place >= 0) continue;
    place = static_cast<std::int32_t>(used_.size());
    used_.push_back(contexts[t]);
  }
  const auto tables = static_cast<std::size_t>(square) * used_.size();
  for (auto* table : {&factors_, &turned_, &expected_}) table->assign(tables, Real{0});
  highest_.assign(used_.size(), 0);
  for (std::size_t c = 0; c < used_.size(); ++c) {
    scores_.assign(static_cast<std::size_t>(square), Real{0});
    for (const std::int64_t row : contexts_.rows[static_cast<std::size_t>(used_[c])]) {
      for (std::int64_t k = 0; k < square; ++k) scores_[static_cast<std::size_t>(k)] += w_[static_cast<std::size_t>(row + k)] * scale;
    }
    for (std::int32_t t = 1; known && t < length; ++t) {
      if (here_[static_cast<std::size_t>(contexts[t])] == static_cast<std::int32_t>(c))
        truth += double(scores_[static_cast<std::size_t>(std::int64_t{gold[t - 1]} * stride + gold[t])]);
    }
    for (std::int64_t k = 0; k < square; ++k) scores_[static_cast<std::size_t>(k)] += constraint_.follow[static_cast<std::size_t>(k)];
    highest_[c] = make_edge_factors(scores_.data(), labels, stride, factors_.data() + static_cast<std::int64_t>(c) * square,
                                    turned_.data() + static_cast<std::int64_t>(c) * square);
  }
  const auto edge = [&](std::int32_t t) {
    const auto c = static_cast<std::int64_t>(here_[static_cast<std::size_t>(contexts[t])]);
    return EdgeFactors<Real>{factors_.data() + c * square, turned_.data() + c * square, highest_[static_cast<std::size_t>(c)]};
  };
  const double log_z = sums_(length, node_.data(), edge, alpha_.data(), into_.data(), difference_.data());
  if (!known) truth = sums_(length, known_node_.data(), edge, known_alpha_.data(), known_into_.data(), known_posterior_.data());
  const double times = weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(s)];
  // The mean of the weights so far, and the weights themselves shrink.
  w_divisor_ /= 1 - eta * lambda_;
  if (averaging_ && averaged_ == 0) {
    std::fill(a_.begin(), a_.end(), Real{0});
    a_divisor_ = w_divisor_;
    w_fraction_ = 1;
  }
  if (std::isfinite(log_z) && std::isfinite(truth)) {
    for (std::int32_t t = 0; known && t < length; ++t) difference_[static_cast<std::size_t>(std::int64_t{t} * stride + gold[t])] -= 1;
    for (std::int64_t k = 0; !known && k < cells; ++k) {
      difference_[static_cast<std::size_t>(k)] -= known_posterior_[static_cast<std::size_t>(k)];
      known_into_[static_cast<std::size_t>(k)] *= -1;
    }
    const double move = -eta * times * w_divisor_;
    for (std::int32_t t = 0; t < length; ++t) {
      rows_.nodes(s, t,
                  [&](std::int64_t row, float value) { add(row, difference_.data() + std::int64_t{t} * stride, move * double(value)); });
    }
    for (std::int32_t t = 1; t < length; ++t) {
      Real* sums = expected_.data() + std::int64_t{here_[static_cast<std::size_t>(contexts[t])]} * square;
      add_outer(&t, 1, alpha_.data(), into_.data(), labels, stride, sums);
      if (!known) add_outer(&t, 1, known_alpha_.data(), known_into_.data(), labels, stride, sums);
    }
    for (std::size_t c = 0; c < used_.size(); ++c) {
      Real* sums = expected_.data() + static_cast<std::int64_t>(c) * square;
      for (std::int64_t k = 0; k < square; ++k) sums[k] *= factors_[c * static_cast<std::size_t>(square) + static_cast<std::size_t>(k)];
    }
    for (std::int32_t t = 1; known && t < length; ++t)
      expected_[static_cast<std::size_t>(here_[static_cast<std::size_t>(contexts[t])] * square + std::int64_t{gold[t - 1]} * stride +
                                         gold[t])] -= 1;
    for (std::size_t c = 0; c < used_.size(); ++c) {
      for (const std::int64_t row : contexts_.rows[static_cast<std::size_t>(used_[c])]) {
        for (std::int32_t i = 0; i < labels; ++i)
          add(row + std::int64_t{i} * stride, expected_.data() + static_cast<std::int64_t>(c) * square + std::int64_t{i} * stride, move);
      }
    }
  }
  if (averaging_) {
    const double mu = (1.0 + leaning) / (static_cast<double>(++averaged_) + leaning);
    if (averaged_ > 1) {
      a_divisor_ /= 1 - mu;
      w_fraction_ += mu * a_divisor_ / w_divisor_;
      if (a_divisor_ > far) {  // before single precision cannot hold it
        for (Real& value : a_) value = static_cast<Real>(double(value) / a_divisor_);
        w_fraction_ /= a_divisor_;
        a_divisor_ = 1;
      }
    }
  }
  for (const std::int32_t context : used_) here_[static_cast<std::size_t>(context)] = -1;
  return times * (log_z - truth);
}

template class ChainStochastic<float>;
template class ChainStochastic<double>;

}  // namespace riata
