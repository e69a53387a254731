#include "inference/structures/arc_potentials.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace riata {
namespace {

constexpr std::int64_t batch_arcs = std::int64_t{1} << 16;

// Arcs and siblings that are less probable change nothing: in a batch, and where sentences are learnt one after the other, whose steps are
// rough anyway.
template <class Real>
constexpr double least = std::is_same_v<Real, float> ? 1e-6 : 1e-13;
template <class Real>
constexpr double least_alone = std::is_same_v<Real, float> ? 1e-4 : 1e-13;

std::vector<SentenceRange> batches_of(const Instances& instances) {
  return cut_batches(instances.sentences(), batch_arcs, [&](std::int64_t s) { return instances.length(s) * instances.length(s); });
}

}  // namespace

template <class Real, class Trees>
ArcPotentials<Real, Trees>::ArcPotentials(const ArcModel<Real, Trees>& like, const Instances& instances, Codes gold, FeatureLabels which)
    : SentencePotentials<Real, ArcPosteriors<Real, Trees>>(instances, batches_of(instances), gold),
      templates_(like.templates),
      rows_(like.weights.rows) {
  std::vector<bool> exists;
  enter_truths(exists);
  if (which == FeatureLabels::all) enter_all(exists);
  exists.resize(static_cast<std::size_t>(rows_->size()), false);
  const Numbers<Real>& start = like.weights.flat;
  for (std::size_t place = 0; place < start.size(); ++place) exists[place] = exists[place] || start[place] != 0;
  this->exist(1, exists);
}

// Adds the weights of all truths, and marks them.
template <class Real, class Trees>
void ArcPotentials<Real, Trees>::enter_truths(std::vector<bool>& exists) {
  ArcRows& rows = rows_.own();
  ArcScorer<Real> scorer(templates_, rows, this->instances_);
  SiblingScorer<Real> siblings(templates_, rows, this->instances_);
  SiblingsOfTree siblings_in;
  GrowingWeights growing{rows};
  const std::int32_t relations = rows.relations();
  const auto mark = [&](std::int64_t place) {
    if (static_cast<std::size_t>(place) >= exists.size()) exists.resize(2 * static_cast<std::size_t>(rows.size()), false);
    exists[static_cast<std::size_t>(place)] = true;
  };
  for (std::int64_t s = 0; s < this->instances_.sentences(); ++s) {
    scorer.open(s);
    siblings.open(s);
    const Codes tree = this->gold(s);
    for (std::size_t t = 0; t < tree.size(); ++t) {
      rows.offered.see(tree[t] / relations, tree[t] % relations);
      scorer.each_place(growing, tree[t] / relations, static_cast<std::int32_t>(t) + 1, mark,
                        [&](const GrowingRow& row) { mark(row.place(tree[t] % relations)); });
    }
    if (!siblings.reads()) continue;
    siblings_in(tree, relations, [&](std::int32_t h, std::int32_t k, std::int32_t c) { siblings.each_place(growing, h, k, c, mark); });
  }
}

// Adds and marks weights of all numbers of blocks and, for relations, of all relations.
template <class Real, class Trees>
void ArcPotentials<Real, Trees>::enter_all(std::vector<bool>& exists) {
  ArcRows& rows = rows_.own();
  std::vector<std::array<std::int32_t, 3>> seen;  // group, a, b
  rows.each_row(
      [&](std::int32_t g, std::int32_t, std::int32_t a, std::int32_t b, const PackedRow&) { seen.push_back(std::array{g, a, b}); });
  for (const auto& [g, a, b] : seen) {
    for (std::int32_t number = 0; number < templates_[g].numbers(); ++number) {
      for (std::int32_t r = 0; r < rows.relations(); ++r) rows.add(g, number, a, b, r);
    }
  }
  exists.resize(static_cast<std::size_t>(rows.size()), false);
  rows.each_block([&](std::int32_t g, std::int32_t, std::int32_t, std::int64_t place) {
    std::fill_n(exists.begin() + place, rows.block_size(g), true);
  });
  rows.each_row([&](std::int32_t, std::int32_t, std::int32_t, std::int32_t, const PackedRow& row) {
    row.each(rows.relations(), [&](std::int32_t, std::int64_t place) { exists[static_cast<std::size_t>(place)] = true; });
  });
}

template <class Real, class Trees>
ArcPosteriors<Real, Trees> ArcPotentials<Real, Trees>::answers(bool alone) {
  return {templates_, *rows_, this->instances_, this->gold_, alone ? least_alone<Real> : least<Real>};
}

template class ArcPotentials<float, ProjectiveTrees>;
template class ArcPotentials<double, ProjectiveTrees>;
template class ArcPotentials<float, AllTrees>;
template class ArcPotentials<double, AllTrees>;

}  // namespace riata
