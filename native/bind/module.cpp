#include "bind/module.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of Riata. Not public: names may change in any release.";
  riata::bind::errors(m);
  riata::bind::data(m);
  riata::bind::features(m);
  riata::bind::inference(m);
  riata::bind::chain(m);
}
