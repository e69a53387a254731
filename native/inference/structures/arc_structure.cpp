#include "inference/structures/arc_structure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "inference/offered.hpp"
#include "inference/structures/arc_potentials.hpp"
#include "inference/structures/arc_structure_sums.hpp"

namespace riata {

template <class Real, class Trees>
void ArcModel<Real, Trees>::check(const Corpus& corpus, std::size_t size) const {
  const Instances& instances = corpus.instances;
  bool ok = static_cast<std::int64_t>(size) >= weights.rows->size() &&
            static_cast<std::int32_t>(instances.ngrams.size()) == corpus.index.families();
  for (std::int32_t f = 0; ok && f < corpus.index.families(); ++f) ok = instances.sizes[f] <= corpus.index.size(f);
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
  ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == instances.tokens();
  for (std::int64_t s = 0; ok && !corpus.gold.empty() && s < corpus.sentences(); ++s) {
    const std::int64_t most = (corpus.length(s) + 1) * weights.rows->relations();
    for (const std::int32_t code : corpus.gold_of(s)) ok = ok && code >= 0 && code < most;
  }
  if (!ok) throw Error("RiataError", "the heads and relations do not fit the sentences or the weights");
}

template <class Real, class Trees>
std::unique_ptr<Structure<Real>> ArcModel<Real, Trees>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  constexpr std::int64_t per_token = 200;  // numbers that a token brings; memory that is reserved and not used costs nothing
  if (grows) {
    vector.reserve(static_cast<std::size_t>(corpus.instances.tokens() * per_token));
    ArcRows& rows = weights.rows.own();
    for (const std::int32_t code : corpus.gold) rows.offered.see(code / rows.relations(), code % rows.relations());
  }
  return std::make_unique<ArcStructure<Real, Trees>>(*this, corpus, vector, grows);
}

// Weights may be in another order in the other model, so they are matched by what they stand for.
template <class Real, class Trees>
void ArcModel<Real, Trees>::match(Model<Real>& other, const typename Model<Real>::Matched& visit) const {
  auto& same = dynamic_cast<ArcModel&>(other);
  const ArcRows& from = *weights.rows;
  ArcRows& to = same.weights.rows.own();
  if (from.relations() != to.relations() || templates.size() != same.templates.size())
    throw Error("RiataError", "the weights belong to different models");
  to.offered.see(from.offered);
  from.each_block([&](std::int32_t g, std::int32_t a, std::int32_t b, std::int64_t place) {
    if (templates[g].has_pairs()) a = to.add_pair(g, from.pairs(g).left(a), from.pairs(g).right(a));
    visit(place, to.add(g, a, b), from.block_size(g));
  });
  from.each_row([&](std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b, const PackedRow& row) {
    row.each(from.relations(), [&](std::int32_t r, std::int64_t place) { visit(place, to.add(g, number, a, b, r), 1); });
  });
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::open(std::int64_t s) {
  if (corpus().length(s) > longest_)
    throw Error("DataError",
                "a sentence has " + std::to_string(corpus().length(s)) + " tokens; the structure '" + Trees::name + "' scores all " +
                    (siblings_of_.reads() ? "triples" : "pairs") + " of them and takes up to " + std::to_string(longest_) + ".",
                "Split the sentence, or use structure='transitions', which needs as many steps as there are tokens.");
  sentence_ = s;
  scored_ = false;
  times_ = 0;
  scorer_.open(s);
  siblings_of_.open(s);
}

template <class Real, class Trees>
std::int64_t ArcStructure<Real, Trees>::wrong(Codes output) const {
  const Codes gold = corpus().gold_of(sentence_);
  std::int64_t count = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) count += gold[t] != output[t];
  return count;
}

template <class Real, class Trees>
const Real* ArcStructure<Real, Trees>::relations_of(std::int32_t head, std::int32_t child) {
  of_relations_.resize(static_cast<std::size_t>(scorer_.stride()));
  scorer_.moved(vector_.data());
  scorer_.relations(head, child, of_relations_.data());
  if (times_ != 0) {
    const std::int32_t truth = target()[static_cast<std::size_t>(child - 1)];
    for (std::int32_t r = 0; r < relations_; ++r)
      of_relations_[static_cast<std::size_t>(r)] += static_cast<Real>(code(head, r) == truth ? 0 : times_);
  }
  if (const std::uint8_t* flags = known(child)) {
    for (std::int32_t r = 0; r < relations_; ++r) {
      if (!flags[r]) of_relations_[static_cast<std::size_t>(r)] = ArcScores<Real>::forbidden;
    }
  }
  return of_relations_.data();
}

// Chooses the best relation of an arc.
template <class Real, class Trees>
void ArcStructure<Real, Trees>::weigh(std::int32_t head, std::int32_t child, Real arc) {
  const Real* of_relations = relations_of(head, child);
  const auto best = std::max_element(of_relations, of_relations + relations_);
  arcs_(head, child) = may_head(head, child) ? arc + *best : ArcScores<Real>::forbidden;
  best_relations_[arcs_.place(head, child)] = static_cast<std::int32_t>(best - of_relations);
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::make_scores() {
  if (scored_) return;
  scored_ = true;
  scorer_.score(vector_.data(), static_cast<Real>(vector_.scale()));
  plain_.open(scorer_.length());
  arcs_.open(scorer_.length());
  best_relations_.resize(arcs_.size());
  scorer_.each_arc([&](std::int32_t head, std::int32_t child, Real score) {
    plain_(head, child) = score;
    weigh(head, child, score);
  });
  siblings_of_.score(vector_.data(), static_cast<Real>(vector_.scale()), siblings_);
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::augment(double times) {
  times_ += times;
  if (!scored_) return;
  for (std::int32_t c = 1; c <= scorer_.length(); ++c) {
    const std::int32_t head = target()[static_cast<std::size_t>(c - 1)] / relations_;
    for (std::int32_t h = 0; h <= scorer_.length(); ++h) {
      if (h == head)
        weigh(h, c, plain_(h, c));
      else if (h != c)
        arcs_(h, c) += static_cast<Real>(times);
    }
  }
}

template <class Real, class Trees>
double ArcStructure<Real, Trees>::best_of(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings,
                                          const std::vector<std::int32_t>& best_relations, std::span<std::int32_t> out) {
  const double score = trees_.best(arcs, siblings, out);
  if (std::isinf(score)) return score;
  for (std::size_t t = 0; t < out.size(); ++t) out[t] = code(out[t], best_relations[arcs.place(out[t], static_cast<std::int32_t>(t) + 1)]);
  return score;
}

template <class Real, class Trees>
double ArcStructure<Real, Trees>::best(std::span<std::int32_t> out) {
  make_scores();
  return best_of(arcs_, siblings_, best_relations_, out);
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::open_list(std::int64_t) {
  make_scores();
  ranked_.clear();
  list_.open_list(arcs_, siblings_);
}

template <class Real, class Trees>
const typename ArcStructure<Real, Trees>::Ranked& ArcStructure<Real, Trees>::ranked(std::int32_t head, std::int32_t child) {
  const auto [at, fresh] = ranked_.try_emplace(arcs_.place(head, child));
  Ranked& out = at->second;
  if (!fresh) return out;
  const Real* of_relations = relations_of(head, child);
  for (std::int32_t r = 0; r < relations_; ++r) {
    if (!std::isinf(of_relations[r])) out.push_back({plain_(head, child) + of_relations[r], r});
  }
  const auto better = [&](const auto& a, const auto& b) { return of_relations[a.second] > of_relations[b.second]; };
  std::stable_sort(out.begin(), out.end(), better);
  return out;
}

template <class Real, class Trees>
std::optional<double> ArcStructure<Real, Trees>::next(std::span<std::int32_t> out) {
  const auto further = [&](std::int32_t head, std::int32_t child, std::int32_t rank) {
    const Ranked& all = ranked(head, child);
    return static_cast<std::size_t>(rank) < all.size() ? std::optional(all[static_cast<std::size_t>(rank)].first) : std::nullopt;
  };
  return list_.next(further, [&](std::int32_t head, std::int32_t child, std::int32_t rank) {
    const std::int32_t relation =
        rank == 0 ? best_relations_[arcs_.place(head, child)] : ranked(head, child)[static_cast<std::size_t>(rank)].second;
    out[static_cast<std::size_t>(child - 1)] = code(head, relation);
  });
}

template <class Real, class Trees>
template <class Visit>
void ArcStructure<Real, Trees>::each_weight(std::int32_t of, std::int32_t child, Visit visit) {
  const std::int32_t head = of / relations_, relation = of % relations_;
  if (grown_ != nullptr) {
    GrowingWeights growing{*grown_};
    scorer_.each_place(growing, head, child, visit, [&](const GrowingRow& row) { visit(row.place(relation)); });
    vector_.grow(static_cast<std::size_t>(rows_.size()));
    return;
  }
  KnownWeights known{rows_};
  scorer_.each_place(known, head, child, visit, [&](const PackedRow& row) {
    if (const std::int64_t place = row.place(relation); place != ArcRows::unknown) visit(place);
  });
}

template <class Real, class Trees>
template <class Visit>
void ArcStructure<Real, Trees>::each_sibling_weight(std::int32_t head, std::int32_t sibling, std::int32_t child, Visit visit) {
  if (grown_ != nullptr) {
    GrowingWeights growing{*grown_};
    siblings_of_.each_place(growing, head, sibling, child, visit);
    vector_.grow(static_cast<std::size_t>(rows_.size()));
    return;
  }
  KnownWeights known{rows_};
  siblings_of_.each_place(known, head, sibling, child, visit);
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::difference(Codes towards, Codes away, bool, Difference& out) {
  for (std::size_t t = 0; t < towards.size(); ++t) {
    if (towards[t] == away[t]) continue;
    const auto child = static_cast<std::int32_t>(t) + 1;
    each_weight(towards[t], child, [&](std::int64_t place) { out.push_back({place, 1.0}); });
    each_weight(away[t], child, [&](std::int64_t place) { out.push_back({place, -1.0}); });
  }
  if (siblings_of_.reads()) {
    std::vector<std::int64_t> same(towards.size(), -1);  // heads and siblings of the one tree as one number
    const auto number = [&](std::int32_t h, std::int32_t k) { return std::int64_t{h} * (scorer_.length() + 1) + k; };
    siblings_in_(towards, relations_,
                 [&](std::int32_t h, std::int32_t k, std::int32_t c) { same[static_cast<std::size_t>(c - 1)] = number(h, k); });
    const auto add = [&](std::int32_t h, std::int32_t k, std::int32_t c, double times) {
      each_sibling_weight(h, k, c, [&](std::int64_t place) { out.push_back({place, times}); });
    };
    siblings_in_(away, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) {
      std::int64_t& of = same[static_cast<std::size_t>(c - 1)];
      if (of == number(h, k)) return void(of = -1);
      add(h, k, c, -1);
    });
    siblings_in_(towards, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) {
      if (same[static_cast<std::size_t>(c - 1)] >= 0) add(h, k, c, 1);
    });
  }
  sum_up(out);  // arcs may share features
}

template <class Real, class Trees>
template <class Visit>
void ArcStructure<Real, Trees>::each_weight_of(Codes tree, Visit visit) {
  for (std::size_t t = 0; t < tree.size(); ++t) {
    const auto child = static_cast<std::int32_t>(t) + 1;
    each_weight(tree[t], child, [&](std::int64_t place) { visit(child, place); });
  }
  if (!siblings_of_.reads()) return;
  siblings_in_(tree, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) {
    each_sibling_weight(h, k, c, [&](std::int64_t place) { visit(c, place); });
  });
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::features(Codes output, Difference& out) {
  each_weight_of(output, [&](std::int32_t, std::int64_t place) { out.push_back({place, 1.0}); });
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::list_places(Codes tree, std::vector<std::int32_t>& tokens, std::vector<std::int64_t>& places) {
  each_weight_of(tree, [&](std::int32_t child, std::int64_t place) {
    tokens.push_back(child - 1);
    places.push_back(place);
  });
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::other_heads(Codes tree, std::int32_t* codes, double* scores) {
  make_scores();
  std::vector<std::int32_t> found(tree.size());
  for (std::size_t t = 0; t < tree.size(); ++t) {
    const std::int32_t head = tree[t] / relations_, child = static_cast<std::int32_t>(t) + 1;
    const Real kept = std::exchange(arcs_(head, child), ArcScores<Real>::forbidden);
    scores[t] = best(found);
    arcs_(head, child) = kept;
    codes[t] = std::isinf(scores[t]) ? -1 : found[t];
  }
}

template <class Real, class Trees>
double ArcStructure<Real, Trees>::score(Codes output) {
  double sum = 0;
  KnownWeights known{rows_};
  const auto add = [&](std::int64_t place) { sum += double(vector_.data()[place]); };
  for (std::size_t t = 0; t < output.size(); ++t) {
    const std::int32_t relation = output[t] % relations_;
    if (!rows_.offered.offers(output[t] / relations_, relation)) return -std::numeric_limits<double>::infinity();
    scorer_.each_place(known, output[t] / relations_, static_cast<std::int32_t>(t) + 1, add, [&](const PackedRow& row) {
      if (const std::int64_t place = row.place(relation); place != ArcRows::unknown) add(place);
    });
  }
  if (siblings_of_.reads())
    siblings_in_(output, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) { siblings_of_.each_place(known, h, k, c, add); });
  return sum * vector_.scale();
}

template class ArcStructure<float, ProjectiveTrees>;
template class ArcStructure<double, ProjectiveTrees>;
template class ArcStructure<float, AllTrees>;
template class ArcStructure<double, AllTrees>;
template class ArcModel<float, ProjectiveTrees>;
template class ArcModel<double, ProjectiveTrees>;
template class ArcModel<float, AllTrees>;
template class ArcModel<double, AllTrees>;

namespace {
const RegisteredStructure projective("projective",
                                     operations_of<ArcStructure<float, ProjectiveTrees>, ArcPotentials<float, ProjectiveTrees>>());
const RegisteredStructure tree("tree", operations_of<ArcStructure<float, AllTrees>, ArcPotentials<float, AllTrees>>());
}  // namespace

}  // namespace riata
