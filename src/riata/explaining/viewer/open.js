// Opens the packed data and gives it the shape that the other scripts read.

const NEEDS = "Chrome or Edge 123, Firefox 120 or Safari 17.5";

function tooOld() {
  return typeof DecompressionStream === "undefined" || !CSS.supports("color", "light-dark(#000, #fff)");
}

async function opened(base64) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return shaped(JSON.parse(await new Response(stream).text()));
}

function shaped(data) {
  const { values, features } = data;
  const table = features.name.map((name, i) => ({
    name: values[name], label: values[features.label[i]], weight: features.weight[i],
  }));
  const decision = data.decision && shapedDecision(data.decision, values, table);
  const arcs = data.arcs && data.arcs.map((arc) => ({ ...arc, features: listed(table, ...arc.features) }));
  return { ...data, decision, arcs, trace: data.trace && shapedTrace(data.trace, values, table) };
}

// Features with their values; push is how far each of them moves a score.
function listed(table, ids, values, from = 0, to = ids.length) {
  const rows = [];
  for (let i = from; i < to; i++) {
    const feature = table[ids[i]];
    rows.push({ ...feature, value: values[i], push: values[i] * feature.weight });
  }
  return rows;
}

function shapedDecision(decision, values, table) {
  const sides = decision.sides.map((side) => ({ ...side, actions: side.actions.map((id) => values[id]) }));
  return {
    ...decision, sides, chosen: sides[0], other: sides.find((side) => side.name === decision.other) ?? null,
    contributions: listed(table, ...decision.contributions),
  };
}

function shapedTrace(trace, values, table) {
  const same = firstOfPath(trace.nodes), nodes = shapedNodes(trace.nodes, values, table, same);
  const first = (i) => same[i], firsts = (numbers) => numbers.map(first), weighed = (rows) => rows.map(([i, value]) => [same[i], value]);
  const steps = trace.steps.map((step, i) => ({
    ...step, front: firsts(step.front), enqueued: firsts(step.enqueued), pruned: firsts(step.pruned), restart: weighed(step.restart),
    update: step.update && {
      siblings: firsts(step.update.siblings), competitors: weighed(step.update.competitors), difference: listed(table, ...step.update.difference),
    },
    cut: shapedCuts({ ...step.cut, parent: firsts(step.cut.parent) }, i, nodes, values),
  }));
  const goal = trace.goal === null ? null : same[trace.goal];
  const shapedNow = { ...trace, goal, nodes, steps, restarts: new Map(), digits: digitsFor(largest(nodes)) };
  follow(shapedNow);
  return shapedNow;
}

// For every node, the first one with its path: an update and a restart make states again that the queue has dropped.
function firstOfPath(columns) {
  const seen = new Map(), same = [];
  columns.action.forEach((action, i) => {
    const parent = columns.parent[i], path = `${parent === null ? "" : same[parent]} ${action}`;
    if (!seen.has(path)) seen.set(path, i);
    same.push(seen.get(path));
  });
  return same;
}

function shapedNodes(columns, values, table, same) {
  const starts = [0];
  for (const count of columns.features?.count ?? []) starts.push(starts.at(-1) + (count ?? 0));
  return columns.action.map((action, i) => ({
    key: `n${i}`, number: i, again: same[i] !== i, parent: columns.parent[i] === null ? null : same[columns.parent[i]], depth: columns.depth[i], goal: !!columns.goal[i],
    ...shared(columns, values, i), made: Infinity, fronts: [], place: Infinity, dropped: Infinity, aside: true,
    state: columns.state ? values[columns.state[i]] : null,
    features: () => columns.features?.count[i] == null ? null
      : listed(table, columns.features.feature, columns.features.value, starts[i], starts[i + 1]),
  }));
}

// Candidates that never became nodes; they stand in the tree beside the nodes.
function shapedCuts(columns, step, nodes, values) {
  return columns.action.map((action, i) => ({
    key: `c${step}.${i}`, number: null, parent: columns.parent[i], depth: nodes[columns.parent[i]].depth + 1, goal: false,
    ...shared(columns, values, i), merged: !!columns.merged[i], made: step, fronts: [], place: Infinity, dropped: step, aside: false,
    features: () => null,
  }));
}

function shared(columns, values, i) {
  const good = columns.good[i];
  return {
    action: values[columns.action[i]], score: columns.score[i], heuristic: columns.heuristic[i],
    regret: columns.regret[i], good: good === null ? null : !!good,
  };
}

function largest(nodes) {
  return nodes.reduce((most, node) => Math.max(most, Math.abs(node.score ?? 0)), 0);
}

// When every node was made, stood in the front, and was dropped. Aside: never in the queue, there only for training's update.
function follow(trace) {
  const { nodes, steps } = trace;
  const waiting = new Set([0]);
  const made = (i, step) => { nodes[i].made = Math.min(nodes[i].made, step); };
  const queued = (i, step) => { made(i, step); nodes[i].aside = false; };
  if (nodes.length) queued(0, 0);
  steps.forEach((step, s) => {
    step.front.forEach((i, place) => {
      queued(i, s);
      nodes[i].fronts.push(s);
      nodes[i].place = Math.min(nodes[i].place, place);
      waiting.delete(i);
    });
    for (const i of [...(step.update?.siblings ?? []), ...(step.update?.competitors ?? []).map(([node]) => node)]) made(i, s);
    if (step.restart.length) {
      for (const i of waiting) nodes[i].dropped = Math.min(nodes[i].dropped, s);
      waiting.clear();
    }
    for (const [i, score] of step.restart) {
      queued(i, s);
      if (nodes[i].dropped < Infinity) Object.assign(nodes[i], { cut: true, dropped: Infinity });
      waiting.add(i);
      trace.restarts.set(i, [s, score]);
    }
    for (const i of step.enqueued) { queued(i, s); waiting.add(i); }
    for (const i of step.pruned) { nodes[i].aside = false; nodes[i].dropped = Math.min(nodes[i].dropped, s); waiting.delete(i); }
  });
  // States on the way to siblings were never in the queue: they came with those that they lead to.
  for (const node of [...nodes].reverse()) {
    node.made = Math.min(node.made, steps.length - 1);
    if (node.parent !== null) made(node.parent, node.made);
  }
}

// g at a step: what a node was made with or, where the search has restarted from it, what it started from.
function scoreAt(trace, step, item) {
  const [at, score] = trace.restarts.get(item.number) ?? [Infinity, 0];
  return at < step ? score : item.score;
}

function rankAt(trace, step, item) {
  return scoreAt(trace, step, item) + item.heuristic - (item.good ? trace.steps[step].margin : 0);
}

// The step at which the queue ranked an item: that of its first front, or of its making.
function rankedAt(item) {
  return item.fronts[0] ?? item.made;
}

// The items from the start to one, itself the last.
function pathTo(trace, item) {
  const path = [item];
  for (let at = item; at.parent !== null; ) {
    at = trace.nodes[at.parent];
    path.push(at);
  }
  return path.reverse();
}
