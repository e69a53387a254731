// A model of dependency trees that are scored arc by arc: what its features read, its weights, and the kind of its trees.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/shared.hpp"
#include "features/arc_rows.hpp"
#include "inference/exact/eisner.hpp"
#include "inference/exact/eisner_sums.hpp"
#include "inference/exact/spanning_tree_list.hpp"
#include "inference/model.hpp"

namespace riata {

// Kinds of trees: who finds the best trees and who sums over all trees.
struct ProjectiveTrees {
  static constexpr const char* name = "projective";
  // Tokens of a sentence, of which all pairs are scored, or all triples if siblings are: longer ones would take minutes.
  static constexpr std::int64_t longest = 2'000, longest_of_siblings = 400;
  template <class Real>
  using Best = Eisner<Real>;
  using Sums = EisnerSums;
};
struct AllTrees {
  static constexpr const char* name = "tree";
  static constexpr std::int64_t longest = 2'000, longest_of_siblings = longest;
  template <class Real>
  using Best = SpanningTreeList<Real>;
  using Sums = SpanningTreeSums;
};

template <class Real>
struct ArcWeights {
  Shared<ArcRows> rows;
  Numbers<Real> flat;
};

// An output is one code per token: head * relations + relation. The head 0 is the root.
template <class Real, class Trees>
class ArcModel : public Model<Real> {
 public:
  ArcModel(ArcTemplates the_templates, ArcWeights<Real> the_weights)
      : templates(std::move(the_templates)), weights(std::move(the_weights)) {}

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<ArcModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const ArcModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights.flat; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus&, Vector<Real>& vector) override { vector.grow(static_cast<std::size_t>(weights.rows->size())); }
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::int32_t work() const noexcept override { return 1000; }  // a token is compared with all others, by many features
  // How many tokens a sentence may have.
  std::int64_t longest() const noexcept { return templates.read_siblings() ? Trees::longest_of_siblings : Trees::longest; }

  ArcTemplates templates;
  ArcWeights<Real> weights;
};

}  // namespace riata
