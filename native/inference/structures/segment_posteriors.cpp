#include "inference/structures/segment_posteriors.hpp"

#include <algorithm>

#include "inference/exact/semi_markov_sums.hpp"
#include "inference/structures/segment_model.hpp"

namespace riata {
namespace {

std::int32_t role(std::int32_t place, Length length) noexcept {
  return length == Length(1) ? 0 : place == 0 ? 1 : place == length.number() - 1 ? 3 : 2;
}

// Adds the probabilities of the tags of one sentence to out, [length][tags].
template <class Real>
void add_tags(const SegmentCoding& coding, const SemiMarkovSums<Real>& sums, std::int32_t length, std::span<const std::int32_t> tag_of,
              std::int32_t tags, double* out) {
  for (std::int32_t t = 0; t < length; ++t) {
    for (Length l(1); l <= std::min(coding.most, Length(length - t)); ++l) {
      for (LabelId y(0); y.number() < coding.labels; ++y) {
        const double share = sums.posterior(t, l, y);
        if (share == 0) continue;
        const double touching = t == 0 ? 0 : std::min(share, sums.posterior_behind(t, l, y, y));
        const std::int32_t* alone = tag_of.data() + std::int64_t{y.number()} * 2 * segment_roles;
        for (std::int32_t place = 0; place < l.number(); ++place) {
          double* row = out + std::int64_t{t + place} * tags;
          row[alone[role(place, l)]] += share - touching;
          row[alone[segment_roles + role(place, l)]] += touching;
        }
      }
    }
  }
}

}  // namespace

template <class Real>
SegmentProbabilities segment_probabilities(const SegmentModel<Real>& model, const Corpus& corpus, std::span<const std::int32_t> tag_of,
                                           std::int32_t tags, double temperature, const Poll& poll) {
  const SegmentWeights<Real>& weights = model.weights;
  const SegmentTemplates& templates = model.templates;
  const Instances& instances = corpus.instances;
  model.check(corpus, weights.flat.size());
  check_exact(templates);
  const Vector<Real> flat = Vector<Real>::of(weights.flat);
  SegmentSteps<Real> steps(templates, weights.coding, weights.grown, instances, flat);
  SemiMarkovSums<Real> sums(weights.coding, templates.order());
  SegmentProbabilities out;
  out.tags.assign(static_cast<std::size_t>(instances.tokens() * tags), 0);
  for (std::int64_t s = 0; s < instances.sentences() && poll(s); ++s) {
    const auto length = static_cast<std::int32_t>(instances.length(s));
    steps.open(s);
    out.log_z.push_back(length == 0 ? 0 : sums.open(steps, 1 / temperature));
    if (length > 0) add_tags(weights.coding, sums, length, tag_of, tags, out.tags.data() + instances.starts[s] * tags);
  }
  return out;
}

template SegmentProbabilities segment_probabilities(const SegmentModel<float>&, const Corpus&, std::span<const std::int32_t>, std::int32_t,
                                                    double, const Poll&);
template SegmentProbabilities segment_probabilities(const SegmentModel<double>&, const Corpus&, std::span<const std::int32_t>, std::int32_t,
                                                    double, const Poll&);

}  // namespace riata
