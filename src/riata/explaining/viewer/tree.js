// The search as a drawn tree.

const ROW = 24;
const BOX = 20;
const GAP = 46;
const PAD = 12;
const HEAD = 40;
const LONGEST_LABEL = 18; // characters
const LONGEST_SEGMENT = 26;

class Tree {
  // choose: called with the item that was clicked.
  constructor(data, box, choose) {
    this.data = data;
    this.trace = data.trace;
    this.box = box;
    this.choose = choose;
    this.columns = columnsOf(this.trace);
    this.width = boxWidth(this.data, this.columns);
    this.output = new Set(this.trace.goal === null ? [] : pathTo(this.trace, this.trace.nodes[this.trace.goal]).map((item) => item.key));
    this.plan = null;
  }

  show(step, chosen) {
    if (this.plan === null || !this.plan.complete) this.draw(step, chosen);
    const front = new Set(this.trace.steps[step].front.map((i) => this.trace.nodes[i].key));
    for (const [key, { item, group, edge, score, mark }] of this.drawn) {
      const state = this.stateOf(item, step, front);
      group.setAttribute("class", `node ${state}${key === chosen.key ? " chosen" : ""}`);
      group.setAttribute("aria-selected", String(key === chosen.key));
      group.setAttribute("tabindex", key === chosen.key ? "0" : "-1");
      mark.textContent = markOf(this.trace, item, step);
      edge?.setAttribute("class", `edge ${state}`);
      if (this.trace.restarts.has(item.number)) score.textContent = scoreWords(this.trace, item, step);
    }
    for (const { text, kind, made } of this.lines) text.setAttribute("class", made > step ? `${kind} future` : kind);
    this.mark(step, chosen);
  }

  stateOf(item, step, front) {
    const now = item.made > step ? "future" : item.aside && !item.cut ? "aside" : front.has(item.key) ? "front" : item.dropped <= step ? "dropped" : "";
    return `${now}${item.good ? " good" : ""}${this.output.has(item.key) ? " output" : ""}`;
  }

  draw(step, chosen) {
    const front = this.trace.steps[step].front.map((i) => this.trace.nodes[i]);
    const needed = new Set([...front, ...pathTo(this.trace, chosen)].map((item) => item.key).concat([...this.output]));
    this.plan = layout(this.trace, this.columns, needed, columnOf(this.trace, front[0]));
    this.drawn = new Map();
    this.lines = [];
    this.at = new Map();
    this.plan.columns.forEach((column, c) => column.rows.forEach(({ item }, row) => {
      if (item) this.at.set(item.key, { x: PAD + c * (this.width + GAP), y: PAD + row * ROW, c });
    }));
    const size = this.size();
    this.edges = draw("g", { "aria-hidden": "true" });
    this.band = draw("rect", { class: "band", y: 0, width: this.width + GAP / 2, height: size.height });
    this.trail = draw("path", { class: "trail" });
    const nodes = draw("g", { role: "tree", "aria-label": "States of the search, by depth" });
    this.plan.columns.forEach((column, c) => this.drawColumn(column, c, nodes));
    this.heads = draw("svg", { class: "tree-heads", width: size.width, height: HEAD, "aria-hidden": "true" }, ...this.headings());
    this.tree = draw("svg", { class: "tree", ...size, viewBox: `0 0 ${size.width} ${size.height}` }, this.band, this.trail, this.edges, nodes);
    this.box.replaceChildren(this.heads, this.tree);
    this.moved = false; // what was in view is another part of the tree
  }

  size() {
    const rows = Math.max(1, ...this.plan.columns.map((column) => column.rows.length));
    return { width: 2 * PAD + this.plan.columns.length * (this.width + GAP) - GAP, height: 2 * PAD + rows * ROW };
  }

  drawColumn(column, c, nodes) {
    column.rows.forEach(({ item, text, kind, made }, row) => {
      if (item) {
        nodes.append(this.drawItem(item));
        return;
      }
      const line = draw("text", { role: "none", x: PAD + c * (this.width + GAP) + 8, y: PAD + row * ROW + 14 }, text);
      this.lines.push({ text: line, kind, made });
      nodes.append(line);
    });
  }

  drawItem(item) {
    const { x, y } = this.at.get(item.key);
    const score = draw("text", { class: "score", x: this.width - 7, y: 14.5 }, scoreWords(this.trace, item, rankedAt(item)));
    const mark = draw("tspan", { class: "mark" });
    const group = draw("g", {
      role: "treeitem", transform: `translate(${x} ${y})`, "aria-level": item.depth + 1, "aria-label": this.described(item),
      click: () => this.choose(item),
    }, draw("title", {}, this.described(item)), draw("rect", { width: this.width, height: BOX, rx: 5 }),
    draw("text", { class: "label", x: 8, y: 14.5 }, mark, labelOf(this.data, item)), score);
    const edge = this.drawEdge(item);
    this.drawn.set(item.key, { item, group, edge, score, mark });
    return group;
  }

  drawEdge(item) {
    const from = item.parent === null ? undefined : this.at.get(this.trace.nodes[item.parent].key);
    if (from === undefined) return null;
    const edge = draw("path", { d: this.curve(from, this.at.get(item.key)) });
    this.edges.append(edge);
    return edge;
  }

  curve(from, to) {
    const [x1, y1, x2, y2] = [from.x + this.width, from.y + BOX / 2, to.x, to.y + BOX / 2];
    const bend = Math.min(GAP, x2 - x1) / 2;
    return `M${x1} ${y1}L${x2 - 2 * bend} ${y1}C${x2 - bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }

  headings() {
    const restarts = new Set([...this.trace.restarts].map(([i]) => columnOf(this.trace, this.trace.nodes[i])));
    const losses = new Map(this.data.verdict.losses.map((loss) => [columnOf(this.trace, this.trace.nodes[this.trace.steps[loss.step].front[0]]), loss]));
    return this.plan.columns.flatMap((column, c) => {
      const x = PAD + c * (this.width + GAP);
      const most = Math.floor(this.width / 7);
      const lost = losses.has(column.number) ? (losses.get(column.number).how === "wrong goal" ? "✂ wrong goal" : "✂ truth lost") : "";
      const signs = [lost, restarts.has(column.number) ? "↻ restart" : ""].filter(Boolean).join(" ");
      return [
        draw("text", { class: "head", x: x + 2, y: 17 }, short(this.headOf(column), most)),
        signs ? draw("text", { class: "lost", x: x + 2, y: 33 }, signs) : null,
      ].filter(Boolean);
    });
  }

  // The words of a column of whole segments: those of its state on the output's path, or of its best one.
  headOf(column) {
    const items = column.rows.map(({ item }) => item).filter(Boolean);
    const span = this.trace.byPrefix ? "" : coveredBy(this.data, items.find((item) => this.output.has(item.key)) ?? items[0]);
    return span ? `${column.number}: ${span}` : headOf(this.data, column.number);
  }

  described(item) {
    const what = item.parent === null ? "start" : actionWords(this.data, item.action);
    const fate = item.number === null ? (item.merged ? ", merged into a better path" : ", cut")
      : item.aside && item.cut ? ", cut; training would use it" : item.aside ? ", not in the queue: training would use it" : item.dropped < Infinity ? ", dropped" : "";
    const again = this.trace.restarts.has(item.number) ? ", the search restarts from it" : "";
    return `${what}, score ${scoreWords(this.trace, item, rankedAt(item))}${item.good ? ", y-good" : ""}${fate}${again}${this.output.has(item.key) ? ", on the path of the output" : ""}`;
  }

  // The front's column, and the way to the chosen state.
  mark(step, chosen) {
    const front = this.at.get(this.trace.nodes[this.trace.steps[step].front[0]].key);
    if (front) this.band.setAttribute("x", front.x - GAP / 4);
    this.band.classList.toggle("future", !front);
    const places = pathTo(this.trace, chosen).map((item) => this.at.get(item.key));
    const parts = places.slice(1).map((to, i) => (places[i] && to ? this.curve(places[i], to) : ""));
    this.trail.setAttribute("d", parts.join(""));
    this.scrollTo(this.at.get(chosen.key) ?? front);
  }

  scrollTo(place) {
    if (!place) return;
    const { clientWidth, clientHeight, scrollTop } = this.box;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || !this.moved;
    const [top, bottom] = [place.y, place.y + HEAD + ROW + PAD];
    const y = top < scrollTop ? top - PAD : bottom > scrollTop + clientHeight ? bottom - clientHeight : scrollTop;
    this.box.scrollTo({ left: place.x - Math.max(PAD, clientWidth * 0.62 - this.width / 2), top: y, behavior: still ? "instant" : "smooth" });
    this.moved = true;
  }

  focusChosen(chosen) {
    this.drawn.get(chosen.key)?.group.focus({ preventScroll: true });
  }
}

// ↻: restarted from; ×: dropped by now; ★: y-good.
function markOf(trace, item, step) {
  const again = trace.restarts.has(item.number) ? "↻" : "";
  const mark = `${again}${item.cut || (item.dropped < Infinity && item.dropped <= step) ? "×" : ""}${item.good ? "★" : ""}`;
  return mark && `${mark} `;
}

function labelOf(data, item) {
  if (item.state) return short(item.state, LONGEST_SEGMENT);
  return item.parent === null ? "start" : shortAction(data, item.action, data.trace.alignment === "spans" ? LONGEST_SEGMENT : LONGEST_LABEL);
}

// g and, where the queue ranks by something else, that too.
function scoreWords(trace, item, step) {
  const [score, rank] = [scoreAt(trace, step, item), rankAt(trace, step, item)].map((value) => number(value, trace.digits));
  return score === rank || item.aside ? score : `${score} → ${rank}`;
}

// Wide enough for the longest label and its score.
function boxWidth(data, columns) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  let widest = 0;
  for (const { nodes, cuts, asides } of columns) {
    for (const item of [nodes, cuts, asides].flatMap((items) => items.slice(0, 200))) {
      const text = `${markOf(data.trace, item, Infinity)} ${labelOf(data, item)}  ${scoreWords(data.trace, item, rankedAt(item))}`;
      widest = Math.max(widest, context.measureText(text).width);
    }
  }
  return Math.ceil(Math.min(Math.max(widest + 26, 84), 300));
}

// What stands above a column: the token that it labels, or the number of operations so far.
function headOf(data, column) {
  const { trace, input } = data;
  if (column === 0) return "start";
  if (trace.alignment === "tokens" || trace.byPrefix) return column <= input.length ? said(input[column - 1]) : "end";
  return `depth ${column}`;
}

// The tokens of a segment such as NP[2:5].
function coveredBy(data, item) {
  const span = item && data.trace?.alignment === "spans" ? SEGMENT.exec(said(item.action)) : null;
  return span ? data.input.slice(Number(span[1]), Number(span[2])).map(visible).join(" ") : "";
}

// An action; of a segment the label with its words.
function actionWords(data, action) {
  const words = coveredBy(data, { action });
  return words ? `${visible(said(action).replace(SEGMENT, ""))} “${words}”` : visible(action);
}

// The same in so many characters: of a segment its label stays, and its first and last words.
function shortAction(data, action, most) {
  const words = [...coveredBy(data, { action })];
  if (!words.length) return short(action, most);
  const label = short(said(action).replace(SEGMENT, ""), most);
  const room = Math.max(5, most - label.length - 1);
  const half = Math.floor((room - 1) / 2);
  return `${label} ${words.length <= room ? words.join("") : `${words.slice(0, room - 1 - half).join("")}…${words.slice(-half).join("")}`}`;
}
