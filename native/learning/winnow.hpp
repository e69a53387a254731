// Regularised Winnow (Zhang, Damerau & Johnson 2002): one binary classifier per label on the tokens of a chain, learnt in the dual.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "core/poll.hpp"
#include "inference/corpus.hpp"
#include "inference/possible_labels.hpp"
#include "inference/structures/chain_model.hpp"

namespace riata {

// The features of every token when all labels before it are the true ones: numbers of rows of weights, and values.
class TrueRows {
 public:
  // Adds rows of earlier labels to the history, and makes room for them.
  template <class Real>
  TrueRows(const Corpus& corpus, ChainModel<Real>& model);

  std::span<const std::int32_t> rows(std::int64_t token) const noexcept { return part(rows_, token); }
  // Empty if all values are 1.
  std::span<const float> values(std::int64_t token) const noexcept {
    return values_.empty() ? std::span<const float>{} : part(values_, token);
  }

 private:
  template <class T>
  std::span<const T> part(const std::vector<T>& of, std::int64_t token) const noexcept {
    const auto low = static_cast<std::size_t>(starts_[static_cast<std::size_t>(token)]);
    return {of.data() + low, static_cast<std::size_t>(starts_[static_cast<std::size_t>(token) + 1]) - low};
  }

  std::vector<std::int64_t> starts_;  // [tokens + 1]
  std::vector<std::int32_t> rows_;
  std::vector<float> values_;  // as many as rows_, or empty
};

// For each label, an example i is a token: y is 1 if it has the label and -1 otherwise, and x are its features. The weights minimise
//     sum over j of w⁺ ln(w⁺ / (e mu)) + w⁻ ln(w⁻ / (e mu)), plus the sum over i of c f(y w·x), where w = w⁺ - w⁻ and
//     f(v) = -2v below -1, (v - 1)² / 2 from -1 to 1, 0 above.
// Minus the dual is the sum over j of mu (u + 1 / u), less the sum over i of a - a² / (2c), where u = exp(sum over i of a y x),
// w⁺ = mu u, w⁻ = mu / u and 0 <= a <= 2c. Each example moves its own a along the gradient, 1 - a / c - y w·x, by the step eta,
// but never further than Newton's step, eta = 1 / (1 / c + the sum over j of x² (w⁺ + w⁻)), so that a large eta does not overshoot.
template <class Real>
class Winnow {
 public:
  struct Settings {
    double mu, c, eta;
  };
  struct Pass {
    std::int64_t sentences = 0, updates = 0, tokens = 0, wrong_tokens = 0;
    double objective = 0;  // minus the dual, less its value before the first step
  };

  // The corpus must outlive the object. sentence_weights, [S], and class_weights, [labels], may be empty; they multiply c and eta.
  Winnow(const ChainModel<Real>& blank, const Corpus& corpus, std::span<const double> sentence_weights,
         std::span<const double> class_weights, Settings settings);

  // One pass over the sentences in the given order.
  Pass pass(std::span<const std::int64_t> order, const Poll& poll);

  // The weights w.
  ChainModel<Real> model() const;

 private:
  bool visit(std::int64_t token, double weight, std::int64_t& wrong);
  double objective() const;
  double weight(std::int64_t sentence, std::int64_t token) const noexcept;

  ChainModel<Real> model_;  // without weights
  Corpus corpus_;
  TrueRows true_rows_;
  Allowed possible_;  // the labels that a dictionary leaves to every token
  std::vector<double> sentence_weights_, class_weights_;
  Settings settings_;
  std::int64_t stride_;
  Numbers<Real> u_;          // [rows][stride]
  Numbers<Real> a_;          // [tokens][stride]
  std::vector<Real> score_;  // [stride] of the present token
  std::vector<Real> bend_;   // [stride] how much the gradient changes with the variables of the present token
  std::vector<Real> times_;  // [stride] what the step multiplies u by
};

// What the weights of each label add up to at each token, [tokens][labels], where the labels before are those of the corpus.
template <class Real>
std::vector<double> step_scores(ChainModel<Real> model, const Corpus& corpus);

extern template class Winnow<float>;
extern template class Winnow<double>;

}  // namespace riata
