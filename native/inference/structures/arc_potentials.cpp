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
    : BatchedPotentials(instances, batches_of(instances)),
      templates_(like.templates),
      rows_(like.weights.rows),
      gold_(gold.begin(), gold.end()) {
  std::vector<bool> exists;
  enter_truths(exists);
  if (which == FeatureLabels::all) enter_all(exists);
  exists.resize(static_cast<std::size_t>(rows_->size()), false);
  const Numbers<Real>& start = like.weights.flat;
  for (std::size_t place = 0; place < start.size(); ++place) exists[place] = exists[place] || start[place] != 0;
  there_ = std::make_unique<RowWeights>(1, exists);
  weights_.assign(exists.size(), Real{0});
  std::int64_t most = 0;
  for (const SentenceRange& range : batches_) most = std::max(most, range.end - range.first);
  changes_.resize(static_cast<std::size_t>(most));
}

// Adds the weights of all truths, and marks them.
template <class Real, class Trees>
void ArcPotentials<Real, Trees>::enter_truths(std::vector<bool>& exists) {
  ArcRows& rows = rows_.own();
  ArcScorer<Real> scorer(templates_, rows, instances_);
  SiblingScorer<Real> siblings(templates_, rows, instances_);
  SiblingsOfTree siblings_in;
  GrowingWeights growing{rows};
  const std::int32_t relations = rows.relations();
  const auto mark = [&](std::int64_t place) {
    if (static_cast<std::size_t>(place) >= exists.size()) exists.resize(2 * static_cast<std::size_t>(rows.size()), false);
    exists[static_cast<std::size_t>(place)] = true;
  };
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
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
double ArcPotentials<Real, Trees>::begin(std::span<const double> at, std::int64_t) {
  there_->each([&](std::int32_t i, std::int64_t place) {
    weights_[static_cast<std::size_t>(place)] = static_cast<Real>(at[static_cast<std::size_t>(i)]);
  });
  return 0;
}

template <class Real, class Trees>
class ArcVisitor final : public Visitor {
 public:
  explicit ArcVisitor(ArcPotentials<Real, Trees>& of) : of_(of), posteriors_(of.templates(), of.rows(), of.instances()) {}

  std::optional<double> open(std::int64_t s) override {
    s_ = s;
    if (of_.instances().length(s) == 0) return 0;
    return posteriors_.open(s, of_.weights().data(), Real{1}, of_.gold(s));
  }

  void take(double times) override {
    auto& changes = of_.changes(s_);
    changes.arcs.clear();
    changes.relations.clear();
    changes.siblings.clear();
    if (of_.instances().length(s_) == 0) return;
    const std::int32_t stride = posteriors_.scorer().stride();
    const auto add = [&](std::int32_t h, std::int32_t c, double arc, const Real* row) {
      changes.arcs.push_back({h, c, arc, changes.relations.size()});
      for (std::int32_t r = 0; r < stride; ++r) changes.relations.push_back(static_cast<Real>(times * double(row[r])));
    };
    posteriors_.each(least<Real>, [&](std::int32_t h, std::int32_t c, double share, const Real* row) { add(h, c, times * share, row); });
    Numbers<Real> one(static_cast<std::size_t>(stride), Real{0});
    const Codes tree = of_.gold(s_);
    for (std::size_t t = 0; t < tree.size(); ++t) {
      const auto relation = static_cast<std::size_t>(tree[t] % of_.rows().relations());
      one[relation] = -1;
      add(tree[t] / of_.rows().relations(), static_cast<std::int32_t>(t) + 1, -times, one.data());
      one[relation] = 0;
    }
    posteriors_.each_sibling(least<Real>, [&](std::int32_t h, std::int32_t k, std::int32_t c, double share) {
      changes.siblings.push_back({h, k, c, times * share});
    });
    posteriors_.each_sibling_of(tree,
                                [&](std::int32_t h, std::int32_t k, std::int32_t c) { changes.siblings.push_back({h, k, c, -times}); });
  }

  // All sums are in logarithms.
  double open_in_logarithms(std::int64_t s) override { return *open(s); }
  void take_in_logarithms(double times) override { take(times); }

 private:
  ArcPotentials<Real, Trees>& of_;
  ArcPosteriors<Real, Trees> posteriors_;
  std::int64_t s_ = 0;
};

template <class Real, class Trees>
std::unique_ptr<Visitor> ArcPotentials<Real, Trees>::visitor() {
  return std::make_unique<ArcVisitor<Real, Trees>>(*this);
}

template <class Real, class Trees>
void ArcPotentials<Real, Trees>::gather(std::span<double> gradient, std::int64_t) {
  ArcScorer<Real> scorer(templates_, rows(), instances_);
  SiblingScorer<Real> siblings(templates_, rows(), instances_);
  KnownWeights known{rows()};
  const auto add = [&](std::int64_t place, double change) {
    there_->each_from(place, 1, [&](std::int32_t i, std::int64_t) { gradient[static_cast<std::size_t>(i)] += change; });
  };
  for (std::int64_t s = batch().first; s < batch().end; ++s) {
    scorer.open(s);
    siblings.open(s);
    const Changes& of_sentence = changes(s);
    for (const Change& change : of_sentence.arcs) {
      const Real* row = of_sentence.relations.data() + change.relations;
      scorer.each_place(
          known, change.head, change.child, [&](std::int64_t place) { add(place, change.arc); },
          [&](const PackedRow& packed) {
            packed.each_there(*there_, rows().relations(), [&](std::int32_t i, std::int32_t relation) {
              gradient[static_cast<std::size_t>(i)] += double(row[relation]);
            });
          });
    }
    for (const SiblingChange& change : of_sentence.siblings)
      siblings.each_place(known, change.head, change.sibling, change.child, [&](std::int64_t place) { add(place, change.by); });
  }
}

template <class Real, class Trees>
class ArcGradient final : public SentenceGradient<Real> {
 public:
  explicit ArcGradient(const ArcPotentials<Real, Trees>& of) : of_(of), posteriors_(of.templates(), of.rows(), of.instances()) {}

  std::int64_t sentences() const noexcept override { return of_.instances().sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return of_.instances().length(s); }
  std::int32_t work() const noexcept override { return 1000; }
  const RowWeights& there() const noexcept override { return of_.there(); }

  double open(std::int64_t s, const Real* weights, double scale) override {
    s_ = s;
    return posteriors_.open(s, weights, static_cast<Real>(scale), of_.gold(s));
  }

  void move(double times, const RowMoves<Real>& to) override {
    KnownWeights known{of_.rows()};
    const std::int32_t relations = of_.rows().relations();
    const Real whole = 1;
    const ArcScorer<Real>& scorer = posteriors_.scorer();
    posteriors_.each(least_alone<Real>, [&](std::int32_t h, std::int32_t c, double share, const Real* row) {
      scorer.each_place(
          known, h, c, [&](std::int64_t place) { to.add_from(place, &whole, 1, times * share); },
          [&](const PackedRow& packed) {
            std::array<Real, PackedRow::width> four;
            for (std::size_t i = 0; i < four.size(); ++i) four[i] = row[packed.relations[i]];
            to.add_from(packed.few.place(), four.data(), PackedRow::width, times);
            if (packed.all.known()) to.add_from(packed.all.place(), row, relations, times);
          });
    });
    const Codes tree = of_.gold(s_);
    for (std::size_t t = 0; t < tree.size(); ++t) {
      scorer.each_place(
          known, tree[t] / relations, static_cast<std::int32_t>(t) + 1, [&](std::int64_t place) { to.add_from(place, &whole, 1, -times); },
          [&](const PackedRow& packed) { to.add_from(packed.place(tree[t] % relations), &whole, 1, -times); });
    }
    const auto move_siblings = [&](std::int32_t h, std::int32_t k, std::int32_t c, double by) {
      posteriors_.siblings().each_place(known, h, k, c, [&](std::int64_t place) { to.add_from(place, &whole, 1, times * by); });
    };
    posteriors_.each_sibling(least_alone<Real>, move_siblings);
    posteriors_.each_sibling_of(tree, [&](std::int32_t h, std::int32_t k, std::int32_t c) { move_siblings(h, k, c, -1); });
  }

 private:
  const ArcPotentials<Real, Trees>& of_;
  ArcPosteriors<Real, Trees> posteriors_;
  std::int64_t s_ = 0;
};

template <class Real, class Trees>
std::unique_ptr<SentenceGradient<Real>> ArcPotentials<Real, Trees>::gradient() {
  return std::make_unique<ArcGradient<Real, Trees>>(*this);
}

template <class Real, class Trees>
template <class Out>
ArcWeights<Out> ArcPotentials<Real, Trees>::model(std::span<const double> at) const {
  ArcWeights<Out> out{rows_, Numbers<Out>(static_cast<std::size_t>(rows_->size()), Out{0})};
  there_->each([&](std::int32_t i, std::int64_t place) {
    out.flat[static_cast<std::size_t>(place)] = static_cast<Out>(at[static_cast<std::size_t>(i)]);
  });
  return out;
}

// Weights of the model to start from come first, at the same places.
template <class Real, class Trees>
std::vector<double> ArcPotentials<Real, Trees>::point(const ArcWeights<Real>& weights) const {
  std::vector<double> out(static_cast<std::size_t>(size()), 0);
  there_->each([&](std::int32_t i, std::int64_t place) {
    if (static_cast<std::size_t>(place) < weights.flat.size())
      out[static_cast<std::size_t>(i)] = double(weights.flat[static_cast<std::size_t>(place)]);
  });
  return out;
}

template class ArcPotentials<float, ProjectiveTrees>;
template class ArcPotentials<double, ProjectiveTrees>;
template class ArcPotentials<float, AllTrees>;
template class ArcPotentials<double, AllTrees>;
template ArcWeights<float> ArcPotentials<float, ProjectiveTrees>::model(std::span<const double>) const;
template ArcWeights<float> ArcPotentials<double, ProjectiveTrees>::model(std::span<const double>) const;
template ArcWeights<double> ArcPotentials<double, ProjectiveTrees>::model(std::span<const double>) const;
template ArcWeights<float> ArcPotentials<float, AllTrees>::model(std::span<const double>) const;
template ArcWeights<float> ArcPotentials<double, AllTrees>::model(std::span<const double>) const;
template ArcWeights<double> ArcPotentials<double, AllTrees>::model(std::span<const double>) const;

}  // namespace riata
