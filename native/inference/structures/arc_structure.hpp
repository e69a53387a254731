// Dependency trees over a corpus, scored arc by arc: the best trees, losses, sums and features.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "inference/structure.hpp"
#include "inference/structures/arc_model.hpp"
#include "inference/structures/arc_scorer.hpp"
#include "inference/structures/sibling_scorer.hpp"

namespace riata {

// The loss of a tree is its number of tokens with a wrong head or a wrong relation.
template <class Real, class Trees>
class ArcStructure : public Structure<Real> {
 public:
  ArcStructure(ArcModel<Real, Trees>& model, const Corpus& over, Vector<Real>& vector, bool grows)
      : Structure<Real>(over),
        grown_(grows ? &model.weights.rows.own() : nullptr),
        rows_(*model.weights.rows),
        vector_(vector),
        relations_(rows_.relations()),
        longest_(model.longest()),
        scorer_(model.templates, rows_, over.instances),
        siblings_of_(model.templates, rows_, over.instances) {}

  void open(std::int64_t s) override;
  Codes target() override { return corpus().gold_of(sentence_); }
  std::int64_t wrong(Codes output) const override;
  double best(std::span<std::int32_t> out) override;
  void open_list(std::int64_t) override;
  std::optional<double> next(std::span<std::int32_t> out) override;
  void augment(double times) override;
  double loss(Codes output) override { return static_cast<double>(wrong(output)); }
  double sums(double sharpness) override;
  double expected_loss() override;
  void take_expected(Difference& out) override;
  void count_improbable() override { least_ = 0; }
  void set_risk(const Risk& risk) override { risk_ = risk; }
  ExpectedRight least_risk(std::span<std::int32_t> out) override;
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override;
  double score(Codes output) override;

  // The probabilities of what a tree says of every token, its head and, whatever the head, its relation: [tokens] each. Returns log Z of
  // all trees that agree with what is known. Scores are multiplied by `sharpness`.
  double confidences(Codes tree, double sharpness, double* heads, double* relations);
  // Appends the tokens of a tree, from 0, and the places of the weights of their arcs; those of siblings belong to the child.
  void list_places(Codes tree, std::vector<std::int32_t>& tokens, std::vector<std::int64_t>& places);
  // For every token of a tree the best tree in which it has another head: the code of the token in it, -1 if there is none, and its score.
  void other_heads(Codes tree, std::int32_t* codes, double* scores);

 private:
  using Structure<Real>::corpus;
  std::int32_t code(std::int32_t head, std::int32_t relation) const noexcept { return head * relations_ + relation; }
  // What is known of a token: flags of relations and, behind them, of heads; nullptr if nothing is.
  const std::uint8_t* known(std::int32_t child) const noexcept {
    const Allowed& allowed = corpus().instances.allowed;
    return allowed.of.empty() ? nullptr : allowed.at(corpus().instances.starts[sentence_] + child - 1);
  }
  bool may_head(std::int32_t head, std::int32_t child) const noexcept {
    const std::uint8_t* flags = known(child);
    return flags == nullptr || flags[relations_ + head];
  }
  void make_scores();
  void weigh(std::int32_t head, std::int32_t child, Real arc);
  // The scores of the relations of an arc, with the loss that `augment` has added; without that of the arc itself.
  const Real* relations_of(std::int32_t head, std::int32_t child);
  double best_of(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings, const std::vector<std::int32_t>& best_relations,
                 std::span<std::int32_t> out);
  using Ranked = std::vector<std::pair<Real, std::int32_t>>;  // scores of an arc with its relations, best first
  const Ranked& ranked(std::int32_t head, std::int32_t child);
  template <class Visit>  // visit(place) for all weights of an arc with its relation
  void each_weight(std::int32_t code, std::int32_t child, Visit visit);
  template <class Visit>  // visit(place) for all weights of a child and its sibling
  void each_sibling_weight(std::int32_t head, std::int32_t sibling, std::int32_t child, Visit visit);
  template <class Weights>  // with those of siblings left out
  void take_expected_arcs(Weights weights, Difference& out);
  template <class Visit>  // visit(child, place) for all weights of a tree
  void each_weight_of(Codes tree, Visit visit);
  void take_expected_siblings(Difference& out);
  double share(std::int32_t head, std::int32_t child, std::int32_t relation);

  ArcRows* grown_;  // rows_, if new weights may enter
  const ArcRows& rows_;
  Vector<Real>& vector_;
  std::int32_t relations_;
  std::int64_t longest_;
  ArcScorer<Real> scorer_;
  SiblingScorer<Real> siblings_of_;
  SiblingsOfTree siblings_in_;
  typename Trees::template Best<Real> trees_, list_;
  typename Trees::Sums sums_;
  std::int64_t sentence_ = 0;
  bool scored_ = false;                       // whether the scores are those of the open sentence
  double times_ = 0;                          // factor of the loss in scores
  ArcScores<Real> plain_;                     // arcs without relations
  ArcScores<Real> arcs_;                      // with the best relation of each
  std::vector<std::int32_t> best_relations_;  // [child][head]
  SiblingScores<Real> siblings_;
  Numbers<Real> of_relations_;            // [stride], working memory
  std::map<std::size_t, Ranked> ranked_;  // by place, of arcs that a list has come to
  // After `sums`:
  double sharpness_ = 1, least_ = 1e-11;
  ArcScores<double> log_arcs_, shares_;         // log of the sum over relations; probabilities of arcs
  SiblingScores<double> log_siblings_, pairs_;  // scores of siblings; their probabilities
  Risk risk_;
};

extern template class ArcStructure<float, ProjectiveTrees>;
extern template class ArcStructure<double, ProjectiveTrees>;
extern template class ArcStructure<float, AllTrees>;
extern template class ArcStructure<double, AllTrees>;

}  // namespace riata
