#include "inference/structures/factorial_posteriors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inference/exact/factorial_log_sums.hpp"
#include "inference/exact/factorial_sums.hpp"
#include "inference/structures/factorial_inference.hpp"
#include "inference/structures/factorial_scorer.hpp"

namespace riata {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

// Confidences in what was found for one sentence, whose chunks are labels of the last column.
class ChunkConfidences {
 public:
  ChunkConfidences(const FactorialShape& shape, const ChunkFlags& chunks)
      : shape_(shape), column_(shape.columns() - 1), factor_(column_.number()), chunks_(chunks), inference_(shape, SumsBy::exact) {}

  // Calls visit(first token, end, probability) for the chunks of found codes; a token outside of chunks is visited by itself.
  template <class Visit>
  void operator()(const FactorialScores<double>& scores, double log_z, const std::int32_t* codes, Visit visit) {
    make_plain(scores);
    const auto label = [&](std::int32_t t) { return shape_.label(codes[t], column_).number(); };
    for (std::int32_t first = 0; first < scores.length;) {
      std::int32_t end = first + 1;
      while (end < scores.length && continues(label(end - 1), label(end))) ++end;
      visit(first, end, std::min(1.0, std::exp(inference_.open(restricted(first, end, label(first))) - log_z)));
      first = end;
    }
  }

 private:
  bool continues(std::int32_t i, std::int32_t j) const noexcept {
    return chunks_.continues[static_cast<std::size_t>(i * shape_.labels(column_) + j)] != 0;
  }

  // The scores, with a table of neighbouring chunk labels for every token.
  void make_plain(const FactorialScores<double>& scores) {
    plain_ = scores;
    if (plain_.per_token[factor_.place()]) return;
    plain_.per_token[factor_.place()] = 1;
    Numbers<double>& tables = plain_.pair[factor_.place()];
    const Numbers<double> one = tables;
    for (std::int32_t t = 1; t < plain_.length; ++t) tables.insert(tables.end(), one.begin(), one.end());
  }

  // The scores of outputs with this chunk alone: it starts with its type, goes on to its end, and does not go on behind it.
  const FactorialScores<double>& restricted(std::int32_t first, std::int32_t end, std::int32_t label) {
    left_ = plain_;
    const std::int32_t labels = shape_.labels(column_);
    for (std::int32_t j = 0; j < labels; ++j) {
      if (chunks_.types[static_cast<std::size_t>(j)] != chunks_.types[static_cast<std::size_t>(label)])
        left_.nodes(column_, first)[j] = never;
    }
    for (std::int32_t t = std::max(first, 1); t <= std::min(end, left_.length - 1); ++t) {
      const bool inside = t > first && t < end;
      for (std::int32_t i = 0; i < labels; ++i) {
        for (std::int32_t j = 0; j < labels; ++j) {
          if (continues(i, j) != inside) left_.own_table(factor_, t)[shape_.cell(factor_, LabelId(i), LabelId(j))] = never;
        }
      }
    }
    return left_;
  }

  const FactorialShape& shape_;
  ColumnId column_;
  FactorId factor_;
  ChunkFlags chunks_;
  FactorialInference<double> inference_;
  FactorialScores<double> plain_, left_;
};

}  // namespace

template <class Real>
FactorialProbabilities factorial_probabilities(const FactorialModel<Real>& model, const Corpus& corpus, const ChunkFlags& chunks,
                                               double temperature, const Poll& poll) {
  model.check(corpus, model.weights.flat.size());
  FactorialScorer<double> scorer(model.templates, model.weights.coding, model.weights.layout, corpus.instances);
  const Numbers<double> weights(model.weights.flat.begin(), model.weights.flat.end());
  const FactorialShape& shape = scorer.shape();
  FactorialScores<double> scores;
  FactorialInference<double> inference(shape, SumsBy::exact);
  FactorialProbabilities out;
  std::vector<double> states(static_cast<std::size_t>(shape.states()));
  ChunkConfidences of_chunks(shape, chunks);
  const auto tokens = static_cast<std::size_t>(corpus.instances.tokens());
  out.confidences.assign(corpus.gold.empty() ? 0 : tokens * static_cast<std::size_t>(shape.columns()), 0);
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
      each_column(shape, [&](ColumnId c) {
        if (corpus.gold.empty() || c.number() + 1 == shape.columns()) return;
        double& sum = out.confidences[c.place() * tokens + static_cast<std::size_t>(corpus.instances.starts[s] + t)];
        for (std::int32_t code = 0; code < shape.combinations(); ++code) {
          const bool same = shape.label(code, c) == shape.label(corpus.gold_of(s)[static_cast<std::size_t>(t)], c);
          if (same) sum += states[static_cast<std::size_t>(shape.place(code))];
        }
      });
    }
    if (corpus.gold.empty()) continue;
    double* to = out.confidences.data() + static_cast<std::size_t>(shape.columns() - 1) * tokens + corpus.instances.starts[s];
    of_chunks(scores, out.log_z.back(), corpus.gold_of(s).data(),
              [&](std::int32_t first, std::int32_t end, double p) { std::fill(to + first, to + end, p); });
  }
  return out;
}

template FactorialProbabilities factorial_probabilities(const FactorialModel<float>&, const Corpus&, const ChunkFlags&, double,
                                                        const Poll&);
template FactorialProbabilities factorial_probabilities(const FactorialModel<double>&, const Corpus&, const ChunkFlags&, double,
                                                        const Poll&);

}  // namespace riata
