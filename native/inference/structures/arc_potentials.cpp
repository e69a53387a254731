#include "inference/structures/arc_potentials.hpp"

#include <algorithm>
#include <type_traits>

namespace riata {
namespace {

constexpr std::int64_t batch_arcs = std::int64_t{1} << 16;

// Arcs that are less probable change nothing.
template <class Real>
constexpr double least = std::is_same_v<Real, float> ? 1e-6 : 1e-13;

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
  ArcScorer<Real> scorer(templates_, rows_, instances_);
  GrowingBlocks growing{rows_};
  std::vector<std::int64_t> seen;
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    scorer.open(s);
    const Codes tree = this->gold(s);
    for (std::size_t t = 0; t < tree.size(); ++t) {
      scorer.each_place(
          growing, tree[t] / rows_.relations(), static_cast<std::int32_t>(t) + 1, [&](std::int64_t place) { seen.push_back(place); },
          [&](std::int64_t row) { seen.push_back(row + tree[t] % rows_.relations()); });
    }
  }
  std::vector<bool> exists(static_cast<std::size_t>(rows_.size()), false);
  for (const std::int64_t place : seen) exists[static_cast<std::size_t>(place)] = true;
  const Numbers<Real>& start = like.weights.flat;
  for (std::size_t place = 0; place < start.size(); ++place) exists[place] = exists[place] || start[place] != 0;
  const std::int32_t stride = padded(rows_.relations());
  for (std::int32_t block = 0; which == FeatureLabels::all && block < rows_.blocks(); ++block) {
    const std::int64_t count = rows_.block_size(rows_.group(block));
    for (std::int64_t i = 0; i < count; ++i) {
      if (!templates_[rows_.group(block)].relation || i % stride < rows_.relations())
        exists[static_cast<std::size_t>(rows_.start(block) + i)] = true;
    }
  }
  there_ = std::make_unique<RowWeights>(1, exists);
  weights_.assign(exists.size(), Real{0});
  std::int64_t most = 0;
  for (const SentenceRange& range : batches_) most = std::max(most, range.end - range.first);
  changes_.resize(static_cast<std::size_t>(most));
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
  explicit ArcVisitor(ArcPotentials<Real, Trees>& of) : of_(of), scorer_(of.templates(), of.rows(), of.instances()) {}

  std::optional<double> open(std::int64_t s) override {
    s_ = s;
    if (of_.instances().length(s) == 0) return 0;
    scorer_.open(s);
    scorer_.score(of_.weights().data(), Real{1});
    const double log_z = posteriors_.open(scorer_, of_.rows().relations());
    return posteriors_.score(of_.gold(s)) - log_z;
  }

  void take(double times) override {
    auto& changes = of_.changes(s_);
    changes.arcs.clear();
    changes.relations.clear();
    if (of_.instances().length(s_) == 0) return;
    const std::int32_t stride = scorer_.stride();
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
  }

  // All sums are in logarithms.
  double open_in_logarithms(std::int64_t s) override { return *open(s); }
  void take_in_logarithms(double times) override { take(times); }

 private:
  ArcPotentials<Real, Trees>& of_;
  ArcScorer<Real> scorer_;
  ArcPosteriors<Real, Trees> posteriors_;
  std::int64_t s_ = 0;
};

template <class Real, class Trees>
std::unique_ptr<Visitor> ArcPotentials<Real, Trees>::visitor() {
  return std::make_unique<ArcVisitor<Real, Trees>>(*this);
}

template <class Real, class Trees>
void ArcPotentials<Real, Trees>::gather(std::span<double> gradient, std::int64_t) {
  ArcScorer<Real> scorer(templates_, rows_, instances_);
  KnownBlocks known{rows_};
  for (std::int64_t s = batch().first; s < batch().end; ++s) {
    scorer.open(s);
    const Changes& of_sentence = changes(s);
    for (const Change& change : of_sentence.arcs) {
      const Real* row = of_sentence.relations.data() + change.relations;
      scorer.each_place(
          known, change.head, change.child,
          [&](std::int64_t place) {
            if (there_->first(place) < there_->end(place)) gradient[static_cast<std::size_t>(there_->first(place))] += change.arc;
          },
          [&](std::int64_t place) {
            for (std::int32_t r = 0; r < rows_.relations(); ++r) {
              const std::int32_t i = there_->first(place + r);
              if (i < there_->end(place + r)) gradient[static_cast<std::size_t>(i)] += double(row[r]);
            }
          });
    }
  }
}

template <class Real, class Trees>
class ArcGradient final : public SentenceGradient<Real> {
 public:
  explicit ArcGradient(const ArcPotentials<Real, Trees>& of) : of_(of), scorer_(of.templates(), of.rows(), of.instances()) {}

  std::int64_t sentences() const noexcept override { return of_.instances().sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return of_.instances().length(s); }
  std::int32_t work() const noexcept override { return 1000; }
  const RowWeights& there() const noexcept override { return of_.there(); }

  double open(std::int64_t s, const Real* weights, double scale) override {
    s_ = s;
    scorer_.open(s);
    scorer_.score(weights, static_cast<Real>(scale));
    const double log_z = posteriors_.open(scorer_, of_.rows().relations());
    return posteriors_.score(of_.gold(s)) - log_z;
  }

  void move(double times, const RowMoves<Real>& to) override {
    KnownBlocks known{of_.rows()};
    const std::int32_t relations = of_.rows().relations();
    const Real whole = 1;
    posteriors_.each(least<Real>, [&](std::int32_t h, std::int32_t c, double share, const Real* row) {
      scorer_.each_place(
          known, h, c, [&](std::int64_t place) { to.add(place, &whole, times * share); },
          [&](std::int64_t place) {
            for (std::int32_t r = 0; r < relations; ++r) to.add(place + r, row + r, times);
          });
    });
    const Codes tree = of_.gold(s_);
    for (std::size_t t = 0; t < tree.size(); ++t) {
      scorer_.each_place(
          known, tree[t] / relations, static_cast<std::int32_t>(t) + 1, [&](std::int64_t place) { to.add(place, &whole, -times); },
          [&](std::int64_t place) { to.add(place + tree[t] % relations, &whole, -times); });
    }
  }

 private:
  const ArcPotentials<Real, Trees>& of_;
  ArcScorer<Real> scorer_;
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
  ArcWeights<Out> out{rows_, Numbers<Out>(static_cast<std::size_t>(rows_.size()), Out{0})};
  there_->each([&](std::int32_t i, std::int64_t place) {
    out.flat[static_cast<std::size_t>(place)] = static_cast<Out>(at[static_cast<std::size_t>(i)]);
  });
  return out;
}

// Blocks of the model to start from come first, at the same places.
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
