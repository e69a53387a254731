#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/structures/label_ranges.hpp"

namespace riata::bind {
namespace {

using FamilyTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
using TemplateTuple = std::tuple<std::int32_t, std::int32_t, bool>;
using HistoryTuple = std::tuple<std::int32_t, std::int32_t, std::vector<std::int32_t>>;

Tokens as_tokens(const FeatureIndex& index, const std::vector<In<std::int32_t>>& values, const In<std::int64_t>& starts) {
  Tokens tokens{{}, view(starts)};
  bool ok = values.size() == static_cast<std::size_t>(index.attributes()) && !tokens.starts.empty() && tokens.starts.front() == 0;
  for (std::size_t s = 1; ok && s < tokens.starts.size(); ++s) ok = tokens.starts[s] >= tokens.starts[s - 1];
  for (std::size_t a = 0; ok && a < values.size(); ++a) {
    ok = static_cast<std::int64_t>(values[a].shape(0)) == tokens.starts.back();
    tokens.values.push_back(view(values[a]));
  }
  if (!ok) throw Error("RiataError", "the arrays of attribute values do not fit the sentences");
  return tokens;
}

void check_named(const Instances& instances, std::int64_t tokens) {
  bool ok = instances.named_starts.size() == static_cast<std::size_t>(tokens) + 1 && instances.named_starts.front() == 0 &&
            instances.named_starts.back() == static_cast<std::int64_t>(instances.named_ids.size()) &&
            instances.named_ids.size() == instances.named_values.size();
  for (std::size_t i = 1; ok && i < instances.named_starts.size(); ++i) ok = instances.named_starts[i] >= instances.named_starts[i - 1];
  for (const std::int32_t id : instances.named_ids) ok = ok && id >= 0 && id < instances.named_size;
  for (const float value : instances.named_values) ok = ok && std::isfinite(value);
  if (!ok) throw Error("RiataError", "the arrays of named features do not fit the sentences");
}

Instances make_instances(const FeatureIndex& index, const std::vector<In<std::int32_t>>& values, const In<std::int64_t>& starts,
                         std::int64_t threads) {
  const Tokens tokens = as_tokens(index, values, starts);
  nb::gil_scoped_release release;
  return look_up(index, tokens, threads);
}

void construct(FeatureIndex* self, const std::vector<FamilyTuple>& families, const std::vector<TemplateTuple>& templates,
               std::int32_t attributes, bool transitions, const std::vector<HistoryTuple>& history,
               const std::vector<std::int32_t>& columns, std::int32_t bits,
               const std::vector<std::pair<std::int32_t, std::int32_t>>& others) {
  std::vector<FamilySpec> specs;
  for (const auto& [parent, attribute, offset] : families) specs.push_back({parent, attribute, offset});
  std::vector<TemplateSpec> reads;
  for (const auto& [family, offset, edge] : templates) reads.push_back({family, offset, edge});
  std::vector<HistorySlot> slots;
  for (const auto& [family, offset, back] : history) slots.push_back({family, offset, back});
  new (self) FeatureIndex(std::move(specs), reads, attributes, transitions, std::move(slots), columns, bits, others);
}

nb::tuple pairs(const FeatureIndex& self, std::int32_t family) {
  if (family < 0 || family >= self.families()) throw nb::index_error();
  std::vector<std::int32_t> parents, values;
  for (std::int32_t id = 0; id < self.size(family); ++id) {
    parents.push_back(self.parent(family, id));
    values.push_back(self.value(family, id));
  }
  return nb::make_tuple(give(std::move(parents)), give(std::move(values)));
}

void insert(FeatureIndex& self, std::int32_t family, const In<std::int32_t>& parents, const In<std::int32_t>& values) {
  if (family < 0 || family >= self.families() || parents.shape(0) != values.shape(0)) throw nb::index_error();
  for (std::size_t i = 0; i < parents.shape(0); ++i) self.insert(family, view(parents)[i], view(values)[i]);
}

Instances learn_ngrams(FeatureIndex& self, const std::vector<In<std::int32_t>>& values, const In<std::int64_t>& starts, std::int64_t cutoff,
                       std::int64_t threads) {
  const Tokens tokens = as_tokens(self, values, starts);
  nb::gil_scoped_release release;
  return extend(self, tokens, cutoff, threads);
}

std::int32_t ngram_at(const Instances& self, std::size_t family, std::int64_t sentence, std::int64_t token, std::int32_t offset) {
  const bool ok = family < self.ngrams.size() && sentence >= 0 && sentence < self.sentences() && token >= 0 &&
                  token < self.length(sentence) && std::abs(offset) <= self.pad && !self.ngrams[family].empty();
  if (!ok) throw nb::index_error();
  return self.ngrams[family][static_cast<std::size_t>(self.origin(sentence) + token + offset)];
}

Out<std::int32_t> column_of(const Instances& self, std::size_t family) {
  if (family >= self.ngrams.size() || self.ngrams[family].empty()) throw nb::index_error();
  std::vector<std::int32_t> ids;
  ids.reserve(static_cast<std::size_t>(self.tokens()));
  for (std::int64_t s = 0; s < self.sentences(); ++s) {
    const auto first = self.ngrams[family].begin() + self.origin(s);
    ids.insert(ids.end(), first, first + self.length(s));
  }
  return give(std::move(ids));
}

void set_choices(Instances& self, const In<std::int32_t>& starts, const In<std::int32_t>& tags, const In<std::int32_t>& of,
                 std::int32_t count, bool ranked) {
  TagChoices found{copy(starts), copy(tags), copy(of), count, ranked};
  if (!found.fits(self.tokens())) throw Error("RiataError", "the sets of tags do not fit the tokens");
  self.choices = std::move(found);
}

void set_labels(Instances& self, const In<std::int32_t>& labels, std::int32_t label_count, bool unknown) {
  bool ok = static_cast<std::int64_t>(labels.shape(0)) == self.tokens();
  for (const std::int32_t label : view(labels)) ok = ok && label >= (unknown ? unknown_label : 0) && label < label_count;
  if (!ok) throw Error("RiataError", "the labels do not fit the sentences");
  self.labels = copy(labels);
}

void set_named(Instances& self, const In<std::int64_t>& starts, const In<std::int32_t>& ids, const In<float>& values, std::int32_t size) {
  Instances changed{self.starts, {}, {}, 0, copy(starts), copy(ids), copy(values), size};
  check_named(changed, self.tokens());
  self.named_starts = std::move(changed.named_starts);
  self.named_ids = std::move(changed.named_ids);
  self.named_values = std::move(changed.named_values);
  self.named_size = size;
}

using InRows = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Borrows arrays of numbers, float or half, one per sentence, or one whose rows are those of `of`, [tokens]. The names must be smaller
// than size.
void set_vectors(Instances& self, const std::vector<InRows>& arrays, const std::optional<In<std::int32_t>>& of,
                 const In<std::int32_t>& columns, const In<std::int32_t>& names, std::int32_t size) {
  TokenVectors made;
  const std::size_t width = arrays.empty() ? 0 : arrays.front().shape(1);
  made.half =
      !arrays.empty() && arrays.front().dtype() == nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
  bool ok = columns.shape(0) == names.shape(0) && (of ? arrays.size() == 1 : arrays.size() == static_cast<std::size_t>(self.sentences()));
  const auto add = [&](const InRows& from, std::size_t row) {
    ok = ok && row < from.shape(0);
    if (ok) made.rows.push_back(static_cast<const char*>(from.data()) + row * width * (made.half ? 2 : 4));
  };
  for (std::size_t k = 0; ok && k < arrays.size(); ++k) {
    ok = arrays[k].shape(1) == width && arrays[k].dtype() == (made.half ? arrays.front().dtype() : nb::dtype<float>());
    for (std::int64_t t = 0; !of && ok && t < self.length(static_cast<std::int64_t>(k)); ++t) add(arrays[k], static_cast<std::size_t>(t));
  }
  for (std::size_t n = 0; of && ok && n < of->shape(0); ++n) add(arrays.front(), static_cast<std::size_t>(view(*of)[n]));
  made.columns = copy(columns);
  made.names = copy(names);
  for (std::size_t k = 0; ok && k < made.columns.size(); ++k) {
    ok = made.columns[k] >= 0 && static_cast<std::size_t>(made.columns[k]) < width && (k == 0 || made.columns[k] > made.columns[k - 1]) &&
         made.names[k] >= 0 && made.names[k] < size;
  }
  if (!ok || static_cast<std::int64_t>(made.rows.size()) != self.tokens())
    throw Error("RiataError", "the arrays of numbers do not fit the sentences");
  made.owner = std::make_shared<std::vector<InRows>>(arrays);
  self.vectors = std::move(made);
  self.named_size = std::max(self.named_size, size);
}

void bind_index(nb::module_& m) {
  nb::class_<FeatureIndex>(m, "FeatureIndex", "Exact dictionary of n-grams of attribute values.")
      .def("__init__", &construct, nb::arg("families"), nb::arg("templates"), nb::arg("attributes"), nb::arg("transitions") = true,
           nb::arg("history") = std::vector<HistoryTuple>{}, nb::arg("columns") = std::vector<std::int32_t>{}, nb::arg("bits") = 0,
           nb::arg("others") = std::vector<std::pair<std::int32_t, std::int32_t>>{})
      .def("__copy__", [](const FeatureIndex& self) { return FeatureIndex(self); })
      .def(
          "size",
          [](const FeatureIndex& self, std::int32_t family) {
            if (family < 0 || family >= self.families()) throw nb::index_error();
            return self.size(family);
          },
          nb::arg("family"))
      .def("pairs", &pairs, nb::arg("family"), "The n-grams of a family: for each its parent's number (-1: none) and its last value.")
      .def("insert", &insert, nb::arg("family"), nb::arg("parents"), nb::arg("values"), "The inverse of pairs, for a family that is empty.")
      .def("extend", &learn_ngrams, nb::arg("values"), nb::arg("starts"), nb::arg("cutoff") = 1, nb::arg("threads") = 1,
           "Learns all n-grams; returns the tokens with them looked up.")
      .def("instances", &make_instances, nb::arg("values"), nb::arg("starts"), nb::arg("threads") = 1);
}

void bind_instances(nb::module_& m) {
  nb::class_<Instances>(m, "Instances", "A corpus with every feature looked up.")
      .def_prop_ro("sentences", &Instances::sentences)
      .def_prop_ro("tokens", &Instances::tokens)
      .def(
          "starts", [](const Instances& self) { return give(std::vector<std::int64_t>(self.starts)); },
          "The first token of each sentence, then the number of all.")
      .def("ngrams", &ngram_at, nb::arg("family"), nb::arg("sentence"), nb::arg("token"), nb::arg("offset"),
           "The id of the n-gram at an offset from a token, or -1.")
      .def("column", &column_of, nb::arg("family"), "The id of the n-gram of a family that begins at each token, or -1.")
      .def(
          "labels", [](const Instances& self) { return give(std::vector<std::int32_t>(self.labels)); },
          "The true label of every token; none where they are not set.")
      .def("set_choices", &set_choices, nb::arg("starts"), nb::arg("tags"), nb::arg("of"), nb::arg("count"), nb::arg("ranked") = false,
           "Which tags each token may have: sets of tags, and the set of every token.")
      .def("set_labels", &set_labels, nb::arg("labels"), nb::arg("label_count"), nb::arg("unknown") = false,
           "unknown: -1 stands for a label that nobody knows.")
      .def("set_given", &set_named, nb::arg("starts"), nb::arg("ids"), nb::arg("values"), nb::arg("size"))
      .def("set_vectors", &set_vectors, nb::arg("arrays"), nb::arg("of").none(), nb::arg("columns"), nb::arg("names"), nb::arg("size"),
           "Numbers of every token as named features: an array [T, d] per sentence, or one array and the row of every token.");
}

void features(nb::module_& m) {
  m.attr("boundary_values") = boundary_values;
  m.attr("boundary_reach") = boundary_reach;
  bind_index(m);
  bind_instances(m);
}

const Bindings entered(features);

}  // namespace
}  // namespace riata::bind
