#include "learning/chain_perceptron.hpp"

#include <algorithm>

#include "learning/history_difference.hpp"
#include "models/exact_chain.hpp"
#include "models/row_reader.hpp"

namespace riata {

template <class Real>
EpochResult ChainPerceptron<Real>::epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                                         std::span<const double> sentence_weights, std::span<const double> class_weights,
                                         const Poll& poll) {
  check_exact(index, weights_.current.labels);
  weights_.grow(index, instances.given_size);
  check_fit(index, weights_.current, instances);
  EpochResult result;
  ExactChain<Real> chain(index, weights_.current, constraint_, instances);
  std::vector<std::int32_t> found;
  PollClock clock(weights_.current.labels);
  for (const std::int64_t s : order) {
    if (clock.due(instances.length(s)) && !poll(result.sentences)) break;
    ++result.sentences;
    const std::int64_t length = instances.length(s);
    const std::int32_t* gold = instances.labels.data() + instances.starts[s];
    if (length > 0) {
      found.resize(static_cast<std::size_t>(length));
      chain.open(s);
      chain.best(found.data());
      std::int64_t wrong = 0;
      for (std::int64_t t = 0; t < length; ++t) wrong += found[t] != gold[t];
      result.tokens += length;
      result.wrong_tokens += wrong;
      if (wrong > 0) {
        ++result.updates;
        update(index, instances, s, found.data(), sentence_weights.empty() ? 1.0 : sentence_weights[s], class_weights);
      }
    }
    weights_.tick();
  }
  return result;
}

template <class Real>
void ChainPerceptron<Real>::update(const FeatureIndex& index, const Instances& instances, std::int64_t s, const std::int32_t* found,
                                   double sentence_weight, std::span<const double> class_weights) {
  const std::int32_t* gold = instances.labels.data() + instances.starts[s];
  const std::int32_t stride = weights_.current.stride;
  // Rows are visited twice, once in w and once in the running sum, which has the same shape.
  const RowReader current(index, weights_.current, instances), sum(index, weights_.sum(), instances);
  const auto change = [&](const RowReader<Weights<Real>>& rows, std::int64_t t, double scale) {
    if (gold[t] != found[t]) {
      rows.nodes(s, t, [&](Real* row, float value) {
        row[gold[t]] += static_cast<Real>(scale * value);
        row[found[t]] -= static_cast<Real>(scale * value);
      });
    }
    rows.edges(s, t, [&](Real* row, float value) {
      row[std::size_t(gold[t - 1]) * stride + gold[t]] += static_cast<Real>(scale * value);
      row[std::size_t(found[t - 1]) * stride + found[t]] -= static_cast<Real>(scale * value);
    });
  };
  const auto scale_at = [&](std::int64_t t) { return sentence_weight * (class_weights.empty() ? 1.0 : class_weights[gold[t]]); };
  for (std::int64_t t = 0; t < instances.length(s); ++t) {
    if (gold[t] == found[t] && (t == 0 || gold[t - 1] == found[t - 1])) continue;
    change(current, t, scale_at(t));
    change(sum, t, scale_at(t) * weights_.count());
  }
  each_history_difference(weights_.current.history, instances, s, gold, found, [&](std::int64_t t, std::int32_t right, std::int32_t wrong) {
    weights_.grow_history();
    const auto move = [&](Numbers<Real>& rows, double scale) {
      rows[std::size_t(right) * stride + gold[t]] += static_cast<Real>(scale);
      rows[std::size_t(wrong) * stride + found[t]] -= static_cast<Real>(scale);
    };
    move(weights_.current.history_rows, scale_at(t));
    move(weights_.sum().history_rows, scale_at(t) * weights_.count());
  });
}

template class ChainPerceptron<float>;
template class ChainPerceptron<double>;

}  // namespace riata
