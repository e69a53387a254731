// Lists the rows of weights that are read at a token. `Rows` decides what a row is: a pointer into weights, or a number.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"

namespace riata {

// Rows must not move as long as a reader is in use.
template <class Rows>
class RowReader {
 public:
  RowReader(const FeatureIndex& index, Rows& rows, const Instances& instances)
      : rows_(rows), instances_(instances), transitions_(index.transitions()), hashed_(index.hashed()), table_(index.table(rows.labels)) {
    if (hashed_) {
      read_table(index);
      return;
    }
    const auto reads = [&](const Slot& slot, auto row) {
      return Read{instances.ngrams[slot.family].data(), slot.offset, row(0), (row(1) - row(0)) * slot.slots};
    };
    for (const Slot& slot : index.node_slots())
      nodes_.push_back(reads(slot, [&](std::size_t id) { return rows.node_row(slot.family, id + slot.slot); }));
    for (const Slot& slot : index.edge_slots())
      edges_.push_back(reads(slot, [&](std::size_t id) { return rows.edge_row(slot.family, id + slot.slot); }));
  }

  // Calls visit(row of [stride], value) for all features of token t of sentence s.
  template <class Visit>
  void nodes(std::int64_t s, std::int64_t t, Visit visit) const {
    nodes_apart(s, t, visit);
    if (instances_.vectors.empty()) return;
    instances_.vectors.each(instances_.starts[s] + t, [&](std::int32_t name, float value) { visit(rows_.named_row(named(name)), value); });
  }
  // The same without the numbers of its vector.
  template <class Visit>
  void nodes_apart(std::int64_t s, std::int64_t t, Visit visit) const {
    const std::int64_t at = instances_.origin(s) + t;
    for (const Read& read : nodes_) {
      const std::int32_t id = read.ids[at + read.offset];
      if (id >= 0) visit(hashed_ ? hashed_row(id, Reader::node, read) : read.first + id * read.step, 1.0f);
    }
    if (instances_.named_starts.empty()) return;
    const std::int64_t token = instances_.starts[s] + t;
    for (std::int64_t k = instances_.named_starts[token]; k < instances_.named_starts[token + 1]; ++k)
      visit(rows_.named_row(named(instances_.named_ids[k])), instances_.named_values[k]);
  }

  // Calls visit(row of [labels][stride], value) for all features of the label pair that ends at token t. A first token has no such pair.
  template <class Visit>
  void edges(std::int64_t s, std::int64_t t, Visit visit) const {
    if (t == 0) return;
    if (transitions_) visit(rows_.transition_row(), 1.0f);
    const std::int64_t at = instances_.origin(s) + t;
    for (const Read& read : edges_) {
      const std::int32_t id = read.ids[at + read.offset];
      if (id >= 0) visit(hashed_ ? hashed_row(id, Reader::edge, read) : read.first + id * read.step, 1.0f);
    }
  }

 private:
  using Row = decltype(std::declval<Rows&>().transition_row());

  // What one template reads: the ids of its n-grams, and their rows. The row of n-gram `id` is first + id * step; in a hashed index, `slot`
  // and the id determine the row of the table.
  struct Read {
    const std::int32_t* ids;
    std::int64_t offset;
    Row first;
    std::int64_t step;
    std::int32_t slot = 0;
  };

  void read_table(const FeatureIndex& index) {
    const auto reads = [&](const Slot& slot) {
      return Read{instances_.ngrams[slot.family].data(), slot.offset, rows_.named_row(0), 0, slot.slot};
    };
    for (const Slot& slot : index.node_slots()) nodes_.push_back(reads(slot));
    for (const Slot& slot : index.edge_slots()) edges_.push_back(reads(slot));
  }
  Row hashed_row(std::int32_t id, Reader reader, const Read& read) const noexcept {
    return rows_.named_row(table_.row(id, reader, read.slot));
  }
  std::size_t named(std::int32_t id) const noexcept { return hashed_ ? table_.row(id, Reader::named) : std::size_t(id); }

  Rows& rows_;
  const Instances& instances_;
  bool transitions_, hashed_;
  HashTable table_;
  std::vector<Read> nodes_, edges_;
};

}  // namespace riata
