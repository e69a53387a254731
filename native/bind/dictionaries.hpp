// Dictionaries of features, one per token, read as riata.data.named_features reads them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riata::bind {

inline constexpr double largest_value = 1e9;  // of a feature: sums of updates must stay finite in single precision

inline constexpr std::int64_t most_items = 1'000'000;  // of the dictionaries of one token: more come from one that is shared many times

// Names and values of the features of token after token. Whatever is not of Python's own types is left to riata.data.named_features, and so
// is whatever is wrong. No Python code runs while a token is read, so borrowed references stay good.
class NamedFeatures {
 public:
  // The features of a sentence, a list or tuple of dictionaries; false where something needs a closer look, and then nothing here counts.
  bool add_sentence(PyObject* sentence);

  void clear() noexcept;

  std::string bytes;                          // names, one after another
  std::vector<std::size_t> ends;              // [features] where each name ends
  std::vector<float> values;                  // [features]
  std::vector<std::int64_t> token_starts{0};  // [tokens + 1] first feature of each token
  std::vector<std::int64_t> starts{0};        // [sentences + 1] first token of each sentence

 private:
  bool add_dictionary(PyObject* features, std::string_view prefix, int depth);
  bool add_value(PyObject* value, std::size_t name, int depth);
  bool add_items(PyObject* items, std::size_t name);
  bool append(PyObject* text);
  bool finish(double value);

  std::int64_t left_ = 0;  // items that the token may still have
};

}  // namespace riata::bind
