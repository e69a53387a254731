// A table of features, the strongest first, with bars to both sides of zero.

const FIRST_ROWS = 12;

// Features of one name and label become one row.
function summed(rows) {
  const byName = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.name, row.label, row.weight]);
    const known = byName.get(key);
    if (known) {
      known.value += row.value;
      known.push += row.push;
    } else byName.set(key, { ...row });
  }
  return [...byName.values()];
}

function byPush(a, b) {
  return Math.abs(b.push) - Math.abs(a.push) || Math.abs(b.value) - Math.abs(a.value);
}

// options: caption; total, the sum of all pushes (null: not said); filter, whether there is a box to search in.
function featureTable(rows, { caption, total = null, totalName = "sum", filter = false }) {
  const all = [...rows].sort(byPush);
  const widest = all.reduce((most, row) => Math.max(most, Math.abs(row.push)), 0) || 1;
  const digits = digitsFor(widest);
  const body = make("tbody");
  const more = make("button", { type: "button", class: "more-rows", hidden: true });
  const state = { open: false, text: "" };
  const refresh = () => {
    const found = all.filter((row) => matches(row, state.text));
    const shown = state.open ? found : found.slice(0, FIRST_ROWS);
    body.replaceChildren(...shown.map((row) => featureRow(row, widest, digits)));
    more.hidden = found.length <= FIRST_ROWS;
    more.textContent = state.open ? "Show fewer" : `Show all ${found.length.toLocaleString("en")}`;
    more.setAttribute("aria-expanded", String(state.open));
  };
  more.addEventListener("click", () => { state.open = !state.open; refresh(); });
  const search = filter && all.length > FIRST_ROWS ? searchBox((text) => { state.text = text; refresh(); }) : null;
  refresh();
  const head = make("thead", {}, make("tr", {}, ...["feature", "value × weight", "push"].map((name) => make("th", { scope: "col" }, name))));
  const foot = total === null ? null : make("tfoot", {}, sumRow(total, totalName, all.length, digits));
  const table = make("table", { class: "features" }, make("caption", {}, caption), head, body, foot);
  return make("div", { class: "feature-box" }, search, table, more);
}

function matches(row, text) {
  return text === "" || `${visible(row.name)} ${row.label === null ? "" : visible(row.label)}`.toLowerCase().includes(text);
}

function searchBox(changed) {
  return make("input", {
    type: "search", class: "filter", placeholder: "Filter features", "aria-label": "Filter features",
    input: (event) => changed(event.target.value.trim().toLowerCase()),
  });
}

function featureRow(row, widest, digits) {
  const name = make("th", { scope: "row" }, quoted(row.name), row.label === null ? null : quoted(row.label, "span", { class: "chip" }));
  return make("tr", {}, name, make("td", { class: "product" }, `${whole(row.value)} × ${number(row.weight, digits)}`), pushCell(row.push, widest, digits));
}

function pushCell(push, widest, digits) {
  const bar = make("span", { class: push < 0 ? "bar against" : "bar for", "aria-hidden": "true" });
  bar.style.setProperty("--size", `${(50 * Math.abs(push)) / widest}%`);
  return make("td", {}, make("div", { class: "push" }, make("span", { class: "amount" }, signed(push, digits)), make("span", { class: "axis" }, bar)));
}

function sumRow(total, name, count, digits) {
  return make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, counted(count, "feature", "features")),
    make("td", {}, make("div", { class: "push" }, make("span", { class: "amount" }, signed(total, digits)), make("span", { class: "axis blank" }))));
}
