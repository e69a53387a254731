// The writer of column files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "data/column_writer.hpp"

namespace riata::bind {
namespace {

std::vector<TextColumn> as_columns(const std::vector<Alphabet*>& alphabets, const std::vector<In<std::int32_t>>& ids) {
  std::vector<TextColumn> columns;
  bool ok = alphabets.size() == ids.size() && !ids.empty();
  for (std::size_t c = 0; ok && c < ids.size(); ++c) {
    columns.push_back({alphabets[c], view(ids[c])});
    ok = ids[c].shape(0) == ids[0].shape(0);
    for (const std::int32_t id : columns[c].ids) ok = ok && id >= 0 && id < alphabets[c]->size();
  }
  if (!ok) throw Error("RiataError", "the columns to be written are inconsistent");
  return columns;
}

void writer(nb::module_& m) {
  m.def(
      "find_unwritable",
      [](const std::vector<Alphabet*>& alphabets, const std::vector<In<std::int32_t>>& ids, const std::string& forbidden) {
        const std::vector<TextColumn> columns = as_columns(alphabets, ids);
        nb::gil_scoped_release release;
        return find_unwritable(columns, forbidden);
      },
      nb::arg("alphabets"), nb::arg("ids"), nb::arg("forbidden"), "Column and token of the first text that a file cannot hold, or None.");
  m.def(
      "written",
      [](const std::vector<Alphabet*>& alphabets, const std::vector<In<std::int32_t>>& ids, const In<std::int64_t>& starts,
         std::int64_t low, std::int64_t high, char separator, const std::vector<std::pair<std::int64_t, std::string>>& before) {
        const std::vector<TextColumn> columns = as_columns(alphabets, ids);
        const auto sentences = static_cast<std::int64_t>(starts.shape(0)) - 1;
        bool ok = 0 <= low && low <= high && high <= sentences && starts(0) == 0 &&
                  starts(sentences) == static_cast<std::int64_t>(columns[0].ids.size());
        for (std::int64_t s = 0; ok && s < sentences; ++s) ok = starts(s) <= starts(s + 1);
        if (!ok) throw Error("RiataError", "the sentences to be written are inconsistent");
        std::string text;
        {
          nb::gil_scoped_release release;
          text = written(columns, view(starts), low, high, separator, before);
        }
        return nb::bytes(text.data(), text.size());
      },
      nb::arg("alphabets"), nb::arg("ids"), nb::arg("starts"), nb::arg("low"), nb::arg("high"), nb::arg("separator"), nb::arg("before"),
      "Sentences as the bytes of a column file.");
}

const Bindings entered(writer);

}  // namespace
}  // namespace riata::bind
