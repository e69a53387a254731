// Dictionaries of features or lists of their names, one per token, read as riata.data.named_features reads them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riata::bind {

inline constexpr double largest_value = 1e9;  // largest value of a feature: sums of updates must stay finite in single precision

// Largest number of items in the dictionaries of one token. More items come from a dictionary that is shared many times.
inline constexpr std::int64_t most_items = 1'000'000;

// Names and values of the features of one token after another. Objects that are not of Python's own types, and wrong input, are left to
// riata.data.named_features. No Python code runs while a token is read, so borrowed references stay valid.
class NamedFeatures {
 public:
  // Adds the features of a sentence, a list or tuple of dictionaries and of lists of names. Returns false if riata.data.named_features
  // must read it; the contents are then undefined.
  bool add_sentence(PyObject* sentence);

  void clear() noexcept;

  std::string bytes;                          // names, one after the other
  std::vector<std::size_t> ends;              // [features] where each name ends
  std::vector<float> values;                  // [features]
  std::vector<std::int64_t> token_starts{0};  // [tokens + 1] first feature of each token
  std::vector<std::int64_t> starts{0};        // [sentences + 1] first token of each sentence

 private:
  bool add_dictionary(PyObject* features, std::string_view prefix, int depth);
  bool add_value(PyObject* value, std::size_t name, int depth);
  bool add_items(PyObject* items, std::string_view prefix);
  bool append(PyObject* text);
  bool finish(double value);

  std::int64_t left_ = 0;  // how many more items the token may have
};

}  // namespace riata::bind
