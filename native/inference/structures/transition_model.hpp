// A model of a transition-based parser: what its features read, its system, its relations, and the weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/shared.hpp"
#include "features/block_rows.hpp"
#include "features/pair_relations.hpp"
#include "features/transition_templates.hpp"
#include "inference/model.hpp"
#include "inference/structures/transition_states.hpp"

namespace riata {

// An output is one code per token: head * relations + relation, where the head 0 is the root and tokens count from 1. If tags are chosen
// too, the code is (head * relations + relation) * (tags + 1) + tag + 1, where a last summand of 0 leaves the tag open.
struct TransitionCoding {
  TransitionSystem system = TransitionSystem::arc_hybrid;
  std::int32_t relations = 1;
  std::int32_t root = 0;         // the relation of the root
  std::int32_t tag_family = -1;  // the family of n-grams by which tokens are paired; -1: none
  PairRelations pairs;
  std::int32_t tags = 0;  // that are chosen while tokens are pushed; 0: no tags are chosen

  std::int32_t code(std::int32_t head, std::int32_t relation, std::int32_t tag = -1) const noexcept {
    return ((head + 1) * relations + relation) * (tags + 1) + tag + 1;
  }
  std::int32_t head(std::int32_t code) const noexcept { return code / (tags + 1) / relations - 1; }  // -1: the root
  std::int32_t relation(std::int32_t code) const noexcept { return code / (tags + 1) % relations; }
  std::int32_t tag(std::int32_t code) const noexcept { return code % (tags + 1) - 1; }  // -1: open
  std::int32_t tree(std::int32_t code) const noexcept { return code / (tags + 1); }     // head and relation
  // How many of a token's arc and tag are wrong; a true tag that is open is never wrong.
  std::int32_t loss(std::int32_t truth, std::int32_t given) const noexcept {
    return (tree(truth) != tree(given)) + is_wrong(tag(truth), tag(given));
  }
  static bool is_wrong(std::int32_t true_tag, std::int32_t tag) noexcept { return true_tag >= 0 && true_tag != tag; }
  // Operators are numbered without gaps in rows of weights.
  std::int32_t operators() const noexcept { return moves::count(relations) + tags; }
  std::int32_t stride() const noexcept { return padded(operators()); }
  std::int32_t number(ActionId action) const noexcept { return moves::number(action, relations); }
  bool knows(ActionId action) const noexcept {
    return action >= 0 && (action < moves::count(relations) || (action >= moves::first_tagging && moves::tag(action) < tags));
  }

  // Writes the output that operators give; those after one that is not allowed are left out.
  void follow(std::span<const ActionId> path, std::span<std::int32_t> out) const {
    TransitionStates states(system);
    StateId at = states.open(static_cast<std::int32_t>(out.size()));
    std::fill(out.begin(), out.end(), code(-1, root));
    for (const ActionId action : path) {
      const Move move = moves::of(action);
      if (!states.allows(states[at], move)) return;
      if (moves::adds_arc(move)) {
        const Arc arc = states.arc(states[at], move);
        std::int32_t& given = out[static_cast<std::size_t>(arc.child)];
        given = code(arc.head, moves::relation(action), tag(given));
      } else if (moves::tag(action) >= 0) {
        if (!states.is_fresh(states[at])) return;
        out[static_cast<std::size_t>(states[at].next)] += moves::tag(action) + 1;
      }
      at = states.apply(at, action);
    }
  }
};

template <class Real>
struct TransitionWeights {
  TransitionCoding coding;
  Shared<BlockRows> rows;  // so that models with other weights need no rows of their own
  Numbers<Real> flat;
};

template <class Real>
class TransitionModel : public Model<Real> {
 public:
  TransitionModel(TransitionTemplates the_templates, TransitionWeights<Real> the_weights)
      : templates(std::move(the_templates)), weights(std::move(the_weights)) {}

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<TransitionModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const TransitionModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights.flat; }
  void check(const Corpus& corpus, std::size_t size) const override;
  // Also learns which relations go with which tags, from the true outputs.
  void grow(const Corpus& corpus, Vector<Real>& vector) override;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::int64_t room() const noexcept override { return weights.rows->size(); }
  std::int32_t work() const noexcept override { return weights.coding.stride(); }
  // Every token has its relation, and the relations of its children, which are numbered after those.
  std::vector<std::int32_t> part_tracks() const override { return {weights.coding.relations, weights.coding.relations}; }
  void parts(Codes output, std::vector<Part>& out) const override;

  TransitionTemplates templates;
  TransitionWeights<Real> weights;
};

extern template class TransitionModel<float>;
extern template class TransitionModel<double>;

}  // namespace riata
