// What constraints changed: lines, and a row per label that is another one.

function showConstraints({ lines, changes }) {
  const said = lines.map((line) => make("p", {}, line));
  if (!changes.length) {
    byId("constraints").replaceChildren(...said);
    return;
  }
  const cells = (name, values) => make("tr", {}, ...values.map((value) => make(name, {}, value)));
  const head = make("thead", {}, cells("th", ["token", "before", "after", "needed by"]));
  const body = make("tbody", {}, ...changes.map((row) => cells("td", row)));
  byId("constraints").replaceChildren(...said, make("div", { class: "sides" }, make("table", {}, head, body)));
}
