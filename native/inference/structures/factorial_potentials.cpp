#include "inference/structures/factorial_potentials.hpp"

#include <algorithm>

namespace riata {
namespace {

constexpr std::int64_t batch_numbers = std::int64_t{1} << 22;  // of all tables of a batch

// How many numbers the tables of a sentence have.
std::int64_t numbers(const FactorialTemplates& templates, const FactorialCoding& coding, std::int64_t length) {
  const FactorialShape shape = shape_of(templates, coding);
  const std::vector<std::uint8_t> per_token = tables_per_token(templates);
  std::int64_t sum = 0;
  each_column(shape, [&](ColumnId c) { sum += length * shape.stride(c); });
  each_factor(shape, [&](FactorId k) { sum += (per_token[k.place()] ? length : 1) * shape.table(k); });
  return sum;
}

std::vector<SentenceRange> batches_of(const FactorialTemplates& templates, const FactorialCoding& coding, const Instances& instances) {
  const std::int64_t fixed = numbers(templates, coding, 0), each = numbers(templates, coding, 1) - fixed;
  const std::int64_t most =
      std::clamp<std::int64_t>((std::int64_t{1} << 34) / std::max<std::int64_t>(coding.combinations(), 1), 1, batch_numbers);
  return cut_batches(instances.sentences(), most, [&](std::int64_t s) { return fixed + each * instances.length(s); });
}

// [size of the layout] which places hold a weight: those of features of the truth, or of all labels that exist.
template <class Real>
std::vector<bool> existing(const FactorialScorer<Real>& reader, const FactorialTemplates& templates, const FactorialLayout& layout,
                           const Instances& instances, Codes gold, FeatureLabels which) {
  std::vector<bool> there(static_cast<std::size_t>(layout.size), false);
  const auto mark_all = [&](SlotId id, std::int64_t row) {
    const ColumnId c(templates.slots()[id.place()].column);
    for (std::int64_t x = 0; x < layout.row_size(id); ++x)
      there[static_cast<std::size_t>(row + x)] = x % reader.shape().stride(c) < reader.shape().labels(c);
  };
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int32_t* codes = gold.data() + instances.starts[static_cast<std::size_t>(s)];
    for (std::int64_t t = 0; t < instances.length(s); ++t) {
      if (which == FeatureLabels::seen)
        reader.each_weight(s, t, codes, [&](std::int64_t place) { there[static_cast<std::size_t>(place)] = true; });
      else
        reader.each_row(s, t, mark_all);
    }
  }
  return there;
}

}  // namespace

template <class Real>
FactorialPotentials<Real>::FactorialPotentials(const FeatureIndex& index, const FactorialTemplates& templates,
                                               const FactorialCoding& coding, const Instances& instances, Codes gold, FeatureLabels which,
                                               SumsBy how)
    : SentencePotentials<Real, FactorialGradient<Real>>(instances, batches_of(templates, coding, instances), gold),
      templates_(templates),
      coding_(coding),
      layout_(index, templates_, coding_),
      how_(how) {
  const FactorialScorer<Real> reader = scorer();
  for (std::int64_t s = 0; s < instances.sentences(); ++s) check_room(reader.shape(), instances.length(s));
  this->exist(1, existing(reader, templates_, layout_, instances, gold, which));
}

template <class Real>
double FactorialPotentials<Real>::begin(std::span<const double> at, std::int64_t threads) {
  unsettled_ = 0;
  return SentencePotentials<Real, FactorialGradient<Real>>::begin(at, threads);
}

template <class Real>
std::vector<double> FactorialPotentials<Real>::point(const FactorialWeights<Real>& weights) const {
  return this->point_of(weights.layout.size == 0 ? Numbers<Real>() : layout_.moved(weights.flat, weights.layout));
}

template class FactorialPotentials<float>;
template class FactorialPotentials<double>;

}  // namespace riata
