// Draw each .plot from the data in #figures, in the colours of the theme; draw again when it changes.
(() => {
  "use strict";
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const touch = matchMedia("(pointer: coarse)").matches;
  const config = { responsive: true, displaylogo: false, displayModeBar: false };
  const probe = document.body.appendChild(document.createElement("span"));
  probe.hidden = true;

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

  // "var(--ink)" as the browser would paint it now.
  function colour(name) {
    probe.style.color = name;
    return getComputedStyle(probe).color;
  }

  // A copy of a figure in which every CSS variable is a colour.
  function themed(value, seen) {
    if (typeof value === "string") {
      if (!/^var\(--[a-z0-9]+\)$/.test(value)) return value;
      if (!seen.has(value)) seen.set(value, colour(value));
      return seen.get(value);
    }
    if (Array.isArray(value)) return value.map((item) => themed(item, seen));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, seen)]));
    }
    return value;
  }

  function draw(place, widest) {
    let name = place.dataset.plot;
    if (place.dataset.choice) {
      name += "-" + document.querySelector(`input[name="${place.dataset.choice}"]:checked`).value;
    }
    const figure = themed(figures[name], new Map());
    if (widest) figure.layout.width = Math.min(place.clientWidth, widest);
    if (touch) figure.layout.dragmode = false; // a finger scrolls the page
    return Plotly.react(place, figure.data, figure.layout, config);
  }

  async function drawAll() {
    for (const place of document.querySelectorAll(".plot")) {
      await draw(place);
      await new Promise((next) => setTimeout(next)); // let the page answer between two plots
    }
    root.dataset.drawn = isDark() ? "dark" : "light";
  }

  let last = Promise.resolve();
  function refresh() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    last = last.then(drawAll);
  }

  try {
    const kept = localStorage.getItem("privopt-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* a page opened from a file may have no storage */ }

  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("privopt-theme", root.dataset.theme); } catch { /* as above */ }
    refresh();
  });
  prefersDark.addEventListener("change", refresh);
  for (const input of document.querySelectorAll(".choose input")) {
    input.addEventListener("change", () => {
      for (const place of document.querySelectorAll(`.plot[data-choice="${input.name}"]`)) draw(place);
    });
  }

  // Paper is light, and narrow.
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    for (const place of document.querySelectorAll(".plot")) {
      draw(place, place.closest(".multiples") ? 330 : 680);
    }
  });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    refresh();
  });

  refresh();
})();
