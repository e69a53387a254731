// Folded models, and Riata's own attributes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/labels.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/risk.hpp"
#include "core/error.hpp"
#include "features/attributes.hpp"
#include "features/porter.hpp"
#include "inference/rules/check.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/folded.hpp"

namespace riata::bind {
namespace {

using Sets = std::tuple<const Alphabet*, In<std::int32_t>, In<std::int32_t>, In<std::int32_t>>;

WordChoices as_choices(const std::optional<Sets>& given, std::int32_t labels) {
  if (!given) return {};
  const auto& [words, starts, tags, of] = *given;
  WordChoices out{*words, {copy(starts), copy(tags), copy(of), labels}};
  const bool ok = out.sets.fits(words->size()) && out.sets.starts[1] == labels;
  if (!ok) throw Error("RiataError", "the sets of labels do not fit the words of the dictionary");
  return out;
}

Folded fold(const FeatureIndex& index, const ChainModel<float>& model, const std::vector<std::string>& functions,
            const std::vector<Alphabet*>& alphabets, const std::optional<Sets>& dictionary) {
  std::vector<AttributeSource> sources;
  if (functions.size() != alphabets.size()) throw Error("RiataError", "functions and alphabets do not fit");
  for (std::size_t a = 0; a < functions.size(); ++a) sources.push_back({native_attribute(functions[a]), alphabets[a]});
  return Folded(std::make_shared<const FoldedWeights>(index, model.weights, model.constraint, std::move(sources),
                                                      as_choices(dictionary, model.weights.labels)));
}

nb::tuple resolve(Folded& self, std::int32_t column, const Alphabet& texts, const In<std::int32_t>& ids) {
  std::vector<std::int32_t> missing, types;
  {
    nb::gil_scoped_release release;
    types = self.resolve(column, texts, view(ids), missing);
  }
  return nb::make_tuple(give(std::move(types)), give(std::move(missing)));
}

// risk: settings, types and flags of labels, as for models; None: the best labels are found.
Out<std::int32_t> decode(const Folded& self, const std::vector<In<std::int32_t>>& types, const In<std::int64_t>& starts,
                         std::int32_t threads, const std::optional<std::tuple<nb::dict, Outputs, Flags>>& risk) {
  std::vector<std::vector<std::int32_t>> columns;
  for (const In<std::int32_t>& column : types) columns.push_back(copy(column));
  const Poll poll = as_poll(nb::none());
  std::optional<Risk> least;
  if (risk) least = as_risk(std::get<0>(*risk), std::get<1>(*risk), std::get<2>(*risk));
  std::vector<std::int32_t> labels;
  {
    nb::gil_scoped_release release;
    labels = self.decode(columns, view(starts), threads, poll, least ? &*least : nullptr);
  }
  return give(std::move(labels));
}

// Reads the texts of a token's columns. Returns false for anything but a string, or a tuple or list of as many strings as the first token
// has.
bool read_token(PyObject* token, Py_ssize_t& width, std::vector<PyObject*>& texts) {
  const bool single = PyUnicode_Check(token);
  if (!single && !PyTuple_Check(token) && !PyList_Check(token)) return false;
  const Py_ssize_t size = single ? 1 : PySequence_Fast_GET_SIZE(token);
  if (width == 0) width = size;
  if (size != width || size == 0) return false;
  texts.assign(single ? &token : PySequence_Fast_ITEMS(token), (single ? &token : PySequence_Fast_ITEMS(token)) + size);
  for (PyObject* text : texts) {
    if (!PyUnicode_Check(text)) return false;
  }
  return true;
}

// Whether all labels keep rules that are the same for all sentences.
bool keep(const Rules& rules, const std::vector<std::int64_t>& starts, std::span<const std::int32_t> found) {
  RuleCheck check(rules);
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const auto from = static_cast<std::size_t>(starts[s]), to = static_cast<std::size_t>(starts[s + 1]);
    if (to > from && !check.of_labels(found.subspan(from, to - from)).clean()) return false;
  }
  return true;
}

// From sentences of Python strings directly to their labels; None for other input, and if some labels break rules.
nb::object label(Folded& self, nb::list sentences, Py_ssize_t least, nb::list labels, const Rules* rules) {
  const std::int32_t columns = self.columns();
  std::vector<std::vector<std::string_view>> texts(static_cast<std::size_t>(columns));
  std::vector<std::int64_t> starts{0};
  std::vector<PyObject*> token;
  Py_ssize_t width = 0;
  for (nb::handle sentence : sentences) {
    if (!PyList_Check(sentence.ptr()) && !PyTuple_Check(sentence.ptr())) return nb::none();
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(sentence.ptr());
    for (Py_ssize_t t = 0; t < length; ++t) {
      if (!read_token(PySequence_Fast_ITEMS(sentence.ptr())[t], width, token) || width < least || width < columns) return nb::none();
      for (std::int32_t c = 0; c < columns; ++c) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(token[c], &size);
        if (!text) {
          PyErr_Clear();
          return nb::none();
        }
        texts[c].emplace_back(text, static_cast<std::size_t>(size));
      }
    }
    starts.push_back(starts.back() + length);
  }
  std::vector<std::vector<std::int32_t>> types(texts.size());
  for (std::int32_t c = 0; c < columns; ++c) {
    if (self.attributes(c).empty()) continue;
    types[c].resize(texts[c].size());
    if (!self.resolve(c, texts[c], types[c].data())) return nb::none();
  }
  const Poll poll = as_poll(nb::none());
  std::vector<std::int32_t> found;
  {
    nb::gil_scoped_release release;
    found = self.decode(types, starts, 1, poll);
  }
  if (rules != nullptr && !keep(*rules, starts, found)) return nb::none();
  nb::list out;
  append_labels(found, starts, labels, out);
  return out;
}

nb::object stem(nb::str word) {
  // UTF-32 in and out, so that one number is one letter.
  nb::object bytes = word.attr("encode")("utf-32-le", "surrogatepass");
  const auto content = nb::cast<nb::bytes>(bytes);
  std::u32string text(content.size() / sizeof(char32_t), U'\0');
  std::memcpy(text.data(), content.c_str(), text.size() * sizeof(char32_t));
  const std::u32string stem = porter(std::move(text));
  return nb::bytes(reinterpret_cast<const char*>(stem.data()), stem.size() * sizeof(char32_t)).attr("decode")("utf-32-le", "surrogatepass");
}

Out<std::int32_t> attribute_values(std::string_view name, const Alphabet& texts, const In<std::int32_t>& ids, Alphabet* values, bool grow) {
  const NativeAttribute function = native_attribute(name);
  if (!function) throw Error("RiataError", "no native attribute");
  std::vector<std::int32_t> found;
  {
    nb::gil_scoped_release release;
    found = look_up_values(function, texts, view(ids), values, grow);
  }
  return give(std::move(found));
}

std::optional<std::string> attribute_value(std::string_view name, std::string_view text) {
  const NativeAttribute function = native_attribute(name);
  std::string value;
  Word word;
  if (!function || !word.read(text)) throw Error("RiataError", "no native attribute, or a text with letters that are not known");
  return function(word, value) ? std::optional(value) : std::nullopt;
}

// [256] each: the lower case of the letters, their shapes and flags.
void teach(std::int32_t block, const In<std::int32_t>& lower, const In<std::int32_t>& shapes, const In<std::int32_t>& flags) {
  std::vector<Letter> letters;
  for (std::size_t i = 0; i < lower.shape(0) && i < shapes.shape(0) && i < flags.shape(0); ++i) {
    const auto code = static_cast<char32_t>(block * letters_of_block) + static_cast<char32_t>(i);
    letters.push_back({code, static_cast<char32_t>(lower.data()[i]), static_cast<char32_t>(shapes.data()[i]),
                       static_cast<std::uint8_t>(flags.data()[i])});
  }
  teach_letters(block, letters);
}

void bind_folded(nb::module_& m) {
  nb::class_<Folded>(m, "Folded", "A frozen chain model and the word types it has met.")
      .def(
          "__init__",
          [](Folded* self, const FeatureIndex& index, const ChainModel<float>& weights, const std::vector<std::string>& functions,
             const std::vector<Alphabet*>& alphabets,
             const std::optional<Sets>& dictionary) { new (self) Folded(fold(index, weights, functions, alphabets, dictionary)); },
          nb::arg("index"), nb::arg("weights"), nb::arg("functions"), nb::arg("alphabets"), nb::arg("dictionary") = nb::none(),
          "Index, weights and alphabets must outlive it. dictionary: words, starts of sets, labels of sets (the first: all), set of each "
          "word.")
      .def("fresh", &Folded::fresh, "The same without types.")
      .def_prop_ro("bytes", &Folded::bytes, "What the types take in memory.")
      .def_prop_ro("columns", &Folded::columns)
      .def("attributes", &Folded::attributes, nb::arg("column"))
      .def("resolve", &resolve, nb::arg("column"), nb::arg("texts"), nb::arg("ids"),
           "The types of an alphabet's texts, and which of them Python must add.")
      .def(
          "add",
          [](Folded& self, std::int32_t column, std::string_view text, const std::vector<std::int32_t>& values) {
            return self.add(column, text, values);
          },
          nb::arg("column"), nb::arg("text"), nb::arg("values"))
      .def(
          "label",
          [](Folded& self, nb::list sentences, Py_ssize_t columns, nb::list labels, const Rules* rules) {
            check_labels(labels, self.weights().weights.labels);
            if (rules != nullptr) rules->check_tracks({self.weights().weights.labels});
            if (rules != nullptr && RuleCheck(*rules).needs_positions(0)) throw Error("RiataError", "rules that list positions");
            return label(self, sentences, columns, labels, rules);
          },
          nb::arg("sentences"), nb::arg("columns"), nb::arg("labels"), nb::arg("rules").none() = nb::none(),
          nb::sig(
              "def label(self, sentences: list, columns: int, labels: list[str], rules: Rules | None = None) -> list[list[str]] | None"),
          "The labels of sentences of strings or tuples of strings, at least so many columns each; None where that is not what they are, "
          "or where labels break rules, which must be the same for all sentences.")
      .def("decode", &decode, nb::arg("types"), nb::arg("starts"), nb::arg("threads") = 1, nb::arg("risk").none() = nb::none(),
           "The best labels; or those of least expected loss. risk: settings, types and flags of labels, as in Weights.least_risk.");
}

void bind_attributes(nb::module_& m) {
  m.def("porter", &stem, nb::arg("word"), nb::sig("def porter(word: str) -> str"), "The stem of a word in lower case (Porter 1980).");
  m.attr("for_python") = for_python;
  m.def("attribute_values", &attribute_values, nb::arg("name"), nb::arg("texts"), nb::arg("ids"), nb::arg("values").none(), nb::arg("grow"),
        "Ids of the values of an attribute for some texts; -1 where there is none, for_python where Python must find it.");
  m.def("native_attribute", &attribute_value, nb::arg("name"), nb::arg("text"),
        "Of a text whose letters are known, as riata.features.attributes defines it.");
  m.def("teach_letters", &teach, nb::arg("block"), nb::arg("lower"), nb::arg("shapes"), nb::arg("flags"),
        "Letters of a block of 256: their lower case, shapes (X, x, d, or the letter itself), and flags.");
}

void folded(nb::module_& m) {
  bind_folded(m);
  bind_attributes(m);
}

const Bindings entered(folded);

}  // namespace
}  // namespace riata::bind
