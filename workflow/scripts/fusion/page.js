"use strict";

// What a cell is sorted by: its leading number, else its words; a dash comes last either way.
function sortKey(cell) {
  const text = cell.textContent.trim();
  const number = text.match(/^[-+−±]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?/);
  if (text === "–" || text === "") return { rank: 2, number: 0, text };
  if (!number) return { rank: 1, number: 0, text };
  return { rank: 0, number: Number(number[0].replaceAll(",", "").replace("−", "-").replace("±", "")), text };
}

function compare(a, b, sign) {
  if (a.rank === 2 || b.rank === 2) return a.rank - b.rank;
  const words = a.text.localeCompare(b.text, "en", { numeric: true });
  return sign * (a.rank - b.rank || a.number - b.number || words);
}

function sortBy(head) {
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = head.closest("table").tBodies[0];
  const keyed = [...body.rows].map((row) => [sortKey(row.cells[head.cellIndex]), row]);
  keyed.sort(([a], [b]) => compare(a, b, ascending ? 1 : -1));
  body.append(...keyed.map(([, row]) => row));
}

for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.title = "sort by this column";
  button.append(...head.childNodes);
  button.addEventListener("click", () => sortBy(head));
  head.append(button);
}
