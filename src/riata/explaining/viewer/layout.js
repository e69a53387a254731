// Which items are drawn, and where: a column per depth (or per covered prefix), in it the fronts as they were ranked, those after
// a restart apart, then what was dropped; below a line of its own what was never in the queue.

const MOST_DRAWN = 3000; // nodes in all; a larger tree is drawn anew for every step, around the front and the chosen path
const MOST_COLUMNS = 240;
const OTHER_CUTS = 3; // candidates drawn per step, besides those that were right
const SEGMENT = /\[(\d+):(\d+)\]$/;

function columnOf(trace, item) {
  const span = trace.byPrefix ? SEGMENT.exec(said(item.action)) : null;
  return span ? Number(span[2]) : item.depth;
}

// All that could be drawn, sorted once.
function columnsOf(trace) {
  trace.byPrefix = trace.alignment === "spans" && trace.beam_by === "prefix";
  const columns = new Map();
  const column = (item) => {
    const number = columnOf(trace, item);
    if (!columns.has(number)) columns.set(number, { number, nodes: [], cuts: [], asides: [], hidden: 0 });
    return columns.get(number);
  };
  // Where an update or a restart makes a state of a candidate that was cut, they are the same: only the state is drawn.
  const cutAt = new Map(trace.steps.flatMap((step) => step.cut.filter((cut) => !cut.merged).map((cut) => [`${cut.parent} ${said(cut.action)}`, cut])));
  for (const node of trace.nodes.filter((node) => !node.again)) {
    const cut = cutAt.get(`${node.parent} ${said(node.action)}`);
    if (cut) cut.drawn = node.cut = true;
    if (cut && node.aside) Object.assign(node, { made: cut.made, dropped: cut.dropped });
    column(node)[node.aside && !cut ? "asides" : "nodes"].push(node);
  }
  for (const step of trace.steps) {
    const best = step.cut.filter((cut) => !cut.drawn).sort(byRank);
    const shown = [...best.filter((cut) => cut.good), ...best.filter((cut) => !cut.good).slice(0, OTHER_CUTS)];
    for (const cut of shown) column(cut).cuts.push(cut);
    for (const cut of best) column(cut).hidden += 1;
    for (const cut of shown) column(cut).hidden -= 1;
  }
  for (const { nodes, asides } of columns.values()) {
    nodes.sort(byQueue);
    asides.sort(byRank);
  }
  return [...columns.values()].sort((a, b) => a.number - b.number);
}

function byRank(a, b) {
  return b.score + b.heuristic - a.score - a.heuristic;
}

// Those of the first front first, each front best first; then those that never stood in one.
function byQueue(a, b) {
  const [first, second] = [a.fronts[0] ?? Infinity, b.fronts[0] ?? Infinity];
  if (first !== second) return first - second;
  return first === Infinity ? byRank(a, b) : a.place - b.place;
}

// needed: keys of items that have to be there; middle: the number of the column around which a very wide tree is drawn.
function layout(trace, all, needed, middle) {
  const start = Math.max(0, Math.min(all.findIndex((column) => column.number >= middle) - MOST_COLUMNS / 2, all.length - MOST_COLUMNS));
  const columns = all.slice(start, start + MOST_COLUMNS);
  const most = Math.max(12, Math.min(60, Math.floor(MOST_DRAWN / Math.max(columns.length, 1))));
  const drawn = columns.map((column) => {
    const nodes = fitting(column.nodes, most, needed);
    const cuts = fitting(column.cuts, Math.max(most - nodes.length, 0), needed);
    const asides = fitting(column.asides, Math.max(most - nodes.length - cuts.length, 1), needed);
    const left = column.nodes.length - nodes.length + column.cuts.length - cuts.length + column.asides.length - asides.length;
    return { number: column.number, rows: rowsOf(trace, nodes, cuts, left + column.hidden, asides), left };
  });
  return { columns: drawn, complete: columns.length === all.length && drawn.every((column) => column.left === 0) };
}

// The rows of a column: items, lines of text between them, and what comes too many. made: the step that brings a line.
function rowsOf(trace, nodes, cuts, more, asides) {
  const rows = [];
  let restarted = null;
  for (const item of nodes) {
    const [at] = trace.restarts.get(item.number) ?? [null];
    if (at !== null && at !== restarted) rows.push({ text: `↻ restart after step ${at}`, kind: "caption restart", made: at });
    restarted = at ?? restarted;
    rows.push({ item });
  }
  rows.push(...cuts.map((item) => ({ item })));
  const first = (items) => items.reduce((least, item) => Math.min(least, item.made), Infinity);
  if (more) rows.push({ text: `and ${more.toLocaleString("en")} more`, kind: "more", made: first([...nodes, ...cuts, ...asides]) });
  if (asides.length) rows.push({ text: "not in the queue:", kind: "caption", made: first(asides) }, ...asides.map((item) => ({ item })));
  return rows;
}

function fitting(items, most, needed) {
  if (items.length <= most) return items;
  const kept = new Set(items.filter((item) => item.good || needed.has(item.key)).slice(0, 2 * most));
  for (const item of items) {
    if (kept.size >= most) break;
    kept.add(item);
  }
  return items.filter((item) => kept.has(item));
}
