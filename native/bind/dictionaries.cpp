#include "bind/dictionaries.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <span>

#include "bind/arrays.hpp"
#include "bind/labels.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "core/alphabet.hpp"
#include "core/error.hpp"
#include "core/poll.hpp"
#include "features/instances.hpp"
#include "inference/questions.hpp"
#include "inference/structures/chain_model.hpp"

namespace riata::bind {

void NamedFeatures::clear() noexcept {
  bytes.clear();
  ends.clear();
  values.clear();
  token_starts.assign(1, 0);
  starts.assign(1, 0);
}

bool NamedFeatures::add_sentence(PyObject* sentence) {
  if (!PyList_CheckExact(sentence) && !PyTuple_CheckExact(sentence)) return false;
  const Py_ssize_t length = PySequence_Fast_GET_SIZE(sentence);
  for (Py_ssize_t t = 0; t < length; ++t) {
    PyObject* token = PySequence_Fast_ITEMS(sentence)[t];
    left_ = most_items;
    const bool read = PyDict_CheckExact(token) ? add_dictionary(token, {}, 0) : PyList_CheckExact(token) && add_items(token, {});
    if (!read) return false;
    token_starts.push_back(static_cast<std::int64_t>(ends.size()));
  }
  starts.push_back(starts.back() + length);
  return true;
}

bool NamedFeatures::add_dictionary(PyObject* features, std::string_view prefix, int depth) {
  constexpr int deepest = 16;  // largest depth of dictionaries in dictionaries
  if (depth > deepest) return false;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(features, &at, &key, &value);) {
    if (--left_ < 0) return false;
    const std::size_t name = bytes.size();
    bytes.append(prefix);
    if (!append(key) || !add_value(value, name, depth)) return false;
  }
  return true;
}

// Adds a value. Its name starts at `name` in `bytes` and ends where `bytes` ends.
bool NamedFeatures::add_value(PyObject* value, std::size_t name, int depth) {
  if (PyUnicode_CheckExact(value) || PyBytes_CheckExact(value)) {
    bytes.push_back(':');
    return append(value) && finish(1);
  }
  if (value == Py_True) return finish(1);
  if (value == Py_False) {
    bytes.resize(name);
    return true;
  }
  if (PyFloat_CheckExact(value)) return finish(PyFloat_AS_DOUBLE(value));
  if (PyLong_CheckExact(value)) return finish(PyLong_AsDouble(value));  // for a number that is too large, it returns -1 and sets an error
  const bool items = PyList_CheckExact(value) || PyTuple_CheckExact(value);
  if (!items && !PyDict_CheckExact(value)) return false;
  const std::string prefix = bytes.substr(name) + ':';
  bytes.resize(name);
  return items ? add_items(value, prefix) : add_dictionary(value, prefix, depth + 1);
}

bool NamedFeatures::add_items(PyObject* items, std::string_view prefix) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    if (--left_ < 0) return false;
    bytes.append(prefix);
    if (!append(PySequence_Fast_ITEMS(items)[i]) || !finish(1)) return false;
  }
  return true;
}

bool NamedFeatures::append(PyObject* text) {
  if (PyBytes_CheckExact(text)) {
    const nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text), nullptr));
    if (!decoded.is_valid()) PyErr_Clear();
    return decoded.is_valid() && append(decoded.ptr());
  }
  if (!PyUnicode_CheckExact(text)) return false;
  if (PyUnicode_IS_COMPACT_ASCII(text)) {
    bytes.append(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)));
    return true;
  }
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);  // fails on lone surrogates
  if (utf8)
    bytes.append(utf8, static_cast<std::size_t>(size));
  else
    PyErr_Clear();
  return utf8 != nullptr;
}

bool NamedFeatures::finish(double value) {
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  if (!(std::fabs(value) <= largest_value)) return false;
  ends.push_back(bytes.size());
  values.push_back(static_cast<float>(value));
  return true;
}

namespace {

// The features of sentences, with their names added to the alphabet: starts of tokens, ids and values; None if they must be read by
// riata.data.named_features.
nb::object read_dictionaries(nb::list sentences, Alphabet& names) {
  NamedFeatures found;
  std::vector<std::int64_t> token_starts{0};
  std::vector<std::int32_t> ids;
  std::vector<float> values;
  for (Py_ssize_t s = 0; s < PyList_GET_SIZE(sentences.ptr()); ++s) {
    found.clear();
    if (!found.add_sentence(PyList_GET_ITEM(sentences.ptr(), s))) return nb::none();
    std::size_t from = 0;
    for (const std::size_t end : found.ends) {
      ids.push_back(names.add(std::string_view(found.bytes).substr(from, end - from)));
      from = end;
    }
    for (std::size_t t = 1; t < found.token_starts.size(); ++t)
      token_starts.push_back(static_cast<std::int64_t>(values.size()) + found.token_starts[t]);
    values.insert(values.end(), found.values.begin(), found.values.end());
  }
  return nb::make_tuple(give(std::move(token_starts)), give(std::move(ids)), give(std::move(values)));
}

// A chain whose only features of the input are named features.
struct NamedChain {
  const FeatureIndex& index;
  const ChainModel<float>& model;
  const Alphabet& names;

  std::vector<std::int32_t> decode(NamedFeatures& features, const Poll& poll) const;
};

// The best labels of all tokens. Names that training has not seen add nothing to the scores.
std::vector<std::int32_t> NamedChain::decode(NamedFeatures& features, const Poll& poll) const {
  std::vector<std::int32_t> found(features.ends.size());
  names.find_all(features.bytes, features.ends, found.data());
  Instances instances = look_up(index, Tokens{{}, features.starts});
  instances.named_size = names.size();
  instances.named_starts.reserve(features.token_starts.size());
  instances.named_ids.reserve(found.size());
  instances.named_values.reserve(found.size());
  std::size_t k = 0;
  for (const std::int64_t end : features.token_starts) {
    for (; k < static_cast<std::size_t>(end); ++k) {
      if (found[k] < 0) continue;
      instances.named_ids.push_back(found[k]);
      instances.named_values.push_back(features.values[k]);
    }
    instances.named_starts.push_back(static_cast<std::int64_t>(instances.named_ids.size()));
  }
  return riata::decode(model, {index, instances, {}}, {"exact"}, {}, poll);
}

// From sentences of dictionaries or of lists of names directly to their labels; None if the input must be read by
// riata.data.named_features.
nb::object label(const NamedChain& self, nb::list sentences, nb::list labels) {
  constexpr std::size_t enough = 20'000;  // features that are read before they are scored: as many as fit into a fast cache
  const Poll poll = as_poll(nb::none());
  NamedFeatures features;
  nb::list out;
  for (Py_ssize_t s = 0; s < PyList_GET_SIZE(sentences.ptr());) {
    features.clear();
    for (; s < PyList_GET_SIZE(sentences.ptr()) && features.ends.size() < enough; ++s) {
      if (!features.add_sentence(PyList_GET_ITEM(sentences.ptr(), s))) return nb::none();
    }
    std::vector<std::int32_t> found;
    {
      nb::gil_scoped_release release;
      found = self.decode(features, poll);
    }
    append_labels(found, features.starts, labels, out);
  }
  return out;
}

void dictionaries(nb::module_& m) {
  m.attr("largest_value") = largest_value;
  m.attr("most_items") = most_items;
  m.def("read_dictionaries", &read_dictionaries, nb::arg("sentences"), nb::arg("names"),
        nb::sig("def read_dictionaries(sentences: list, names: Alphabet) -> tuple | None"),
        "The features of every token: starts, ids of their names, which the alphabet learns, and values; None where they need a closer "
        "look.");
  nb::class_<NamedChain>(m, "NamedChain", "A frozen chain model that reads features by name.")
      .def(
          "__init__",
          [](NamedChain* self, const FeatureIndex& index, const ChainModel<float>& weights, const Alphabet& names) {
            if (index.attributes() > 0 || index.hashed()) throw Error("RiataError", "this model reads more than features by name");
            new (self) NamedChain{index, weights, names};
          },
          nb::arg("index"), nb::arg("weights"), nb::arg("names"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def(
          "label",
          [](const NamedChain& self, nb::list sentences, nb::list labels) {
            check_labels(labels, self.model.weights.labels);
            return label(self, sentences, labels);
          },
          nb::arg("sentences"), nb::arg("labels"), nb::sig("def label(self, sentences: list, labels: list[str]) -> list[list[str]] | None"),
          "The labels of sentences of dictionaries or of lists of names; None where they need a closer look.");
}

const Bindings entered(dictionaries);

}  // namespace
}  // namespace riata::bind
