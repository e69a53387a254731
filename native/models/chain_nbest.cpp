#include "models/chain_nbest.hpp"

#include <optional>

#include "models/exact_chain.hpp"

namespace riata {

template <class Real>
NBestLabels nbest(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances,
                  std::int64_t n, const Poll& poll) {
  check_fit(index, weights, instances);
  NBestLabels out;
  ExactChain<Real> chain(index, weights, constraint, instances);
  PollClock clock(weights.labels);
  std::vector<std::int32_t> labels;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    out.counts.push_back(0);
    if (instances.length(s) == 0) {
      out.counts.back() = 1;
      out.scores.push_back(0);
      continue;
    }
    chain.open(s);
    chain.open_list();
    labels.resize(static_cast<std::size_t>(instances.length(s)));
    for (; out.counts.back() < n; ++out.counts.back()) {
      if (clock.due(instances.length(s)) && !poll(s)) return out;
      const std::optional<Real> score = chain.next(labels.data());
      if (!score) break;
      out.labels.insert(out.labels.end(), labels.begin(), labels.end());
      out.scores.push_back(*score);
    }
  }
  return out;
}

template NBestLabels nbest(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&, std::int64_t,
                           const Poll&);
template NBestLabels nbest(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&, std::int64_t,
                           const Poll&);

}  // namespace riata
