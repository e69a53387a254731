// Matchings: the best links of tables of scores, and sets of parts that are matchings.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "inference/parts/matching.hpp"
#include "inference/parts/table_assigner.hpp"

namespace riata::bind {
namespace {

std::vector<Link> links_of(const In<std::int32_t>& rows, const In<std::int32_t>& columns, std::int64_t row_count,
                           std::int64_t column_count) {
  if (rows.shape(0) != columns.shape(0)) throw Error("RiataError", "rows and columns do not fit each other");
  std::vector<Link> links(rows.shape(0));
  for (std::size_t k = 0; k < links.size(); ++k) {
    links[k] = {rows.data()[k], columns.data()[k]};
    if (links[k].row < 0 || links[k].row >= row_count || links[k].column < 0 || links[k].column >= column_count)
      throw Error("RiataError", "a link leads out of the table");
  }
  return links;
}

std::shared_ptr<Matching> matching(const In<std::int32_t>& rows, const In<std::int32_t>& columns, const In<std::int32_t>& row_room,
                                   const In<std::int32_t>& column_room, const In<std::int32_t>& given, bool sums) {
  auto links = links_of(rows, columns, static_cast<std::int64_t>(row_room.shape(0)), static_cast<std::int64_t>(column_room.shape(0)));
  for (const std::int32_t part : view(given)) {
    if (part < 0 || part >= static_cast<std::int64_t>(links.size())) throw Error("RiataError", "a given link is none of the parts");
  }
  return std::make_shared<Matching>(std::move(links), copy(row_room), copy(column_room), copy(given), sums);
}

// The best links of tables, one after another: [rows * columns] scores of each. Returns the numbers of all links, and where those of each
// table end.
nb::tuple best_links(const std::vector<In2<double>>& tables, std::int32_t row_room, std::int32_t column_room) {
  std::vector<std::int32_t> found, chosen, rooms_of_rows, rooms_of_columns;
  std::vector<std::int64_t> ends;
  std::vector<Link> links;
  std::size_t rows = 0, columns = 0;
  const bool single = row_room <= 1 && column_room <= 1;
  Assigner assigner;
  TableAssigner of_table;
  const nb::gil_scoped_release release;
  for (const In2<double>& table : tables) {
    if (table.shape(0) != rows || table.shape(1) != columns) {
      rows = table.shape(0), columns = table.shape(1);
      rooms_of_rows.assign(rows, row_room), rooms_of_columns.assign(columns, column_room);
      links.clear();
      for (std::size_t i = 0; i < rows && !single; ++i) {
        for (std::size_t j = 0; j < columns; ++j) links.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
    const std::span<const double> gains(table.data(), rows * columns);
    if (single)
      of_table.solve(gains, rooms_of_rows, rooms_of_columns, chosen);
    else
      assigner.solve(links, gains, rooms_of_rows, rooms_of_columns, chosen);
    found.insert(found.end(), chosen.begin(), chosen.end());
    ends.push_back(static_cast<std::int64_t>(found.size()));
  }
  const nb::gil_scoped_acquire acquire;
  return nb::make_tuple(give(std::move(found)), give(std::move(ends)));
}

void matchings(nb::module_& m) {
  nb::class_<Matching, OutputSet>(m, "Matching", "Links between rows and columns, each of which has room for so many.")
      .def(nb::new_(&matching), nb::arg("rows"), nb::arg("columns"), nb::arg("row_room"), nb::arg("column_room"), nb::arg("given"),
           nb::arg("sums") = false);
  m.def("best_links", &best_links, nb::arg("tables"), nb::arg("row_room"), nb::arg("column_room"),
        "The links with the largest sum of scores, table by table.");
}

const Bindings entered(matchings);

}  // namespace
}  // namespace riata::bind
