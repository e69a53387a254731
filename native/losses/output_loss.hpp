// Losses of whole outputs by name. Each is a function of log P of the truth.
#pragma once

#include <string>
#include <vector>

namespace riata {

struct OutputLoss {
  // What one sentence adds to the objective, and by how much its difference of features (expected minus true) is multiplied in the
  // gradient: minus the slope of the value.
  struct At {
    double value, times;
  };

  std::string name;
  At (*at)(double log_p);
  bool linear = false;  // whether `times` is always 1, so that the truth can be counted before log P is known
};

// Registers a loss by its name. The file that defines a loss contains one such global object; no other file names the loss.
struct RegisteredLoss {
  explicit RegisteredLoss(OutputLoss loss);
};

// Throws Error if there is no loss with this name.
const OutputLoss& output_loss(const std::string& name);
std::vector<std::string> output_loss_names();

}  // namespace riata
