// Dependency trees that are scored arc by arc: how their weights are created, stored and read.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/potentials.hpp"
#include "core/error.hpp"
#include "inference/structures/arc_model.hpp"
#include "inference/structures/arc_potentials.hpp"
#include "inference/structures/arc_structure.hpp"

namespace riata::bind {
namespace {

constexpr std::int32_t most_relations = 4096;

using Side = std::pair<std::int32_t, std::int32_t>;                                 // family or -1, offset
using GroupTuple = std::tuple<Side, Side, std::int32_t, bool, std::int32_t, Side>;  // head, child, between, of relations, contexts, sibling

// Python has checked what users can do wrong, so the message only says that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the heads and relations do not fit the sentences or the weights");
}

// Whether an n-gram of one side exists; -1 if the group reads none there.
bool fits(const FeatureIndex& index, const NgramRead& read, std::int32_t ngram) {
  return read.reads() ? ngram >= 0 && ngram < index.size(read.family) : ngram == -1;
}

// Whether a group can have a block or a row of these two numbers.
void check_numbers(const ArcTemplates& templates, const FeatureIndex& index, const ArcRows& rows, std::int32_t g, std::int32_t a,
                   std::int32_t b, bool relation) {
  check(g >= 0 && g < templates.size());
  const ArcGroup& group = templates[g];
  check(group.relation == relation);
  if (!group.has_pairs())
    check(fits(index, group.head, a) && fits(index, group.child, b));
  else
    check(a >= 0 && a < rows.pairs(g).size() && b >= (group.sibling.reads() ? -1 : 0) &&
          b < index.size(group.sibling.reads() ? group.sibling.family : group.between));
}

nb::tuple blocks_of(const ArcRows& rows) {
  std::vector<std::int32_t> groups, left, right;
  std::vector<std::int64_t> starts;
  rows.each_block([&](std::int32_t g, std::int32_t a, std::int32_t b, std::int64_t place) {
    groups.push_back(g);
    left.push_back(a);
    right.push_back(b);
    starts.push_back(place);
  });
  return nb::make_tuple(give(std::move(groups)), give(std::move(left)), give(std::move(right)), give(std::move(starts)));
}

nb::tuple rows_of(const ArcRows& rows) {
  std::vector<std::int32_t> groups, numbers, left, right, counts, relations;
  std::vector<std::int64_t> places;
  rows.each_row([&](std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b, const PackedRow& row) {
    groups.push_back(g);
    numbers.push_back(number);
    left.push_back(a);
    right.push_back(b);
    counts.push_back(0);
    row.each(rows.relations(), [&](std::int32_t relation, std::int64_t place) {
      ++counts.back();
      relations.push_back(relation);
      places.push_back(place);
    });
  });
  return nb::make_tuple(give(std::move(groups)), give(std::move(numbers)), give(std::move(left)), give(std::move(right)),
                        give(std::move(counts)), give(std::move(relations)), give(std::move(places)));
}

template <class Real, class Trees>
nb::tuple pairs_of(const ArcModel<Real, Trees>& model, std::int32_t group) {
  check(group >= 0 && group < model.templates.size());
  const IdPairIndex& pairs = model.weights.rows->pairs(group);
  std::vector<std::int32_t> heads, children;
  for (std::int32_t id = 0; id < pairs.size(); ++id) {
    heads.push_back(pairs.left(id));
    children.push_back(pairs.right(id));
  }
  return nb::make_tuple(give(std::move(heads)), give(std::move(children)));
}

template <class Real, class Trees>
void set_pairs(ArcModel<Real, Trees>& model, const FeatureIndex& index, std::int32_t group, const In<std::int32_t>& heads,
               const In<std::int32_t>& children) {
  check(group >= 0 && group < model.templates.size() && heads.shape(0) == children.shape(0));
  const ArcGroup& read = model.templates[group];
  ArcRows& rows = model.weights.rows.own();
  for (std::size_t id = 0; id < heads.shape(0); ++id) {
    check(fits(index, read.head, view(heads)[id]) && fits(index, read.child, view(children)[id]));
    check(rows.add_pair(group, view(heads)[id], view(children)[id]) == static_cast<std::int32_t>(id));
  }
}

template <class Real, class Trees>
void set_blocks(ArcModel<Real, Trees>& model, const FeatureIndex& index, const In<std::int32_t>& groups, const In<std::int32_t>& left,
                const In<std::int32_t>& right, const In<Real>& weights) {
  ArcRows& rows = model.weights.rows.own();
  check(rows.size() == 0 && groups.shape(0) == left.shape(0) && groups.shape(0) == right.shape(0));
  for (std::size_t block = 0; block < groups.shape(0); ++block) {
    const std::int32_t g = view(groups)[block], a = view(left)[block], b = view(right)[block];
    check_numbers(model.templates, index, rows, g, a, b, false);
    const std::int64_t before = rows.size();
    check(rows.add(g, a, b) == before && rows.size() > before);
  }
  check(static_cast<std::int64_t>(weights.shape(0)) == rows.size());
  model.weights.flat.assign(weights.data(), weights.data() + weights.shape(0));
}

template <class Real, class Trees>
void set_rows(ArcModel<Real, Trees>& model, const FeatureIndex& index, const In<std::int32_t>& groups, const In<std::int32_t>& numbers,
              const In<std::int32_t>& left, const In<std::int32_t>& right, const In<std::int32_t>& counts,
              const In<std::int32_t>& relations, const In<Real>& weights) {
  ArcRows& rows = model.weights.rows.own();
  Numbers<Real>& flat = model.weights.flat;
  const std::size_t size = groups.shape(0);
  check(numbers.shape(0) == size && left.shape(0) == size && right.shape(0) == size && counts.shape(0) == size);
  check(relations.shape(0) == weights.shape(0));
  std::size_t at = 0;
  for (std::size_t row = 0; row < size; ++row) {
    const std::int32_t g = view(groups)[row], number = view(numbers)[row], a = view(left)[row], b = view(right)[row];
    const std::int32_t count = view(counts)[row];
    check_numbers(model.templates, index, rows, g, a, b, true);
    check(number >= 0 && number < model.templates[g].numbers() && !rows.find_row(g, number, a, b).known());
    check(count >= 1 && static_cast<std::size_t>(count) <= relations.shape(0) - at);
    for (const std::size_t end = at + static_cast<std::size_t>(count); at < end; ++at) {
      const std::int32_t relation = view(relations)[at];
      check(relation >= 0 && relation < rows.relations());
      const auto place = static_cast<std::size_t>(rows.add(g, number, a, b, relation));
      flat.resize(static_cast<std::size_t>(rows.size()), Real{0});
      flat[place] = view(weights)[at];
    }
  }
  check(at == relations.shape(0));
}

// Takes over the weights of a model in any precision, at the same places.
template <class Real, class Other, class Trees>
void take(ArcModel<Real, Trees>& to, const ArcModel<Other, Trees>& from) {
  to.weights.rows = from.weights.rows;
  to.weights.flat.assign(from.weights.flat.begin(), from.weights.flat.end());
}

template <class Real, class Trees>
void see_relations(ArcModel<Real, Trees>& model, const In<std::uint8_t>& root, const In<std::uint8_t>& others) {
  ArcRows& rows = model.weights.rows.own();
  const auto count = static_cast<std::size_t>(rows.relations());
  check(root.shape(0) == count && others.shape(0) == count);
  for (std::int32_t r = 0; r < rows.relations(); ++r) {
    if (view(root)[static_cast<std::size_t>(r)] != 0) rows.offered.see(0, r);
    if (view(others)[static_cast<std::size_t>(r)] != 0) rows.offered.see(1, r);
  }
}

template <class Real, class Trees>
nb::tuple offered_relations(const ArcModel<Real, Trees>& model) {
  const auto flags = [&](std::int32_t head) {
    std::vector<std::uint8_t> out(static_cast<std::size_t>(model.weights.rows->relations()), 1);
    for (const std::int32_t r : model.weights.rows->offered.refused(head)) out[static_cast<std::size_t>(r)] = 0;
    return out;
  };
  return nb::make_tuple(give(flags(0)), give(flags(1)));
}

// Opens one sentence after the other, each with a given tree: visit(structure, sentence, its first token, its tree).
template <class Real, class Trees, class Visit>
void each_tree(const ArcModel<Real, Trees>& model, const FeatureIndex& index, const Instances& instances, const Outputs& found,
               Visit visit) {
  const Corpus corpus{index, instances, view(found)};  // found trees are checked like true ones
  model.check(corpus, model.weights.flat.size());
  const Poll poll = as_poll(nb::none());
  nb::gil_scoped_release release;
  Vector<Real> vector = Vector<Real>::of(model.weights.flat);
  auto& read = const_cast<ArcModel<Real, Trees>&>(model);  // which only reads the model
  ArcStructure<Real, Trees> trees(read, corpus, vector, false);
  PollClock clock(model.work());
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (clock.due(corpus.length(s)) && !poll(s)) break;
    if (corpus.length(s) == 0) continue;
    trees.open(s);
    visit(trees, static_cast<std::size_t>(s), static_cast<std::size_t>(instances.starts[s]), corpus.gold_of(s));
  }
}

template <class Real, class Trees>
nb::tuple confidences(const ArcModel<Real, Trees>& model, const FeatureIndex& index, const Instances& instances, const Outputs& found,
                      double temperature) {
  if (!(temperature > 0)) throw Error("SettingError", "a temperature must be above 0");
  const auto tokens = static_cast<std::size_t>(instances.tokens());
  std::vector<double> out(2 * tokens), log_z(static_cast<std::size_t>(instances.sentences()), 0);
  each_tree(model, index, instances, found, [&](auto& trees, std::size_t s, std::size_t first, Codes tree) {
    log_z[s] = trees.confidences(tree, 1 / temperature, out.data() + first, out.data() + tokens + first);
  });
  return nb::make_tuple(give(std::move(log_z)), give(std::move(out)));
}

template <class Real, class Trees>
nb::tuple tree_features(const ArcModel<Real, Trees>& model, const FeatureIndex& index, const Instances& instances, const Outputs& found) {
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> places;
  each_tree(model, index, instances, found, [&](auto& trees, std::size_t, std::size_t first, Codes tree) {
    const std::size_t before = tokens.size();
    trees.list_places(tree, tokens, places);
    for (std::size_t i = before; i < tokens.size(); ++i) tokens[i] += static_cast<std::int32_t>(first);
  });
  return nb::make_tuple(give(std::move(tokens)), give(std::move(places)));
}

template <class Real, class Trees>
nb::tuple other_heads(const ArcModel<Real, Trees>& model, const FeatureIndex& index, const Instances& instances, const Outputs& found) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(instances.tokens()), -1);
  std::vector<double> scores(codes.size(), 0);
  each_tree(model, index, instances, found, [&](auto& trees, std::size_t, std::size_t first, Codes tree) {
    trees.other_heads(tree, codes.data() + first, scores.data() + first);
  });
  return nb::make_tuple(give(std::move(codes)), give(std::move(scores)));
}

template <class Real, class Trees>
void bind_weights(nb::module_& m, const std::string& name) {
  using Kind = ArcModel<Real, Trees>;
  nb::class_<Kind, Model<Real>>(m, name.c_str(), "The weights of a model of dependency trees.")
      .def(
          "__init__",
          [](Kind* self, const ArcTemplates& templates, std::int32_t relations) {
            check(relations >= 1 && relations <= most_relations);
            new (self) Kind(templates, {Shared(ArcRows(templates, relations)), {}});
          },
          nb::arg("templates"), nb::arg("relations"))
      .def(
          "blocks", [](const Kind& self) { return blocks_of(*self.weights.rows); },
          "For each block of weights of arcs its group, the n-grams of head and child (or a pair of them and a value between or a "
          "sibling), and its place.")
      .def(
          "rows", [](const Kind& self) { return rows_of(*self.weights.rows); },
          "For each row of weights of relations its group, its number among those of the group, the n-grams of head and child, and how "
          "many weights it has; for each of these its relation and its place.")
      .def("pairs", &pairs_of<Real, Trees>, nb::arg("group"), "The pairs of n-grams of a group that reads what is between or siblings.")
      .def("set_pairs", &set_pairs<Real, Trees>, nb::arg("index"), nb::arg("group"), nb::arg("heads"), nb::arg("children"))
      .def("set_blocks", &set_blocks<Real, Trees>, nb::arg("index"), nb::arg("groups"), nb::arg("left"), nb::arg("right"),
           nb::arg("weights"), "All blocks, with their weights one after the other. Before `set_rows`.")
      .def("set_rows", &set_rows<Real, Trees>, nb::arg("index"), nb::arg("groups"), nb::arg("numbers"), nb::arg("left"), nb::arg("right"),
           nb::arg("counts"), nb::arg("relations"), nb::arg("weights"), "All rows, with their weights one after the other.")
      .def("take", &take<Real, float, Trees>, nb::arg("weights"), "Takes over weights of any precision, at the same places.")
      .def("take", &take<Real, double, Trees>, nb::arg("weights"))
      .def("tree_probabilities", &confidences<Real, Trees>, nb::arg("index"), nb::arg("instances"), nb::arg("found"),
           nb::arg("temperature"), "Over all trees: log Z, and the probabilities of the heads and of the relations of found trees.")
      .def("tree_features", &tree_features<Real, Trees>, nb::arg("index"), nb::arg("instances"), nb::arg("found"),
           "The weights of found trees: the token of each, and its place. Weights of siblings belong to the child.")
      .def("other_heads", &other_heads<Real, Trees>, nb::arg("index"), nb::arg("instances"), nb::arg("found"),
           "For every token of found trees the best tree in which it has another head: the token's code there, or -1, and the score.")
      .def(
          "seen_relations",
          [](const Kind& self) {
            const OfferedRelations& offered = self.weights.rows->offered;
            return nb::make_tuple(give(std::vector(offered.seen(true))), give(std::vector(offered.seen(false))));
          },
          "Flags of relations that training has seen with the root, and with other heads.")
      .def("see_relations", &see_relations<Real, Trees>, nb::arg("root"), nb::arg("others"))
      .def("offered_relations", &offered_relations<Real, Trees>, "Flags of relations that the root, and other heads, may have.")
      .def_prop_ro("longest", &Kind::longest, "How many tokens a sentence may have.");
}

template <class Trees>
struct Of {  // models of one kind of trees, in any precision
  template <class Real>
  using Model = ArcModel<Real, Trees>;
};

template <class Real, class Trees>
void bind_potentials(nb::module_& m, const std::string& name) {
  using Kind = ArcPotentials<Real, Trees>;
  const auto made = [](const Kind& self, auto weights) {
    using Number = typename decltype(weights.flat)::value_type;
    return ArcModel<Number, Trees>(self.templates(), std::move(weights));
  };
  define_potentials<Kind, Real, Of<Trees>::template Model>(m, name, "The potentials of dependency trees.", made)
      .def(
          "__init__",
          [](Kind* self, const FeatureIndex& index, const ArcModel<Real, Trees>& like, const Instances& instances, const Outputs& gold,
             const std::string& pairs) {
            like.check({index, instances, view(gold)}, like.weights.flat.size());
            nb::gil_scoped_release release;
            new (self) Kind(like, instances, view(gold), as_feature_labels(pairs));
          },
          nb::arg("index"), nb::arg("like"), nb::arg("instances"), nb::arg("gold"), nb::arg("pairs"), nb::keep_alive<1, 4>(),
          "like: the weights to start from, whose blocks are kept. gold: codes of the true trees.");
}

void arcs(nb::module_& m) {
  m.attr("most_relations") = most_relations;
  nb::class_<ArcTemplates>(m, "ArcTemplates", "What the features of dependency arcs read.")
      .def(
          "__init__",
          [](ArcTemplates* self, const FeatureIndex& index, const std::vector<GroupTuple>& groups) {
            std::vector<ArcGroup> found;
            for (const auto& [head, child, between, relation, contexts, sibling] : groups) {
              found.push_back({{head.first, head.second},
                               {child.first, child.second},
                               between,
                               relation,
                               static_cast<std::uint8_t>(contexts & (plain | with_direction | with_distance)),
                               {sibling.first, sibling.second}});
            }
            new (self) ArcTemplates(index, std::move(found));
          },
          nb::arg("index"), nb::arg("groups"));
  bind_weights<float, ProjectiveTrees>(m, "ProjectiveWeights");
  bind_weights<double, ProjectiveTrees>(m, "ProjectiveWeights64");
  bind_weights<float, AllTrees>(m, "TreeWeights");
  bind_weights<double, AllTrees>(m, "TreeWeights64");
  bind_potentials<float, ProjectiveTrees>(m, "ProjectivePotentials");
  bind_potentials<double, ProjectiveTrees>(m, "ProjectivePotentials64");
  bind_potentials<float, AllTrees>(m, "TreePotentials");
  bind_potentials<double, AllTrees>(m, "TreePotentials64");
}

const Bindings entered(arcs);

}  // namespace
}  // namespace riata::bind
