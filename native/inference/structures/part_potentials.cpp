#include "inference/structures/part_potentials.hpp"

namespace riata {
namespace {

constexpr std::int64_t places_at_once = std::int64_t{1} << 18;

// Which weights exist: those that are not zero, and those of true parts; or all.
template <class Real>
std::vector<bool> existing(const PartModel<Real>& like, const Instances& instances, Codes gold, FeatureLabels which) {
  std::vector<bool> exists(like.weights.size(), which == FeatureLabels::all);
  for (std::size_t place = 0; place < exists.size(); ++place) exists[place] = exists[place] || like.weights[place] != 0;
  for (std::int64_t s = 0, at = 0; s < instances.sentences(); ++s) {
    for (std::int64_t t = 0; t < instances.length(s); ++t, ++at) {
      const std::int32_t code = gold[static_cast<std::size_t>(at)];
      if (code == 0) continue;
      each_feature(instances, s, t,
                   [&](std::int32_t feature, float) { exists[static_cast<std::size_t>(like.row(feature) + code - 1)] = true; });
    }
  }
  return exists;
}

}  // namespace

template <class Real>
PartPotentials<Real>::PartPotentials(const PartModel<Real>& like, const Instances& instances, Codes gold, FeatureLabels which)
    : SentencePotentials<Real, PartPosteriors<Real>>(
          instances, PartPotentials::batches_of_tokens(instances, places_at_once / like.labels() + 1, 1), gold),
      labels_(like.labels()) {
  this->exist(labels_, existing(like, instances, gold, which));
}

template class PartPotentials<float>;
template class PartPotentials<double>;

}  // namespace riata
