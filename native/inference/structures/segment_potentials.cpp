#include "inference/structures/segment_potentials.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "inference/structures/segment_gradient.hpp"
#include "inference/structures/segment_visitor.hpp"

namespace riata {
namespace {

constexpr std::int64_t batch_tokens = 1 << 14;

const SegmentTemplates& exact(const SegmentTemplates& templates) {
  if (exact_reads(templates)) return templates;
  throw Error("UnsupportedError", "sums over all segmentations look back no further than label[-1].",
              "Use a recipe that searches, such as laso-alma.");
}

}  // namespace

template <class Real>
SegmentPotentials<Real>::SegmentPotentials(const SegmentTemplates& templates, const SegmentCoding& coding, const Instances& instances,
                                           std::span<const std::int32_t> gold, FeatureLabels which)
    : BatchedPotentials(instances, batches_of_tokens(instances, batch_tokens, coding.labels)),
      templates_(exact(templates)),
      coding_(coding),
      stride_(coding.stride()),
      gold_(gold.begin(), gold.end()),
      counts_(fitting(gold)),
      rows_(templates, coding, instances, gold, counts_, which),
      width_(std::int64_t{rows_.sources()} * stride_) {
  std::int64_t tokens = 0, sequences = 0;
  for (const SentenceRange& batch : batches_) {
    const std::int64_t from = instances.starts[batch.first], to = instances.starts[batch.end];
    tokens = std::max(tokens, to - from);
    sequences = std::max(sequences, rows_.sequences_before(to) - rows_.sequences_before(from));
  }
  difference_.resize(static_cast<std::size_t>(tokens * width_));
  sequence_difference_.resize(static_cast<std::size_t>(sequences * stride_));
}

// [S] whether a sentence has tokens, and all its segments are short enough for the coding.
template <class Real>
std::vector<bool> SegmentPotentials<Real>::fitting(std::span<const std::int32_t> gold) {
  std::vector<bool> out;
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    const auto own = gold.subspan(static_cast<std::size_t>(instances_.starts[s]), static_cast<std::size_t>(instances_.length(s)));
    const bool fits = std::ranges::all_of(own, [&](std::int32_t code) { return code < coding_.labels * coding_.most.number(); });
    out.push_back(fits && !own.empty());
    left_out_ += !fits;
  }
  return out;
}

template <class Real>
double SegmentPotentials<Real>::begin(std::span<const double> at, std::int64_t threads) {
  rows_.begin(at, threads);
  return 0;
}

template <class Real>
std::unique_ptr<Visitor> SegmentPotentials<Real>::visitor() {
  return std::make_unique<SegmentVisitor<Real>>(*this);
}

template <class Real>
void SegmentPotentials<Real>::gather(std::span<double>, std::int64_t threads) {
  const std::int64_t end = instances_.starts[batch().end];
  rows_.gather(base(), end, difference_.data(), sequence_difference_.data(), threads);
}

template <class Real>
std::unique_ptr<SentenceGradient<Real>> SegmentPotentials<Real>::gradient() {
  return std::make_unique<SegmentGradient<Real>>(*this);
}

template class SegmentPotentials<float>;
template class SegmentPotentials<double>;

}  // namespace riata
