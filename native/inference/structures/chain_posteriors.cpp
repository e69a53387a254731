#include "inference/structures/chain_posteriors.hpp"

#include <algorithm>
#include <optional>

#include "inference/structures/exact_chain.hpp"
#include "inference/structures/first_order_posteriors.hpp"
#include "inference/structures/second_order_posteriors.hpp"

namespace riata {

template <class Real>
ChainProbabilities chain_probabilities(const ChainModel<Real>& model, const Corpus& corpus, std::span<const std::int32_t> found,
                                       const ChunkFlags& chunks, double temperature, const Poll& poll) {
  const Weights<Real>& weights = model.weights;
  const Instances& instances = corpus.instances;
  model.check(corpus, weights.flat.size());
  const Vector<Real> vector = Vector<Real>::of(weights.flat);
  const auto labels = static_cast<std::size_t>(weights.labels), tokens = static_cast<std::size_t>(instances.tokens());
  ChainProbabilities out{std::vector<double>(static_cast<std::size_t>(instances.sentences()), 0), std::vector<double>(tokens * labels, 0),
                         std::vector<double>(found.size(), 0)};
  ExactChain<Real> chain(corpus.index, rows_of(weights, vector), model.constraint, instances);
  FirstOrderPosteriors<Real> one_back(weights.labels);
  std::optional<SecondOrderPosteriors<Real>> two_back;
  if (chain.two_back() != nullptr) two_back.emplace(weights.labels);
  PollClock clock(weights.labels);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    const auto length = static_cast<std::size_t>(instances.length(s)), start = static_cast<std::size_t>(instances.starts[s]);
    if (length == 0) continue;
    const auto write = [&](auto& posterior, const auto& scores) {
      out.log_z[static_cast<std::size_t>(s)] = posterior.open(scores, temperature);
      for (std::size_t t = 0; t < length; ++t) {
        for (std::size_t j = 0; j < labels; ++j) out.labels[(start + t) * labels + j] = posterior.of(t, j);
      }
      const std::int32_t* here = found.data() + start;
      for (std::size_t first = 0; !found.empty() && first < length;) {
        std::size_t end = first + 1;
        while (end < length && chunks.continues[static_cast<std::size_t>(here[end - 1]) * labels + static_cast<std::size_t>(here[end])])
          ++end;
        std::fill_n(out.confidences.begin() + static_cast<std::ptrdiff_t>(start + first), end - first,
                    posterior.unit(chunks, here, first, end));
        first = end;
      }
    };
    const ChainScores<Real>& scores = chain.open(s);
    if (two_back)
      write(*two_back, *chain.two_back());
    else
      write(one_back, scores);
  }
  return out;
}

template ChainProbabilities chain_probabilities(const ChainModel<float>&, const Corpus&, std::span<const std::int32_t>, const ChunkFlags&,
                                                double, const Poll&);
template ChainProbabilities chain_probabilities(const ChainModel<double>&, const Corpus&, std::span<const std::int32_t>, const ChunkFlags&,
                                                double, const Poll&);

}  // namespace riata
