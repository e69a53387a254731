// A record of the steps of a search, for people to look at.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "inference/search/engine.hpp"
#include "models/vector.hpp"

namespace riata {

// How much of a search is recorded. poll: called at intervals; throws to end the search and the record.
struct TraceBounds {
  std::int64_t states = 20'000;     // more are an error; of candidates that are cut, the best are recorded
  std::int64_t features = 100'000;  // of all states; those of the output and of other goals are recorded first
  std::function<void()> poll = [] {};
};

struct Trace {
  // A candidate that did not become a node. merged: whether another candidate of equal key became one.
  struct Cut {
    Candidate candidate;
    bool merged;
  };

  // The update that a learner would make: towards the mean of the siblings, away from the competitors, whose weights sum to one. If nothing
  // outranks the truth, there are no competitors and no difference.
  struct Update {
    std::vector<NodeId> siblings;
    std::vector<std::pair<NodeId, double>> competitors;
    Difference difference;
  };

  struct Step {
    std::vector<NodeId> front;         // nodes taken from the queue, best first
    double margin = 0;                 // subtracted from y-good nodes by the ranking
    bool lost = false, wrong = false;  // see Learner::at_front
    std::optional<Update> update = {};
    std::vector<std::pair<NodeId, double>> restart = {};  // the siblings that became the queue, with their new scores
    std::vector<NodeId> enqueued = {};                    // new nodes, and goals that wait for the rest of their level
    std::vector<Cut> cut = {};
    std::vector<NodeId> pruned = {};  // nodes that the queue dropped before the next front was taken
  };

  // A step of a forced path: the state before it, the action, and the score of the node that it leads to.
  struct Taken {
    StateId before;
    ActionId action;
    double score;
    StepFeatures features = {};  // only if they were asked for
  };

  std::vector<Node> nodes;  // with the scores that they had when they were created; during learning, with their regret
  std::vector<Step> steps;
  std::vector<StepFeatures> features;  // [nodes] features of the step that led to each node; or empty
  std::vector<bool> bare;              // [nodes] whether there was no room for these features; or empty
  NodeId goal;
  // The best path to the truth, scored from the start, whatever the queue kept; empty if the truth is unknown or no path leads to it.
  std::vector<Taken> truth;
  std::int64_t cut_left_out = 0;  // candidates that are not recorded
};

class TraceRecorder : public Recorder {
 public:
  // learning: whether the space knows the truth, so that nodes have a regret.
  TraceRecorder(Space& space, const QueueSpec& queue, bool learning, TraceBounds bounds);

  void at_front(const Search& search, std::span<const NodeId> front) override;
  void restarted(const Search& search, std::span<const NodeId> siblings) override;
  void expanded(const Search& search, std::span<const Candidate> candidates) override;
  void enqueued(const Search& search, std::span<const NodeId> nodes) override;

  // The learner reports what Figure 2 asks about the front, and the update that followed.
  void judged(bool lost, bool wrong);
  void updated(Trace::Update update) { trace_.steps.back().update = std::move(update); }

  // Copies the nodes that are new since the last call; must be called before any of them gets a new score.
  void look(const Search& search);

  // Ends the record after the search. found: the node that the search returned.
  Trace finish(Search& search, NodeId found, bool with_features);

 private:
  void note_pruned(const Search& search, std::span<const NodeId> front);
  void force(Search& search, bool with_features);
  void add_features(const Tree& tree);
  void keep_best(std::vector<Candidate>& cut);

  Space& space_;
  bool drops_;  // whether the queue may drop pending nodes
  bool learning_;
  TraceBounds bounds_;
  std::int64_t room_;  // for candidates that are cut
  Trace trace_;
  std::vector<Candidate> candidates_;   // of the present step
  std::unordered_set<NodeId> waiting_;  // nodes in the queue, if the queue may drop nodes
};

}  // namespace riata
