// Losses of whole outputs: functions of log P of the truth, by name.
#pragma once

#include <string>
#include <vector>

namespace riata {

struct OutputLoss {
  // What one sentence adds to an objective, and how often its difference of features (expected less true) adds to the gradient: minus the
  // slope of the value.
  struct At {
    double value, times;
  };

  std::string name;
  At (*at)(double log_p);
  bool linear = false;  // whether `times` is 1 everywhere: then the truth can be counted before log P is known
};

// Adds a loss to those that have names: a file that defines a loss holds one such object, and no other file names it.
struct RegisteredLoss {
  explicit RegisteredLoss(OutputLoss loss);
};

// Throws Error where no loss has this name.
const OutputLoss& output_loss(const std::string& name);
std::vector<std::string> output_loss_names();

}  // namespace riata
