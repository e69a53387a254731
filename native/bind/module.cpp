#include "bind/module.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of Riata. Not public: names may change in any release.";
  // A model that a script keeps in a global outlives the interpreter; that is no fault to report to its user.
  nanobind::set_leak_warnings(false);
  riata::bind::errors(m);
  riata::bind::data(m);
  riata::bind::features(m);
  riata::bind::inference(m);
  riata::bind::model(m);
  riata::bind::trainer(m);
  riata::bind::chain(m);
  riata::bind::folded(m);
  riata::bind::dictionaries(m);
  riata::bind::segments(m);
  riata::bind::joint(m);
  riata::bind::legal(m);
  riata::bind::objective(m);
  riata::bind::chain_potentials(m);
  riata::bind::segment_potentials(m);
  riata::bind::problem(m);
  riata::bind::writer(m);
}
