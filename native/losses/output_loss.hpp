// Losses by name. Each is a function of log P: of the whole truth of a sentence, or of each of its labels.
#pragma once

#include <string>
#include <vector>

namespace riata {

struct OutputLoss {
  // What a probability adds to the objective, and by how much its difference of features (expected minus true) is multiplied in the
  // gradient: minus the slope of the value.
  struct At {
    double value, times;
  };

  std::string name;
  At (*at)(double log_p);
  bool linear = false;       // whether `times` is always 1, so that the truth can be counted before log P is known
  bool exponential = false;  // whether both numbers grow as 1 / P, beyond what can be represented; `at` then returns them times P
  bool pointwise = false;    // whether the probabilities are those of the single labels of a sentence
};

// Registers a loss by its name. The file that defines a loss contains one such global object; no other file names the loss.
struct RegisteredLoss {
  explicit RegisteredLoss(OutputLoss loss);
};

// Throws Error if there is no loss with this name.
const OutputLoss& output_loss(const std::string& name);
std::vector<std::string> output_loss_names();

}  // namespace riata
