// Formulas in, HTML out: node formulas.mjs KATEX_FOLDER, with a JSON list of {tex, display} as input.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const katex = createRequire(import.meta.url)(`${process.argv[2]}/dist/katex.js`);
const set = ({ tex, display }) => {
  try {
    const html = katex.renderToString(tex, { displayMode: display, strict: "error", trust: false });
    return { html };
  } catch (error) {
    return { error: error.message };
  }
};
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map(set)));
