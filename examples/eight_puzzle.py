"""The 8-puzzle: learn which moves to expand.

The loss counts steps. The state carries the number of moves made, the key leaves it out, and the regret of a state is the number of
moves by which it makes the solution longer than the best one. (So the teacher needs no y, only the distances.) The features have
one weight per tile and move. Along a path, these weights add up to a measure of how much closer the tiles have come.
"""

import random
from collections import deque

import riata

MOST = 18  # a path is given up after so many moves
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)
NEIGHBOURS = [[q for q in range(9) if abs(p // 3 - q // 3) + abs(p % 3 - q % 3) == 1] for p in range(9)]


def moved(board, to):
    """The board after the tile at `to` has moved into the gap."""
    gap, tiles = board.index(0), list(board)
    tiles[gap], tiles[to] = tiles[to], 0
    return tuple(tiles)


def distances(most):
    """How far every board is from the goal, up to `most` moves."""
    found, line = {GOAL: 0}, deque([GOAL])
    while line and found[line[0]] < most:
        board = line.popleft()
        for to in NEIGHBOURS[board.index(0)]:
            if (child := moved(board, to)) not in found:
                found[child] = found[board] + 1
                line.append(child)
    return found


class EightPuzzle(riata.Problem):
    def __init__(self, far):
        self.far, self.expanded = far, 0
    def initial(self, x): return x, 0  # the board, and the moves made
    def actions(self, x, s):
        self.expanded += 1
        return NEIGHBOURS[s[0].index(0)] if s[1] < MOST else ()
    def apply(self, x, s, a): return moved(s[0], a), s[1] + 1
    def is_goal(self, x, s): return s[0] == GOAL
    def features(self, x, s, a): return [f"{s[0][a]} {a}>{s[0].index(0)}"]
    def regret(self, x, s, y): return s[1] + self.far.get(s[0], 99) - self.far[x]
    def key(self, x, s): return s[0]
    def loss(self, x, y, y_hat): return len(y_hat) > self.far[x]


far = distances(MOST)
boards = random.Random(0).sample([board for board, steps in far.items() if 8 <= steps <= 14], 500)
train, test = boards[:400], boards[400:]
player = riata.Predictor(EightPuzzle(far), beam=20, epochs=5).fit(train, [None] * len(train))
for when, queue in (("before", "breadth-first"), ("after", "beam")):
    player.problem.expanded = 0
    best = player.set_params(queue=queue).score(test, [None] * len(test))
    print(f"{when} learning ({queue}): {player.problem.expanded / len(test):.0f} boards expanded, {best:.0%} shortest")
