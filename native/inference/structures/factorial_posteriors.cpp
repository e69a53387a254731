#include "inference/structures/factorial_posteriors.hpp"

#include <cmath>

#include "inference/exact/factorial_log_sums.hpp"
#include "inference/exact/factorial_sums.hpp"
#include "inference/structures/factorial_inference.hpp"
#include "inference/structures/factorial_scorer.hpp"

namespace riata {

template <class Real>
FactorialProbabilities factorial_probabilities(const FactorialModel<Real>& model, const Corpus& corpus, double temperature,
                                               const Poll& poll) {
  model.check(corpus, model.weights.flat.size());
  FactorialScorer<double> scorer(model.templates, model.weights.coding, model.weights.layout, corpus.instances);
  const Numbers<double> weights(model.weights.flat.begin(), model.weights.flat.end());
  const FactorialShape& shape = scorer.shape();
  FactorialScores<double> scores;
  FactorialInference<double> inference(shape, SumsBy::exact);
  FactorialProbabilities out;
  std::vector<double> states(static_cast<std::size_t>(shape.states()));
  PollClock clock(model.work());
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (clock.due(corpus.length(s)) && !poll(s)) break;
    out.log_z.push_back(0);
    if (corpus.length(s) == 0) continue;
    scorer(s, weights.data(), 1 / temperature, scores);
    out.log_z.back() = inference.open(scores);
    for (std::int32_t t = 0; t < scores.length; ++t) {
      inference.posterior(t, states.data());
      for (std::int32_t code = 0; code < shape.combinations(); ++code)
        out.labels.push_back(states[static_cast<std::size_t>(shape.place(code))]);
    }
  }
  return out;
}

template FactorialProbabilities factorial_probabilities(const FactorialModel<float>&, const Corpus&, double, const Poll&);
template FactorialProbabilities factorial_probabilities(const FactorialModel<double>&, const Corpus&, double, const Poll&);

}  // namespace riata
