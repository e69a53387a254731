// What each file of bind/ adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace riata::bind {

void errors(nanobind::module_& m);
void data(nanobind::module_& m);
void features(nanobind::module_& m);
void folded(nanobind::module_& m);
void dictionaries(nanobind::module_& m);
void inference(nanobind::module_& m);
void model(nanobind::module_& m);
void trainer(nanobind::module_& m);
void chain(nanobind::module_& m);
void segments(nanobind::module_& m);
void joint(nanobind::module_& m);
void legal(nanobind::module_& m);
void objective(nanobind::module_& m);
void chain_potentials(nanobind::module_& m);
void segment_potentials(nanobind::module_& m);
void problem(nanobind::module_& m);
void writer(nanobind::module_& m);

}  // namespace riata::bind
