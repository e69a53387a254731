#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/alphabet.hpp"
#include "core/crc32.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "data/column_parser.hpp"
#include "features/attributes.hpp"
#include "features/hashed.hpp"

namespace riata::bind {
namespace {

nb::str as_text(std::string_view text) { return nb::str(text.data(), text.size()); }

Out<std::int32_t> find_all(const Alphabet& self, const Alphabet& other) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(other.size()));
  for (std::int32_t i = 0; i < other.size(); ++i) ids[i] = self.find(other.text(i));
  return give(std::move(ids));
}

Out<std::int32_t> add_all(Alphabet& self, const Alphabet& other) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(other.size()));
  for (std::int32_t i = 0; i < other.size(); ++i) ids[i] = self.add(other.text(i));
  return give(std::move(ids));
}

Out<std::int32_t> hashes(const Alphabet& self) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(self.size()));
  for (std::int32_t i = 0; i < self.size(); ++i) numbers[i] = hashed_text(self.text(i));
  return give(std::move(numbers));
}

template <class Look>
Out<std::int32_t> each(const std::vector<std::string_view>& texts, Look look) {
  std::vector<std::int32_t> ids;
  ids.reserve(texts.size());
  for (const std::string_view text : texts) ids.push_back(look(text));
  return give(std::move(ids));
}

nb::list texts(const Alphabet& self) {
  nb::list out;
  for (std::int32_t i = 0; i < self.size(); ++i) out.append(as_text(self.text(i)));
  return out;
}

nb::list texts_of(const Alphabet& self, const In<std::int32_t>& ids) {
  nb::list out;
  for (const std::int32_t id : view(ids)) out.append(as_text(self.text(id)));
  return out;
}

// Of a text, only bytes that are not ASCII, and blanks or control characters at its ends, may be something that nobody sees.
Out<std::int32_t> not_plain(const Alphabet& texts) {
  const auto is_unseen = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts.at(i);
    if (text.empty()) continue;
    if (is_unseen(text.front()) || is_unseen(text.back()) || !is_ascii(text)) ids.push_back(i);
  }
  return give(std::move(ids));
}

// A corpus as Python reads it: alphabets, ids per column, starts, lines, documents, other lines, comments.
nb::dict as_dict(Columns&& columns) {
  nb::list alphabets, ids, documents, others;
  for (Alphabet& alphabet : columns.alphabets) alphabets.append(nb::cast(std::move(alphabet)));
  for (auto& column : columns.ids) ids.append(give(std::move(column)));
  for (const Document& document : columns.documents) documents.append(nb::make_tuple(as_text(document.text), document.sentence));
  for (const Between& line : columns.others) others.append(nb::make_tuple(as_text(line.text), line.place));
  nb::dict out;
  out["alphabets"] = alphabets;
  out["ids"] = ids;
  out["starts"] = give(std::move(columns.starts));
  out["lines"] = give(std::move(columns.lines));
  out["documents"] = documents;
  out["others"] = others;
  out["comments"] = columns.comments;
  return out;
}

void bind_checksum(nb::module_& m) {
  m.attr("has_fast_crc32") = has_fast_crc32();
  m.def(
      "fast_crc32",
      [](const In<std::uint8_t>& bytes, std::uint32_t before) {
        if (!has_fast_crc32()) throw Error("RiataError", "this processor has no fast CRC-32");
        return fast_crc32(view(bytes), before);
      },
      nb::arg("bytes"), nb::arg("before") = 0, "As zlib.crc32.");
}

void bind_alphabet(nb::module_& m) {
  nb::class_<Alphabet>(m, "Alphabet", "Strings to dense ids and back.")
      .def(nb::init<>())
      .def(
          "__init__",
          [](Alphabet* self, nb::bytes bytes, const In<std::int64_t>& offsets) {
            new (self) Alphabet(std::string(bytes.c_str(), bytes.size()), copy(offsets));
          },
          nb::arg("bytes"), nb::arg("offsets"))
      .def("__len__", &Alphabet::size)
      .def("__copy__", [](const Alphabet& self) { return Alphabet(self); })
      .def("add", &Alphabet::add, nb::arg("text"))
      .def("find", &Alphabet::find, nb::arg("text"), "The id, or -1.")
      .def(
          "text", [](const Alphabet& self, std::int32_t id) { return as_text(self.text(id)); }, nb::arg("id"))
      .def("texts", &texts, "All texts in order of their ids.")
      .def("texts_of", &texts_of, nb::arg("ids"), "The texts of these ids.")
      .def(
          "add_many",
          [](Alphabet& self, const std::vector<std::string_view>& list) {
            return each(list, [&](std::string_view text) { return self.add(text); });
          },
          nb::arg("texts"))
      .def(
          "find_many",
          [](const Alphabet& self, const std::vector<std::string_view>& list) {
            return each(list, [&](std::string_view text) { return self.find(text); });
          },
          nb::arg("texts"))
      .def("add_all", &add_all, nb::arg("other"), "Adds every text of another alphabet; returns their ids here.")
      .def("find_all", &find_all, nb::arg("other"), "The ids here of every text of another alphabet; -1 where unknown.")
      .def("hashes", &hashes, "The number that stands for each text where nothing but a hash is kept of it.")
      .def("bytes", [](const Alphabet& self) { return nb::bytes(self.bytes().data(), self.bytes().size()); })
      .def("offsets", [](const Alphabet& self) { return give(std::vector<std::int64_t>(self.offsets())); });
  m.def("not_plain", &not_plain, nb::arg("texts"),
        "The ids of texts that are not ASCII, or have a blank or a control character at an end.");
  m.def(
      "hashed_texts", [](const std::vector<std::string_view>& list) { return each(list, hashed_text); }, nb::arg("texts"),
      "The number that stands for each text where nothing but a hash is kept of it.");
}

void bind_column_parser(nb::module_& m) {
  nb::class_<ColumnParser>(m, "ColumnParser", "Streaming reader of column files.")
      .def(
          "__init__", [](ColumnParser* self, bool conllu) { new (self) ColumnParser(conllu ? Format::conllu : Format::columns); },
          nb::arg("conllu") = false)
      .def(
          "feed",
          [](ColumnParser& self, nb::bytes bytes) {
            const std::string_view piece(bytes.c_str(), bytes.size());
            nb::gil_scoped_release release;
            self.feed(piece);
          },
          nb::arg("piece"))
      .def("finish", &ColumnParser::finish)
      .def(
          "take", [](ColumnParser& self) { return as_dict(self.take()); }, "The complete sentences read so far, which are then forgotten.")
      .def_prop_ro("separator", [](const ColumnParser& self) { return std::string(1, self.separator()); })
      .def_prop_ro("width", &ColumnParser::width)
      .def_prop_ro("waiting_documents", &ColumnParser::waiting_documents, "How many -DOCSTART- lines have no sentence after them yet.");
}

void data(nb::module_& m) {
  bind_checksum(m);
  bind_alphabet(m);
  bind_column_parser(m);
  m.def(
      "shuffled", [](std::int64_t size, std::uint64_t seed, std::uint64_t epoch) { return give(shuffled(size, seed, epoch)); },
      nb::arg("size"), nb::arg("seed"), nb::arg("epoch"), "The order in which an epoch visits its sentences.");
}

const Bindings entered(data);

}  // namespace
}  // namespace riata::bind
